# SPDX-License-Identifier: BSD-3-Clause
# What the patches have put into C files, and where: FILE, FUNCTION and NAME for each hook, member and include of Tare's,
# separated by tabs. With -v definitions=1 instead FUNCTION and FILE:LINE for each function, macro and structure.
#
# MPICH's style is relied on: a definition begins in the first column, with its name, and ends with a } there.

BEGIN {
    hook = "MPI[A-Z]*(_[A-Z]+)*_(Tare|TARE)_[A-Za-z0-9_]+|\"[a-z0-9_]*tare[a-z0-9_]*[.][ch]\"|tare_[a-z]+_t +[a-z_]+;"
}

# name(LINE): of what begins on it: what stands before the first parenthesis, else behind struct, union or enum.
function name(line) {
    if (line ~ /^#/) {
        sub(/^#[ \t]*define[ \t]+/, "", line)
    } else if (line ~ /\(/) {
        sub(/[ \t]*\(.*/, "", line)
        sub(/.*[^A-Za-z0-9_]/, "", line)
        return line
    } else if (!sub(/.*(struct|union|enum)[ \t]+/, "", line)) {
        return ""
    }
    sub(/[^A-Za-z0-9_].*/, "", line)
    return line
}

function define() {
    if (definitions && place != "" && !defined) {
        print place "\t" file ":" begin
    }
    defined = 1
}

FNR == 1 {
    place = ""
    in_macro = 0
    file = FILENAME
    sub(/^\.\//, "", file)
}

/^#[ \t]*define[ \t]/ || (/^[A-Za-z_]/ && !in_macro) {
    place = name($0)
    in_macro = /^#/
    begin = FNR
    defined = 0
}

in_macro || /\{[ \t]*$/ { define() }

!definitions {
    for (rest = $0; match(rest, hook); rest = substr(rest, RSTART + RLENGTH)) {
        print file "\t" place "\t" substr(rest, RSTART, RLENGTH)
    }
}

/^\}/ || (in_macro && !/\\$/) {
    place = ""
    in_macro = 0
}
