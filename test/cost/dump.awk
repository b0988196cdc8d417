# SPDX-License-Identifier: BSD-3-Clause
# Reads callgrind's dumps of one rank and prints what each place does itself, divided by the number of messages:
#
#     CASE SIDE OBJECT PLACE INSTRUCTIONS CLOCK-READS
#
# The program names its dumps `CASE MESSAGES`; SIDE comes from -v side. OBJECT is a library's file name without its
# version, PLACE a function, or with -v by=line FILE:LINE. In a dump names are numbered, and spelt out the first time.
function named(space, text,    number) {
    number = text
    sub(/\).*/, ")", number)
    sub(/^\([0-9]+\) ?/, "", text)
    gsub(/ /, "", text)
    if (text != "")
        names[space, number] = text
    return names[space, number]
}
function base(path) {
    sub(/.*\//, "", path)
    return path
}
function key() { return test " " side " " object " " (by == "line" ? base(file) ":" position : fn) }
FNR == 1 {
    delete names
    test = ""
}
/^desc: Trigger: Client Request: / {
    test = $5
    messages[test] = $6
}
/^ob=/ {
    object = base(named("object", substr($0, 4)))
    sub(/\.so.*/, "", object)
}
/^f[lie]=/ { file = named("file", substr($0, 4)) }
/^fn=/ { fn = named("function", substr($0, 4)) }
/^cob=/ { named("object", substr($0, 5)) }
/^cf[li]=/ { named("file", substr($0, 5)) }
/^cfn=/ { called = named("function", substr($0, 5)) }
/^calls=/ {
    is_call = 1
    if (object == "libmpi" && called ~ /^clock_gettime/)
        clocks[key()] += substr($1, 7)
}
/^[-+*0-9]/ {
    if ($1 ~ /^[-+]/)
        position += $1
    else if ($1 != "*")
        position = $1
    if (!is_call && test != "")
        own[key()] += $2
    is_call = 0
}
END {
    for (k in own) {
        split(k, part, " ")
        printf "%s %.12g %.12g\n", k, own[k] / messages[part[1]], clocks[k] / messages[part[1]]
    }
}
