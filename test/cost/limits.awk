# SPDX-License-Identifier: BSD-3-Clause
# Compares counts with limits. Input: limits.tab, then MODE CASE SEND RECEIVE SEND-CLOCKS RECEIVE-CLOCKS of the modes
# unpatched, off and header. Output: a line of TAP a case, without number.
function pattern_of(glob) {
    gsub(/[*]/, ".*", glob)
    return "^" glob "$"
}
function limit_of(name,    i) {
    for (i = 1; i <= limits; i++)
        if (name ~ pattern[i])
            return i
    return 0
}
function verdict(name, test,    i, more) {
    i = limit_of(name)
    if (i == 0)
        return "not ok " name " has no limit in limits.tab"
    if (!(test in plain))
        return "ok " name " # SKIP the unpatched MPICH is not known: " missing
    more = sum[name] - plain[test]
    return (more <= limit[i] && clocks[name] <= clock_limit[i] ? "ok " : "not ok ") name \
        sprintf(": %.10g instructions more, allowed %d; %d clock reads, allowed %d", more, limit[i], clocks[name], \
            clock_limit[i])
}
/^#/ { next }
FILENAME == ARGV[1] {
    pattern[++limits] = pattern_of($1)
    limit[limits] = $2
    clock_limit[limits] = $3
    next
}
$1 == "unpatched" {
    plain[$2] = $3 + $4
    next
}
{
    name = $1 "/" $2
    order[++names] = name
    tests[names] = $2
    sum[name] = $3 + $4
    clocks[name] = $5 + $6
}
END {
    for (i = 1; i <= names; i++)
        print verdict(order[i], tests[i])
}
