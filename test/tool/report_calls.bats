#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # run sets stderr
# tare report --callsites and --messages: what they say about files written by hand, and about damaged ones.
load helpers

setup() {
    in_a_copy_of two_ranks
}

# The lines of a table that begin so, their blanks single.
lines_of() {
    grep "^$1" <<< "$output" | tr -s ' '
}

value() {
    jq -r "$1" <<< "$output"
}

need_jq() {
    command -v jq > /dev/null || skip "jq is not installed"
}

# Rank 1 of the run has not written its profile and its table, but was killed: killed_rank [DAMAGE], see noted.c
killed_rank() {
    rm -f tare-calls.1 MULTI__*/profile.1.*
    run env TARE_PROFILE=1 TARE_MODE=header "$NOTED" 1 2 20240229-fixture "$@"
    [ "$status" -eq 137 ] || { echo "status $status: $output"; return 1; }
    [ -e .tare-live.1 ]
}

rank_1_was_killed="tare report: rank 1 was killed: its figures end at its last enter or leave"

@test "callsites_are_summed_over_all_ranks" {
    run "$TOOL" report --callsites
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "MPI calls of the run in .: 2 of 2 ranks, mode header, rule exact" ]
    [ "$(lines_of 'main+0x91')" = \
        "main+0x91 MPI_Barrier() 2 10 0 0 0.500 5.000 12.000 0.050 0.047 0.006 12.50" ]
    [ "$(lines_of 'exchange+0x2c')" = \
        "exchange+0x2c MPI_Send() 1 10 400 0 5.000 10.000 20.000 0.100 0.090 0.000 25.00" ]
    [ "$(lines_of 'exchange+0x51')" = \
        "exchange+0x51 MPI_Recv() 1 10 0 400 4.000 25.000 100.000 0.250 0.150 0.240 62.50" ]
}

@test "callsites_longest_time_first" {
    run "$TOOL" report --callsites
    [ "$(grep -oE '^(exchange|main)[^ ]*' <<< "$output" | paste -s -d ' ')" = \
        "exchange+0x51 exchange+0x2c main+0x91" ]
}

@test "callsites_of_one_rank_share_its_time" {
    run "$TOOL" report --callsites --rank=0
    [ "$status" -eq 0 ]
    [[ ${lines[0]} == *": rank 0 of 2, "* ]]
    [ "$(lines_of 'main+0x91')" = "main+0x91 MPI_Barrier() 1 5 0 0 1.000 4.000 9.000 0.020 0.019 0.003 16.67" ]
    [ -z "$(lines_of 'exchange+0x51')" ]
}

@test "callsites_of_one_function_keep_their_share" {
    for name in MPI_Send 'MPI_Send()'; do
        run "$TOOL" report --callsites --region="$name"
        [ "$status" -eq 0 ]
        [[ $(lines_of 'exchange+0x2c') == *" 25.00" ]]
        [ -z "$(lines_of 'main')" ]
    done
    run --separate-stderr "$TOOL" report --callsites --region=MPI_Bcast
    assert_refused 1
    assert_says "--region=MPI_Bcast: no such MPI function was called"
}

@test "callsites_json_holds_integers_in_ns" {
    need_jq
    run "$TOOL" report --callsites --json
    [ "$(value '[.schema, .command, .mode, .rule] | join(" ")')" = "1 report header exact" ]
    [ "$(value '[.rows[] | keys_unsorted | join(" ")] | unique | join("|")')" = "site function ranks calls sent_bytes \
received_bytes time_ns min_ns mean_ns max_ns time_comp_ns wait_ns wait_comp_ns share_pct" ]
    [ "$(value '.rows[2] | [.[]] | map(tostring) | join(" ")')" = \
        "main+0x91 MPI_Barrier() 2 10 0 0 50000 500 5000 12000 47000 6000 4000 12.5" ]
    [ "$(value '[.rows[].share_pct] | add | tostring')" = "100" ]
}

@test "messages_are_summed_over_all_ranks" {
    run "$TOOL" report --messages
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "Messages sent of the run in .: 2 of 2 ranks, mode header, rule exact" ]
    [ "$(lines_of '0 ')" = "0 1 0 ###" ]
    [ "$(lines_of 'from 32')" = "from 32 to below 64 12 480 $(printf '#%.0s' {1..40})" ]
    [ "$(lines_of 'from 1Mi')" = "from 1Mi to below 2Mi 1 1048576 ###" ]
    [[ $output == *"14 messages, 1049056 bytes."* ]]
}

@test "messages_of_one_rank" {
    run "$TOOL" report --messages --rank=1
    [[ $output == *"3 messages, 1048656 bytes."* && ${lines[0]} == *": rank 1 of 2, "* ]]
}

@test "messages_json_has_a_row_for_each_rank_and_size" {
    need_jq
    run "$TOOL" report --messages --json
    [ "$(value '[.rows[] | keys_unsorted | join(" ")] | unique | join("|")')" = \
        "rank from_bytes below_bytes messages bytes" ]
    [ "$(value '[.rows[] | [.[]] | map(tostring) | join(" ")] | join("|")')" = \
        "0 0 1 1 0|0 32 64 10 400|1 32 64 2 80|1 1048576 2097152 1 1048576" ]
}

@test "options_that_do_not_fit_the_table_are_refused" {
    run --separate-stderr "$TOOL" report --callsites --messages
    assert_refused 2
    assert_says "one at a time"
    run --separate-stderr "$TOOL" report --messages --region=MPI_Send
    assert_refused 2
    assert_says "--region does not go with --messages"
    for table in --callsites --messages; do
        run --separate-stderr "$TOOL" report $table --sort=calls
        assert_refused 2
        assert_says "--sort does not go with $table"
    done
}

@test "rank_without_a_table_is_named_and_the_others_are_shown" {
    rm tare-calls.1
    run --separate-stderr "$TOOL" report --callsites
    [ "$status" -eq 0 ]
    [ "$stderr" = "tare report: rank 1 has left no table of its MPI calls" ]
    [[ ${lines[0]} == *": 1 of 2 ranks, "* ]]
    run --separate-stderr "$TOOL" report --messages --rank=1
    assert_refused 1
    assert_says "--rank=1: that rank has left no table of its MPI calls in ."
}

@test "run_without_any_table_is_refused" {
    rm tare-calls.*
    for table in --callsites --messages; do
        run --separate-stderr "$TOOL" report $table
        assert_refused 1
        assert_says "the run in . has left no table of its MPI calls: no file tare-calls.0"
    done
}

@test "table_of_another_run_is_refused" {
    sed -i 's/^run .*/run 20250101-other/' tare-calls.1
    run --separate-stderr "$TOOL" report --callsites
    assert_refused 1
    assert_says "tare-calls.1 belongs to another run than ./tare-calls.0 beside it"
    sed -i 's/^run .*/run 20250101-other/' tare-calls.0
    run --separate-stderr "$TOOL" report --callsites
    assert_refused 1
    assert_says "tare-calls.0 belongs to another run than the profile beside it"
}

@test "table_cut_short_anywhere_is_refused_by_name" {
    bytes=$(stat -c %s tare-calls.1)
    for ((keep = 0; keep < bytes; keep += 7)); do
        cp "$FIXTURES/two_ranks/tare-calls.1" .
        truncate -s "$keep" tare-calls.1
        run --separate-stderr "$TOOL" report --callsites
        assert_refused 1
        assert_says "tare-calls.1, line "
    done
}

# A line is replaced, and this is said: LINE TEXT SENTENCE
damaged_line_is_refused() {
    cp "$FIXTURES/two_ranks/tare-calls.0" .
    chmod u+w tare-calls.0
    sed -i "$1c\\$2" tare-calls.0
    run --separate-stderr "$TOOL" report --messages
    assert_refused 1
    assert_says "tare-calls.0, line $3"
}

@test "damaged_line_is_refused_with_its_number" {
    damaged_line_is_refused 1 'tare calls 5' "1: the line is not 'tare calls 4'"
    damaged_line_is_refused 1 'tare calls two' "1: the line is not 'tare calls 4'"
    damaged_line_is_refused 1 'something else' "1: the line is not 'tare calls 4'"
    damaged_line_is_refused 2 'run' "2: 'run' and its value should be here"
    damaged_line_is_refused 3 'rank 1' "3: it is the file of rank 1"
    damaged_line_is_refused 3 'rank x' "3: 'x' is not a whole number"
    damaged_line_is_refused 7 'site 10 400' "7: '' is not a whole number"
    damaged_line_is_refused 7 'site 10 400 0 lots 5 9 0 0 0 MPI_Send() a+0x1' "7: 'lots' is not a whole number"
    damaged_line_is_refused 7 'site 0 400 0 1 5 9 0 0 0 MPI_Send() a+0x1' "7: the numbers of 'a+0x1' do not fit"
    damaged_line_is_refused 7 'site 1 400 0 1 9 5 0 0 0 MPI_Send() a+0x1' "7: the numbers of 'a+0x1' do not fit"
    damaged_line_is_refused 7 'site 1 400 0 1 5 9 0 0 0 MPI_Send()' "7: the site has no name"
    damaged_line_is_refused 9 'wait nobody 1 5 4 MPI_Barrier()' "9: 'nobody' is neither a rank nor one of another_job, "
    damaged_line_is_refused 9 'wait -1 1 5 4 MPI_Barrier()' "9: '-1' is neither a rank nor one of another_job, "
    damaged_line_is_refused 9 'wait 4294967296 1 5 4 MPI_Recv()' "9: '4294967296' is neither a rank nor one of "
    damaged_line_is_refused 9 'wait all 0 5 4 MPI_Barrier()' "9: there is no such number of calls"
    damaged_line_is_refused 9 'wait all 1 five 4 MPI_Barrier()' "9: 'five' is not a whole number"
    damaged_line_is_refused 9 'wait all 1 5 4' "9: the function that has waited has no name"
    damaged_line_is_refused 9 'wait 1 1 5 4 MPI_Recv() kept' "9: 'kept' is neither wrong_same nor wrong_different"
    damaged_line_is_refused 9 'wait 1 1 5 4 MPI_Recv() wrong_same too' "9: 'wrong_same too' is neither wrong_same nor"
    damaged_line_is_refused 8 'wait all 1 5 4 MPI_Recv()\nsite 1 0 0 1 5 9 0 0 0 MPI_Send() a+0x1' "9: 'site' is none of"
    damaged_line_is_refused 10 'size 6 1 1\nwait all 1 5 4 MPI_Recv()' "11: 'wait' is none of"
    damaged_line_is_refused 1 'tare calls 1' "9: 'wait' is none of site, completion, wait, size, end, or out of order"
    damaged_line_is_refused 10 'completion 1 5 4' "10: 'completion' is none of"
    damaged_line_is_refused 10 'size 64 1 0' "10: size class 64 is out of order, or not below 64"
    damaged_line_is_refused 11 'size 0 10 400' "11: size class 0 is out of order"
    damaged_line_is_refused 11 'size 6 -1 400' "11: there is no such number of messages"
    damaged_line_is_refused 11 'size 6 99999999999999999999 1' "11: '99999999999999999999' is not a whole number"
    damaged_line_is_refused 8 'thing 1' "8: 'thing' is none of site, completion, wait, size, end"
    damaged_line_is_refused 12 'end\nmore' "12: something follows the last line"
}

# damaged_completion_is_refused TEXT LINE:SENTENCE: behind the sites of a table of version 4
damaged_completion_is_refused() {
    cp "$FIXTURES/two_ranks/tare-calls.0" .
    chmod u+w tare-calls.0
    sed -i -e "8a\\$1" tare-calls.0
    run --separate-stderr "$TOOL" report --messages
    assert_refused 1
    assert_says "tare-calls.0, line $2"
}

@test "damaged_completion_is_refused" {
    for wrong in '0 0 0' '6 5 4' '1 -5 4' '1 5 -4'; do
        damaged_completion_is_refused "completion $wrong" "9: the numbers of the completion of 'main+0x91' do not fit each other"
    done
    damaged_completion_is_refused 'completion 1 5' "9: '' is not a whole number"
    damaged_completion_is_refused 'completion 1 5 4\ncompletion 1 5 4' "10: 'main+0x91' has two completions"
    sed -i '/^site/d' tare-calls.0
    run --separate-stderr "$TOOL" report --messages
    assert_says "tare-calls.0, line 7: 'completion' is none of"
}

@test "names_of_sites_stay_on_their_line" {
    sed -i 's/ exchange+0x2c$/ wo\x01rk \xff(int, char)+0x2c/' tare-calls.0
    run "$TOOL" report --callsites
    [ "$status" -eq 0 ]
    [[ $output == *"wo?rk "* && $output != *$'\x01'* ]]
    need_jq
    run "$TOOL" report --callsites --json
    [ "$(value '.rows | length')" -eq 3 ]
}

@test "killed_rank_adds_what_it_would_have_written" {
    local table
    local tables=(--callsites --messages '--callsites --rank=1' '--callsites --region=MPI_Recv' '--messages --rank=1')
    for table in "${tables[@]}"; do
        # shellcheck disable=SC2086
        { "$TOOL" report $table && "$TOOL" report --json $table; } > "$BATS_TEST_TMPDIR/wanted $table"
    done
    killed_rank
    for table in "${tables[@]}"; do
        # shellcheck disable=SC2086
        { "$TOOL" report $table && "$TOOL" report --json $table; } > found 2> said
        diff "$BATS_TEST_TMPDIR/wanted $table" found
        [ "$(cat said)" = "$rank_1_was_killed"$'\n'"$rank_1_was_killed" ]
    done
}

@test "two_killed_ranks_are_summed" {
    rm -r MULTI__* tare-calls.*
    for rank in 0 1; do run env TARE_PROFILE=1 "$NOTED" $rank 2 a-run; done
    run --separate-stderr "$TOOL" report --callsites
    [ "$status" -eq 0 ]
    [[ ${lines[0]} == "MPI calls of the run in .: 2 of 2 ranks, "* ]]
    [ "$(lines_of 'exchange+0x51')" = \
        "exchange+0x51 MPI_Recv() 2 20 0 800 4.000 25.000 100.000 0.500 0.300 0.480 89.29" ]
    [ -z "$(lines_of 'main+0x20')" ]     # whose first call was not over
    [ "$stderr" = "tare report: ranks 0, 1 were killed: their figures end at their last enter or leave" ]
    run "$TOOL" report --messages
    [[ $output == *"6 messages, 2097312 bytes."* ]]
}

@test "rank_that_still_runs_is_read_as_it_is_now" {
    local n process
    rm -f tare-calls.1 MULTI__*/profile.1.*
    TARE_PROFILE=1 "$NOTED" 1 2 20240229-fixture run > out 2> /dev/null < /dev/null 3>&- &
    process=$!
    for ((n = 0; n < 500; n++)); do [ ! -s out ] || break; sleep 0.02; done
    run --separate-stderr "$TOOL" report --callsites
    kill -KILL $process
    wait $process || true
    [ "$status" -eq 0 ]
    [ "$stderr" = "tare report: rank 1 is still running: its figures end at its latest enter or leave" ]
    [ "$(lines_of 'exchange+0x51')" = \
        "exchange+0x51 MPI_Recv() 1 10 0 400 4.000 25.000 100.000 0.250 0.150 0.240 62.50" ]
    run --separate-stderr "$TOOL" report --callsites
    [ "$stderr" = "$rank_1_was_killed" ]
}

@test "live_file_goes_before_the_table_that_its_rank_wrote_on_the_way" {
    killed_rank
    sed 's/^site 10 /site 3 /' "$FIXTURES/two_ranks/tare-calls.1" > tare-calls.1
    run "$TOOL" report --callsites --rank=1
    [[ $(lines_of 'exchange+0x51') == "exchange+0x51 MPI_Recv() 1 10 "* ]]
    killed_rank 'nothing noted'
    sed 's/^site 10 /site 3 /' "$FIXTURES/two_ranks/tare-calls.1" > tare-calls.1
    run "$TOOL" report --callsites --rank=1
    [[ $(lines_of 'exchange+0x51') == "exchange+0x51 MPI_Recv() 1 3 "* ]]
}

@test "killed_rank_that_noted_nothing_is_named" {
    killed_rank 'nothing noted'
    run --separate-stderr "$TOOL" report --messages
    [ "$status" -eq 0 ]
    [ "$stderr" = "$rank_1_was_killed"$'\n'"tare report: rank 1 has left no table of its MPI calls" ]
}

@test "table_of_another_run_beside_a_live_file_is_refused" {
    sed 's/^run .*/run 20250101-other/' "$FIXTURES/two_ranks/tare-calls.0" > tare-calls.0
    killed_rank
    run --separate-stderr "$TOOL" report --callsites
    assert_refused 1
    assert_says "./.tare-live.1 belongs to another run than ./tare-calls.0 beside it"
}

@test "notes_that_cannot_be_are_refused_in_one_sentence" {
    local damage sentence
    while IFS=: read -r damage sentence; do
        killed_rank "$damage"
        for table in --callsites --messages; do
            run --separate-stderr timeout 20 "$TOOL" report $table
            assert_refused 1 || { echo "$damage"; return 1; }
            assert_says ".tare-live.1 is damaged: $sentence" || { echo "$damage"; return 1; }
        done
    done <<'END'
circle of sites:a list does not end
circle of threads:a list does not end
site elsewhere:a list does not end
thread elsewhere:a list does not end
one list for all:sites are in two lists
circle of peers:a list does not end
peer elsewhere:a list does not end
no such rank:messages went to a rank that cannot be
peer's bytes below none:its figures cannot be
no function:a function of MPI has no name
calls below none:its figures cannot be
bytes below none:its figures cannot be
messages below none:its figures cannot be
too much:its figures cannot be
too little:its figures cannot be
too many bytes:its figures cannot be
too much together:its figures cannot be
layout:its layout does not fit
layout of waits:its layout does not fit
layout of orders:its layout does not fit
circle of waits:a list does not end
wait elsewhere:a list does not end
nobody awaited:a rank that cannot be was waited for
no such rank awaited:a rank that cannot be was waited for
no function awaits:a function of MPI has no name
no such order:there is no such order of messages
order below none:there is no such order of messages
waiting calls below none:its figures cannot be
too long a wait:its figures cannot be
END
}

@test "notes_that_lack_a_name_or_have_two_ends_are_read" {
    killed_rank 'no module'
    run "$TOOL" report --callsites
    [[ $(lines_of 'exchange+0x51') == "exchange+0x51 MPI_Recv() 1 10 "* ]]
    killed_rank 'no symbol'
    run "$TOOL" report --callsites
    [[ $(lines_of 'module+0x1051') == "module+0x1051 MPI_Recv() 1 10 "* ]]
    killed_rank 'least above most'
    run "$TOOL" report --callsites
    [[ $(lines_of 'exchange+0x51') == "exchange+0x51 MPI_Recv() 1 10 0 400 100.001 25.000 100.001 "* ]]
}

@test "live_file_with_any_byte_changed_is_read_or_refused" {
    local round at
    killed_rank
    cp .tare-live.1 whole
    for ((round = 0; round < 150; round++)); do
        cp whole .tare-live.1
        at=$((round < 25 ? 172 + round * 4 : RANDOM % 8192))
        printf '\xa5\xa5' | dd of=.tare-live.1 bs=1 seek="$at" conv=notrunc status=none
        run --separate-stderr timeout 20 "$TOOL" report --callsites
        [ "$status" -le 1 ] || { echo "byte $at: status $status"; return 1; }
        [ "$status" -eq 0 ] || assert_refused 1 || { echo "byte $at: $stderr"; return 1; }
    done
}

@test "live_file_cut_short_is_refused_in_one_sentence" {
    killed_rank
    cp .tare-live.1 whole
    for bytes in 100 171 200 263 300 4096; do
        head -c $bytes whole > .tare-live.1
        run --separate-stderr "$TOOL" report --callsites
        assert_refused 1
        assert_says ".tare-live.1 is"
    done
}
