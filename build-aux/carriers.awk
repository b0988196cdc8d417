# SPDX-License-Identifier: BSD-3-Clause
# The arithmetic of `cost --carriers`, with samples.awk. Input: DECLARED CASE BUILD MEDIAN_US, a line a process, in the
# order of the rounds. -v form=table|json, -v family=NAME, -v names="off BUILD...". What a build adds is its difference to `off` in
# the same round.

function sort_values(values, n,    i, j, v) {
    for (i = 2; i <= n; i++) {
        v = values[i]
        for (j = i - 1; j >= 1 && values[j] > v; j--)
            values[j + 1] = values[j]
        values[j + 1] = v
    }
}

# Between the two values that it lies between.
function quantile(values, n, part,    place, low) {
    place = 1 + (n - 1) * part
    low = int(place)
    return low >= n ? values[n] : values[low] + (place - low) * (values[low + 1] - values[low])
}

function summarize(build,    i, us, more) {
    need_as_many(build, "off", sprintf("%d samples of %s and %d of off", count[build], build, count["off"]))
    for (i = 1; i <= count[build]; i++) {
        us[i] = value[build, i]
        more[i] = value[build, i] - value["off", i]
    }
    sort_values(us, count[build])
    sort_values(more, count[build])
    median_of[build] = quantile(us, count[build], 0.5)
    for (i = 1; i <= 3; i++)
        more_of[build, i] = quantile(more, count[build], i / 4)
}

function verdict(build) {
    return !(build in marks) ? "" : more_of[build, 2] <= marks[build] ? "yes" : "NO"
}

function print_table(    i, b) {
    printf "8 B one way on %s: us, medians of %d processes in turn; more than off: median and quartiles of rounds\n", \
        family, count["off"]
    printf "%-18s%9s%9s%19s%8s  %s\n", "", "latency", "more", "quartiles", "mark", "holds"
    for (i = 1; i <= builds; i++) {
        b = build_of[i]
        printf "%-18s%9.3f", b, median_of[b]
        if (b == "off")
            printf "\n"
        else
            printf "%+9.3f%10s to %+.3f%8s  %s\n", more_of[b, 2], sprintf("%+.3f", more_of[b, 1]), more_of[b, 3], \
                b in marks ? sprintf("%+.2f", marks[b]) : "", verdict(b)
    }
}

function print_json(    i, b) {
    printf "{\"schema\": 1, \"command\": \"cost\", \"mpi\": \"%s\", \"rows\": [", family
    for (i = 1; i <= builds; i++) {
        b = build_of[i]
        printf "%s\n  {\"build\": \"%s\", \"median_us\": %.4f, \"more_us\": %.4f", i == 1 ? "" : ",", b, median_of[b], \
            more_of[b, 2]
        if (b in marks)
            printf ", \"mark_us\": %s, \"holds\": %s", marks[b], verdict(b) == "yes" ? "true" : "false"
        print_samples(b)
    }
    print "\n]}"
}

BEGIN {
    builds = split(names, build_of, " ")
    marks["datatype"] = 0.25
    marks["message"] = 0.17
    marks["copy"] = 0.18
}

{ value[$3, ++count[$3]] = $4 }

END {
    for (i = 1; i <= builds && !failed; i++)
        summarize(build_of[i])
    print_result()
}
