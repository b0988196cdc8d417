# SPDX-License-Identifier: BSD-3-Clause
# What echo.test found, as a table: paths by kinds of calls. Input: echo.log. A field is the cases that passed; -N of
# them were skipped, N! failed.
#
#     awk -f test/mpi/table.awk build/test/mpi/echo.log

/^(not )?ok [0-9]+ - / {
    failed = /^not/
    is_skipped = / # SKIP/
    sub(/^(not )?ok [0-9]+ - (\? )?/, "")
    sub(/ # SKIP.*/, "")
    if (split($0, part, ": ") < 2)
        next
    path = part[1]
    kind = part[2]
    if (!(path in paths))
        path_name[++paths_seen] = path
    paths[path] = 1
    if (!(kind in kinds))
        kind_name[++kinds_seen] = kind
    kinds[kind] = 1
    if (failed)
        bad[path, kind]++
    else if (is_skipped)
        skipped[path, kind]++
    else
        good[path, kind]++
}

function cell(path, kind) {
    if (!((path, kind) in good) && !((path, kind) in skipped) && !((path, kind) in bad))
        return ""
    return (good[path, kind] + 0) (skipped[path, kind] ? " -" skipped[path, kind] : "") \
        (bad[path, kind] ? " " bad[path, kind] "!" : "")
}

END {
    printf "| calls |"
    for (i = 1; i <= paths_seen; i++)
        printf " %s |", path_name[i]
    printf "\n|---|"
    for (i = 1; i <= paths_seen; i++)
        printf "---|"
    print ""
    for (k = 1; k <= kinds_seen; k++) {
        printf "| %s |", kind_name[k]
        for (i = 1; i <= paths_seen; i++)
            printf " %s |", cell(path_name[i], kind_name[k])
        print ""
    }
}
