#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare report --states: what a run has waited for, where, and the same in Cube and on the page.
# shellcheck disable=SC2154,SC2016  # bats sets status, output and stderr; jq's $ stands in single quotes
load helpers
load pages

# A row of the profile that is made here, in ns: row RANK THREAD REGION GROUP CALLS TIME COMPENSATED WAIT
# COMPENSATED-WAIT; all of it is the region's own but the waiting of the root.
row() {
    local own=$8 own_comp=$9
    [[ $3 != .TAU* ]] || own=0 own_comp=0
    printf '%s,' "$1" "$2" "$3" "$4" "$5" "$6" "$6" "$7" "$7" "$8" "$9" $(($6 - $7)) 0 "$7" "$7" 0 "$own" "$own_comp"
    printf '0\r\n'
}

# Two ranks, the second with two threads.
setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    {
        "$TOOL" convert --to=csv "$FIXTURES/two_ranks" | head -n 1
        row 0 0 '.TAU application' TAU_DEFAULT 1 10000000 8000000 4500000 1500000
        row 0 0 'MPI_Recv()' MPI 10 4100000 1050000 4000000 1000000
        row 0 0 'MPI_Send()' MPI 5 20000 20000 0 0
        row 0 0 'MPI_Waitall()' MPI 3 500000 500000 500000 500000
        row 0 0 work TAU_USER 3 5000000 5000000 0 0
        row 1 0 '.TAU application' TAU_DEFAULT 1 10000000 9000000 3100000 3600000
        row 1 0 'MPI_Recv()' MPI 10 1000000 2000000 1000000 2000000
        row 1 0 'MPI_Probe()' MPI 2 100000 100000 100000 100000
        row 1 0 'MPI_Barrier()' MPI 4 2000000 1500000 2000000 1500000
        row 1 1 '.TAU application' TAU_DEFAULT 1 10000000 9000000 800000 700000
        row 1 1 'MPI_Barrier()' MPI 2 500000 500000 500000 500000
        row 1 1 'omp barrier' OPENMP 7 300000 200000 300000 200000
    } > made.csv
    "$TOOL" convert --to=tau -o made made.csv
}

setup() {
    clean_environment
    cp -r "$BATS_FILE_TMPDIR/made" "$FIXTURES/two_ranks" "$BATS_TEST_TMPDIR"
    chmod -R u+w "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR/made" || return 1
}

# The lines of a table, their blanks single: table FIRST-HEADING
table() {
    sed -n "/^$1  /,/^\$/p" <<< "$output" | tail -n +2 | sed '/^$/d; /more place/d' | tr -s ' ' | sed 's/^ //; s/ $//'
}

value() { jq -r "$1" <<< "$output"; }

@test "waiting_is_named_by_the_function_that_waits" {
    run "$TOOL" report --states
    [ "$status" -eq 0 ]
    [ "$(table 'wait state')" = "all states 8400.000 5800.000 -2600.000 -30.95 28.00 22.31
late sender 5100.000 3100.000 -2000.000 -39.22 17.00 11.92 22 2 2100.000 1
wait at barrier 2500.000 2000.000 -500.000 -20.00 8.33 7.69 6 1 2000.000 1
late partner 500.000 500.000 +0.000 +0.00 1.67 1.92 3 1 500.000 0
wait at OpenMP barrier 300.000 200.000 -100.000 -33.33 1.00 0.77 7 1 200.000 1" ]
    [[ $output == *"late partner: in MPI_Wait, "*" not known which"* ]]
}

@test "places_of_a_run_that_knows_none_are_functions" {
    run "$TOOL" report --states
    [ "$(table function)" = "MPI_Recv() late sender 5000.000 3000.000 20 2 2000.000 1
MPI_Barrier() wait at barrier 2500.000 2000.000 6 1 2000.000 1
MPI_Waitall() late partner 500.000 500.000 3 1 500.000 0
omp barrier wait at OpenMP barrier 300.000 200.000 7 1 200.000 1
MPI_Probe() late sender 100.000 100.000 2 1 100.000 1" ]
}

@test "states_of_one_rank_are_a_share_of_its_time" {
    run "$TOOL" report --states --rank=0
    [ "$(table 'wait state')" = "all states 4500.000 1500.000 -3000.000 -66.67 45.00 18.75
late sender 4000.000 1000.000 -3000.000 -75.00 40.00 12.50 10 1 1000.000 0
late partner 500.000 500.000 +0.000 +0.00 5.00 6.25 3 1 500.000 0" ]
}

@test "states_of_one_function_leave_out_the_others" {
    run "$TOOL" report --states --region=MPI_Recv
    [ "$(table 'wait state')" = "all states 5000.000 3000.000 -2000.000 -40.00 16.67 11.54
late sender 5000.000 3000.000 -2000.000 -40.00 16.67 11.54 20 2 2000.000 1" ]
    [ "$(table function | wc -l)" -eq 1 ]
}

@test "states_are_sorted_by_the_key_and_places_limited" {
    for key in wait 'wait-comp' change; do
        run "$TOOL" report --states --sort="$key"
        [ "$(table 'wait state' | sed -n 2p | cut -d ' ' -f 1-2)" = "late sender" ]
    done
    run "$TOOL" report --states --sort=calls --limit=2
    [ "$(table 'wait state' | cut -d ' ' -f 1-2 | paste -s -d ,)" = "all states,late sender,wait at,wait at,late partner" ]
    [ "$(table function | cut -d ' ' -f 1-2 | paste -s -d ,)" = "MPI_Recv() late,omp barrier" ]
    [[ $output == *"3 more places: --limit=0 shows all"* ]]
    run "$TOOL" report --states --sort=state
    [ "$(table 'wait state' | cut -d ' ' -f 1-2 | paste -s -d ,)" = "all states,late sender,late partner,wait at,wait at" ]
}

@test "json_of_states_adds_up_to_the_waiting_of_the_run" {
    need_jq
    run --separate-stderr "$TOOL" report --states --json
    [ "$(value '[.schema, .command] | join(" ")')" = "1 report" ]
    [ "$(value '[.rows[] | keys_unsorted | join(" ")] | unique | join("|")')" = \
        "state metric wait_ns wait_comp_ns calls ranks max_comp_ns max_rank share_pct share_comp_pct places" ]
    [ "$(value '[.rows[].places[] | keys_unsorted | join(" ")] | unique | join("|")')" = \
        "function where wait_ns wait_comp_ns calls ranks max_comp_ns max_rank" ]
    [ "$(value '.rows[0] | del(.places) | map(.) | join(" ")')" = \
        "late sender mpi_latesender 5100000 3100000 22 2 2100000 1 17 11.923076923076923" ]
    for figure in wait_ns wait_comp_ns; do
        [ "$(value "[.rows[].$figure] | add")" -eq "$("$TOOL" report --waiting --json | jq "[.rows[].$figure] | add")" ]
        [ "$(value "[.rows[] | .$figure - ([.places[].$figure] | add)] | unique | tostring")" = "[0]" ]
    done
}

@test "each_mpi_function_that_the_layer_calls_waiting_has_a_state" {
    local name
    {
        head -n 1 "$BATS_FILE_TMPDIR/made.csv"
        row 0 0 '.TAU application' TAU_DEFAULT 1 10000000 10000000 0 0
        awk '!/^#/ && / wait( |$)/ && $1 !~ /\*/ { print $1 }' "$SOURCES/src/pmpi/calls.tab" | while read -r name; do
            row 0 0 "$name()" MPI 1 1000 1000 1000 1000
        done
    } > ../all.csv
    [ "$(wc -l < ../all.csv)" -gt 80 ]
    "$TOOL" convert --to=tau -o ../all ../all.csv
    need_jq
    run "$TOOL" report --states --json ../all
    [ "$(value '.rows[] | select(.state == "other wait") | .places[].function')" = "MPI_Win_set_info()" ]
}

@test "places_are_the_regions_around_where_there_are_call_paths" {
    cd ../two_ranks
    add_path '.TAU application => MPI_Send()' MPI 6 60 50 4 3
    add_path '.TAU application => work' TAU_USER 10 960 765 0 0
    add_path '.TAU application => work => MPI_Send()' MPI 3 30 25 2 1
    add_path 'helper => work => MPI_Send()' MPI 1 10 5 1 1
    run "$TOOL" report --states --rank=0
    [ "$(table where)" = "(on no call path) MPI_Send() late receiver 43.000 44.999 0 1 44.999 0
.TAU application MPI_Send() late receiver 4.000 3.000 6 1 3.000 0
work MPI_Send() late receiver 3.000 2.000 4 1 2.000 0" ]
    [[ $output == *"where: the innermost region around."* ]]
    run "$TOOL" report --states --region=work
    [ "$(table where)" = "work MPI_Send() late receiver 3.000 2.000 4 1 2.000 0" ]
}

@test "places_are_call_sites_and_what_they_do_not_tell" {
    cd ../two_ranks
    run --separate-stderr "$TOOL" report --states
    [ -z "$stderr" ]
    [ "$(table where)" = "(not known) MPI_Recv() late sender 900.000 750.000 0 1 750.000 1
exchange+0x51 MPI_Recv() late sender 240.000 140.000 10 1 140.000 1
(not known) MPI_Send() late receiver 50.000 49.999 0 1 49.999 0" ]
    [[ $output == *"where: where the call returns to."* ]]
    rm tare-calls.1
    run --separate-stderr "$TOOL" report --states
    [ "$stderr" = "tare report: rank 1 has left no table of its MPI calls" ]
    [[ $(table function) == *"MPI_Recv() late sender 1140.000 890.000 10 1 890.000 1"* ]]
}

# More lines for the table of rank 1.
wrong_orders() {
    printf '%s\n' 'wait 0 2 40000 30000 MPI_Recv() wrong_same' 'wait 0 1 60000 50000 MPI_Recv() wrong_different' > added
    sed -i '/^wait 0 /r added' tare-calls.1
}

@test "messages_in_the_wrong_order_are_states_of_their_own" {
    cd ../two_ranks
    wrong_orders
    run --separate-stderr "$TOOL" report --states
    [ "$(table 'wait state' | sed -E 's/ [-+].*//')" = "all states 1190.000 939.999
late sender 1040.000 810.000
late sender, wrong order, different sources 60.000 50.000
late receiver 50.000 49.999
late sender, wrong order, same source 40.000 30.000" ]
    [[ $(table where) == *"exchange+0x51 MPI_Recv() late sender 240.000 140.000 10 1 140.000 1"* ]]
    [[ $output == *"in whichever order messages came"* ]]
    run "$TOOL" report --states --rank=0
    [[ $output != *"wrong order"* ]]
    run "$TOOL" report --states --region=MPI_Send
    [[ $output != *"wrong order"* ]]
    need_jq
    run "$TOOL" report --states --json
    [ "$(value '[.rows[].wait_ns] | add')" -eq 1190000 ]
    [ "$(value '.rows[] | select(.metric == "mpi_lswo_different") | [.wait_ns, .wait_comp_ns, .calls, .ranks] | join(" ")')" = \
        "60000 50000 1 1" ]
    add_path '.TAU application => MPI_Send()' MPI 6 60 50 4 3
    run "$TOOL" report --states
    [[ $(table 'wait state') == *"late sender, wrong order, same source 40.000 30.000"* ]]
}

# As a run writes them now: the barrier's site has its completion. Rank 1 has another one, of which nothing is known.
completions() {
    sed -i '/ MPI_Barrier() main/a completion 5 300000 250000' tare-calls.0
    sed -i '/ MPI_Barrier() main/a completion 4 2000000 90000\nsite 2 0 0 20000 500 12000 20000 0 0 MPI_Alltoall() main+0xa0' tare-calls.1
}

@test "completions_are_a_table_of_their_own" {
    cd ../two_ranks
    run "$TOOL" report --states
    [[ $output != *"left the same operation"* && $output == *"Not known of 10 calls of 10: when the first process has left them."* ]]
    completions
    run "$TOOL" report --states
    [[ $output == *"No waiting, but behind the first process that has left the same operation, in us:"* ]]
    [ "$(table call)" = "main+0x91 MPI_Barrier() barrier completion 2300.000 340.000 9 2 250.000 0
Not known of 3 calls of 12: when the first process has left them." ]
    # They are no state, and change none.
    [[ $output != *"hosts"* && $(table 'wait state') == *"all states 1190.000 939.999"* ]]
    run "$TOOL" report --states --rank=1
    [ "$(table call | head -n 1)" = "main+0x91 MPI_Barrier() barrier completion 2000.000 90.000 4 1 90.000 1" ]
    run "$TOOL" report --states --region=MPI_Recv
    [[ $output != *"left the same operation"* && $output != *"Not known of"* ]]
}

@test "completions_are_sorted_and_limited" {
    cd ../two_ranks
    completions
    sed -i '/ MPI_Alltoall() main/a completion 2 20000 1500000' tare-calls.1
    run "$TOOL" report --states
    [ "$(table call | cut -d ' ' -f 2-6)" = "MPI_Alltoall() N x N completion
MPI_Barrier() barrier completion 2300.000 340.000
known of 1 call of" ]
    run "$TOOL" report --states --sort=wait --limit=1
    [ "$(table call | grep '^main' | cut -d ' ' -f 2-6)" = "MPI_Barrier() barrier completion 2300.000 340.000" ]
    [[ $output == *"1 more call: --limit=0 shows all"* ]]
}

@test "completions_over_hosts_are_at_least_that" {
    cd ../two_ranks
    completions
    [[ $("$TOOL" report --states) != *hosts* ]]
    sed -i 's#</metadata>#<attribute><name>tare host</name><value>another</value></attribute>&#' MULTI__TIME/profile.1.0.0
    run "$TOOL" report --states
    [[ $output == *"The run has 2 hosts; the first process of the own one counts, so the times are these at least."* ]]
    need_jq
    [ "$("$TOOL" report --states --json | jq .completion_at_least)" = true ]
}

@test "json_of_states_has_the_completions" {
    need_jq
    cd ../two_ranks
    run "$TOOL" report --states --json
    [ "$(value '[.completion, .completion_calls, .completion_known_calls, .completion_at_least] | tostring')" = "[[],10,0,false]" ]
    completions
    run "$TOOL" report --states --json
    [ "$(value '.completion | tostring')" = '[{"state":"barrier completion","metric":"mpi_barrier_completion","function":"MPI_Barrier()","site":"main+0x91","calls":10,"known_calls":9,"time_ns":2300000,"time_comp_ns":340000,"ranks":2,"max_comp_ns":250000,"max_rank":0}]' ]
    [ "$(value '[.completion_calls, .completion_known_calls] | tostring')" = "[12,9]" ]
}

@test "run_that_has_not_waited_says_so" {
    run "$TOOL" report --states --region=work
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = "Nothing has waited in work." ]
    need_jq
    run "$TOOL" report --states --region=work --json
    [ "$(value '.rows | tostring')" = "[]" ]
}

@test "what_does_not_go_with_states_is_refused" {
    run --separate-stderr "$TOOL" report --states --waiting
    assert_refused 2
    assert_says "--states and --waiting are different tables"
    run --separate-stderr "$TOOL" report --states --sort=excl
    assert_refused 2
    assert_says "--sort=excl is not one of wait-comp, wait, change, calls, state"
    run --separate-stderr "$TOOL" report --states --html page.html
    assert_refused 2
    run --separate-stderr "$TOOL" report --states --rank=7
    assert_refused 1
    sed -i 's/^run .*/run another/' ../two_ranks/tare-calls.*
    run --separate-stderr "$TOOL" report --states ../two_ranks
    assert_refused 1
    assert_says "belongs to another run"
}

@test "report_by_waiting_leads_to_the_states" {
    run "$TOOL" report --sort=wait
    [ "${lines[-1]}" = "Next: tare report --states" ]
}

# --- Cube ---

need_python() {
    command -v python3 > /dev/null || skip "python3 is not installed"
}

cube_values() {
    "$TOOL" convert -o ../run.cubex "$@"
    python3 "$SOURCES/test/tool/cube_values.py" ../run.cubex --shown
}

@test "cube_has_the_states_that_occur_by_scalasca_s_names" {
    need_python
    run cube_values
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [ "$(grep -E '^(mpi|omp|pthread|tare_(late|mpi_(late|barrier)|omp|rma|wait))' <<< "$output")" = "\
mpi_latesender 1 0 MPI_Probe 0.0001
mpi_latesender 0 0 MPI_Recv 0.0040000000000000001
mpi_latesender 1 0 MPI_Recv 0.001
tare_mpi_latesender_compensated 1 0 MPI_Probe 0.0001
tare_mpi_latesender_compensated 0 0 MPI_Recv 0.001
tare_mpi_latesender_compensated 1 0 MPI_Recv 0.002
tare_late_partner 0 0 MPI_Waitall 0.00050000000000000001
tare_late_partner_compensated 0 0 MPI_Waitall 0.00050000000000000001
mpi_barrier_wait 1 0 MPI_Barrier 0.002
mpi_barrier_wait 1 1 MPI_Barrier 0.00050000000000000001
tare_mpi_barrier_wait_compensated 1 0 MPI_Barrier 0.0015
tare_mpi_barrier_wait_compensated 1 1 MPI_Barrier 0.00050000000000000001
omp_ebarrier_wait 1 1 omp barrier 0.00029999999999999997
tare_omp_ebarrier_wait_compensated 1 1 omp barrier 0.00020000000000000001" ]
}

# On call paths, too: the states of a cnode are what it has waited.
@test "states_of_cube_are_the_waiting_of_each_cnode" {
    need_python
    cd ../two_ranks
    add_path '.TAU application => MPI_Send()' MPI 6 60 50 4 3
    add_path 'helper => work => MPI_Send()' MPI 1 10 5 1 1
    run cube_values
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [ "$(sed -n 's/^tare_mpi_wait //p' <<< "$output" | sort)" = \
        "$(sed -nE 's/^mpi_late(sender|receiver) //p' <<< "$output" | sort)" ]
    [ "$(sed -n 's/^tare_mpi_wait_compensated //p' <<< "$output" | sort)" = \
        "$(sed -nE 's/^tare_mpi_late(sender|receiver)_compensated //p' <<< "$output" | sort)" ]
    grep -qx 'mpi_latereceiver 0 0 .TAU application => MPI_Send 3.9999999999999998e-06' <<< "$output"
}

@test "orders_of_messages_in_cube_are_part_of_the_waiting" {
    need_python
    cd ../two_ranks
    wrong_orders
    run cube_values
    [ "$(grep lswo <<< "$output")" = "mpi_lswo_same 1 0 MPI_Recv 4.0000000000000003e-05
tare_mpi_lswo_same_compensated 1 0 MPI_Recv 3.0000000000000001e-05
mpi_lswo_different 1 0 MPI_Recv 6.0000000000000002e-05
tare_mpi_lswo_different_compensated 1 0 MPI_Recv 5.0000000000000002e-05" ] || { echo "$output"; return 1; }
    run cube_values --rank=0
    [[ $output != *lswo* ]]
}

@test "completions_in_cube_are_part_of_the_time" {
    need_python
    cd ../two_ranks
    completions
    sed -i '/ MPI_Alltoall() main/a completion 2 20000 1500000' tare-calls.1
    run cube_values
    [ "$(grep completion <<< "$output")" = "mpi_barrier_completion 0 0 MPI_Barrier 0.00029999999999999997
mpi_barrier_completion 1 0 MPI_Barrier 0.002
tare_mpi_barrier_completion_compensated 0 0 MPI_Barrier 0.00025000000000000001
tare_mpi_barrier_completion_compensated 1 0 MPI_Barrier 9.0000000000000006e-05
mpi_nxn_completion 1 0 MPI_Alltoall 2.0000000000000002e-05
tare_mpi_nxn_completion_compensated 1 0 MPI_Alltoall 0.0015" ] || { echo "$output"; return 1; }
    run cube_values --rank=0
    [ "$(grep -c completion <<< "$output")" -eq 2 ]
}

@test "cube_with_states_is_read_back_and_written_again" {
    "$TOOL" convert -o ../run.cubex
    "$TOOL" convert --to=cube -o ../again.cubex ../run.cubex
    cmp ../run.cubex ../again.cubex
    diff <("$TOOL" convert --to=csv | sort) <("$TOOL" convert --to=csv ../run.cubex | sort)
}

# --- the page ---

@test "page_has_the_states" {
    need_jq
    "$TOOL" report --html page.html
    [ "$(page_data page.html | jq -c '.states[] | del(.[1])')" = '["late sender",5100000,3100000,22,2100000,1]
["wait at barrier",2500000,2000000,6,2000000,1]
["late partner",500000,500000,3,500000,0]
["wait at OpenMP barrier",300000,200000,7,200000,1]' ]
}

@test "page_has_the_completions" {
    need_jq
    cd ../two_ranks
    "$TOOL" report --html page.html
    [ "$(page_data page.html | jq -c '[.completions, .completion_unknown, .completion_hosts]')" = '[[],10,1]' ]
    completions
    "$TOOL" report --html page.html
    [ "$(page_data page.html | jq -c '[.completions, .completion_unknown]')" = \
        '[[["main+0x91","MPI_Barrier()","barrier completion",2300000,340000,9,250000,0]],3]' ]
    # All of them: nobody can ask a page for more.
    for i in {1..40}; do
        sed -i "0,/^site /s//site 1 0 0 20000 500 12000 20000 0 0 MPI_Barrier() main+0x1$i\ncompletion 1 $i $i\n&/" tare-calls.0
    done
    "$TOOL" report --html page.html
    [ "$(page_data page.html | jq '.completions | length')" -eq 41 ]
}
