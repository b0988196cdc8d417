#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# All three Fortran bindings: each call counted once, whichever names the binding calls beneath.
load helper

# counted BINDING MODE
counted() {
    need_fortran "$1"
    TARE_MODE=$2 run measured 2 "fortran_calls_$1"
    [[ $status -eq 0 && $output == "all good" ]] || { echo "$output"; return 1; }
    for rank in 0 1; do
        expect_calls $rank 'MPI_Init()' 1 'MPI_Comm_rank()' 1 'MPI_Comm_size()' 1 'MPI_Send()' 1 'MPI_Recv()' 2 \
            'MPI_Irecv()' 1 'MPI_Isend()' 2 'MPI_Waitall()' 1 'MPI_Wait()' 1 'MPI_Sendrecv()' 2 'MPI_Allreduce()' 1 \
            'MPI_Bcast()' 1 'MPI_Barrier()' 1 'MPI_Finalize()' 1
    done
    expect_calls 0 'MPI_Probe()' 0
    expect_calls 1 'MPI_Probe()' 1 'MPI_Get_count()' 2
}

@test "mpif_h_counted_once" { counted mpif_h off; }
@test "mpif_h_counted_once_and_carried" { counted mpif_h datatype; }
@test "use_mpi_counted_once" { counted use_mpi off; }
@test "use_mpi_counted_once_and_carried" { counted use_mpi datatype; }
@test "use_mpi_f08_counted_once" { counted use_mpi_f08 off; }
@test "use_mpi_f08_counted_once_and_carried" { counted use_mpi_f08 datatype; }
