#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# All three Fortran bindings: each call counted once, whichever names the binding calls beneath.
# shellcheck disable=SC2154  # the helper sets them
load helper

# counted BINDING: in every mode
counted() {
    need_fortran "$1"
    local mode rank
    for mode in "${modes[@]}"; do
        echo "mode $mode"
        TARE_MODE=$mode run measured 2 "fortran_calls_$1"
        [[ $status -eq 0 && $output == "all good" ]] || { echo "$output"; return 1; }
        for rank in 0 1; do
            expect_calls $rank 'MPI_Init()' 1 'MPI_Comm_rank()' 1 'MPI_Comm_size()' 1 'MPI_Send()' 1 'MPI_Recv()' 3 \
                'MPI_Irecv()' 2 'MPI_Isend()' 4 'MPI_Waitall()' 2 'MPI_Wait()' 2 'MPI_Sendrecv()' 2 \
                'MPI_Allreduce()' 1 'MPI_Bcast()' 1 'MPI_Barrier()' 1 'MPI_Allgatherv()' 1 'MPI_Gatherv()' 1 \
                'MPI_Get_address()' 2 'MPI_Type_create_hindexed()' 2 'MPI_Type_commit()' 2 'MPI_Type_free()' 2 \
                'MPI_Type_contiguous()' 0 'MPI_Type_create_hvector()' 0 'MPI_Cart_create()' 1 'MPI_Cart_sub()' 1 \
                'MPI_Cart_rank()' 1 'MPI_Cartdim_get()' 0 'MPI_Comm_free()' 2 'MPI_Finalize()' 1
        done
        expect_calls 0 'MPI_Probe()' 0 'MPI_Get_count()' 1
        expect_calls 1 'MPI_Probe()' 1 'MPI_Get_count()' 3
    done
}

@test "mpif_h_counted_once_in_every_mode" { counted mpif_h; }
@test "use_mpi_counted_once_in_every_mode" { counted use_mpi; }
@test "use_mpi_f08_counted_once_in_every_mode" { counted use_mpi_f08; }
