# SPDX-License-Identifier: BSD-3-Clause
# The arithmetic of `cost`, with samples.awk. Input: DECLARED CASE BUILD MEDIAN_US, a line a process, in the order of the
# rounds; builds unpatched, off and header. -v form=table|json, -v version=VERSION,
# -v machine="BUSY STOLEN TOTAL OWN BUSY STOLEN TOTAL OWN": clock ticks before and after.

function label(name) {
    return name in labels ? labels[name] : name
}

function sort_values(key, n,    i, j) {
    for (i = 1; i <= n; i++) {
        for (j = i - 1; j >= 1 && value[key, order[key, j]] > value[key, i]; j--)
            order[key, j + 1] = order[key, j]
        order[key, j + 1] = i
    }
}

# The value at `place` when round i counts weight[i] times.
function weighted_value(key, n, place,    j, seen) {
    for (j = 1; j <= n; j++) {
        seen += weight[order[key, j]]
        if (seen >= place)
            return value[key, order[key, j]]
    }
}

function weighted_median(key, n) {
    if (n % 2 == 1)
        return weighted_value(key, n, (n + 1) / 2)
    return (weighted_value(key, n, n / 2) + weighted_value(key, n, n / 2 + 1)) / 2
}

function median(key, n,    i) {
    for (i = 1; i <= n; i++)
        weight[i] = 1
    return weighted_median(key, n)
}

# 95 of 100 medians are not above it when whole rounds are drawn again and again.
function upper_bound(key, n,    i, k, drawn) {
    for (k = 1; k <= draws; k++) {
        for (i = 1; i <= n; i++)
            weight[i] = 0
        for (i = 1; i <= n; i++)
            weight[int(rand() * n) + 1]++
        drawn[k] = weighted_median(key, n)
    }
    return quantile(drawn, draws, 0.95)
}

# By counting values below a guess: the draws need no order of their own.
function quantile(values, n, part,    i, low, high, middle, below, step) {
    low = high = values[1]
    for (i = 2; i <= n; i++) {
        if (values[i] < low) low = values[i]
        if (values[i] > high) high = values[i]
    }
    for (step = 1; step <= 40; step++) {
        middle = (low + high) / 2
        below = 0
        for (i = 1; i <= n; i++)
            below += values[i] <= middle
        if (below >= part * n)
            high = middle
        else
            low = middle
    }
    return high
}

# The median of the rounds' ratios: what a moment of the machine does to all builds of a round stays out, also where a
# virtual machine's cores are near each other in some rounds and far in others.
function compare(row, build,    key, base, ratio, i, n) {
    key = row SUBSEP build
    base = row SUBSEP "unpatched"
    ratio = key SUBSEP "ratio"
    n = count[base]
    need_as_many(key, base, sprintf("%s: %d samples of %s and %d of unpatched", row, count[key], build, n))
    for (i = 1; i <= n; i++)
        value[ratio, i] = value[key, i] / value[base, i]
    sort_values(key, n)
    sort_values(ratio, n)
    ratio_of[key] = median(ratio, n)
    upper_of[key] = upper_bound(ratio, n)
}

function compute(    i, row) {
    for (i = 1; i <= rows; i++) {
        row = row_of[i]
        sort_values(row SUBSEP "unpatched", count[row SUBSEP "unpatched"])
        compare(row, "off")
        compare(row, "header")
    }
}

function mark_of(declared, name) {
    return declared == "overhead" || !(name in marks) ? 0 : marks[name]
}

function verdict(row, mark) {
    return mark == 0 ? "" : upper_of[row, "header"] <= mark ? "yes" : "NO"
}

function print_table_row(row,    part, n, mark) {
    split(row, part, " ")
    n = count[row, "unpatched"]
    mark = mark_of(part[1], part[2])
    printf "%-9s %-12s", part[1], label(part[2])
    printf "%11.4f%10.4f%10.4f", median(row SUBSEP "unpatched", n), median(row SUBSEP "off", n), \
        median(row SUBSEP "header", n)
    printf "%9.3f%8.3f%10.3f%8.3f", ratio_of[row, "off"], upper_of[row, "off"], ratio_of[row, "header"], \
        upper_of[row, "header"]
    if (mark == 0)
        printf "\n"
    else
        printf "%8.3f  %s\n", mark, verdict(row, mark)
}

function way() {
    return provider != "" ? "libfabric, " provider : ucx != "" ? "UCX, " ucx : "shared memory"
}

function print_table(    i) {
    printf "Cost against the unpatched MPICH: us, medians of %d processes in turn; two ranks on two cores, " \
        "%s\n", count[row_of[1], "unpatched"], way()
    printf "%-22s%31s%17s%18s\n", "", "median", "off", "header"
    printf "%-9s %-12s%11s%10s%10s%9s%8s%10s%8s%8s  %s\n", "declared", "message", "unpatched", "off", "header", \
        "ratio", "upper", "ratio", "upper", "mark", "holds"
    for (i = 1; i <= rows; i++)
        print_table_row(row_of[i])
    print "ratio: the median of the rounds' ratios; upper: its 95 % bound; holds: the bound is within the mark."
    print "messages: a barrier by messages in every build."
    print_machine()
}

function print_machine() {
    printf "Other programs took %.1f %% of the cores' time, the host of a virtual machine %.1f %%.\n", others, stolen
    if (others + stolen > 2)
        print "note: the machine was not quiet, and the figures hold that, too"
}

function print_json_row(row, build,    part, key, mark) {
    split(row, part, " ")
    key = row SUBSEP build
    printf "{\"declare\": \"%s\", \"message\": \"%s\", \"build\": \"%s\", \"median_us\": %.4f", part[1], part[2], \
        build, median(key, count[key])
    if (build != "unpatched")
        printf ", \"ratio\": %.5f, \"upper\": %.5f", ratio_of[key], upper_of[key]
    mark = build == "header" ? mark_of(part[1], part[2]) : 0
    if (mark != 0)
        printf ", \"mark\": %s, \"holds\": %s", mark, verdict(row, mark) == "yes" ? "true" : "false"
    print_samples(key)
}

function print_json(    i, b) {
    printf "{\"tare\": \"%s\", \"schema\": 1, \"command\": \"cost\", \"way\": \"%s\", \"others_pct\": %.2f, " \
        "\"stolen_pct\": %.2f, \"rows\": [", version, way(), others, stolen
    for (i = 1; i <= rows; i++)
        for (b = 1; b <= 3; b++) {
            printf "%s\n  ", i == 1 && b == 1 ? "" : ","
            print_json_row(row_of[i], builds[b])
        }
    print "\n]}"
}

BEGIN {
    draws = 2000
    srand(1)
    split("unpatched off header", builds, " ")
    labels["8"] = "8 B"
    labels["1024"] = "1 KiB"
    labels["65536"] = "64 KiB"
    labels["1048576"] = "1 MiB"
    marks["8"] = 1.02
    marks["1024"] = 1.015
    marks["65536"] = marks["1048576"] = 1.01
    marks["barrier"] = 1.05
    marks["allreduce"] = marks["bcast"] = marks["bcast_64k"] = marks["alltoall"] = marks["iallreduce"] = marks["put"] = 1.02
    # of a window's time: 0.98 and 0.99 of what there was
    marks["rate"] = 1 / 0.98
    marks["bandwidth"] = 1 / 0.99
    if (provider != "" || ucx != "")
        delete marks["barrier"]
    if (provider != "")
        marks["8"] = marks["1024"] = 1.01
    if (ucx != "") {
        marks["1024"] = marks["65536"] = marks["1048576"] = 1.02
        marks["8"] = ucx ~ /tcp/ ? 1.02 : 1.05
    }
    split(machine, tick, " ")
    total = tick[7] - tick[3]
    if (total > 0) {
        others = 100 * (tick[5] - tick[1] - (tick[8] - tick[4])) / total
        stolen = 100 * (tick[6] - tick[2]) / total
        if (others < 0)
            others = 0
    }
}

{
    row = $1 " " $2
    if (!(row in known)) {
        known[row]
        row_of[++rows] = row
    }
    value[row, $3, ++count[row, $3]] = $4
}

END {
    compute()
    print_result()
}
