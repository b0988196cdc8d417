#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The table is OSU's byte for byte: "%-10d%18.2f", with -f "%18.2f%18.2f%12d" behind it.
load helper

# Every row: COLUMNS characters that match PATTERN.
assert_rows() {
    local columns=$1 pattern=$2 expected_rows=$3 line rows=0
    for line in "${lines[@]:2}"; do
        echo "row '$line' has ${#line} characters"
        [[ ${#line} -eq $columns && $line =~ $pattern ]]
        rows=$((rows + 1))
    done
    [[ $rows -eq $expected_rows ]]
}

@test "latency_table_has_osus_columns" {
    run --separate-stderr ranks 2 tare_latency -m 8:1024 -i 10 -x 1
    [[ $status -eq 0 && -z $stderr ]]
    [[ ${lines[0]} == "# Tare MPI Latency Test v$VERSION" ]]
    [[ ${lines[1]} == "# Size          Latency (us)" ]]
    assert_rows 28 '^(8|16|32|64|128|256|512|1024) +[0-9]+\.[0-9]{2}$' 8
}

@test "bandwidth_table_has_osus_columns" {
    run --separate-stderr ranks 2 tare_bw -m 1:4 -i 3 -x 1
    [[ $status -eq 0 && -z $stderr ]]
    [[ ${lines[0]} == "# Tare MPI Bandwidth Test v$VERSION" ]]
    [[ ${lines[1]} == "# Size      Bandwidth (MB/s)" ]]
    assert_rows 28 '^[124] +[0-9]+\.[0-9]{2}$' 3
}

@test "full_table_adds_least_greatest_and_iterations" {
    run ranks 2 tare_latency -m 8:8 -i 250 -x 1 -f
    [[ ${lines[1]} == "# Size          Latency (us)   Min Latency(us)   Max Latency(us)  Iterations" ]]
    assert_rows 76 '^8( +[0-9]+\.[0-9]{2}){3} +250$' 1
    awk 'NR == 3 { exit !($3 <= $2 && $2 <= $4) }' <<<"$output"
    run ranks 2 tare_bw -m 8:8 -i 5 -x 1 -f
    [[ ${lines[1]} == "# Size      Bandwidth (MB/s)        Min (MB/s)        Max (MB/s)  Iterations" ]]
    awk 'NR == 3 { exit !($3 <= $2 && $2 <= $4) }' <<<"$output"
}

@test "barrier_table_has_osus_columns" {
    run --separate-stderr ranks 2 tare_barrier -i 10 -x 1
    [[ $status -eq 0 && -z $stderr ]]
    [[ ${lines[0]} == "# Tare MPI Barrier Latency Test v$VERSION" ]]
    [[ ${lines[1]} == "# Avg Latency(us)" ]]
    assert_rows 17 '^ +[0-9]+\.[0-9]{2}$' 1
    run ranks 2 tare_barrier -i 10 -x 1 -f
    [[ ${lines[1]} == "# Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations" ]]
    assert_rows 65 '^( +[0-9]+\.[0-9]{2}){3} +10$' 1
}

@test "json_is_one_object_with_the_agreed_keys" {
    run --separate-stderr ranks 2 tare_latency -m 0:2 -i 7 -x 0 --json
    [[ $status -eq 0 && -z $stderr && $output != *"#"* ]]
    jq -es --arg version "$VERSION" 'length == 1 and (.[0] | .tare == $version and .schema == 1
        and .command == "tare_latency" and .mode == "off" and .rule == "local" and .declare == "none"
        and [.rows[].size] == [0, 1, 2])' <<<"$output"
    jq -e '[.rows[] | keys_unsorted == ["size", "iterations", "samples_us", "median_us", "mad_us", "p99_us"]] | all' \
        <<<"$output"
}

@test "samples_are_as_many_as_iterations_up_to_100" {
    for iterations in 1 7 100 250; do
        run ranks 2 tare_latency -m 8:8 -i $iterations -x 0 --json
        expected=$((iterations < 100 ? iterations : 100))
        jq -e --argjson n $expected --argjson i $iterations \
            '.rows[0] | (.samples_us | length) == $n and .iterations == $i and (.samples_us | all(. > 0))' \
            <<<"$output"
    done
}

@test "median_and_mad_belong_to_the_samples" {
    for iterations in 9 10; do
        run ranks 2 tare_latency -m 8:8 -i $iterations -x 0 --json
        jq -e 'def median: sort | length as $n | (.[($n - 1) / 2 | floor] + .[$n / 2 | floor]) / 2;
            .rows[0] | (.samples_us | median) as $m | ([.samples_us[] | . - $m | fabs] | median) as $mad
            | ((.median_us - $m) | fabs) < 0.0002 and ((.mad_us - $mad) | fabs) < 0.0002' <<<"$output"
    done
}

@test "bandwidth_is_bytes_of_a_window_by_its_median_time" {
    run ranks 2 tare_bw -m 1024:1024 -W 8 -i 20 --json
    jq -e '.command == "tare_bw" and (.rows[0] | .mb_per_s as $found | 1024 * 8 / .median_us
        | . / $found > 0.999 and . / $found < 1.001)' <<<"$output"
}

@test "mode_and_rule_in_json_are_the_runs" {
    for rule in exact published; do
        TARE_MODE=header TARE_RULE=$rule run ranks 2 tare_latency -m 8:8 -i 5 -x 0 --json
        jq -e --arg rule $rule '.mode == "header" and .rule == $rule' <<<"$output"
    done
}
