#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare trace show, chrome, cut and merge on what ranks have really done.
# shellcheck disable=SC2154,SC2016  # bats sets status, output and stderr; JavaScript stands in single quotes
load helper
load ../lib/browser

setup_file() { try_browser; }

# counts_of ARCHIVE: sends, receives, and pairs of sequence and fifo
counts_of() {
    match_quietly --json "$1"
    echo "$(member sends) $(member receives) $(of_method sequence pairs) $(of_method fifo pairs) $(of_method fifo sends_left) $(of_method fifo receives_left)"
}

first_family() { echo "${FAMILIES%% *}"; }

mode_that_tells() { [ "$(first_family)" = tare ] && echo header || echo off; }

@test "lines_of_the_page_and_arrows_of_chrome_join_the_threads_that_match_joins" {
    need_browser
    need_jq
    traced_ranks "$(first_family)" "$(mode_that_tells)" 4 exchange own-tags
    match_quietly --threads --limit=0
    by=$([ "$(mode_that_tells)" = header ] && echo 7 || echo 6)
    awk -v by="$by" '/^ *[0-9]+\.[0-9]+ +[0-9]+\.[0-9]+ / && $by > 0 { print $1, $2, $by }' <<<"$output" | sort >pairs
    [ "$(awk '{ n += $3 } END { print n }' pairs)" -eq 1600 ]
    quietly show -o page.html
    assert_said "$(cat pairs)" page.html '
        const lines = new Map(), place = (i) => threads[i].name.split(" ")[0];
        for (let i = 0; i < messages.count; i++) {
            const ends = place(messages.from[i]) + " " + place(messages.to[i]);
            lines.set(ends, (lines.get(ends) || 0) + messages.of[i]);
        }
        [...lines].map(([ends, count]) => ends + " " + count).sort().forEach((line) => say(line));'
    quietly chrome
    jq -r '([.traceEvents[] | select(.name == "thread_name")] | map({(.tid | tostring): (.args.name | split(" ")[0])}) | add) as $name |
        [.traceEvents[] | select(.ph == "s" or .ph == "f")] | group_by(.id)[] |
        "\($name[map(select(.ph == "s").tid)[0] | tostring]) \($name[map(select(.ph == "f").tid)[0] | tostring])"' <<<"$output" |
        sort | uniq -c | awk '{ print $2, $3, $1 }' | diff pairs -
}

@test "messages_are_joined_by_order_where_nothing_was_carried_and_by_what_was_elsewhere" {
    need_jq
    joined='[.traceEvents[] | select(.ph == "s").args.joined_by] | group_by(.) | map("\(.[0]) \(length)") | join(", ")'
    for family in $FAMILIES; do
        traced_ranks "$family" off 2 exchange ordered
        quietly chrome
        [ "$(jq -r "$joined" <<<"$output")" = "fifo 1600" ]
    done
    [ "$(first_family)" = tare ] || return 0
    traced_ranks tare header 2 exchange ordered
    quietly chrome
    [ "$(jq -r "$joined" <<<"$output")" = "sequence 1600" ]
}

@test "cut_of_a_time_has_whole_messages_and_collective_calls_alone" {
    for kind in "exchange ordered" "exchange threads" collectives; do
        # shellcheck disable=SC2086  # a program and its argument
        traced_ranks "$(first_family)" off 2 $kind
        last=$("$TOOL" trace print | awk 'END { print $1 }')
        for part in "0 2" "1 3" "2 4"; do
            read -r from to <<<"$part"
            rm -rf new
            quietly cut --from=$((last * from / 4)) --to=$((last * to / 4)) -o new
            assert_balanced new || { echo "$kind: $part"; return 1; }
            read -r sends receives _ pairs sends_left receives_left <<<"$(counts_of new)"
            [ "$sends $sends_left $receives_left" = "$receives 0 0" ] || { echo "$kind: $part: $(counts_of new)"; return 1; }
            [ "$pairs" -eq "$sends" ]
        done
    done
}

@test "cuts_that_follow_each_other_have_all_messages_but_those_between_them" {
    traced_ranks "$(first_family)" off 4 exchange ordered
    middle=$("$TOOL" trace print | awk '/ MpiIrecv / { at[++n] = $1 } END { print at[int(n / 2)] }')
    quietly cut --to="$middle" -o before
    quietly cut --from=$((middle + 1)) -o behind
    read -r before _ <<<"$(counts_of before)"
    read -r behind _ <<<"$(counts_of behind)"
    between=$("$TOOL" trace chrome | awk -v middle="$middle" -F '"ts": ' '
        /"ph": "s"/ { sent = int($2 * 1000 + 0.5) <= middle + 0 }
        /"ph": "f"/ { n += (int($2 * 1000 + 0.5) <= middle + 0) != sent } END { print n + 0 }')
    [ "$before" -gt 0 ]
    [ "$behind" -gt 0 ]
    [ $((before + behind + between)) -eq 3200 ] || { echo "$before + $behind + $between"; return 1; }
}

@test "cut_of_ranks_has_the_messages_among_them" {
    traced_ranks "$(first_family)" off 4 exchange ordered
    quietly cut --rank=0-1 -o new
    # Each rank sends 800 to the next one: only those of rank 0 to rank 1 have both ends here.
    [ "$(counts_of new)" = "800 800 0 800 0 0" ] || { counts_of new; return 1; }
    assert_balanced new
    [ "$("$TOOL" trace print new | awk 'NR > 1 { print $3 }' | sort -u | xargs)" = "0.0 1.0" ]
}

@test "merged_runs_keep_their_messages_and_communicators" {
    traced_ranks "$(first_family)" "$(mode_that_tells)" 2 exchange threads
    first=$PWD/tare-trace first_counts=$(counts_of "$PWD/tare-trace")
    traced_ranks "$(first_family)" "$(mode_that_tells)" 4 exchange inter
    quietly merge -o new "$first" tare-trace
    merged=$(counts_of new)
    paste <(tr ' ' '\n' <<<"$first_counts") <(tr ' ' '\n' <<<"$(counts_of tare-trace)") <(tr ' ' '\n' <<<"$merged") >counts
    awk '$1 + $2 != $3 { print; wrong = 1 } END { exit wrong }' counts
    assert_balanced new
    quietly stats --json new
    [ "$(grep -c '"from_rank"' <<<"$output")" -eq "$("$TOOL" trace stats --json "$first" | grep -c '"from_rank"' | awk -v b="$("$TOOL" trace stats --json | grep -c '"from_rank"')" '{ print $1 + b }')" ]
    # The second run's ranks are 2 to 5: nobody sends from one run to the other.
    "$TOOL" trace print new | awk '/MpiSend|MpiIsend / { from = int($3); to = int($6); if ((from < 2) != (to < 2)) { print; wrong = 1 } } END { exit wrong }'
}

# Nobody joins where somebody else does.
ranks_apart() {
    in_a_new_folder
    mkdir -p tare-trace/joining
    # shellcheck disable=SC2046  # a launcher and its options
    timeout 100 $(mpiexec_of "$(first_family)") -n 2 env LD_PRELOAD="$(layer_of "$(first_family)")" TARE_MODE=off TARE_TRACE=1 \
        "$family_programs/$(first_family)/exchange" ordered
    [ -e tare-trace/rank.1/whole ]
}

# collectives_of ARCHIVE Request|Complete: rank and request of each nonblocking one that is begun there, or ends
collectives_of() { "$TOOL" trace print "$1" | awk -v event="NonBlockingCollective$2" '$4 == event { print int($3), $6 }' | sort; }

# A cut of everything has them all, too, and one that begins behind the first request has all that it has whole.
@test "nonblocking_collective_calls_are_printed_and_kept" {
    need_jq
    traced_ranks "$(first_family)" off 2 collectives
    quietly print
    printed=$(grep -cE ' NonBlockingCollectiveComplete request [0-9]+ in ' <<<"$output")
    [ "$printed" -gt 10 ]
    [ "$printed" -eq "$(otf2-print "$archive" | grep -c '^NON_BLOCKING_COLLECTIVE_COMPLETE ')" ]
    diff <(collectives_of tare-trace Request) <(collectives_of tare-trace Complete)
    quietly print --json
    [ "$(jq '[.rows[] | select(.event == "NonBlockingCollectiveComplete" and .request > 0 and .communicator != "")] | length' <<<"$output")" -eq "$printed" ]
    quietly cut -o new
    diff <("$TOOL" trace print) <("$TOOL" trace print new)
    quietly cut --from=$(($("$TOOL" trace print | awk '/ NonBlockingCollectiveRequest / { print $1; exit }') + 1)) -o behind
    diff <(collectives_of behind Request) <(collectives_of behind Complete)
    [ "$(collectives_of behind Complete | wc -l)" -lt "$printed" ]
    [ "$(collectives_of behind Complete | wc -l)" -gt 10 ]
}

@test "archive_of_one_rank_is_shown_and_cut_and_not_merged" {
    ranks_apart
    quietly print tare-trace/rank.1
    [ "$(grep -cE ' MpiI(send|recv) ' <<<"$output")" -eq 1600 ]
    quietly show -o page.html tare-trace/rank.1
    quietly cut -o one tare-trace/rank.1
    diff <("$TOOL" trace print tare-trace/rank.1) <("$TOOL" trace print one)
    run --separate-stderr "$TOOL" trace merge -o new tare-trace/rank.0 tare-trace/rank.1
    [ "$status" -eq 1 ]
    [ "$stderr" = "tare trace: tare-trace/rank.0/traces.otf2 is the archive of one rank: 'tare trace join' makes one of those of a run" ]
    [ ! -e new ]
    rmdir tare-trace/joining
    "$TOOL" trace join
    quietly cut --rank=1 -o rank_1
    [ "$("$TOOL" trace print rank_1 | grep -cE ' MpiI(send|recv) ')" -eq 0 ]
}

@test "killed_rank_is_shown_once_its_trace_is_joined" {
    need_browser
    in_a_new_folder
    run env TARE_TRACE=1 "$SCENARIO" named killed
    run --separate-stderr "$TOOL" trace show -o page.html
    [ "$status" -eq 1 ]
    "$TOOL" trace join
    quietly show -o page.html
    assert_said "true" page.html 'say(Number(the("#timeline-status").dataset.programNs) > 0);'
}
