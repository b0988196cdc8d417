#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # set by the Makefile (MPIEXEC, STAGE_UCX) and by bats
# Which thread sent, on each way that a message travels: every case of senders.cpp.

bats_require_minimum_version 1.5.0

# learn SETTING... [-- OPTION...]: two ranks with these variables, and the program's options
learn() {
    local settings=()
    while (($#)) && [[ $1 != -- ]]; do
        settings+=("$1")
        shift
    done
    run env TARE_MODE=header TARE_TRACE=1 "${settings[@]}" timeout 120 "$MPIEXEC" -n 2 ./senders "${@:2}"
    echo "$output"
    [[ $status -eq 0 && $output != *"not ok"* && $(grep -c '^ok' <<<"$output") -ge 24 ]]
}

learn_over_ucx() {
    [[ -n $STAGE_UCX && -x $STAGE_UCX/bin/mpiexec ]] ||
        skip "there is no MPICH for ch4:ucx: configure --with-netmod=both"
    MPIEXEC=$STAGE_UCX/bin/mpiexec learn LD_LIBRARY_PATH="$STAGE_UCX/lib" "$@"
}

@test "receivers_learn_which_thread_sent_in_shared_memory" { learn; }
@test "receivers_learn_which_thread_sent_over_libfabric" {
    learn MPIR_CVAR_NOLOCAL=1 "FI_PROVIDER=tcp;ofi_rxm"
}
@test "receivers_learn_which_thread_sent_over_libfabric_s_sockets" {
    learn MPIR_CVAR_NOLOCAL=1 FI_PROVIDER=sockets
}
@test "receivers_learn_which_thread_sent_where_nodes_and_network_mix" {
    learn MPIR_CVAR_NUM_CLIQUES=2 "FI_PROVIDER=tcp;ofi_rxm"
}
@test "receivers_learn_which_thread_sent_over_ucx_in_shared_memory" { learn_over_ucx UCX_TLS=posix,self; }
@test "receivers_learn_which_thread_sent_over_ucx_s_tcp" { learn_over_ucx UCX_TLS=tcp,self; }
@test "without_a_trace_messages_have_no_number" { learn TARE_TRACE=0 -- --unnumbered; }
@test "without_a_trace_messages_have_no_number_over_ucx" { learn_over_ucx TARE_TRACE=0 -- --unnumbered; }
