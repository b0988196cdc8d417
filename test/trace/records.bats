#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# TARE_TRACE_RECORDS: the memory and the type that each call uses, and where it is made, on every family.
# shellcheck disable=SC2154  # bats sets status, output and stderr
load helper

assert_buffers() {
    for rank in 0 1; do
        "$scripts/buffers.py" "$1" "$rank" >saw."$rank"
        [ -s did."$rank" ]
        diff did."$rank" saw."$rank"
    done
}

# The source lines of what its sites are, of the calls that buffers.c tells of.
assert_lines() {
    for rank in 0 1; do
        "$scripts/buffers.py" "$archive" "$rank" sites >sites."$rank"
        sed -nE 's/^(MPI_[A-Za-z_]+) ([a-z_]+)\+0x[0-9a-f]+ \(.*\+(0x[0-9a-f]+)\)$/\1 \2 \3/p' sites."$rank" |
            grep -vE ' main |^MPI_Init ' >places
        while read -r call function offset; do
            place=$(addr2line -e "$1" "$(printf '%#x' $((offset - 1)))")
            echo "$call $function ${place##*:}" | sed 's/ (.*//'
        done <places >lines
        [ -s lines."$rank" ]
        diff lines."$rank" lines
    done
}

@test "buffers_and_sites_are_those_of_their_program_in_every_mode" {
    export TARE_TRACE_RECORDS=sites,buffers
    for family in $FAMILIES; do
        for mode in $(modes_of "$family"); do
            traced_ranks "$family" "$mode" 2 buffers
            assert_buffers "$archive"
            assert_lines "$family_programs/$family/buffers"
            assert_balanced tare-trace
        done
    done
}

@test "without_them_a_trace_has_neither_buffers_nor_sites" {
    for records in none sites buffers; do
        export TARE_TRACE_RECORDS=$records
        traced_ranks "${FAMILIES%% *}" off 2 buffers
        [ -s "$archive" ]
        [[ $records == buffers || -z $("$scripts/buffers.py" "$archive" 0) ]]
        [[ $records == sites || -z $("$scripts/buffers.py" "$archive" 0 sites) ]]
    done
}

@test "records_of_killed_ranks_are_there" {
    in_a_new_folder
    family=${FAMILIES%% *}
    # shellcheck disable=SC2046  # a launcher and its options
    run timeout 60 $(mpiexec_of "$family") -n 2 env LD_PRELOAD="$(layer_of "$family")" TARE_MODE=off TARE_TRACE=1 \
        TARE_TRACE_RECORDS=sites,buffers "$family_programs/$family/buffers" victim
    run --separate-stderr "$TOOL" trace join
    [ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
    assert_buffers "$archive"
    assert_lines "$family_programs/$family/buffers"
}

# events_of ARCHIVE: in events.json
events_of() {
    quietly print --json "$1" && echo "$output" >events.json
}

# assert_counted ARCHIVE: each enter and leave has its thread's time on a core and page faults, which never go back
assert_counted() {
    events_of "$1"
    jq -e '[.rows[] | select(.event == "Enter" or (.event == "Leave" and .region != ".TAU application"))] | length > 20 and
        all(.[]; has("core_ns") and has("page_faults")) and
        all(group_by([.rank, .thread])[]; [.[].core_ns] == ([.[].core_ns] | sort) and .[-1].core_ns > .[0].core_ns and
            [.[].page_faults] == ([.[].page_faults] | sort))' events.json || { head -60 events.json; return 1; }
    jq -e 'all(.rows[] | select(.event != "Enter" and .event != "Leave"); has("core_ns") == false)' events.json
}

# What is open where the run ends, or a cut, is left without a look at them.
@test "counters_are_of_each_enter_and_leave" {
    need_jq
    export TARE_TRACE_RECORDS=counters
    for run in 1 2; do
        traced_ranks "${FAMILIES%% *}" off 2 buffers
    done
    assert_counted "$archive"
    quietly merge --output=both ../1/tare-trace tare-trace
    assert_counted both/traces.otf2
    quietly cut --from=0 --to=1000s --output=cut tare-trace
    events_of cut/traces.otf2
    jq -e '[.rows[] | select(has("core_ns"))] | length > 20' events.json
    export TARE_TRACE_RECORDS=sites
    traced_ranks "${FAMILIES%% *}" off 2 buffers
    events_of "$archive"
    jq -e '(.rows | length > 20) and (any(.rows[]; has("core_ns")) | not)' events.json
}

@test "records_are_in_cut_and_merged_archives" {
    export TARE_TRACE_RECORDS=sites,buffers
    for run in 1 2; do
        traced_ranks "${FAMILIES%% *}" off 2 buffers
    done
    quietly merge --output=both ../1/tare-trace tare-trace
    "$scripts/buffers.py" "$archive" 1 >one
    "$scripts/buffers.py" both/traces.otf2 3 >three
    diff one three
    diff <("$scripts/buffers.py" "$archive" 1 sites) <("$scripts/buffers.py" both/traces.otf2 3 sites)
    "$scripts/buffers.py" ../1/"$archive" 0 >first
    "$scripts/buffers.py" both/traces.otf2 0 | diff first -
    quietly cut --from=0 --output=part
    "$scripts/buffers.py" part/traces.otf2 1 >cut
    diff one cut
}

@test "print_has_records_as_text_and_as_numbers" {
    export TARE_TRACE_RECORDS=sites,buffers
    traced_ranks "${FAMILIES%% *}" off 2 buffers
    quietly print --rank=0
    grep -qE 'MpiSend to 1 .* reads 0x[0-9a-f]+ span 80 type vector\(3,2,4;;MPI_DOUBLE\)$' <<<"$output"
    grep -qE 'Leave MPI_Waitall called at requests\+0x[0-9a-f]+ \(/.*/buffers\+0x[0-9a-f]+\)$' <<<"$output"
    need_jq
    quietly print --rank=0 --json
    [ "$(jq -r '.rows[] | select(.send_type == "vector(3,2,4;;MPI_DOUBLE)") | "\(.event) \(.send_span)"' <<<"$output")" = "MpiSend 80" ]
    jq -e '[.rows[] | select(.region == "MPI_Waitall" and .call_site != null)] | length == 3' <<<"$output"
}

# Of what is in one piece, and still there when the call returns: the same bytes have the same one.
@test "contents_are_those_of_messages_in_one_piece" {
    export TARE_TRACE_RECORDS=contents
    for family in $FAMILIES; do
        for mode in $(modes_of "$family"); do
            traced_ranks "$family" "$mode" 2 buffers
            quietly print --rank=0 --json
            echo "$output" >events.json
            jq -e '[.rows[] | select(has("contents"))] | length == 8 and all(.event == "MpiSend" or .event == "MpiIsend" or .event == "RmaPut")' events.json
            jq -e '[.rows[] | select(.event == "MpiSend" or .event == "MpiIsend")
                | select(.send_type == null or (.send_type | test("vector|resized"))) | has("contents")] | any | not' events.json
            # Both starts of the persistent request send the same.
            jq -e '[.rows[] | select(.event == "MpiIsend" and .bytes == 32) | .contents] | length == 2 and .[0] == .[1] and .[0] != null' events.json
            jq -e '[.rows[] | select(.event == "MpiSend") | .contents | values] | unique | length > 1' events.json
            assert_buffers "$archive"
        done
    done
}

@test "records_that_are_not_allowed_are_refused" {
    in_a_new_folder
    run --separate-stderr env TARE_TRACE_RECORDS=buffers,types "$SCENARIO" nested
    [ "$status" -ne 0 ]
    [[ $stderr == *"TARE_TRACE_RECORDS=buffers,types is not allowed; allowed: none, or a list of sites, buffers, data, contents, counters"* ]]
}
