#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # set by the Makefile (MPIEXEC) and by bats
# Stamps of real messages that hold random values: nothing crashes or hangs, the receiver's clock runs on, and what does
# not fit is counted. Bits that no sender can write are for test/fuzz.

bats_require_minimum_version 1.5.0

# lie NAME=VALUE...: two ranks, of which one lies
lie() {
    for seed in 1 2 3; do
        run --separate-stderr timeout 120 env TARE_MODE=header "$@" "$MPIEXEC" -n 2 ./liar $seed
        echo "seed $seed: $status $output $stderr"
        [ "$status" -eq 0 ]
        [ "$stderr" = "" ]
        for line in "0 rounds 2000" "1 rounds 2000" "0 backwards 0" "0 beyond 0" "1 saturated yes"; do
            [[ $'\n'$output$'\n' == *$'\n'$line$'\n'* ]]
        done
        [[ $output =~ "0 drift "(-?[0-9]+) ]]
        ((BASH_REMATCH[1] >= -5 && BASH_REMATCH[1] <= 5))
    done
}

@test "random_stamps_in_shared_memory_leave_the_clock_running" {
    lie
}

@test "random_stamps_under_the_other_rules_leave_the_clock_running" {
    lie TARE_RULE=published
    lie TARE_RULE=local
}

# Not by active messages: with receives from any source MPICH ends in an assertion of a queue there, unpatched, too.
@test "random_stamps_over_tcp_leave_the_clock_running" {
    lie MPIR_CVAR_NOLOCAL=1 FI_PROVIDER="tcp;ofi_rxm" TARE_OFI=native
}
