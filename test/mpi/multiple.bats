#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # set by the Makefile (MPIEXEC) and by bats
# MPI_THREAD_MULTIPLE: what waits is the thread, whoever polls.

two_threads() {
    run env TARE_MODE=header "$@" timeout 60 "$MPIEXEC" -n 2 ./multiple
    echo "$output"
    [[ $status -eq 0 && $(grep -c '^ok' <<<"$output") -eq 3 ]]
}

@test "threads_have_the_delays_of_their_own_messages_in_shared_memory" { two_threads; }
@test "threads_of_two_virtual_interfaces_have_the_delays_of_their_own_messages" {
    [[ $PER_VCI == yes ]] || skip "MPICH has one lock for all threads (configure --enable-per-vci)"
    two_threads MPIR_CVAR_CH4_NUM_VCIS=2
}
@test "threads_of_two_virtual_interfaces_have_the_delays_of_their_own_messages_over_libfabric" {
    [[ $PER_VCI == yes ]] || skip "MPICH has one lock for all threads (configure --enable-per-vci)"
    two_threads MPIR_CVAR_CH4_NUM_VCIS=2 MPIR_CVAR_NOLOCAL=1 "FI_PROVIDER=tcp;ofi_rxm"
}
@test "threads_have_the_delays_of_their_own_messages_over_libfabric" {
    two_threads MPIR_CVAR_NOLOCAL=1 "FI_PROVIDER=tcp;ofi_rxm"
}
