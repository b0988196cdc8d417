#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2153,SC2154  # set by the Makefile (MPIEXEC, UNPATCHED) and by bats
# Who needs nobody leaves a collective as early as without Tare, long before the others come. Printed beside: the same
# with TARE_MODE=off, and on the unpatched MPICH if there is one.

# Each rank has a core of its own from the start: a scheduler can leave two new processes on one for 100 ms and more.
export HYDRA_BINDING=core

table() { timeout 60 "$MPIEXEC" -n 2 env "$@" ./early; }

leaves_early() {
    local header off='' plain=''
    header=$(table TARE_MODE=header "$@")
    off=$(table TARE_MODE=off "$@")
    [[ ! -x $UNPATCHED/bin/mpiexec ]] || plain=$(table LD_LIBRARY_PATH="$UNPATCHED/lib" TARE_MODE=off "$@")
    paste <(echo "$header") <(echo "$off") <(echo "$plain") |
        awk '{ printf "# %-8s header %8s us, off %8s us%s\n", $1, $2, $4, $6 == "" ? "" : ", unpatched " $6 " us" }' >&3
    # The other comes after 3000 us. In some of these algorithms everybody waits for everybody.
    paste <(echo "$header") <(echo "$off") |
        awk '$4 <= 1000 { early++; late += $2 > 1000 } END { exit NR != 6 || early < 3 || late > 0 }'
}

@test "early_ranks_leave_early_by_messages" { leaves_early MPIR_CVAR_DEVICE_COLLECTIVES=none; }
@test "early_ranks_leave_early_by_shared_flags" { leaves_early MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD=0; }
@test "early_ranks_leave_early_over_libfabric" {
    [[ $STAGE != "$STAGE_UCX" ]] || skip "of ch4:ofi alone"
    leaves_early MPIR_CVAR_NOLOCAL=1 "FI_PROVIDER=tcp;ofi_rxm"
}
