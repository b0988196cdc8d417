# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # bats sets status and stderr, the Makefile the rest
# Programs that know no MPI and open a library that does, with local symbols, as mpi4py and JNI do.
load helper

opened() {
    run --separate-stderr timeout 60 "$MPIEXEC" -n 2 "$@" "$PROGRAMS/opener" "$PROGRAMS/opened.so"
    [ "$status" -eq 0 ] || { echo "status $status: $stderr"; return 1; }
    [ "$stderr" = "" ] || { echo "$stderr"; return 1; }
}

# Nothing is preloaded, and the library says itself what it costs: 20 ms.
@test "delay_travels_in_an_opened_mpi" {
    TARE_PROFILE=0 TARE_MODE=header opened env
    [[ $output == "20000000" ]]
    TARE_PROFILE=0 TARE_MODE=off opened env
    [[ $output == "0" ]]
}

@test "opened_mpi_is_measured_under_tare_exec" {
    opened "$TOOL" exec
    [ "$output" -ge 20000000 ]
    assert_value 0 0 calls 'MPI_Send()' 5
    assert_value 1 0 calls 'MPI_Recv()' 5
    assert_value 1 0 calls 'MPI_Finalize()' 1
    [[ $("$TOOL" report | head -n 1) == *": 2 ranks, mode header,"* ]]
}

@test "opened_mpi_whose_process_is_killed_leaves_its_profile" {
    run timeout 60 "$MPIEXEC" -n 2 "$TOOL" exec "$PROGRAMS/opener" "$PROGRAMS/opened.so" die
    [[ $status -ne 0 && $status -ne 124 ]]
    assert_value 0 0 calls 'MPI_Send()' 5
    assert_value 1 0 calls 'MPI_Recv()' 5
}
