#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154,SC2030,SC2031  # set by the Makefile and by bats; each test is a subshell
# Processes of several hosts, whose clocks are seconds apart and drift: what `hosts` makes of namespaces.
bats_require_minimum_version 1.5.0
load ../accuracy/attempts

# Every path between hosts: name, settings, and whether it is the build for ch4:ucx.
ofi='FI_PROVIDER=tcp;ofi_rxm'
am="$ofi TARE_OFI=am"
ucx='UCX_TLS=tcp,self'

setup() {
    local why
    why=$("$HOSTS" --check 2>&1) || skip "${why#hosts: }"
    export HOSTS_MPIEXEC=$STAGE/bin/mpiexec
}

# on PATH...: the rest runs in the build and with the settings of that path
on() {
    local -a settings
    read -ra settings <<<"$1"
    if [[ $1 == UCX* ]]; then
        [[ -x $STAGE_UCX/bin/mpiexec ]] || skip "there is no MPICH for ch4:ucx: configure --with-netmod=both"
        settings+=("HOSTS_MPIEXEC=$STAGE_UCX/bin/mpiexec" "LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$STAGE_UCX/lib")
    fi
    run --separate-stderr env "${settings[@]}" timeout 100 "${@:2}"
    echo "$output" "$stderr"
}

# agree FIRST SECOND LEAST MOST: all ranks have come to rank 0's delay, and these two clocks are so many seconds apart.
agree() {
    awk -v a="$1" -v b="$2" -v least="$3" -v most="$4" '
        { clock[$1] = $2; overhead += $3; delay[$1] = $4 }
        END {
            for (rank in delay)
                wrong += delay[rank] != overhead
            exit wrong || overhead < 2e7 || clock[b] - clock[a] < least || clock[b] - clock[a] > most
        }' <<<"$output"
}

@test "delay_goes_round_two_hosts_whose_clocks_differ" {
    for path in "$ofi" "$am" "$ucx"; do
        on "$path" env TARE_MODE=header "$HOSTS" -n 2 "$RING"
        [[ $status -eq 0 && ${#lines[@]} -eq 2 ]]
        agree 0 1 990 1010
    done
}

@test "delay_goes_round_four_hosts_whose_clocks_differ" {
    for path in "$ofi" "$am" "$ucx"; do
        on "$path" env HOSTS_COUNT=4 TARE_MODE=header "$HOSTS" -n 4 "$RING"
        [[ $status -eq 0 && ${#lines[@]} -eq 4 ]]
        agree 0 3 69990 70010
    done
}

# Two processes a host: those of one host have one clock.
@test "delay_goes_round_hosts_with_several_processes" {
    for path in "$ofi" "$ucx"; do
        on "$path" env HOSTS_COUNT=3 HOSTS_PPN=2 TARE_MODE=header "$HOSTS" -n 6 "$RING"
        [[ $status -eq 0 && ${#lines[@]} -eq 6 ]]
        agree 0 1 -1 1
        agree 0 2 990 1010
    done
}

@test "start_verbose_says_how_well_the_clocks_are_known" {
    on "$ofi" env TARE_VERBOSE=1 TARE_MODE=header "$HOSTS" -n 2 "$RING"
    [[ $status -eq 0 ]]
    [[ $stderr =~ "tare: the processes have several clocks, compared to "([0-9]+)\.[0-9]" us" ]]
    [[ ${BASH_REMATCH[1]} -lt 10000 ]]
}

@test "processes_that_share_memory_but_no_clock_do_not_start" {
    run --separate-stderr timeout 60 env TARE_MODE=header "$HOSTS_MPIEXEC" -n 1 "$RING" : \
        -n 1 unshare --time --monotonic 1000 --fork "$RING"
    echo "$output" "$stderr"
    [[ $status -ne 0 && ${#stderr_lines[@]} -eq 1 ]]
    [[ $stderr == "tare: ranks 0 and 1 share memory but not a clock: start them in one time namespace, or set "* ]]
}

# measured N: what a run of that many processes takes behind the first one in ten barriers, a rank a line: calls, ns, ns of all of the
# calls. The rest is the command before the program.
measured() {
    mkdir "$BATS_TEST_TMPDIR/profile"
    timeout 100 env TARE_PROFILE=1 TARE_PROFILE_DIR="$BATS_TEST_TMPDIR/profile" "${@:2}" env LD_PRELOAD="$LAYER" "$RING" 10 > ring.out
    [[ $(wc -l < ring.out) -eq $1 ]]
    for rank in $(seq 0 $(($1 - 1))); do
        awk '$1 == "site" && $11 == "MPI_Barrier()" { all += $5; mine = 1; next }
             $1 == "completion" && mine { n += $2; ns += $3 }
             { mine = 0 }
             END { print n + 0, ns + 0, all + 0 }' "$BATS_TEST_TMPDIR/profile/tare-calls.$rank"
    done
}

# By the other host's clock all of each call would be behind the first one, or nothing.
@test "completions_are_those_of_the_own_host" {
    cd "$BATS_TEST_TMPDIR"
    found=$(measured 4 "$ofi" HOSTS_PPN=2 TARE_MODE=header "$HOSTS" -n 4)
    awk '{ both[int((NR - 1) / 2)] += $2; wrong += $1 != 10 || $2 >= $3 }
         END { exit wrong || NR != 4 || both[0] == 0 || both[1] == 0 }' <<<"$found" || { echo "$found"; return 1; }
}

@test "completions_without_a_common_clock_are_not_known" {
    cd "$BATS_TEST_TMPDIR"
    cat > clock_of_its_own <<'SH'
#!/bin/bash
[[ ${PMI_RANK:-0} -eq 0 ]] || exec unshare --time --monotonic 1000 --fork "$@"
exec "$@"
SH
    chmod +x clock_of_its_own
    found=$(measured 2 TARE_MODE=off "$HOSTS_MPIEXEC" -n 2 ./clock_of_its_own)
    awk '{ wrong += $1 != 0 || $3 == 0 } END { exit wrong || NR != 2 }' <<<"$found" || { echo "$found"; return 1; }
}

# holds PATH SCENE: within the mark of the truth, with clocks that are 1000 s apart and run apart by 50 ppm
holds() {
    attempts on "$1" env HOSTS_DRIFT_PPM='0 50' MPIEXEC="$HOSTS" timeout 100 \
        "$RUN" "${in_short[@]}" --scene "$2"
}

@test "pipeline_over_ofi_leaves_no_overhead" { holds "$ofi" pipeline_first; }
@test "rendezvous_over_ofi_leaves_no_overhead" { holds "$ofi" rendezvous_receiver; }
@test "early_messages_over_ofi_leave_no_overhead" { holds "$ofi" early_messages; }
@test "pipeline_over_ucx_leaves_no_overhead" { holds "$ucx" pipeline_first; }
@test "rendezvous_over_ucx_leaves_no_overhead" { holds "$ucx" rendezvous_receiver; }
@test "early_messages_over_ucx_leave_no_overhead" { holds "$ucx" early_messages; }
