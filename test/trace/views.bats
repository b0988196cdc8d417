#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare trace print and chrome: archives of which it is known what is in them.
# shellcheck disable=SC2154  # bats sets status, output and stderr
load helper

setup() {
    clean_environment
    cd "$BATS_TEST_TMPDIR" || return 1
}

# --- print ---

@test "events_are_printed_in_the_order_of_time_with_both_times" {
    an_archive waiting a
    quietly print a
    [ "$output" = "            ns   removed_ns  thread  event
          1000            0  0.0     Enter MPI_Recv
          1000            0  1.0     Enter work
          8000         1000  1.0     Leave work
          8000         1000  1.0     Enter MPI_Send
          8000         1000  1.0     MpiSend to 0 tag 0 bytes 64 in world
          8500         1000  1.0     Leave MPI_Send
          9000          500  0.0     MpiRecv from 1 tag 0 bytes 64 in world
          9000          500  0.0     Leave MPI_Recv
         10000          500  0.0     Enter MPI_Barrier
         10000          500  0.0     MpiCollectiveBegin
         12000         1500  1.0     Enter MPI_Barrier
         12000         1500  1.0     MpiCollectiveBegin
         12100         1600  0.0     MpiCollectiveEnd in world
         12100         1600  0.0     Leave MPI_Barrier
         12100         1600  1.0     MpiCollectiveEnd in world
         12100         1600  1.0     Leave MPI_Barrier" ] || { echo "$output"; return 1; }
}

# Of ranks 0 to 3, threads 0 and 1: 600 events each, one each 10 ns.
@test "events_of_ranks_threads_and_times_are_picked" {
    an_archive events 4800 a
    quietly print --rank=1,3 a
    [ "${#lines[@]}" -eq 2401 ]
    [ "$(awk 'NR > 1 { print $3 }' <<<"$output" | sort | uniq -c | xargs)" = "600 1.0 600 1.1 600 3.0 600 3.1" ]
    quietly print --rank=0-2 a
    [ "${#lines[@]}" -eq 3601 ]
    quietly print --thread=0.1,2.0 a
    [ "$(awk 'NR > 1 { print $3 }' <<<"$output" | sort | uniq -c | xargs)" = "600 0.1 600 2.0" ]
    quietly print --rank=3 --thread=0.1 a
    [ "${#lines[@]}" -eq 1801 ]
    quietly print --from=1us --to=1.5us a
    [ "${#lines[@]}" -eq 52 ]
    [ "$(awk 'NR == 2 || NR == 52 { print $1 }' <<<"$output" | xargs)" = "1000 1500" ]
    quietly print --from=48000 a
    [ "${#lines[@]}" -eq 2 ]
    quietly print --from=1s a
    [ "${#lines[@]}" -eq 1 ]
}

@test "events_in_a_region_are_picked" {
    an_archive waiting a
    quietly print --region=MPI_Barrier a
    [ "${#lines[@]}" -eq 9 ]
    quietly print --region=MPI_Recv a
    [ "$(awk 'NR > 1 { print $4 }' <<<"$output" | xargs)" = "Enter MpiRecv Leave" ]
    quietly print --region=work --rank=0 a
    [ "${#lines[@]}" -eq 1 ]
}

@test "json_of_print_has_a_row_for_each_event" {
    need_jq
    an_archive events 4800 a
    "$TOOL" trace print --json a >a.json
    [ "$(jq '.rows | length' a.json)" -eq 4800 ]
    [ "$(jq -r .command a.json)" = "trace print" ]
    [ "$(jq '[.rows[] | select(.event == "MpiRecv")] | length' a.json)" -eq 800 ]
    jq -c '.rows[] | select(.event == "MpiSend")' a.json | sed -n 2p >send
    [ "$(cat send)" = '{"ns":100,"removed_ns":10,"rank":0,"thread":1,"event":"MpiSend","peer_rank":1,"peer_thread":1,"tag":0,"bytes":64,"sequence":0,"communicator":"world"}' ] ||
        { cat send; return 1; }
}

@test "print_has_what_otf2_print_has" {
    TARE_TRACE=1 "$SCENARIO" threads
    quietly print
    otf2-print "$archive" | awk '$1 == "ENTER" || $1 == "LEAVE"' | wc -l >theirs
    [ "$(cat theirs)" -gt 20 ]
    [ "$((${#lines[@]} - 1))" -eq "$(cat theirs)" ]
    diff <(otf2-print "$archive" | sed -nE 's/^ENTER .* Region: "(.*)" <[0-9]+>.*/\1/p' | sort) \
        <(sed -nE 's/^ *[0-9]+ +-?[0-9]+ +[0-9.]+ +Enter //p' <<<"$output" | sort)
}

@test "wrong_picks_are_refused" {
    an_archive events 48 a
    refused 1 "rank 4 is not in the trace" print --rank=0-4 a
    refused 1 "thread 0.2 is not in the trace" print --thread=0.2 a
    refused 1 "region play is not in the trace" print --region=play a
    refused 2 "--rank=x is no list of ranks like 0,2-3" print --rank=x a
    refused 2 "--rank=3-1 is no list of ranks like 0,2-3" print --rank=3-1 a
    refused 2 "--thread=1 is no list of threads, RANK.THREAD, like 0.1,2.0" print --thread=1 a
    refused 2 "--from=1h is no time like 250us, 1.5ms, 2s or, in ns, 12345" print --from=1h a
    refused 2 "--to=-1 is no time like" print --to=-1 a
    refused 2 "--from is behind --to" print --from=2us --to=1us a
}

# --- chrome ---

@test "chrome_has_each_region_and_each_message_as_an_arrow" {
    need_jq
    an_archive events 4800 a
    "$TOOL" trace chrome a >a.json
    [ "$(jq -c '[.traceEvents[].ph] | group_by(.) | map({(.[0]): length}) | add' a.json)" = '{"B":1600,"E":1600,"M":24,"f":800,"s":800}' ]
    # An arrow begins in the thread that has sent, and ends in the one that has received: one rank on, the same thread.
    jq -r '[.traceEvents[] | select(.ph == "s" or .ph == "f")] | group_by(.id)[] | "\(map(select(.ph == "s").tid)[0]) \(map(select(.ph == "f").tid)[0])"' a.json |
        sort | uniq -c | awk '{ print $2, $3, $1 }' | sort -n >arrows
    diff - arrows <<END
0 2 100
1 3 100
2 4 100
3 5 100
4 6 100
5 7 100
6 0 100
7 1 100
END
    [ "$(jq -r '[.traceEvents[] | select(.ph == "s").args.joined_by] | unique | join(" ")' a.json)" = sequence ]
}

@test "chrome_has_the_time_of_the_clock_that_is_asked_for" {
    need_jq
    an_archive waiting a
    for clock in compensated measured; do
        "$TOOL" trace chrome --clock=$clock a >$clock.json
        [ "$(jq -r .otherData.clock $clock.json)" = $clock ]
    done
    waits='[.traceEvents[] | select(.name == "waiting")] | map("\(.tid) \(.ts) \(.dur)") | join(", ")'
    [ "$(jq -r "$waits" compensated.json)" = "0 1 7, 0 10 2" ]
    [ "$(jq -r "$waits" measured.json)" = "0 1 8, 0 10.5 3" ]
    arrow='[.traceEvents[] | select(.cat == "message") | .ts] | map(tostring) | join(" ")'
    [ "$(jq -r "$arrow" compensated.json)" = "8 9" ]
    [ "$(jq -r "$arrow" measured.json)" = "9 9.5" ]
    [ "$(jq -c '[.traceEvents[] | select(.ph == "E" and .name == "work").args][0]' measured.json)" = '{"measured_ns":8000,"compensated_ns":7000}' ]
}

# Of a recursive region the profile counts the outermost calls' time alone.
@test "regions_of_chrome_are_those_of_the_profile" {
    need_jq
    TARE_TRACE=1 "$SCENARIO" nested
    "$TOOL" trace chrome -o a.trace.json
    jq -r '.traceEvents[] | select(.ph == "E") | "\(.name)\t\(.args.measured_ns)"' a.trace.json |
        awk -F '\t' '{ calls[$1]++; ns[$1] += $2 } END { for (n in ns) printf "calls=%d incl=%d %s\n", calls[n], ns[n], n }' | sort >chrome
    "$SUMS" "$archive" | sed -E 's/^[0-9]+ [0-9]+ (calls=[0-9]+) incl_comp=[0-9]+ (incl=[0-9]+) /\1 \2 /' | sort >sums
    [ "$(grep -c . sums)" -ge 4 ]
    diff <(grep -v recursive sums) <(grep -v recursive chrome)
    diff <(grep -o 'calls=.* recursive' sums | sed 's/ incl=[0-9]*//') <(grep -o 'calls=.* recursive' chrome | sed 's/ incl=[0-9]*//')
}

@test "file_of_chrome_replaces_only_what_tare_has_written" {
    an_archive waiting a
    quietly chrome -o a.trace.json a
    quietly chrome -o a.trace.json a
    echo mine >a.trace.json
    refused 1 "a.trace.json is there, was not written by tare convert and will not be overwritten: --force does" \
        chrome -o a.trace.json a
    [ "$(cat a.trace.json)" = mine ]
    quietly chrome --force -o a.trace.json a
    [ "$(head -c 15 a.trace.json)" = '{"otherData": {' ]
    refused 2 "--clock=lunar is not one of compensated, measured" chrome --clock=lunar a
    # It is no profile.
    run --separate-stderr "$TOOL" convert a.trace.json
    [ "$status" -eq 1 ]
    [ "$stderr" = "tare convert: a.trace.json was not written by tare convert" ]
}

# --- both ---

@test "regions_that_end_nowhere_are_ended_and_leaves_of_none_are_none" {
    need_jq
    an_archive scenario "$SCENARIOS" truncated_message_is_lost_for_the_search a
    quietly print a
    quietly chrome a
    [ "$(jq '[.traceEvents[] | select(.ph == "B")] | length' <<<"$output")" -eq "$(jq '[.traceEvents[] | select(.ph == "E")] | length' <<<"$output")" ]
}

@test "damaged_traces_are_shown_as_far_as_they_go" {
    need_jq
    an_archive events 4800 a
    truncate -s 2000 a/traces/1000.evt
    for action in print chrome; do
        run --separate-stderr "$TOOL" trace $action a
        [ "$status" -eq 1 ]
        [[ $stderr == "tare trace: rank 0, thread 0: "*" of 600 events can be read: "* && $(grep -c . <<<"$stderr") -eq 1 ]]
        # Seven of eight threads: 600 events, of which 400 are of regions.
        [ "${#lines[@]}" -gt "$([ $action = print ] && echo 4200 || echo 2800)" ]
    done
    jq . <<<"$output" >valid
    echo nonsense >a/traces.otf2
    refused 1 "cannot read a/traces.otf2: " print a
    refused 1 "cannot read a/traces.otf2: " chrome a
    refused 1 "cannot read a/traces.otf2: " chrome -o new.trace.json a
    [ ! -e new.trace.json ]
}

@test "every_definition_that_is_cut_anywhere_is_refused_or_shown" {
    mkdir whole
    "$WRITE_ARCHIVE" random 3 2 2 300 10 whole
    size=$(stat -c %s whole/traces.def)
    for ((at = 0; at < size; at += size / 15 + 1)); do
        for action in print chrome "show -o page.html"; do
            rm -rf damaged && cp -r whole damaged
            truncate -s "$at" damaged/traces.def
            # shellcheck disable=SC2086  # an action and its options
            run --separate-stderr timeout 20 "$TOOL" trace $action damaged
            [[ $status -le 1 ]] || { echo "$action, cut at $at: status $status: $stderr"; return 1; }
            [[ $status -eq 0 || $stderr == "tare trace: "* ]]
        done
    done
}
