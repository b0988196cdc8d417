#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare trace cut and merge: new archives, by what print, match and other people's readers find in them.
# shellcheck disable=SC2154  # bats sets status, output and stderr
load helper

setup() {
    clean_environment
    cd "$BATS_TEST_TMPDIR" || return 1
}

# traced FOLDER SCENARIO: the trace of a run, in FOLDER
traced() {
    mkdir -p "run.$1"
    (cd "run.$1" && TARE_TRACE=1 "$SCENARIO" "$2") || return
    mv "run.$1/tare-trace" "$1"
}

# As refused, and nothing is made.
unmade() { refused "$@" && [ ! -e new ]; }

events() { "$TOOL" trace print "$@" | tail -n +2; }

@test "cut_of_everything_is_the_trace_itself" {
    traced a threads
    quietly cut -o new a
    [ "$output" = new/traces.otf2 ]
    [ "$(events a | wc -l)" -gt 20 ]
    diff <(events a) <(events new)
    diff <(otf2-print -G a/traces.otf2 | grep -E '^(REGION|LOCATION|ATTRIBUTE|CLOCK)' | sed 's/GlobalOffset.*//') \
        <(otf2-print -G new/traces.otf2 | grep -E '^(REGION|LOCATION|ATTRIBUTE|CLOCK)' | sed 's/GlobalOffset.*//')
    diff <("$SUMS" a/traces.otf2) <("$SUMS" new/traces.otf2)
    assert_balanced new
    [ "$(stat -c %a new)" = 700 ]
}

@test "regions_open_at_the_ends_of_a_cut_are_entered_and_left_there" {
    traced a nested
    last=$(events a | awk 'END { print $1 }')
    # What is around the calls of "inner": from before the first of them to behind the last, and in their middle.
    from=$(events --region=inner a | awk 'NR == 2 { print $1 }')
    to=$(events --region=inner a | awk 'END { print $1 - 1 }')
    quietly cut --from="$from" --to="$to" -o new a
    assert_balanced new
    # As many as were there in that time, and the boundaries: outermost regions at the begin.
    events --from="$from" --to="$to" a | awk '{ print $4, $5, $6 }' >inside
    events new | awk '{ print $4, $5, $6 }' >copied
    open_before=$(events a | awk -v from="$from" '$1 < from { d += $4 == "Enter" ? 1 : -1 } END { print d }')
    open_behind=$(events a | awk -v to="$to" '$1 <= to { d += $4 == "Enter" ? 1 : -1 } END { print d }')
    [ "$open_before" -ge 1 ]
    [ "$open_behind" -ge 1 ]
    diff inside <(tail -n +$((open_before + 1)) copied | head -n -"$open_behind")
    # The clock begins and ends with the range.
    [ "$(events new | awk -v n="$open_before" 'NR <= n && $1 != 0' | wc -l)" -eq 0 ]
    [ "$(events new | awk 'END { print $1 }')" -eq $((to - from)) ]
    [ "$to" -lt "$last" ]
}

@test "cut_of_threads_has_the_others_without_events" {
    traced a threads
    quietly cut --thread=0.1 -o new a
    diff <(events --thread=0.1 a | awk '{ $1 = ""; print }') <(events new | awk '{ $1 = ""; print }')
    [ "$(events new | awk '{ print $3 }' | sort -u)" = 0.1 ]
    [ "$(otf2-print -G new/traces.otf2 | grep -c '^LOCATION ')" -eq "$(otf2-print -G a/traces.otf2 | grep -c '^LOCATION ')" ]
    assert_balanced new
}

@test "cut_of_a_time_in_which_nothing_happened_is_empty_and_can_be_read" {
    traced a nested
    quietly cut --from=3000s -o new a
    [ -z "$(events new)" ]
    quietly show -o page.html new
}

@test "merged_runs_have_ranks_behind_each_other" {
    traced a nested
    traced b threads
    quietly merge -o new a b
    [ "$output" = new/traces.otf2 ]
    [ "$(events new | awk '{ print $3 }' | sort -u | xargs)" = "$( (events a | awk '{ print $3 }'; events b | awk '{ sub(/^0/, "1", $3); print $3 }') | sort -u | xargs)" ]
    diff <(events a | awk '{ print $2, $3, $4, $5, $6 }') <(events --rank=0 new | awk '{ print $2, $3, $4, $5, $6 }')
    diff <(events b | awk '{ sub(/^0/, "1", $3); print $2, $3, $4, $5, $6 }') <(events --rank=1 new | awk '{ print $2, $3, $4, $5, $6 }')
    # Each archive's sums are its ranks'.
    diff <("$SUMS" a/traces.otf2; "$SUMS" b/traces.otf2 | sed 's/^0 /1 /') <("$SUMS" new/traces.otf2)
    assert_balanced new
    # A region that both have is one.
    [ "$(otf2-print -G new/traces.otf2 | grep -c '^REGION .*"\.TAU application"')" -eq 1 ]
}

@test "merged_and_cut_archives_can_be_cut_and_merged" {
    traced a nested
    traced b threads
    traced c nested
    quietly merge -o ab a b
    quietly merge -o abc ab c
    [ "$(events abc | awk '{ print substr($3, 1, 1) }' | sort -u | xargs)" = "0 1 2" ]
    quietly cut --rank=2 -o new abc
    diff <(events c | awk '{ print $2, $4, $5 }') <(events new | awk '{ print $2, $4, $5 }')
    quietly merge -o again new a
    assert_balanced again
}

@test "what_cannot_be_merged_is_refused" {
    traced a nested
    cp -r a b
    unmade 1 "a/traces.otf2 and b/traces.otf2 are of one run" merge -o new a b
    TARE_TRACE_CLOCK=measured traced c nested
    unmade 1 "the times of a/traces.otf2 are compensated, those of c/traces.otf2 are measured" merge -o new a c
    mkdir foreign
    "$WRITE_ARCHIVE" events 48 foreign
    unmade 1 "foreign/traces.otf2 was not written by Tare, and cannot be cut or merged" merge -o new a foreign
    unmade 1 "foreign/traces.otf2 was not written by Tare, and cannot be cut or merged" cut -o new foreign
    unmade 2 "merge needs two archives or more" merge -o new a
    unmade 2 "where the new archive is to be is missing: --output" merge a c
    unmade 2 "where the new archive is to be is missing: --output" cut a
    unmade 1 "cannot read nowhere: No such file or directory" merge -o new a nowhere
    unmade 1 "rank 1 is not in the trace" cut --rank=1 -o new a
    unmade 2 "unexpected argument b" cut -o new a b
}

@test "nothing_that_is_there_is_replaced" {
    traced a nested
    mkdir there
    run --separate-stderr "$TOOL" trace cut -o there a
    [ "$status" -eq 1 ]
    [ "$stderr" = "tare trace: cannot make there: File exists" ]
    [ -z "$(ls there)" ]
    run --separate-stderr "$TOOL" trace cut -o nowhere/there a
    [ "$status" -eq 1 ]
    [ "$stderr" = "tare trace: cannot make nowhere/there: No such file or directory" ]
}

@test "damaged_archives_are_refused_and_nothing_is_left" {
    traced a threads
    traced b nested
    for file in a/traces/*.evt; do
        [ "$(stat -c %s "$file")" -gt 200 ] && break
    done
    truncate -s 150 "$file"
    unmade 1 "rank 0, thread " cut -o new a
    unmade 1 "cannot read rank 0, " merge -o new b a
    echo nonsense >b/traces.otf2
    unmade 1 "cannot read b/traces.otf2: " cut -o new b
    unmade 1 "cannot read b/traces.otf2: " merge -o new a b
}

@test "every_file_that_is_cut_anywhere_is_refused_or_copied" {
    traced whole threads
    traced other nested
    for file in traces.def traces/0.evt; do
        size=$(stat -c %s "whole/$file")
        for ((at = 0; at < size; at += size / 12 + 1)); do
            for action in "cut -o new" "merge -o new other"; do
                rm -rf damaged new && cp -r whole damaged
                truncate -s "$at" "damaged/$file"
                # shellcheck disable=SC2086  # an action, its options and first archive
                run --separate-stderr timeout 20 "$TOOL" trace $action damaged
                [[ $status -le 1 ]] || { echo "$action, $file, cut at $at: status $status: $stderr"; return 1; }
                [[ $status -eq 0 || ($stderr == "tare trace: "* && ! -e new) ]] || { echo "$action $file $at: $stderr"; ls; return 1; }
            done
        done
    done
}
