#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare comms on what ranks have really sent: what is built in is found, and traces without records say what they lack.
# shellcheck disable=SC2154  # bats sets status, output and stderr
load helper

setup() {
    clean_environment
    cd "$BATS_TEST_TMPDIR" || return 1
}

# line TEXT: the source line of sends.c that has it
line() { grep -nF -- "$1" "$BATS_TEST_DIRNAME/sends.c" | head -1 | cut -d: -f1; }

# is_at SIDE TEXT: a class has its call on this side there
is_at() { is_so "any(.rows[]; .$1.source | endswith(\"sends.c:$(line "$2")\"))"; }

@test "halo_is_of_neighbours_and_of_their_own_data" {
    traced 4 halo
    as_json
    assert_sums_are_exact
    is_so '.transfers == 60 and .bytes == 480 and (.rows | length) == 2 and .unpaired == 0'
    is_so 'all(.rows[]; .operation == "message" and .from.data == "field" and .to.data == "field" and .from.type == "MPI_DOUBLE")'
    is_so '[.rows[].pattern.distances[0]] | sort == [-1, 1]'
    is_so 'all(.rows[]; .pattern.is_halo and .previous == [{class: null, transfers: 30}] and .findings == [])'
    is_at from 'MPI_Isend(&field[length]'
    is_at to 'MPI_Irecv(&field[length + 1]'
    is_so '.without_site == 0 and .without_memory == 0 and .unnamed_bytes == 0 and .without_contents == 0'
    is_so 'all(.rows[]; .used_by == ["stencil"])'
    comms
    [[ $output == *"used by stencil"* ]]
}

@test "halo_that_has_not_changed_is_named" {
    traced 4 resent
    as_json
    assert_sums_are_exact
    is_so 'all(.rows[]; [.findings[] | {problem, transfers, bytes, proved}] == [{problem: "repeated", transfers: 27, bytes: 216, proved: true}])'
    comms
    [[ $output == *"27 of 30 transfers (216 bytes) are the same bytes as the time before"* ]]
}

@test "transpose_is_recognised" {
    traced 4 transpose
    as_json
    assert_sums_are_exact
    is_so '(.rows | length) == 1 and .transfers == 12 and .bytes == 12 * 16 * 16 * 8'
    is_so '.rows[0] | .pattern.is_transpose and .pattern.shape == "all pairs" and .findings == []'
    is_so '.rows[0].pattern.sent == {how: "block-cyclic", piece_bytes: 128, step_bytes: 512} and .rows[0].pattern.received.how == "blocks"'
    is_so '.rows[0] | .from.data == "by_rows" and .to.data == "by_columns" and .from.type == "vector(16,16,64;;MPI_DOUBLE)"'
}

@test "master_and_workers_are_from_one_and_to_one" {
    traced 4 worker
    as_json
    assert_sums_are_exact
    is_so '.transfers == 54 and ([.rows[].pattern.shape] | unique) == ["from one", "to one"]'
    is_so 'any(.rows[]; .from.data == "todo" and .to.data == "task" and .pattern.shape == "from one" and .transfers == 24)'
    is_so 'all(.rows[]; [.findings[].problem] | contains(["relayed"]) | not)'
}

@test "chain_is_a_relay" {
    traced 4 chain
    as_json
    assert_sums_are_exact
    is_so '.transfers == 3 and ([.rows[] | {transfers, own: (.previous[0].class == null)}] | sort_by(.transfers)) == [{transfers: 1, own: true}, {transfers: 2, own: false}]'
    is_so '[.rows[].findings[] | {problem, transfers, proved}] == [{problem: "relayed", transfers: 2, proved: true}]'
    comms
    [[ $output == *"itself 50.00 %"* && $output == *"2 of 2 transfers (1024 bytes) only pass through their sender"*unchanged* ]]
}

@test "loop_in_turn_over_data_in_blocks_is_a_misfit" {
    traced 4 cyclic
    as_json
    assert_sums_are_exact
    is_so '(.rows | length) == 1 and .transfers == 4 * 64 * 3 / 4'
    is_so '.rows[0].pattern | .sent == {how: "cyclic", piece_bytes: 8, step_bytes: 32} and (.is_transpose | not)'
    is_so '[.rows[0].findings[].problem] | sort == ["misfit", "small"]'
    comms
    [[ $output == *"each sender holds its part of held in one piece"*"8 of each 32 bytes: distributed in blocks, used cyclically"* ]]
}

@test "copies_of_the_program_and_of_MPI_are_followed" {
    traced 2 copied
    as_json
    assert_sums_are_exact
    is_so '.transfers == 2 and (.rows | length) == 2'
    is_so '[.rows[].findings[] | {problem, transfers, proved}] == [{problem: "returned", transfers: 1, proved: true}]'
    # A static variable has its name from the module's symbol table.
    is_so 'any(.rows[]; .previous_bytes == 512 and .from.type == "MPI_PACKED" and .from.data == "packed" and .to.data == "copy")'
    is_so '.unnamed_bytes == 0'
}

@test "blocks_of_the_heap_are_called_by_who_has_allocated_them" {
    LAYER=$LAYER:$HEAP_LIB traced 2 heap $all_records,heap
    as_json
    assert_sums_are_exact
    is_so '.transfers == 3 and (.rows | length) == 3 and .unnamed_bytes == 0'
    heap() { echo "heap of sends.c:$(line "$1")"; }
    local first second longer third
    first=$(heap 'double *first = malloc') second=$(heap 'double *second = calloc')
    longer=$(heap 'second = realloc') third=$(heap 'double *third = malloc')
    is_so "any(.rows[]; .from.data == \"$first\" and .to.data == \"$second\" and .findings == [])"
    # What was in the shorter block is in the longer one.
    is_so "any(.rows[]; .from.data == \"$longer\" and .to.data == \"$first\" and .findings[0].problem == \"returned\")"
    is_so "any(.rows[]; .from.data == \"$third\" and .to.data == \"$third\" and .previous_bytes == 0 and .findings == [])"
}

@test "variables_on_the_stack_are_called_by_their_function" {
    traced 2 stack $all_records,stack
    as_json
    assert_sums_are_exact
    is_so '.transfers == 3 and (.rows | length) == 3 and .unnamed_bytes == 0'
    is_so 'any(.rows[]; .from.data == "stack::outer" and .to.data == "hand_over::inner" and .findings == [])'
    is_so 'any(.rows[]; .from.data == "hand_over::inner" and .to.data == "stack::outer" and .findings[0].problem == "returned")'
    # It lies where what was received before has been.
    is_so 'any(.rows[]; .from.data == "hand_on::in_its_place" and .to.data == "hand_on::in_its_place" and .previous_bytes == 0 and .findings == [])'
    "$TOOL" trace print --json | jq -r '.rows[] | select(.event == "MpiSend") | "\(.send_address) \(.send_span)"' >sent
    read -r before bytes <<<"$(sed -n 2p sent)"
    read -r after more <<<"$(sed -n 3p sent)"
    ((after < before + bytes && before < after + more))
}

@test "variables_without_lines_are_called_by_their_function_alone" {
    strip -g -o stripped "$SENDS"
    SENDS=$PWD/stripped traced 2 stack $all_records,stack
    as_json
    is_so '.transfers == 3 and .unnamed_bytes == 0'
    is_so 'any(.rows[]; .from.data == "stack of stack" and .to.data == "stack of hand_over")'
    is_so 'any(.rows[]; .from.data == "stack of hand_on" and .to.data == "stack of hand_on" and .previous_bytes == 0)'
}

@test "users_of_received_data_are_found_by_page_protection" {
    traced 2 used sites,uses
    [[ $output != *"nothing is found"* ]] || skip "this kernel does not hold system calls"
    as_json
    assert_sums_are_exact
    is_so '.transfers == 13'
    used_by() { "$TOOL" trace print --json | jq -c "[.rows[] | select(.rank == 1 and .region == \"tare_uses()\" and .event == \"Leave\") | .data_name]"; }
    # What goes to the kernel, and what nobody touches, has no user; nor has what is not protected.
    [[ $(used_by) == '["add_up","take_along","add_up","add_up","add_up","add_up","add_up","add_up","add_up"]' ]] ||
        { used_by; return 1; }
    is_so 'all(.rows[]; .used_by == ["add_up", "take_along"])'
}

@test "heap_that_nobody_tells_of_is_said" {
    run --separate-stderr timeout 100 "$MPIEXEC" -n 2 env LD_PRELOAD="$LAYER" TARE_MODE=header TARE_TRACE=1 TARE_TRACE_RECORDS=buffers,heap \
        "$SENDS" heap
    [[ $status -eq 0 ]]
    [[ $stderr == "tare: TARE_TRACE_RECORDS=heap: nothing is said of the heap: libtare-heap.so is not preloaded, as tare exec does" ]] ||
        { echo "$stderr"; return 1; }
    as_json
    is_so '.without_memory == 0 and .unnamed_bytes > 0'
}

@test "functions_that_give_memory_do_what_they_did" {
    "$ALLOCATES"
    silent allocates env TARE_TRACE=1 TARE_TRACE_RECORDS=heap LD_PRELOAD="$(cut -d: -f2 <<<"$LAYER"):$HEAP_LIB" TARE_PROFILE=1 "$ALLOCATES"
    [[ -z $output ]]
    "$TOOL" trace print >events
    for function in by_malloc by_calloc by_realloc by_reallocarray by_memalign by_posix_memalign by_aligned_alloc by_valloc by_pvalloc \
        by_new by_new_array by_quiet_new by_aligned_new; do
        grep -q "names heap of $function()+0x[0-9a-f]* (.*allocates+0x[0-9a-f]*)" events || { echo "$function"; cat events; return 1; }
    done
    # By four threads a thousand blocks each, every one of them gone at the end; none of less than 256 bytes.
    [[ $(grep -c "names heap of in_a_thread" events) -eq 4000 ]]
    run ! grep "names heap of small" events
}

# All of them variables without a name of their own.
@test "collective_operations_move_blocks" {
    traced 4 collective
    as_json
    assert_sums_are_exact
    is_so '.transfers == 3 + 3 + 12 + 12 + 4 + 3 and .unpaired == 0 and .unnamed_bytes == 0 and .taken_whole == 0'
    is_so 'any(.rows[]; .operation == "broadcast" and .from.data == "table" and .transfers == 3 and .bytes == 3 * 512
        and .pattern.shape == "from one" and .pattern.sent.how == "same" and all(.pairs[]; .from == 3))'
    is_so 'any(.rows[]; .operation == "scatter" and .from.data == "spread" and .to.data == "part" and .bytes == 3 * 128 and .pattern.sent.how == "blocks")'
    is_so '[.rows[] | select(.operation == "allgather")] | length == 2 and all(.from.data == "part" and .to.data == "gathered")
        and ([.[].transfers] | sort == [3, 9]) and ([.[].bytes] | add) == 12 * 128'
    # What the ranks behind the root gather is what the root had scattered.
    is_so '(.rows[] | select(.operation == "scatter").class) as $scatter
        | any(.rows[]; .operation == "allgather" and .transfers == 9 and .previous == [{class: $scatter, transfers: 9}])'
    is_so 'any(.rows[]; .operation == "alltoall" and .transfers == 12 and .pattern.is_transpose and .pattern.sent.how == "blocks"
        and .pattern.received.how == "blocks")'
    is_so '(.rows[] | select(.operation == "allreduce").class) as $sum
        | any(.rows[]; .operation == "reduce" and .previous == [{class: $sum, transfers: 3}] and .findings == [])'
}

# Each is at the call that has begun it, whichever has completed it. Were they told apart by the order in which they are
# complete, those of odd ranks would be others.
@test "nonblocking_collective_operations_are_found_in_any_order" {
    traced 4 nonblocking
    as_json
    assert_sums_are_exact
    is_so '.transfers == 3 + 3 + 3 + 12 + 12 + 4 + 3 and .unpaired == 0 and .not_ended == 0 and .of_neighbours == 0
        and .without_memory == 0 and .without_site == 0 and .unnamed_bytes == 0 and .collectives == 7 * 4'
    is_so 'any(.rows[]; .operation == "broadcast" and .from.data == "table" and .transfers == 3 and .bytes == 3 * 512
        and all(.pairs[]; .from == 0))'
    is_so 'any(.rows[]; .operation == "broadcast" and .from.data == "copy" and .transfers == 3 and all(.pairs[]; .from == 3))'
    is_so 'any(.rows[]; .operation == "scatter" and .from.data == "spread" and .to.data == "part" and .bytes == 3 * 128
        and .pattern.sent.how == "blocks" and all(.pairs[]; .from == 1))'
    is_so 'any(.rows[]; .operation == "alltoall" and .transfers == 12 and .bytes == 12 * 128 and .from.data == "rows_of"
        and .to.data == "columns_of" and .pattern.is_transpose and .previous == [{class: null, transfers: 12}])'
    is_so '(.rows[] | select(.operation == "scatter").class) as $scatter
        | any(.rows[]; .operation == "allgather" and .transfers == 9 and .previous == [{class: $scatter, transfers: 9}])'
    is_so '[.rows[] | select(.operation == "allreduce").class] as $sums
        | any(.rows[]; .operation == "broadcast" and .from.data == "sum" and .transfers == 3 and ([.previous[].class] - $sums) == [])'
    is_at from 'MPI_Iscatter('
    is_at to 'MPI_Iscatter('
    is_at from 'MPI_Ialltoall(rows_of, count'
    is_at to 'MPI_Ialltoall(rows_of, count'
    is_so 'all(.rows[]; .to.step | test("MPI_Wait|MPI_Test") | not)'
}

# The call that makes the operation names memory, too, and copies nothing.
@test "persistent_collective_operations_are_found_in_each_start" {
    traced 4 persistent
    as_json
    assert_sums_are_exact
    is_so '.transfers == 3 + 1 + 5 * 12 and .unpaired == 0 and .unpaired_ns == 0 and .not_ended == 0'
    is_so 'any(.rows[]; .operation == "message" and .from.data == "columns_of" and .previous == [{class: null, transfers: 1}])'
    is_so '(.rows[] | select(.operation == "broadcast").class) as $root | [.rows[] | select(.operation == "alltoall")]
        | ([.[] | {transfers, of: .previous[0].class}] | sort_by(.transfers)) == [{transfers: 15, of: null}, {transfers: 45, of: $root}]
        and all(.[]; .bytes == .transfers * 128 and .from.data == "rows_of" and .to.data == "columns_of")'
    is_at to 'MPI_Start(&transposed)'
}

@test "operations_among_neighbours_are_left_out_and_counted" {
    traced 4 neighbours
    as_json
    assert_sums_are_exact
    is_so '.transfers == 0 and .of_neighbours == 3 * 4 and .unpaired == 0 and .not_ended == 0'
    is_so '.of_neighbours_ns > 0 and .of_neighbours_ns == .communicating_ns'
    comms
    [[ $output =~ "Left out: 12 ends of collective operations among neighbours, who are not in the trace, "[0-9.]+" ms in their calls." ]]
}

@test "puts_are_transfers_into_windows" {
    traced 4 puts
    as_json
    assert_sums_are_exact
    is_so '.transfers == 60 and .bytes == 480 and (.rows | length) == 2 and .unpaired == 0 and .without_memory == 0'
    is_so 'all(.rows[]; .operation == "put" and .to.step == "(window)" and .from.data == "field" and .to.data == "field")'
    is_so '[.rows[].pattern.distances[0]] | sort == [-1, 1]'
    is_so 'all(.rows[]; .pattern.is_halo and .to.type == "MPI_DOUBLE" and .sender_ns > 0 and .receiver_ns == 0 and .findings == [])'
    is_at from 'MPI_Put(&field[length]'
    traced 4 resent_puts
    as_json
    is_so 'all(.rows[]; [.findings[] | {problem, transfers, proved}] == [{problem: "repeated", transfers: 27, proved: true}])'
}

# The class of this operation from and to data of these names
class_of() { jq ".rows[] | select(.operation == \"$1\" and .from.data == $2 and .to.data == $3) | .class" <<<"$output"; }

@test "windows_pass_on_what_was_put_there" {
    traced 3 window
    as_json
    assert_sums_are_exact
    is_so '.transfers == 18 and .unpaired == 0 and .without_memory == 0'
    local put
    put=$(class_of put '"table"' '"field"')
    is_so "any(.rows[]; .operation == \"message\" and .previous == [{class: $put, transfers: 1}] and
        ([.findings[] | {problem, proved}] == [{problem: \"relayed\", proved: true}]))"
    is_so "any(.rows[]; .operation == \"get\" and .from.step == \"(window)\" and .from.data == \"field\" and .to.data == \"got\" and
        .previous == [{class: $put, transfers: 1}] and [.findings[].problem] == [\"relayed\"])"
    # Holes of the target's type are nobody's.
    is_so '[.rows[] | select(.operation == "accumulate" and .from.data == "copy")] |
        ([.[].transfers] | add) == 3 and all(.[]; .to.type == "vector(32,1,2;;MPI_DOUBLE)" and .findings == [])'
    # The numbers that are fetched are what the others have left there, but for the first one.
    is_so '[.rows[] | select(.operation == "fetch") | .transfers] | add == 6'
    is_so 'all(.rows[] | select(.operation == "fetch"); .from.step == "(window)" and .findings == [])'
}

@test "attached_memory_is_reached_by_its_address" {
    traced 2 attached
    as_json
    assert_sums_are_exact
    is_so 'any(.rows[]; .operation == "put" and .from.data == "table" and .to.data == "field" and .bytes == 512)'
}

@test "the_same_is_found_in_every_mode" {
    for mode in off header datatype message copy; do
        rm -rf tare-trace
        traced 4 chain
        as_json
        is_so '.transfers == 3 and .bytes == 1536 and ([.rows[].findings[].problem]) == ["relayed"]'
    done
}

# What MPI_Init has taken of them is declared before modules are named, and its own messages stamp no time; otherwise the clock
# would stand behind it.
@test "compensated_clock_goes_on_behind_MPI_Init" {
    for ranks in 2 4; do
        rm -rf tare-trace
        traced "$ranks" cyclic
        as_json
        is_so '.communicating_ns > 20000'
    done
}

@test "what_a_trace_does_not_tell_is_said" {
    traced 4 chain none
    comms
    [[ $output == *"3 transfers of 1536 bytes in 1 class"* ]]
    for record in sites buffers contents; do
        [[ $output == *"Not known: "*"TARE_TRACE_RECORDS=$record"* ]] || { echo "$output"; return 1; }
    done
    rm -rf tare-trace
    traced 4 chain sites,buffers
    comms
    [[ $output =~ "Not known: what data 1536 of 1536 bytes are, "[0-9.]+" ms in their calls: tare_data" ]]
    [[ $output != *"RECORDS=sites."* && $output != *"RECORDS=buffers."* ]]
    [[ $output == *"unless the program changes it there, which this trace does not tell"* ]]
}

# Ranks wait for the one before, and rank 0 for nobody.
@test "time_of_what_is_not_known_is_that_of_its_calls" {
    traced 4 chain none
    as_json
    assert_sums_are_exact
    is_so '.without_site == 6 and .without_site_ns == .communicating_ns and .without_memory_ns == .communicating_ns'
    is_so '.without_contents == 3 and .without_contents_ns == ([.rows[].sender_ns] | add) and .unnamed_ns == .without_contents_ns'
    is_so '.without_lifetime == 0 and .without_users == 1 and .without_users_ns == .communicating_ns'
    rm -rf tare-trace
    traced 4 chain
    as_json
    is_so '[.without_site_ns, .without_memory_ns, .without_contents_ns, .unnamed_ns, .without_lifetime_ns] | max == 0'
}

# Memory without a name may be the heap's: whether it is the same that was received into nobody tells.
@test "memory_that_may_have_been_freed_is_said" {
    traced 4 chain sites,buffers
    as_json
    assert_sums_are_exact
    is_so '.without_lifetime == 2 and .without_lifetime_ns == ([.rows[] | select(.previous_bytes > 0) | .sender_ns + .receiver_ns] | add)'
    comms
    [[ $output =~ "Not known: whether the memory of 2 of 3 transfers was freed and given out again since their previous one, "[0-9.]+" ms in their calls: tare_data of tare(3), and TARE_TRACE_RECORDS=heap." ]]
}

@test "type_whose_elements_overlap_is_taken_as_it_is" {
    traced 2 overlapping
    as_json
    assert_sums_are_exact
    is_so '.transfers == 2 and .bytes == 2 * 480 and .taken_whole == 0 and .without_memory == 0'
    is_so 'all(.rows[]; .from.type == "vector(20,3,1;;MPI_DOUBLE)" and .pattern.shape == "one pair")'
    is_so 'any(.rows[]; .from.data == "table" and .previous_bytes == 0 and .findings == [])'
    is_so 'any(.rows[]; .from.data == "copy" and .previous_bytes == 480 and [.findings[].problem] == ["returned"])'
}

# killed KIND: a run of two ranks that are killed, joined
killed() {
    run --separate-stderr timeout 100 "$MPIEXEC" -n 2 env LD_PRELOAD="$LAYER" TARE_MODE=off TARE_TRACE=1 \
        TARE_TRACE_RECORDS=$all_records "$SENDS" "$1"
    for ((i = 0; i < 100; i++)); do pgrep -f "$SENDS $1" >/dev/null || break; sleep 0.1; done
    run --separate-stderr "$TOOL" trace join
    [ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
}

@test "killed_ranks_leave_what_they_have_received" {
    killed stopped
    as_json
    is_so '.transfers == 1 and .rows[0].from.data == "table" and .rows[0].to.data == "table"'
}

@test "operation_of_killed_ranks_that_has_not_ended_is_said" {
    killed open
    as_json
    assert_sums_are_exact
    is_so '.transfers == 2 and .not_ended == 1 and .unpaired == 0 and .not_ended_ns > 0'
    is_so 'any(.rows[]; .operation == "broadcast" and .from.data == "table" and .transfers == 1)'
    comms
    [[ $output =~ "Left out: 1 end of nonblocking collective operations that do not begin, or not end, in the trace, "[0-9.]+" ms in their calls." ]]
}

@test "page_has_its_classes_and_loads_nothing" {
    traced 4 resent
    comms --html=page.html
    [ -z "$output" ]
    grep -q 'are the same bytes as the time before' page.html
    grep -q '<mark>' page.html
    [ "$(grep -c '<tr id="class' page.html)" -eq 2 ]
    [ -z "$(grep -E 'src=|href="(http|//)|Nothing was found' page.html)" ]
}

@test "page_says_that_nothing_could_be_better" {
    traced 4 halo
    comms --html=page.html
    grep -q '<p class="note">Nothing was found.</p>' page.html
}

@test "wrong_options_are_one_sentence" {
    for arguments in "--clock=other" "--limit=x" "--json --html=a" "--html=" "--what"; do
        # shellcheck disable=SC2086  # words
        run --separate-stderr "$TOOL" comms $arguments
        [ "$status" -eq 2 ]
        [ "$(wc -l <<<"$stderr")" -le 2 ] || { echo "$stderr"; return 1; }
    done
    run --separate-stderr "$TOOL" comms nowhere
    [ "$status" -eq 1 ]
    [[ $stderr == "tare comms: "* ]]
}

# Of another program, whose sends and receives are no regions of MPI, and say nothing of memory.
@test "foreign_archive_has_transfers_of_unknown_data" {
    mkdir foreign
    "$WRITE_ARCHIVE" random 1 4 1 3000 0 foreign
    as_json foreign
    assert_sums_are_exact
    is_so '.clock == "" and .transfers > 300 and .outside > 0 and .without_memory == .transfers and .sends - .receives == .unpaired'
    run --separate-stderr "$TOOL" comms --clock=measured foreign
    [ "$status" -eq 1 ]
    [[ $stderr == *"does not say which clock it has"* ]]
}
