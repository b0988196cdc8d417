#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # set by the Makefile (MPIEXEC) and by bats
# The core's events in MPI_T, on every kind of path, as a tool gets them.

# Each rank has a core of its own from the start: a scheduler can leave two new processes on one for 100 ms and more.
export HYDRA_BINDING=core

# ask WAY [silent] [SETTING...]: what each rank prints
ask() {
    run env TARE_MODE=header "${@:3}" timeout 60 "$MPIEXEC" -n 2 ./events "$1" ${2:+"$2"}
    echo "$output"
    [[ $status -eq 0 ]]
}

says() { grep -qE "^$*$" <<<"$output"; }

# told_of WAY SETTING...: rank 0 waits from 0 to 20 ms, then it has the delay of rank 1, and the tool knows why. A rank that
# is descheduled has more: the first try without that counts.
is_told_of() {
    ask "$1" "" "${@:2}"
    says "0 stamps [1-9][0-9]*" && says "0 waits [1-9][0-9]*" && says "0 delay 5" &&
        says "0 wait from .* of .* then 5 by 5"
}
told_of() {
    for _ in 1 2 3 4; do
        ! is_told_of "$@" || return 0
    done
    is_told_of "$@"
}

# Times are those of two ranks that nobody has delayed.
message_is_told_in_time() {
    is_told_of message && says "0 stamp 5 sent 2[0-9]" && says "0 wait from 0 to 2[0-9] of 9000 then 5 by 5"
}

@test "message_is_told" {
    local told=no
    for _ in 1 2 3 4 5 6 7; do
        message_is_told_in_time && told=yes && break
    done
    [[ $told == yes ]]
    says "0 stamps 1"
    says "0 waits 1"
    says "1 stamps 0"
    says "1 waits 0"
}

@test "spin_of_tests_is_told" { told_of test; }
@test "spin_of_locked_tests_is_one_wait" {
    told_of locked_test LD_LIBRARY_PATH="$LIBTARE" LD_PRELOAD="$LIBTARE_THREADS"
}
@test "barrier_by_flags_is_told" { told_of barrier; }
@test "nonblocking_collective_is_told" { told_of allreduce; }
@test "fence_is_told" { told_of fence; }
@test "lock_is_told" { told_of lock; }
@test "message_over_libfabric_is_told" { told_of message MPIR_CVAR_NOLOCAL=1 "FI_PROVIDER=tcp;ofi_rxm"; }
@test "message_by_active_messages_is_told" { told_of message MPIR_CVAR_NOLOCAL=1 "FI_PROVIDER=tcp;ofi_rxm" TARE_OFI=am; }

@test "nobody_is_told_who_does_not_listen" {
    ask message silent
    says "0 stamps 0"
    says "0 waits 0"
    says "0 delay 5"
}
