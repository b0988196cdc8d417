#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare report of runs with a filter or throttling, and --suggest-filter.
# shellcheck disable=SC2154  # bats sets status, output, lines and stderr
load helpers

# A profile of rank 0 in this folder, of what row adds. A pair of probes costs 100 ns.
rows=()
events=()

# row NAME GROUP CALLS SUBRS EXCL_USEC [COUNTED_CALLS]: without compensation
row() {
    local name=$1
    [ -z "${6-}" ] || { name="$1 [THROTTLED]"; events+=("\"tare counted calls : $1\" 1 $6 $6 $6 0"); }
    rows+=("\"$name\" $3 $4 $5 $5 0 GROUP=\"$2\" ")
}

# write_profile RANK METADATA: `NAME=VALUE` each
write_profile() {
    local rank=$1 metric file pair metadata=""
    shift
    for pair in "tare version=0.1.0" "tare run id=made" "tare ranks=${RANKS:-1}" "tare mode=header" "tare rule=exact" \
        "tare cost region pair ns=100.000" "tare cost probe pair ns=100.000" "tare cost mpi pair ns=200.000" "$@"; do
        metadata+="<attribute><name>${pair%%=*}</name><value>${pair#*=}</value></attribute>"
    done
    for metric in TIME COMPENSATED_TIME MPI_WAIT_TIME COMPENSATED_MPI_WAIT_TIME; do
        file=MULTI__$metric/profile.$rank.0.0
        mkdir -p "MULTI__$metric"
        {
            echo "${#rows[@]} templated_functions_MULTI_$metric"
            echo "# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>$metric</value></attribute>$metadata</metadata>"
            printf '%s\n' "${rows[@]}"
            echo "0 aggregates"
            [ "$metric" != TIME ] || [ "${#events[@]}" -eq 0 ] || {
                echo "${#events[@]} userevents"
                echo "# eventname numevents max min mean sumsqr"
                printf '%s\n' "${events[@]}"
            }
        } > "$file"
    done
}

setup() {
    clean_environment
    cd "$BATS_TEST_TMPDIR" || return 1
}

# The names that are excluded, in their order.
excluded() { sed -n 's/^  EXCLUDE \(.*\)  # .*/\1/p' <<< "$output" | paste -s -d '|'; }

# tiny is called often and takes nothing, small takes 0.9 us, large takes 2 us, rare is called twice; caller calls.
usual_rows() {
    row ".TAU application" TAU_DEFAULT 1 1 2000000
    row tiny TAU_DEFAULT 1000000 0 3000
    row small TAU_USER 100000 0 90000
    row large TAU_DEFAULT 1000000 0 2000000
    row rare TAU_DEFAULT 2 0 0.001
    row caller TAU_DEFAULT 50000 1000000 100
}

@test "regions_that_cost_most_to_measure_for_what_they_tell_are_suggested" {
    usual_rows
    write_profile 0
    run --separate-stderr "$TOOL" report --suggest-filter
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [ "$(excluded)" = "tiny|small|caller" ]
    [ "${lines[0]}" = "# Suggested by tare report --suggest-filter for the run made; all ranks and threads together." ]
    [ "${lines[1]}" = "# Measured so far: 2150003 calls, which cost about 215.000 ms (10.75 %) of the time." ]
    [ "${lines[2]}" = "# Expected saving: 1150000 calls, about 115.000 ms (5.75 %), less some ns that an excluded call still costs." ]
    grep -Fqx "  EXCLUDE tiny  # 1000000 calls of 3 ns, measuring them about 100.000 ms" <<< "$output"
    [ "${lines[3]}" = SCOREP_REGION_NAMES_BEGIN ]
    [ "${lines[-1]}" = SCOREP_REGION_NAMES_END ]
}

@test "where_MPI_is_called_only_regions_that_call_no_others_are_suggested" {
    usual_rows
    row "MPI_Send()" MPI 1000000 0 1
    write_profile 0
    run "$TOOL" report --suggest-filter
    [ "$(excluded)" = "tiny|small" ]
    [[ $output == *"# Only regions that call no others: "*"TARE_CALLPATH=1000"* ]]
}

@test "with_call_paths_those_on_no_way_to_MPI_are_suggested" {
    usual_rows
    row "MPI_Send()" MPI 1000000 0 1
    row other TAU_DEFAULT 40000 7 100
    row ".TAU application => caller => MPI_Send()" "TAU_CALLPATH|MPI" 1 0 1
    row ".TAU application => other" "TAU_CALLPATH|TAU_DEFAULT" 1 0 1
    write_profile 0 "tare callpath depth=10"
    run "$TOOL" report --suggest-filter
    [ "$(excluded)" = "tiny|small|other" ]
    [[ $output != *"# Only regions"* ]]
    # A path that was cut off leaves open what lies further out.
    row "caller => MPI_Send()" "TAU_CALLPATH|MPI" 1 0 1
    write_profile 0 "tare callpath depth=2"
    run "$TOOL" report --suggest-filter
    [ "$(excluded)" = "tiny|small" ]
}

@test "suggestions_are_over_all_ranks_or_of_one" {
    RANKS=2
    usual_rows
    write_profile 0
    rows=()
    row ".TAU application" TAU_DEFAULT 1 1 1000
    row other TAU_DEFAULT 1000 0 1
    write_profile 1
    run "$TOOL" report --suggest-filter
    [ "$(excluded)" = "tiny|small|caller" ]
    run "$TOOL" report --suggest-filter --rank=1
    [ "$(excluded)" = "other" ]
    [[ $output == *"for the run made; rank 1."* ]]
    run --separate-stderr "$TOOL" report --suggest-filter --rank=2
    assert_refused 1
}

@test "limit_keeps_the_dearest" {
    usual_rows
    write_profile 0
    run "$TOOL" report --suggest-filter --limit=1
    [ "$(excluded)" = tiny ]
    [[ $output == *"# 2 further regions left out: --limit=0 shows all"* ]]
    [[ $output == *"# Expected saving: 1000000 calls, "* ]]
    run "$TOOL" report --suggest-filter --limit=0
    [ "$(excluded)" = "tiny|small|caller" ]
}

@test "nothing_to_suggest_is_an_empty_filter" {
    row ".TAU application" TAU_DEFAULT 1 1 1000000
    row large TAU_DEFAULT 1000 0 1000000
    write_profile 0
    run "$TOOL" report --suggest-filter
    [ "$status" -eq 0 ]
    [ -z "$(excluded)" ]
    [[ $output == *$'# No region is worth a rule.\nSCOREP_REGION_NAMES_BEGIN\nSCOREP_REGION_NAMES_END' ]]
}

@test "names_are_patterns_that_stand_for_nothing_else" {
    row ".TAU application" TAU_DEFAULT 1 1 1000
    row 'f[abi:x](int *, char)' TAU_DEFAULT 1000 0 1
    row 'a#b\c' TAU_USER 900 0 1
    row EXCLUDE TAU_USER 800 0 1
    write_profile 0
    run "$TOOL" report --suggest-filter
    [ "$(excluded)" = 'f\[abi:x](int\ \*,\ char)|a\#b\\c|\EXCLUDE' ]
}

# The program has a region work, leaves its figures in a live file, and kills itself.
@test "suggested_file_is_taken_by_TARE_FILTER" {
    row ".TAU application" TAU_DEFAULT 1 1 1000
    row work TAU_USER 1000 0 1
    row 'a#b\c [x](int *)' TAU_USER 900 0 1
    write_profile 0
    "$TOOL" report --suggest-filter > rules
    grep -Fq 'EXCLUDE work  #' rules
    mkdir run
    cd run || return 1
    run --separate-stderr env TARE_PROFILE=1 "$NOTED" 0 1 a-run "nothing noted"
    [ "$status" -eq 137 ]
    [[ $("$TOOL" report 2> /dev/null) == *"  work  "* ]]
    rm .tare-live.0
    run --separate-stderr env TARE_PROFILE=1 TARE_FILTER=../rules "$NOTED" 0 1 a-run "nothing noted"
    [ "$status" -eq 137 ]
    [ -z "$stderr" ] || { echo "$stderr"; return 1; }
    run "$TOOL" report
    [[ $output != *"  work  "* ]]
    grep -Fqx "tare excluded regions: 1" <<< "$output"
    grep -Fqx "tare excluded calls: 1" <<< "$output"
}

@test "profile_that_does_not_tell_costs_is_refused" {
    run --separate-stderr "$TOOL" report --suggest-filter "$FIXTURES/two_ranks"
    assert_refused 1
    assert_says "tare cost region pair ns"
}

@test "options_that_do_not_go_with_suggestions_are_refused" {
    usual_rows
    write_profile 0
    local options
    for options in --sort=calls --region=tiny --callpath --sum --imbalance; do
        run --separate-stderr "$TOOL" report --suggest-filter $options
        assert_refused 2
    done
}

@test "suggestions_are_told_as_json_too" {
    command -v jq > /dev/null || skip "jq is not installed"
    usual_rows
    write_profile 0
    run "$TOOL" report --suggest-filter --json
    [ "$(jq -r '.rows[0] | [.region, .pattern, .calls, .counted_calls, .mean_ns, .cost_ns, .cost_pct] | map(tostring) |
        join(" ")' <<< "$output")" = "tiny tiny 1000000 0 3 100000000 5" ]
    [ "$(jq -r '[.rows[].region] | join(" ")' <<< "$output")" = "tiny small caller" ]
}

@test "throttled_regions_are_marked_and_explained" {
    row ".TAU application" TAU_DEFAULT 1 1 2000
    row tiny TAU_DISABLE 1000 0 1 900
    row small TAU_USER 10 0 1
    write_profile 0 "tare throttle=100 calls, mean below 10 ns"
    run --separate-stderr "$TOOL" report
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    grep -Eq '^ *0  tiny \[THROTTLED\]  +1000 ' <<< "$output"
    grep -Eq '^ *0  small  +10 ' <<< "$output"
    grep -Fqx "tare throttle: 100 calls, mean below 10 ns" <<< "$output"
    grep -Fqx "those of the measured ones. Only counted: 900; their time is their callers'." <<< "$output"
    run "$TOOL" report --region=tiny
    [ "$status" -eq 0 ]
    run "$TOOL" report --region=small
    [[ $output != *THROTTLED* ]]
    run "$TOOL" report --suggest-filter
    [[ $output == *"  EXCLUDE tiny  # 1000 calls of 10 ns, measuring them about 10.000 us (throttled after 100 calls)"* ]]
}

@test "throttled_on_one_rank_is_so_in_the_sum" {
    command -v jq > /dev/null || skip "jq is not installed"
    RANKS=2
    row ".TAU application" TAU_DEFAULT 1 1 2000
    row tiny TAU_DISABLE 1000 0 1 900
    write_profile 0 "tare throttle=100 calls, mean below 10 ns"
    rows=() events=()
    row ".TAU application" TAU_DEFAULT 1 1 2000
    row tiny TAU_USER 50 0 1
    write_profile 1 "tare throttle=100 calls, mean below 10 ns"
    run "$TOOL" report --sum --json
    [ "$(jq -r '.rows[] | select(.region == "tiny") | [.calls, .counted_calls] | join(" ")' <<< "$output")" = "1050 900" ]
    run "$TOOL" report --sum
    grep -Eq '^tiny \[THROTTLED\]  +1050 ' <<< "$output"
}

@test "throttled_row_without_its_count_is_refused_in_one_sentence" {
    row ".TAU application" TAU_DEFAULT 1 1 2000
    row "tiny [THROTTLED]" TAU_DISABLE 1000 0 1
    write_profile 0
    run --separate-stderr "$TOOL" report
    assert_refused 1
    assert_says "tare counted calls : tiny"
}
