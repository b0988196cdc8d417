# SPDX-License-Identifier: BSD-3-Clause
# Reads the results of several columns (FILENAME without .results is a column's name; a line: test, verdict, seconds,
# runs, why) and prints the tests that are not alike in all of them, then the totals. -v known_bad=FILE.
# Ends with 1 when a test fails that passes in the column `unpatched`, or, where there is none, one that is not known
# to be bad; when a column lacks a test that another one has; and when nothing has run.
BEGIN {
    FS = "\t"
    while ((getline line < known_bad) > 0)
        if (line !~ /^(#|$)/) {
            sub(/  .*/, "", line)
            is_known[line] = 1
        }
}

FNR == 1 {
    column = FILENAME
    sub(/.*\//, "", column)
    sub(/\.results$/, "", column)
    columns[++column_count] = column
    if (column == "unpatched")
        reference = 1
}

!($1 in folder_of) {
    folder = $1
    sub(/ .*/, "", folder)
    sub(/\/[^\/]*$/, "", folder)
    folder_of[$1] = folder
    tests[++test_count] = $1
    if (!(folder in has_folder)) {
        has_folder[folder] = 1
        folders[++folder_count] = folder
    }
}

{
    verdict[$1, column] = $2
    count[folder_of[$1], column, $2]++
    seconds[folder_of[$1], column] += $3
    if ($2 != "skip")
        ran++
    if ($2 == "pass" && $4 > 1)
        again[++again_count] = sprintf("%s, %s: %d runs, before: %s", $1, column, $4, $5)
    if ($2 == "fail")
        why[$1, column] = $5
}

function is_unexpected(test, column) {
    if (verdict[test, column] == "")
        return 1
    if (verdict[test, column] != "fail" || column == "unpatched")
        return 0
    return reference ? verdict[test, "unpatched"] != "fail" : !(test in is_known)
}

function differs(test,    i) {
    for (i = 1; i <= column_count; i++)
        if (verdict[test, columns[i]] != verdict[test, columns[1]] || is_unexpected(test, columns[i]))
            return 1
    return 0
}

function print_row(test,    i, shown) {
    printf "%-36s", test
    for (i = 1; i <= column_count; i++) {
        shown = verdict[test, columns[i]]
        if (is_unexpected(test, columns[i]))
            shown = shown == "" ? "NO RESULT" : "FAIL"
        printf " %14s", shown
    }
    print ""
}

function print_reasons(test,    i) {
    for (i = 1; i <= column_count; i++)
        if ((test, columns[i]) in why)
            print "    " columns[i] ": " why[test, columns[i]]
}

function print_head(title,    i) {
    printf "%-36s", title
    for (i = 1; i <= column_count; i++)
        printf " %14s", columns[i]
    print ""
}

function print_differences(    i, j, rows) {
    for (i = 1; i <= test_count; i++) {
        for (j = 1; j <= column_count; j++)
            bad += is_unexpected(tests[i], columns[j])
        if (differs(tests[i])) {
            if (!rows++)
                print_head("tests that differ")
            print_row(tests[i])
            print_reasons(tests[i])
        }
    }
    print rows ? "" : "No test differs.\n"
}

function print_totals(    i, j, f, c) {
    print_head("passed/failed/left out, seconds")
    for (i = 1; i <= folder_count; i++) {
        f = folders[i]
        printf "%-36s", f
        for (j = 1; j <= column_count; j++) {
            c = columns[j]
            printf " %14s", sprintf("%d/%d/%d %ds", count[f, c, "pass"], count[f, c, "fail"], count[f, c, "skip"],
                                    seconds[f, c] + 0.5)
        }
        print ""
    }
}

function is_news(test, column) {
    return verdict[test, column] == "fail" && !(test in is_known) && !is_unexpected(test, column)
}

function print_others(    i, j, note) {
    for (i = 1; i <= again_count; i++)
        print (i == 1 ? "\npassed only when run again:\n    " : "    ") again[i]
    for (i = 1; i <= test_count; i++) {
        note = ""
        for (j = 1; j <= column_count; j++)
            if (is_news(tests[i], columns[j]))
                note = why[tests[i], columns[j]]
        if (note != "")
            print "\nfails unpatched, too, and is not in suite_known_bad: " tests[i] ": " note
    }
}

END {
    print_differences()
    print_totals()
    print_others()
    if (!ran)
        print "mpich-suite: nothing has run" > "/dev/stderr"
    if (bad)
        printf "\n%d failed or have no result, and should not\n", bad
    exit bad || !ran
}
