#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2030,SC2031,SC2154  # set by the Makefile and by bats, which has a subshell for each test
# -c: right data pass, wrong data do not.
load helper

few=(-c -i 3 -x 1)

sizes() {
    [[ $1 =~ _(fop|cas)_ ]] || echo "-m 8:32"
}

# pass_all RANKS PATTERN OPTION...
pass_all() {
    local count=$1 pattern=$2
    shift 2
    for program in $(programs "$pattern" | grep -v barrier); do
        # shellcheck disable=SC2046  # words on purpose
        run --separate-stderr ranks "$count" "$program" $(sizes "$program") "${few[@]}" "$@"
        echo "$program $*: status $status: $output $stderr"
        [[ $status -eq 0 && -z $stderr && $output == *" Validation"* && $output == *" Pass"* && $output != *Fail* ]]
    done
}

collectives='_(i|)(all|barrier|bcast|exscan|gather|reduce|scan|scatter|neighbor)[a-z_]*$'

@test "data_of_every_program_are_right_on_two_ranks" {
    avoid_what_mpich_restarts_wrongly
    pass_all 2 .
}

@test "data_of_collectives_are_right_on_three_ranks" {
    avoid_what_mpich_restarts_wrongly
    pass_all 3 "$collectives"
}

# Should this fail with a newer MPICH, avoid_what_mpich_restarts_wrongly has had its day.
@test "data_are_wrong_where_mpich_restarts_wrongly" {
    for program in tare_{allgather,gather,scatter}_persistent; do
        run --separate-stderr ranks 2 "$program" -m 8:8 "${few[@]}"
        echo "$program: status $status: $output $stderr"
        [[ $status -eq 1 && $stderr == "$program: -c: wrong data came with messages of 8 bytes" ]]
    done
}

@test "data_of_neighborhoods_are_right_in_a_graph_of_four" { pass_all 4 neighbor -N graph; }
@test "data_of_pairs_are_right_on_four_ranks" { pass_all 4 '_(mbw_mr|multi_lat)$'; }

@test "data_of_many_iterations_in_a_batch_are_right" {
    few=(-c -i 350 -x 1)
    avoid_what_mpich_restarts_wrongly
    pass_all 2 '^tare_(latency|bw|bcast|igather|scatter_persistent|(get_acc|acc|fop|cas|put|get)_latency)$'
}

@test "data_of_large_messages_are_right" {
    for program in tare_latency tare_bibw tare_put_bw tare_get_latency tare_ialltoall tare_reduce_scatter; do
        run --separate-stderr ranks 2 $program -m 262144:262144 "${few[@]}"
        [[ $status -eq 0 && $output == *" Pass" ]]
    done
}

@test "data_of_derived_types_are_right" {
    for type in vect indx vect:7:3 indx:100:100; do
        pass_all 2 '^tare_(latency|bw|bibw|multi_lat|mbw_mr|latency_persistent|bibw_persistent)$' -D $type
    done
}

@test "data_of_each_message_of_a_window_are_right" {
    pass_all 2 '^tare_(bw|bibw|mbw_mr|(bw|bibw)_persistent)$' -b multiple -W 5
    pass_all 2 '^tare_(bibw|bw_persistent)$' -b multiple -W 3 -D indx
}

@test "data_of_each_kind_of_send_are_right" {
    pass_all 2 '^tare_(latency|bw|bibw|multi_lat|mbw_mr|(latency|bw|bibw)_persistent)$' --ssend --any-source
    pass_all 2 '^tare_(latency|multi_lat)$' --nonblocking
}

@test "data_of_each_synchronization_and_window_are_right" {
    for sync in lock flush flush_local lock_all fence pscw; do
        pass_all 2 '^tare_(put_latency|put_bw|get_bw|(acc|get_acc|fop|cas)_latency)$' -s $sync -w allocate
    done
    for kind in create dynamic; do
        for sync in flush fence; do
            pass_all 2 '^tare_(put_bw|get_latency|acc_latency|fop_latency)$' -s $sync -w $kind
        done
    done
    pass_all 2 '^tare_put_bibw$' -s pscw
}

@test "data_of_message_are_right_in_header_mode" {
    TARE_MODE=header pass_all 2 '^tare_(latency|bw|put_bw|allreduce|ialltoallv|bcast_persistent)$'
}

# A library that changes the first byte of both buffers between the barriers around every batch.
make_spoiler() {
    "$MPICC" -shared -fPIC -o "$BATS_TEST_TMPDIR/spoiler.so" -x c - -ldl <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
static int is_up, made;
static char *buffers[2];
int MPI_Init(int *argc, char ***argv)
{
    int status = PMPI_Init(argc, argv);
    is_up = 1;
    return status;
}
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int status = PMPI_Init_thread(argc, argv, required, provided);
    is_up = 1;
    return status;
}
void *aligned_alloc(size_t alignment, size_t size)
{
    void *(*next)(size_t, size_t) = (void *(*)(size_t, size_t)) dlsym(RTLD_NEXT, "aligned_alloc");
    char *made_now = next(alignment, size);
    if (is_up && made < 2)
        buffers[made++] = made_now;
    return made_now;
}
int MPI_Barrier(MPI_Comm comm)
{
    for (int i = 0; i < made; i++)
        buffers[i][0]++;
    return PMPI_Barrier(comm);
}
END
}

@test "data_that_are_changed_end_every_program_with_one_sentence" {
    make_spoiler
    for program in $(programs | grep -v barrier); do
        # shellcheck disable=SC2046  # words on purpose
        LD_PRELOAD=$BATS_TEST_TMPDIR/spoiler.so run --separate-stderr \
            ranks 2 "$program" $(sizes "$program") "${few[@]}"
        echo "$program: status $status: $output $stderr"
        [[ $status -eq 1 && ${lines[-1]} == "8 "*" Fail" ]]
        [[ $stderr == "$program: -c: wrong data came with messages of 8 bytes" ]]
    done
}

@test "data_that_are_changed_are_not_noticed_without_the_option" {
    make_spoiler
    LD_PRELOAD=$BATS_TEST_TMPDIR/spoiler.so run --separate-stderr ranks 2 tare_latency -m 8:8 -i 3 -x 1
    [[ $status -eq 0 && $output != *Fail* && $output != *Validation* ]]
}

# A library that receives somewhere else.
make_thief() {
    "$MPICC" -shared -fPIC -o "$BATS_TEST_TMPDIR/thief.so" -x c - <<'END'
#include <mpi.h>
int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    static char elsewhere[1 << 20];
    return PMPI_Recv(buf ? elsewhere : buf, count, type, source, tag, comm, status);
}
END
}

@test "data_that_do_not_arrive_are_noticed" {
    make_thief
    LD_PRELOAD=$BATS_TEST_TMPDIR/thief.so run --separate-stderr ranks 2 tare_latency -m 8:16 "${few[@]}" --json
    [[ $status -eq 1 && $stderr == "tare_latency: -c: wrong data came with messages of 8 bytes" ]]
    jq -e '[.rows[].validation] == ["fail"]' <<<"$output"
    run ranks 2 tare_latency -m 8:16 "${few[@]}" --json
    jq -e '[.rows[].validation] == ["pass", "pass"]' <<<"$output"
}
