#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare bench on the staged MPICH. How long anything takes is printed by it, and judged by nobody here.
# shellcheck disable=SC2154  # bats sets status, output and stderr
load helpers

teardown() {
    [[ ! -e $BATS_TEST_TMPDIR/pid ]] || kill "$(cat "$BATS_TEST_TMPDIR/pid")" 2> /dev/null || true
}

setup() {
    clean_environment
    command -v jq > /dev/null || skip "jq is not installed"
    (($(nproc) >= 2)) || skip "two ranks need two cores"
    cd "$BATS_TEST_TMPDIR" || return 1
}

quick() { run --separate-stderr "$TOOL" bench --quick "$@"; }

# An env in front of the system's that fails where its words hold $1, and otherwise is the system's.
break_runs_with() {
    mkdir -p bin
    printf '%s\n' '#!/bin/bash' "[[ \" \$* \" != *\" $1 \"* ]] || { echo 'no luck today' >&2; exit 3; }" \
        'exec /usr/bin/env "$@"' > bin/env
    chmod +x bin/env
}

# The ratio of a row and its interval, by another road than the tool's: awk, and the quantile for three rounds.
ratios_by_hand() {
    jq -r '.rows as $all | $all[] | select(.ratio != null) | . as $row
        | ([$all[] | select(.ratio == null and .program == $row.program and .size == $row.size)][0]) as $base
        | [range(3)] | map(($row.samples_us[.] / $base.samples_us[.]) | log)
        | . + [$row.ratio, $row.ratio_lo, $row.ratio_hi] | @tsv' <<< "$output" | awk '
        function differs(a, b) { return a / b > 1.0000001 || b / a > 1.0000001 }
        {
            mean = ($1 + $2 + $3) / 3
            error = sqrt((($1 - mean)^2 + ($2 - mean)^2 + ($3 - mean)^2) / 2 / 3)
            bad += differs(exp(mean), $4)
            bad += differs(exp(mean - 4.303 * error), $5) || differs(exp(mean + 4.303 * error), $6)
        }
        END { print NR, bad + 0 }'
}

@test "bad_options_are_refused" {
    while IFS='|' read -r option sentence; do
        run --separate-stderr "$TOOL" bench "$option"
        assert_refused 2
        assert_says "tare bench: $sentence"
    done << 'END'
--rounds=0|--rounds=0 is not a whole number from 1 to 999
--rounds=1.5|--rounds=1.5 is not a whole number from 1 to 999
--minutes=0|--minutes=0 is not a number from 0.1 to 10000
--seed=-1|--seed=-1 is not a whole number from 0 to 2147483647
--programs=latency,bandwith|--programs=bandwith is not one of latency, bw,
--mode=heder|--mode=heder is not one of off, header, datatype, message, copy
--over=carrier-pigeon|--over=carrier-pigeon is not one of 
--declare=everything|--declare=everything is not one of none, event, overhead
--plot=figure.pdf|--plot=figure.pdf: the name of a plot ends in .svg or .png
--plot=nowhere/figure.svg|--plot=nowhere/figure.svg: 
--faster|unknown option --faster
latency|unexpected argument latency
END
}

@test "plot_without_its_program_is_refused_before_anything_runs" {
    command -v gnuplot > /dev/null || skip "gnuplot is not installed"
    run --separate-stderr "$TOOL" bench --plot=figure.svg --programs=bw,barrier
    assert_refused 2
    assert_says "--plot=figure.svg shows the program latency, which --programs leaves out"
}

@test "installation_without_mpich_is_refused" {
    mkdir there
    install_tool "$PWD/there"
    run --separate-stderr "$PWD/there$TOOL_BINDIR/tare" bench --quick
    assert_refused 1
    assert_says "this installation has no patched MPICH"
}

@test "one_core_is_refused" {
    run --separate-stderr taskset -c 0 "$TOOL" bench --quick
    assert_refused 1
    assert_says "two ranks need two cores, and this process may use 1"
}

@test "list_names_every_benchmark" {
    run "$TOOL" bench --list
    [ "$status" -eq 0 ]
    [ "$(sed -n 's/^Programs: //p' <<< "$output" | tr -d , | wc -w)" -eq 85 ]
    [[ $output == *"Modes: off, header, datatype, message, copy"*"Transport "* ]]
}

@test "dry_run_shows_each_build_once_with_its_mode_and_layer" {
    run "$TOOL" bench --dry-run --quick --programs=latency --mode=off,header,copy --declare=none
    [ "$status" -eq 0 ]
    [ "$(grep -c ' TARE_MODE=header ' <<< "$output")" -eq 1 ]
    [ "$(grep -c ' TARE_MODE=copy .*LD_PRELOAD=[^ ]*libtare-mpi.so' <<< "$output")" -eq 1 ]
    [ "$(grep -c 'LD_PRELOAD' <<< "$output")" -eq 1 ]
    [ "$(grep -c -- '--declare none --json --turn TURN:' <<< "$output")" -eq "$(wc -l <<< "$output")" ]
    # Every known program has a command.
    [ "$("$TOOL" bench --dry-run --programs=all --mode=header | grep -oE '/tare_[a-z_]+' | sort -u | wc -l)" -eq 85 ]
}

@test "json_holds_every_sample_and_the_ratios_follow_from_them" {
    quick --json --rounds=3 --seed=7 --programs=latency,barrier --mode=off,header,message
    [ "$status" -eq 0 ]
    jq -e '.command == "bench" and .schema == 1 and .declare == "event" and .rounds == 3 and .seed == 7
        and .blocks == 6 and .failures == []' <<< "$output"
    jq -e 'all(.rows[]; (.samples_us | length) == 3 and all(.samples_us[]; . > 0)
        and .median_us == (.samples_us | sort)[1])' <<< "$output"
    jq -e '[.rows[] | select(.program == "tare_barrier") | .size] | unique == [0]' <<< "$output"
    jq -e '[.rows[] | select(.program == "tare_latency" and .mode == "header") | .size] == [8, 64, 512, 4096, 32768]' \
        <<< "$output"
    read -r compared bad < <(ratios_by_hand)
    ((compared >= 12 && bad == 0))
}

@test "table_has_every_mode_and_says_what_the_machine_did" {
    quick --rounds=2 --programs=latency,allreduce
    [ "$status" -eq 0 ]
    [[ $output == *"2 rounds, --seed="*"Over "*"tare_latency"*"8 B"*"tare_allreduce"*"geometric mean"* ]]
    [[ $output == *"tare_latency, 5 sizes up to 64 KiB: message is dearer than header "* ]]
    [[ $output == *"Other programs took "*" % of the cores' time"* ]]
    [[ $(grep -m 1 '^program' <<< "$output") == *header*datatype*message*copy* ]]
    [[ $(grep -m 1 '^tare_latency' <<< "$output") == *"±"*"±"*"±"*"±"* ]]
}

@test "variables_of_the_caller_reach_no_run" {
    TARE_MODE=nonsense MPIR_CVAR_NOLOCAL=nonsense quick --json --rounds=1 --programs=barrier --mode=off,header
    [ "$status" -eq 0 ]
    [ "$(jq '.rows | length' <<< "$output")" -ge 2 ]
}

@test "build_that_fails_is_left_out_and_told_and_the_others_stay" {
    break_runs_with TARE_MODE=copy
    PATH=$PWD/bin:$PATH quick --json --rounds=2 --programs=barrier --mode=off,header,copy
    [ "$status" -eq 1 ]
    [ "${#stderr_lines[@]}" -le 3 ]
    assert_says "tare bench: shm, tare_barrier, copy: ended with status 3: no luck today"
    jq -e '(.failures | length) == 1 and ([.rows[] | select(.mode == "header") | .samples_us | length] == [2])
        and ([.rows[] | select(.mode == "copy")] == [])' <<< "$output"
}

# An env in whose runs mode copy hangs, and mode header gets tired of waiting for it.
let_copy_hang() {
    mkdir -p bin
    cat > bin/env << 'END'
#!/bin/bash
case " $* " in
*" TARE_MODE=copy "*) sed 's/.*turn:\([0-9]*\):.*/\1/' <<< "$*" > hanging && exec sleep 300 ;;
*" TARE_MODE=header "*)
    if [[ ! -e told ]]; then
        until [[ -s hanging ]]; do sleep 0.05; done
        touch told
        echo "run 9 of the 9 that take turns by x has waited a minute for run $(cat hanging)" >&2
        exit 1
    fi ;;
esac
exec /usr/bin/env "$@"
END
    chmod +x bin/env
}

@test "build_that_hangs_is_left_out_and_not_the_one_that_waits_for_it" {
    let_copy_hang
    PATH=$PWD/bin:$PATH quick --json --rounds=2 --programs=barrier --mode=off,header,copy
    [ "$status" -eq 1 ]
    assert_says "tare bench: shm, tare_barrier, copy: ended with status 1: run 9 of the 9 "
    jq -e '([.rows[] | select(.mode == "header") | .samples_us | length] == [2])
        and ([.rows[] | select(.mode == "copy")] == [])' <<< "$output"
}

@test "interrupted_bench_prints_what_it_has_and_leaves_nothing_behind" {
    mkdir tmp
    TMPDIR=$PWD/tmp "$TOOL" bench --quick --rounds=500 --programs=barrier --mode=off,header > out 2> err 3>&- &
    local pid=$! waited
    echo "$pid" > pid
    for ((waited = 0; waited < 600; waited++)); do
        [[ -s err ]] && break
        sleep 0.1
    done
    grep -q 'tare bench: round 1 done' err
    kill -TERM "$pid"
    local ended=0
    wait "$pid" || ended=$?
    [ "$ended" -eq 143 ]
    grep -q '^Interrupted: ' out
    grep -q '^tare_barrier' out
    [ -z "$(ls tmp)" ]
    run ! pgrep -f "$PWD/tmp"
}

@test "plot_is_drawn" {
    command -v gnuplot > /dev/null || skip "gnuplot is not installed"
    quick --rounds=2 --programs=latency --mode=off,header,message --plot=figure.svg
    [ "$status" -eq 0 ]
    xmllint --noout figure.svg
    grep -q 'Latency that a carrier adds' figure.svg
    grep -q '>header<' figure.svg
    grep -q '>message<' figure.svg
}
