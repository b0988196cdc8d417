#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2030,SC2031,SC2154  # set by the Makefile and by bats, which has a subshell for each test
# Every benchmark runs, prints OSU's table, and JSON; the options that change what is called.
load helper

few=(-i 3 -x 1)

# sizes PROGRAM: options for few sizes, if it has sizes
sizes() {
    [[ $1 =~ _(i?barrier|fop|cas) ]] || echo "-m 8:16"
}

# headings PROGRAM: the line above its figures
headings() {
    case $1 in
    tare_barrier*) echo "# Avg Latency(us)" ;;
    tare_ibarrier) echo "# Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)" ;;
    tare_mbw_mr) echo "# Size                  MB/s        Messages/s" ;;
    *bw*) echo "# Size      Bandwidth (MB/s)" ;;
    tare_multi_lat | *latency*) echo "# Size          Latency (us)" ;;
    tare_i*) echo "# Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)" ;;
    *) echo "# Size       Avg Latency(us)" ;;
    esac
}

# assert_table PROGRAM: the last output is one, each figure in its 18 characters
assert_table() {
    local heading rows
    heading=$(headings "$1")
    [[ ${lines[0]} == "# Tare MPI"*" Test v$VERSION" ]]
    grep -qxF -- "$heading" <<<"$output"
    rows=$(grep -v '^#' <<<"$output" | grep .)
    awk -v width=${#heading} -v fields="$(wc -w <<<"$(tail -n 1 <<<"$rows")")" '
        length != width || NF != fields { exit 1 }
        { for (i = 1; i <= NF; i++) if ($i !~ /^[0-9]+(\.[0-9][0-9])?$/) exit 1 }' <<<"$rows"
    [[ $(wc -l <<<"$rows") -eq $([[ -n $(sizes "$1") ]] && echo 2 || echo 1) ]]
}

# run_all RANKS PATTERN OPTION...: every program whose name matches prints its table and nothing else
run_all() {
    local count=$1 pattern=$2
    shift 2
    for program in $(programs "$pattern"); do
        # shellcheck disable=SC2046  # words on purpose
        run --separate-stderr ranks "$count" "$program" $(sizes "$program") "${few[@]}" "$@"
        echo "$program: status $status: $output $stderr"
        [[ $status -eq 0 && -z $stderr ]]
        assert_table "$program"
    done
}

collectives='_(i|)(all|barrier|bcast|exscan|gather|reduce|scan|scatter|neighbor)[a-z_]*$'

@test "messages_and_one_sided_calls_print_osus_table_on_two_ranks" {
    [[ $(programs | wc -l) -eq 85 && $(programs "$collectives" | wc -l) -eq 66 ]]
    run_all 2 '_(lat|bw|bibw|mbw|multi)|latency'
}

@test "collectives_print_osus_table_on_two_ranks" { run_all 2 "$collectives"; }
@test "collectives_print_osus_table_on_three_ranks" {
    avoid_what_mpich_restarts_wrongly
    run_all 3 "$collectives"
}

@test "programs_for_pairs_print_osus_table_on_four_ranks" { run_all 4 '_(mbw_mr|multi_lat)$'; }

@test "every_program_runs_in_header_mode" {
    TARE_MODE=header run_all 2 .
}

@test "json_of_every_kind_of_program_has_samples_median_mad_and_p99" {
    for program in tare_{latency,bw,mbw_mr,latency_mt,partitioned_latency,barrier,ibarrier,iallgather,bcast_persistent} \
        tare_{put_bibw,cas_latency,neighbor_alltoall}; do
        # shellcheck disable=SC2046  # words on purpose
        run --separate-stderr ranks 2 "$program" $(sizes "$program") "${few[@]}" --json
        echo "$program: status $status: $output $stderr"
        [[ $status -eq 0 && -z $stderr ]]
        jq -e --arg program "$program" '.command == $program and (.rows | length) >= 1 and all(.rows[];
            (.samples_us | length) == 3 and .p99_us == (.samples_us | max) and .median_us > 0 and .mad_us >= 0)' \
            <<<"$output"
    done
}

@test "p99_is_the_99th_of_100_samples" {
    run ranks 2 tare_latency -m 8:8 -i 100 -x 0 --json
    jq -e '.rows[0] | .p99_us == (.samples_us | sort | .[98])' <<<"$output"
}

@test "full_table_of_nonblocking_collectives_has_osus_columns" {
    run ranks 2 tare_iallgather -m 8:8 "${few[@]}" -f -t 4
    heading="# Size           Overall(us)       Compute(us)    Coll. Init(us)      MPI_Test(us)      MPI_Wait(us)"
    heading+="    Pure Comm.(us)     Min Comm.(us)     Max Comm.(us)        Overlap(%)"
    grep -qxF "$heading" <<<"$output"
    [[ $(tail -n 1 <<<"$output" | wc -w) -eq 10 ]]
}

@test "parts_of_an_overlapped_call_are_the_whole" {
    run ranks 2 tare_ialltoall -m 1024:1024 -i 200 -t 4 --json
    echo "$output"
    jq -e '.rows[0] | (.overall_us - .start_us - .compute_us - .test_us - .wait_us | fabs) < 0.01 * .overall_us
        and .compute_us >= .median_us * 0.99 and .test_us > 0 and .overlap_pct >= 0 and .overlap_pct <= 100' \
        <<<"$output"
}

@test "rate_and_bandwidth_of_pairs_are_of_all_messages" {
    run ranks 4 tare_mbw_mr -m 1024:1024 -W 8 -i 20
    grep -qxF "# [ pairs: 2 ] [ window size: 8 ]" <<<"$output"
    run ranks 4 tare_mbw_mr -m 1024:1024 -W 8 -i 20 --json
    jq -e '.rows[0] | (.mb_per_s * .median_us / (2 * 8 * 1024) - 1 | fabs) < 0.001
        and (.messages_per_s * .median_us / (2 * 8 * 1e6) - 1 | fabs) < 0.001' <<<"$output"
    run ranks 4 tare_mbw_mr -m 1024:1024 -W 8 -i 20 -p 1
    grep -qxF "# [ pairs: 1 ] [ window size: 8 ]" <<<"$output"
}

@test "bandwidth_both_ways_counts_both" {
    run ranks 2 tare_bibw -m 1024:1024 -W 8 -i 20 --json
    jq -e '.rows[0] | (.mb_per_s * .median_us / (2 * 8 * 1024) - 1 | fabs) < 0.001' <<<"$output"
}

@test "threads_are_named_and_run" {
    for threads in 1 3:2; do
        run --separate-stderr ranks 2 tare_latency_mt -m 8:8 -i 20 -x 1 -t $threads
        echo "$output $stderr"
        [[ $status -eq 0 && -z $stderr ]]
    done
    [[ ${lines[1]} == "# Number of Sender threads: 3" && ${lines[2]} == "# Number of Receiver threads: 2" ]]
}

@test "synchronization_and_window_are_named" {
    run ranks 2 tare_put_latency -m 8:8 "${few[@]}"
    [[ ${lines[1]} == "# Window creation: MPI_Win_create" && ${lines[2]} == "# Synchronization: MPI_Win_fence" ]]
    run ranks 2 tare_get_latency -m 8:8 "${few[@]}"
    [[ ${lines[1]} == "# Window creation: MPI_Win_allocate" && ${lines[2]} == "# Synchronization: MPI_Win_flush" ]]
    run ranks 2 tare_get_latency -m 8:8 "${few[@]}" -w dynamic -s pscw
    [[ ${lines[1]} == "# Window creation: MPI_Win_create_dynamic" ]]
    [[ ${lines[2]} == "# Synchronization: MPI_Win_post/start/complete/wait" ]]
}

# A library that says at the end which of the calls given at its compilation rank 0 has made, in their order.
make_counter() {
    {
        echo '#include <mpi.h>'
        echo '#include <stdio.h>'
        for name in "$@"; do
            prototype=$(tr '\n' ' ' <"$MPICH_STAGE/include/mpi_proto.h" | grep -oE "int MPI_$name\([^()]*\)" |
                sed -E 's/^[^(]*\((.*)\)$/\1/')
            arguments=$(sed -E 's/\[[^]]*\]//g; s/[^,]*[ *]([a-z_]+)/\1/g' <<<"$prototype")
            echo "static int called_$name;"
            echo "int MPI_$name($prototype) { called_$name++; return PMPI_$name($arguments); }"
        done
        echo 'int MPI_Finalize(void) { int rank; PMPI_Comm_rank(MPI_COMM_WORLD, &rank); if (rank == 0) {'
        for name in "$@"; do
            echo "if (called_$name) fprintf(stderr, \"$name \");"
        done
        echo '} return PMPI_Finalize(); }'
    } >"$BATS_TEST_TMPDIR/counter.c"
    "$MPICC" -shared -fPIC -o "$BATS_TEST_TMPDIR/counter.so" "$BATS_TEST_TMPDIR/counter.c"
}

# calls WANTED COMMAND...: rank 0 makes those calls and no others of the counter's
calls() {
    local wanted=$1
    shift
    LD_PRELOAD=$BATS_TEST_TMPDIR/counter.so run --separate-stderr ranks 2 "$@" -m 64:64 "${few[@]}"
    echo "$*: status $status: $stderr"
    [[ $status -eq 0 && $(xargs <<<"$stderr") == "$wanted" ]]
}

@test "messages_are_sent_as_their_options_say" {
    make_counter Send Ssend Isend Issend Recv Irecv Send_init Ssend_init Psend_init Type_vector Type_create_hindexed
    calls "Send Recv" tare_latency
    calls "Ssend Recv" tare_latency --ssend
    calls "Isend Irecv" tare_latency --nonblocking
    calls "Issend Irecv" tare_multi_lat --nonblocking --ssend
    calls "Isend Recv" tare_bw
    calls "Issend Irecv" tare_bibw --ssend
    calls "Send_init" tare_latency_persistent
    calls "Recv Ssend_init" tare_bw_persistent --ssend
    calls "Psend_init" tare_partitioned_latency
    calls "Send Recv Type_vector" tare_latency -D vect
    calls "Isend Irecv Type_create_hindexed" tare_bibw -D indx:16:8
}

@test "one_sided_calls_end_as_their_options_say" {
    make_counter Win_create Win_allocate Win_create_dynamic Win_lock Win_lock_all Win_flush Win_flush_local Win_fence \
        Win_start
    calls "Win_create Win_fence" tare_put_latency
    calls "Win_allocate Win_lock Win_flush" tare_get_latency
    calls "Win_allocate Win_lock" tare_put_bw -s lock
    calls "Win_allocate Win_lock_all" tare_acc_latency -s lock_all
    calls "Win_allocate Win_lock Win_flush_local" tare_get_acc_latency -s flush_local
    calls "Win_create_dynamic Win_start" tare_get_bw -s pscw -w dynamic
    calls "Win_create Win_start" tare_put_bibw -s pscw
}

@test "neighborhoods_are_made_as_their_option_says" {
    make_counter Cart_create Dist_graph_create_adjacent
    calls "Cart_create" tare_neighbor_alltoallw
    calls "Dist_graph_create_adjacent" tare_ineighbor_allgatherv -N graph
}

@test "one_sided_benchmarks_take_turns" {
    for sync in flush fence; do
        rm -f "$BATS_TEST_TMPDIR/turn"
        ranks 2 tare_get_latency -m 8:16 -i 20 -s $sync --turn "$BATS_TEST_TMPDIR/turn:1:2" &
        ranks 2 tare_get_latency -m 8:16 -i 20 -s $sync --turn "$BATS_TEST_TMPDIR/turn:0:2"
        wait $!
    done
}
