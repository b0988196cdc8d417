#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2046,SC2154  # words on purpose; bats sets status and output
# Kernels compute what they should, whatever is measured, and see it where they do not.
load helper

# The result of a kernel: result RANKS KERNEL OPTION...
result() {
    local count=$1 name=$2
    shift 2
    run --separate-stderr ranks "$count" $(small "$name") "$@" "$name"
    echo "$name on $count ranks, $*: status $status: $output $stderr"
    [[ $status -eq 0 && -z $stderr && ${lines[1]} =~ ^"# result "([0-9a-f]{16})", right" ]] || return 1
    [[ $(grep -cv '^#' <<< "$output") -eq $count ]] || return 1
    found=${BASH_REMATCH[1]}
}

@test "results_are_right_on_two_three_and_four_ranks" {
    for name in $(kernels); do
        for count in 2 3 4; do
            result $count "$name"
        done
    done
}

@test "results_with_probes_are_those_without" {
    for name in $(kernels); do
        count=2
        [[ $name != contest ]] || count=3
        result $count "$name"
        plain=$found
        for mode in off header; do
            export TARE_MODE=$mode
            result $count "$name" --dilation 100
            [[ $found == "$plain" ]]
        done
        unset TARE_MODE
    done
}

@test "results_of_carriers_above_mpi_are_those_without" {
    for name in $(kernels); do
        count=2
        [[ $name != contest ]] || count=3
        result $count "$name"
        plain=$found
        for mode in datatype message copy; do
            TARE_MODE=$mode LD_PRELOAD=$layer result $count "$name" --dilation 50 --own-clock
            [[ $found == "$plain" ]]
        done
    done
}

@test "result_of_an_odd_number_of_transforms_is_the_transform" {
    for count in 2 3; do
        run --separate-stderr ranks $count --size 64 --steps 1 fft
        echo "$output $stderr"
        [[ $status -eq 0 && $output == *", right;"* ]]
    done
}

@test "results_of_other_sizes_are_others" {
    result 2 jacobi
    first=$found
    run ranks 2 --size 31 --steps 20 jacobi
    [[ $status -eq 0 && $output != *"$first"* ]]
}

# A library that changes a bit in each 8 bytes that are sent: of a double one that counts.
make_spoiler() {
    "$MPICC" -shared -fPIC -o "$BATS_TEST_TMPDIR/spoiler.so" -x c - << 'END'
#include <mpi.h>
static void spoil(const void *buffer, int count, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    for (long i = 6; i < (long) count * size; i += 8)
        ((char *) buffer)[i] ^= 0x10;
}
int MPI_Send(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    spoil(buffer, count, type);
    return PMPI_Send(buffer, count, type, dest, tag, comm);
}
int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    spoil(buffer, count, type);
    return PMPI_Isend(buffer, count, type, dest, tag, comm, request);
}
int MPI_Put(const void *buffer, int count, MPI_Datatype type, int target, MPI_Aint at, int there, MPI_Datatype as,
            MPI_Win window)
{
    spoil(buffer, count, type);
    return PMPI_Put(buffer, count, type, target, at, there, as, window);
}
int MPI_Alltoallv(const void *sent, const int *counts, const int *at, MPI_Datatype type, void *received,
                  const int *received_counts, const int *received_at, MPI_Datatype as, MPI_Comm comm)
{
    spoil(sent, counts[0], type);
    return PMPI_Alltoallv(sent, counts, at, type, received, received_counts, received_at, as, comm);
}
END
}

@test "results_of_changed_messages_are_refused_with_one_sentence" {
    make_spoiler
    for name in $(kernels); do
        LD_PRELOAD=$BATS_TEST_TMPDIR/spoiler.so run --separate-stderr ranks 2 $(small "$name") "$name"
        [[ $status -eq 1 ]]
        assert_sentence "tare_kernel: $name: the result is wrong"
    done
}
