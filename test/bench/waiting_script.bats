#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # set by the Makefile and by bats
# examples/waiting/run with stand-ins for mpicc, mpiexec and tare: what it starts, reads and refuses.
load helper

setup() {
    tools=$BATS_TEST_TMPDIR
    cat >"$tools/mpicc" <<'END'
#!/bin/bash
# A program that only knows --calibrate.
while [[ $1 != -o ]]; do shift; done
printf '#!/bin/bash\n[[ $1 == --calibrate ]] && echo 123456\n' >"$2"
chmod +x "$2"
END
    cat >"$tools/mpiexec" <<'END'
#!/bin/bash
# Notes the command and the variables; a plain run prints its times.
echo "$TARE_MODE $TARE_RULE: ${*#"$TOOLS"/}" >>"$TOOLS/started"
[[ $* == *waiting-plain* ]] && echo '{"receive_ns": 100000000, "loop_ns": [200000000, 200000000]}'
[[ $* == *waiting-plain* ]] || echo "$TARE_MODE-$TARE_RULE" >"$TARE_PROFILE_DIR/case"
END
    cat >"$tools/tare" <<'END'
#!/bin/bash
[[ $* == "report --json" ]] || exit 2
receive=150
[[ $(<case) != header-exact ]] || receive=102
region() { echo "{\"rank\":$1,\"thread\":0,\"region\":\"$2\",\"incl_ns\":$3000000,\"incl_comp_ns\":$4000000}"; }
echo "{\"rows\":[$(region 0 "MPI_Recv()" 7 7),$(region 1 "MPI_Recv()" 600 $receive),$(region 0 tiny 1 1),"
echo "$(region 0 "${LOOP-loop}" 800 201),$(region 1 "${LOOP-loop}" 900 200)]}"
END
    chmod +x "$tools"/{mpicc,mpiexec,tare}
    export TOOLS=$tools MPICC=$tools/mpicc MPIEXEC=$tools/mpiexec TARE=$tools/tare
    script=$top_srcdir/examples/waiting/run
}

@test "script_reads_measured_and_compensated_times" {
    run --separate-stderr "$script" -n 1 --check
    [[ $status -eq 0 ]]
    [[ $output == *"header, as measured            600.00   +500.00      800.00     900.00    12.50   +350.00"* ]]
    [[ $output == *"header, exact rule             102.00     +2.00      201.00     200.00     0.50     +0.50"* ]]
    [[ $output == *"datatype, exact rule           150.00    +50.00"* ]]
}

@test "script_starts_every_case_with_the_same_work" {
    TARE_MODE=copy TARE_RULE=local TARE_INJECT=x run "$script" -n 2
    [[ $status -eq 0 ]]
    [[ $(sort -u "$tools/started") == "copy exact: -n 2 tare exec ./waiting-instrumented --work 123456
datatype exact: -n 2 tare exec ./waiting-instrumented --work 123456
header exact: -n 2 tare exec ./waiting-instrumented --work 123456
header local: -n 2 tare exec ./waiting-instrumented --work 123456
header published: -n 2 tare exec ./waiting-instrumented --work 123456
message exact: -n 2 tare exec ./waiting-instrumented --work 123456
off : -n 2 ./waiting-plain --work 123456 --json" ]]
    [[ $(grep -c '^header exact' "$tools/started") -eq 2 && $(sed -n 2,4p "$tools/started") == off*header*header* ]]
}

@test "script_without_a_region_in_the_report_fails" {
    LOOP=elsewhere run --separate-stderr "$script" -n 1 --keep "$tools/work"
    [[ $status -eq 1 && $stderr == *"no region ^loop"* ]]
    [[ $stderr == *"does not hold what the table needs: $tools/work/report.json"* ]]
}

@test "script_with_a_failing_run_shows_its_log_and_fails" {
    printf '#!/bin/bash\necho "the launcher is ill" >&2; exit 3\n' >"$tools/mpiexec"
    run --separate-stderr "$script" -n 1 --keep "$tools/work"
    [[ $status -eq 1 && $stderr == *"| the launcher is ill"*"run: plain failed:"* ]]
}

@test "script_without_tare_says_what_is_missing" {
    TARE=/no/tare run --separate-stderr "$script" -n 1
    [[ $status -eq 1 ]]
    assert_sentence "run: /no/tare is not there: install it, or give --prefix DIR of an installed Tare"
}

@test "script_with_bad_options_refuses" {
    for bad in "-n 0" "-n x" -n --bogus "--prefix /no/such"; do
        # shellcheck disable=SC2086  # words on purpose
        run --separate-stderr "$script" $bad
        [[ $status -eq 2 && -z $output && ${#stderr_lines[@]} -eq 1 && $stderr == "run: "*"(see --help)" ]]
    done
}

@test "script_help_goes_to_stdout" {
    run --separate-stderr "$script" --help
    [[ $status -eq 0 && -z $stderr && $output == "Usage: run [OPTION]..."* ]]
}
