# SPDX-License-Identifier: BSD-3-Clause
# Reads lines `SCENE KIND REPETITION RANK TOTAL WAIT STOLEN OVERHEAD COMPENSATED_TOTAL COMPENSATED_WAIT LEAST_TOTAL
# GREATEST_TOTAL` (play.cpp; ns) and prints two tables of medians. KIND is truth or RULE-stamps, RULE-own.
# With check=yes it judges the exact rule: exit 1 if a scene misses the mark, 3 if none misses it by more than equal runs
# differ by themselves.

BEGIN {
    if (mark == "")
        mark = 1        # per cent of the truth that may be left
    least_dilation = 20 # per cent: below that a scene shows nothing
}

function magnitude(x) { return x < 0 ? -x : x }

# Puts the values of one quantity into sorted[1..n], smallest first.
function sort_values(scene, kind, rank, what,    n, i, j, x) {
    n = runs[scene, kind]
    for (i = 1; i <= n; i++) {
        x = value[scene, kind, rank, what, i]
        for (j = i - 1; j >= 1 && sorted[j] > x; j--)
            sorted[j + 1] = sorted[j]
        sorted[j + 1] = x
    }
    return n
}

function median(scene, kind, rank, what,    n) {
    n = sort_values(scene, kind, rank, what)
    return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}

function least(scene, kind, rank, what) {
    sort_values(scene, kind, rank, what)
    return sorted[1]
}

function greatest(scene, kind, rank, what,    n) {
    n = sort_values(scene, kind, rank, what)
    return sorted[n]
}

function truth(scene, rank) { return median(scene, "truth", rank, "total") }
function off(ns, scene, rank) { return 100 * (ns / truth(scene, rank) - 1) }
function error(scene, kind, rank) { return off(median(scene, kind, rank, "compensated"), scene, rank) }
function dilation(scene, kind, rank) { return off(median(scene, kind, rank, "total"), scene, rank) }

# Median error, and those of the run with the least and the run with the greatest compensated time.
function with_spread(scene, kind, rank) {
    if (!((scene, kind) in runs))
        return ""
    return sprintf("%+6.2f [%+6.2f,%+6.2f]", error(scene, kind, rank), \
                   off(least(scene, kind, rank, "compensated"), scene, rank), \
                   off(greatest(scene, kind, rank, "compensated"), scene, rank))
}

# In how many runs the bounds hold a truth, whose own runs differ.
function inside(scene, kind, rank,    i, n, low, high) {
    low = least(scene, "truth", rank, "total")
    high = greatest(scene, "truth", rank, "total")
    for (i = 1; i <= runs[scene, kind]; i++)
        n += value[scene, kind, rank, "least", i] <= high && value[scene, kind, rank, "greatest", i] >= low
    return n "/" runs[scene, kind]
}

# Wider than that is as good as unbounded.
function bound(percent) {
    return magnitude(percent) < 1000 ? sprintf("%+.2f", percent) : percent < 0 ? "-inf" : "+inf"
}

function bounds(scene, kind, rank) {
    return sprintf("[%7s,%7s] %4s", bound(off(median(scene, kind, rank, "least"), scene, rank)), \
                   bound(off(median(scene, kind, rank, "greatest"), scene, rank)), inside(scene, kind, rank))
}

# Per cent of the two cores that others had, in the worst kind of run.
function stolen(scene,    i, x, worst) {
    for (i = 1; i <= kinds; i++)
        if ((scene, kind_name[i]) in runs) {
            x = median(scene, kind_name[i], "both", "stolen")
            worst = x > worst ? x : worst
        }
    return worst
}

function print_totals(clock, title,    i, scene, rank, line) {
    line = "%-20s %4s %8s %8s  %-22s %-22s %-22s\n"
    printf line, "total, " title, "", "truth", "measured", "exact rule", "published rule", "local rule"
    printf line, "median of " runs[scene_name[1], "truth"], "rank", "ms", "%", "%  [ least,  most]", \
           "%  [ least,  most]", "%  [ least,  most]"
    for (i = 1; i <= scenes; i++) {
        scene = scene_name[i]
        for (rank = 0; rank < 2; rank++)
            printf "%-20s %4d %8.2f %+8.2f  %s %s %s\n", rank ? "" : scene, rank, truth(scene, rank) / 1e6, \
                   dilation(scene, "exact-" clock, rank), with_spread(scene, "exact-" clock, rank), \
                   with_spread(scene, "published-" clock, rank), with_spread(scene, "local-" clock, rank)
    }
    print ""
}

function print_waits(    i, scene, rank) {
    printf "%-20s %4s %8s %8s %8s %8s  %-22s %-22s %6s\n", "waiting, bounds", "", "truth", "measured", "stamps", \
           "own", "bounds of the total", "bounds of the total", "stolen"
    printf "%-20s %4s %8s %8s %8s %8s  %-22s %-22s %6s\n", "exact rule", "rank", "ms", "ms", "ms", "ms", \
           "time stamps: %, held", "own clock: %, held", "%"
    for (i = 1; i <= scenes; i++) {
        scene = scene_name[i]
        for (rank = 0; rank < 2; rank++)
            printf "%-20s %4d %8.2f %8.2f %8.2f %8.2f  %-22s %-22s %6s\n", rank ? "" : scene, rank, \
                   median(scene, "truth", rank, "wait") / 1e6, median(scene, "exact-stamps", rank, "wait") / 1e6, \
                   median(scene, "exact-stamps", rank, "wait compensated") / 1e6, \
                   median(scene, "exact-own", rank, "wait compensated") / 1e6, bounds(scene, "exact-stamps", rank), \
                   bounds(scene, "exact-own", rank), rank ? "" : sprintf("%.2f", stolen(scene))
    }
}

# The rank that is further off.
function worst_error(scene, kind,    a, b) {
    a = error(scene, kind, 0)
    b = error(scene, kind, 1)
    return magnitude(a) > magnitude(b) ? a : b
}

# What the measured times of equal runs, which hold the same work and the same overhead, differ by: that is the machine.
# With time stamps and on the own clock they are equal, too. Per cent of the truth, for the rank that differs more.
function spread(scene,    rank, found, worst) {
    for (rank = 0; rank < 2; rank++) {
        found = range(scene, "truth", "truth", rank)
        worst = found > worst ? found : worst
        found = range(scene, "exact-stamps", "exact-own", rank)
        worst = found > worst ? found : worst
    }
    return worst
}

function range(scene, one, other, rank,    low, high, x) {
    low = least(scene, one, rank, "total")
    x = least(scene, other, rank, "total")
    low = x < low ? x : low
    high = greatest(scene, one, rank, "total")
    x = greatest(scene, other, rank, "total")
    high = x > high ? x : high
    return 100 * (high - low) / truth(scene, rank)
}

# Returns 0, 1 or 3: the exit status if it were alone.
function judge(scene, kind,    found, longer, unsteady, verdict) {
    found = worst_error(scene, kind)
    longer = dilation(scene, kind, 0)
    if (dilation(scene, kind, 1) > longer)
        longer = dilation(scene, kind, 1)
    unsteady = spread(scene)
    verdict = longer <= least_dilation || magnitude(found) > mark + unsteady ? "FAILED" : \
              magnitude(found) > mark ? "UNCLEAR" : "good"
    printf "%s: %s, %s: %+.2f %% of %+.2f %% are left, allowed %s %% of more than %s %%", \
           verdict, scene, kind, found, longer, mark, least_dilation
    if (verdict == "UNCLEAR")
        printf "; equal runs differ by %.2f %%: repeat it on a quiet machine", unsteady
    printf "\n"
    return verdict == "good" ? 0 : verdict == "UNCLEAR" ? 3 : 1
}

function worse(a, b) {
    return a == 1 || b == 1 ? 1 : a > b ? a : b
}

function judge_all(    i, status) {
    print ""
    for (i = 1; i <= scenes; i++)
        status = worse(status, worse(judge(scene_name[i], "exact-stamps"), judge(scene_name[i], "exact-own")))
    return status
}

{
    if ($2 == "truth" && !(($1, "truth") in runs))
        scene_name[++scenes] = $1
    if (!($2 in known)) {
        known[$2] = 1
        kind_name[++kinds] = $2
    }
    runs[$1, $2] = $3
    value[$1, $2, $4, "total", $3] = $5
    value[$1, $2, $4, "wait", $3] = $6
    value[$1, $2, "both", "stolen", $3] += 50 * $7 / $5
    value[$1, $2, $4, "compensated", $3] = $9
    value[$1, $2, $4, "wait compensated", $3] = $10
    value[$1, $2, $4, "least", $3] = $11
    value[$1, $2, $4, "greatest", $3] = $12
}

END {
    print_totals("stamps", "time stamps")
    print_totals("own", "own clock")
    print_waits()
    if (check == "yes")
        exit judge_all()
}
