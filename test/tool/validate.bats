#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare validate with stand-ins for mpiexec and the program: what is started where, and what the table makes of it.
# shellcheck disable=SC2154,SC2016  # bats sets status and output; inner shells expand what is quoted
load helpers

setup_file() {
    install_tool "$BATS_FILE_TMPDIR/inst"
    library "$BATS_FILE_TMPDIR/inst$TOOL_LIBDIR/tare/tare/libtare-baseline.so" 'int fake_baseline;'
}

# `mpiexec -n 2 PROGRAM`: notes what it is given and becomes PROGRAM once. `app` leaves what two ranks would.
setup() {
    clean_environment
    cd "$BATS_TEST_TMPDIR" || return 1
    mkdir tmp
    export TMPDIR=$BATS_TEST_TMPDIR/tmp NOTES=$BATS_TEST_TMPDIR/notes FIXTURES
    tare=$BATS_FILE_TMPDIR/inst$TOOL_BINDIR/tare
    cat > mpiexec << 'END_OF_SCRIPT'
#!/bin/bash
echo "$@" >> "$NOTES"
shift 2
exec "$@"
END_OF_SCRIPT
    cat > app << 'END_OF_SCRIPT'
#!/bin/bash
echo "output of the program"
if [[ -n $LIBTARE_BASELINE_DIR ]]; then
    printf 'tare baseline 2\ntotal 1 1000000\n' > "$LIBTARE_BASELINE_DIR/baseline.0"
    printf 'tare baseline 2\ntotal 1 900000\nMPI_Recv() 10 880000\n' > "$LIBTARE_BASELINE_DIR/baseline.1"
    exit
fi
case $TARE_RULE in
    local) total="1400000 1400000 1400000" ;;
    published) total="1100000 1100000 1100000" ;;
    exact) total=${EXACT-"1010000 990000 1030000"} ;;
esac
region=work
if ((TARE_REPEAT_PROBES)); then
    total=${REPEATED-"1018000 1000000 1050000"}
    region=${REGION-"tare repeated probes"}
fi
read -r compensated lo hi <<< "$total"
attribute() { echo "<attribute><name>tare total $1</name><value>$2</value></attribute>"; }
for rank in 0 1; do
    for metric in TIME COMPENSATED_TIME MPI_WAIT_TIME COMPENSATED_MPI_WAIT_TIME; do
        file=MULTI__$metric/profile.$rank.0.0
        mkdir -p "$TARE_PROFILE_DIR/MULTI__$metric"
        more=$(attribute ns $((1500000 - 100000 * rank)))$(attribute "compensated ns" "$compensated")
        more+=$(attribute "lo ns" "$lo")$(attribute "hi ns" "$hi")$(attribute "residue ns" -500)
        sed "s#</metadata>#$more&#; s#\bwork\b#$region#" "$FIXTURES/two_ranks/$file" > "$TARE_PROFILE_DIR/$file"
    done
done
END_OF_SCRIPT
    chmod +x mpiexec app
}

# jq over the validation's JSON: value FILTER
value() {
    jq -r "$1" <<< "$output"
}

need_jq() {
    command -v jq > /dev/null || skip "jq is not installed"
}

# The fields of a line: line REGION CASE
line() {
    grep -E "^$1 +$2 " <<< "$output" | tr -s ' '
}

# Where `tare exec` is put in a command, as {}
placed() {
    run --separate-stderr "$tare" validate --dry-run -- "$@"
    [ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
    sed -nE 's/^exact: //; T; s#env (TARE_[A-Z_]*=[^ ]* )+[^ ]*/tare exec#{}#gp' <<< "$output"
}

refused_place() {
    run --separate-stderr "$tare" validate --dry-run -- "$@"
    assert_refused 2
}

@test "place_is_behind_the_options_of_the_starter" {
    [ "$(placed mpiexec -n 2 ./app -n 3)" = "mpiexec -n 2 {} ./app -n 3" ]
    [ "$(placed /opt/bin/mpirun.openmpi -np 2 --mca btl self ./app)" = \
        "/opt/bin/mpirun.openmpi -np 2 --mca btl self {} ./app" ]
    [ "$(placed mpiexec.hydra -genv A 1 -env B=2 -hosts a,b -ppn 1 -l ./app)" = \
        "mpiexec.hydra -genv A 1 -env B=2 -hosts a,b -ppn 1 -l {} ./app" ]
    [ "$(placed mpirun -x PATH --map-by core --bind-to=none --oversubscribe ./app)" = \
        "mpirun -x PATH --map-by core --bind-to=none --oversubscribe {} ./app" ]
    [ "$(placed srun -n4 -N 2 --ntasks-per-node=2 --mpi pmi2 ./app)" = \
        "srun -n4 -N 2 --ntasks-per-node=2 --mpi pmi2 {} ./app" ]
}

@test "place_without_a_starter_is_in_front" {
    [ "$(placed ./app --fast)" = "{} ./app --fast" ]
}

@test "place_is_where_the_mark_stands" {
    [ "$(placed mpiexec --strange 3 {} ./app)" = "mpiexec --strange 3 {} ./app" ]
    [ "$(placed timeout 9 mpiexec -n 2 {} ./app)" = "timeout 9 mpiexec -n 2 {} ./app" ]
    [ "$(placed mpiexec -n 1 {} ./a : -n 1 {} ./b)" = "mpiexec -n 1 {} ./a : -n 1 {} ./b" ]
}

@test "place_that_is_not_known_is_refused_with_the_mark_as_advice" {
    refused_place mpiexec -n 2 -strange 3 ./app
    assert_says "option -strange: put {} where 'tare exec' goes"
    refused_place mpiexec -configfile programs
    assert_says "-configfile"
    refused_place mpiexec -n 1 ./a : -n 1 ./b
    assert_says "put {} in front of each"
    refused_place timeout 9 mpiexec -n 2 ./app
    assert_says "'mpiexec' does not stand first"
    refused_place mpiexec -n 2
    assert_says "no program follows"
    refused_place mpiexec -n 2 {}
    assert_says "nothing follows {}"
}

@test "commands_of_the_cases_differ_in_carrier_and_rule_alone" {
    LD_PRELOAD="" run "$tare" validate --dry-run --mode=datatype -- mpiexec -n 2 ./app "a b"
    [ "${#lines[@]}" -eq 4 ]
    [ "${lines[0]}" = "baseline: mpiexec -n 2 env -u TARE_INJECT -u TARE_TRACE TARE_MODE=off TARE_PROFILE=0 \
LIBTARE_BASELINE_DIR=DIR LD_PRELOAD=$BATS_FILE_TMPDIR/inst$TOOL_LIBDIR/tare/tare/libtare-baseline.so ./app 'a b'" ]
    [ "${lines[3]}" = "exact: mpiexec -n 2 env TARE_PROFILE=1 TARE_PROFILE_FORMAT=tau TARE_PROFILE_DIR=DIR \
TARE_RULE=exact TARE_MODE=datatype $tare exec ./app 'a b'" ]
    [ "${lines[1]/RULE=local/RULE=exact}" = "${lines[3]/exact: /local: }" ]
    [ "${lines[2]/RULE=published/RULE=exact}" = "${lines[3]/exact: /published: }" ]
}

@test "other_baseline_is_split_into_words_and_has_its_own_place" {
    run "$tare" validate --dry-run --baseline="mpirun -np 2 './a b' \"c d\" e\\ f" -- ./app
    [[ ${lines[0]} == "baseline: mpirun -np 2 env -u "*"libtare-baseline.so './a b' 'c d' 'e f'" ]]
    [[ ${lines[1]} == "local: env "*" exec ./app" ]]
    run --separate-stderr "$tare" validate --dry-run --baseline="mpirun 'a" -- ./app
    assert_refused 2
    assert_says "a quote is not closed"
    run --separate-stderr "$tare" validate --dry-run --baseline=" " -- ./app
    assert_refused 2
    assert_says "holds no command"
}

@test "table_holds_every_case_with_its_error" {
    run --separate-stderr "$tare" validate -n 1 -- ./mpiexec -n 2 ./app
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "Validation of ./mpiexec -n 2 ./app" ]
    [ "${lines[1]}" = "1 round, 2 ranks, mode header" ]
    [[ $output == *"they are empty"*"not absent"* ]]
    [ "$(line total baseline)" = "total baseline 1.000 0.000" ]
    [ "$(line total instrumented)" = "total instrumented 1.500 0.000 +50.00" ]
    [ "$(line total local)" = "total local 1.400 0.000 +40.00 1.400 1.400 -0.001" ]
    [ "$(line total published)" = "total published 1.100 0.000 +10.00 1.100 1.100 -0.001" ]
    [ "$(line total exact)" = "total exact 1.010 0.000 +1.00 0.990 1.030 yes -0.001" ]
    [ "$(line 'total, rank 1' exact)" = "total, rank 1 exact 1.010 0.000 +12.22 0.990 1.030 no -0.001" ]
    [ "$(line 'MPI_Recv\(\)' exact)" = "MPI_Recv() exact 0.900 0.000 +2.33 0.890 0.905 no 0.000" ]
    [ "$(line 'MPI_Recv\(\), rank 1' instrumented)" = "MPI_Recv(), rank 1 instrumented 1.151 0.000 +30.74" ]
    [[ $output != *"MPI_Recv(), rank 0"* && $output != *"MPI_Send"* && $output != *"output of the program"* ]]
    [ "${lines[-1]}" = "Dilation (instrumented / baseline - 1): +50.00 %" ]
}

@test "table_with_another_baseline_names_it" {
    run --separate-stderr "$tare" validate -n 1 --baseline="./app plain" -- ./mpiexec -n 2 ./app
    [ "$status" -eq 0 ]
    [[ $output == *"Baseline: ./app plain"* && $output != *"empty"* ]]
}

@test "cases_are_run_in_turn" {
    run --separate-stderr "$tare" validate -n 2 -- ./mpiexec -n 2 ./app
    [ "$status" -eq 0 ]
    [ "$(grep -oE 'BASELINE|TARE_RULE=[a-z]+' "$NOTES" | sed 's/.*=//' | paste -s -d ' ')" = \
        "BASELINE local published exact BASELINE local published exact" ]
}

@test "progress_is_told_every_round_on_stderr" {
    run --separate-stderr "$tare" validate -n 2 -- ./mpiexec -n 2 ./app
    [ "${#stderr_lines[@]}" -eq 2 ]
    [[ ${stderr_lines[0]} == "tare validate: round 1 of 2 done, "*" s" ]]
    [[ ${stderr_lines[1]} == "tare validate: round 2 of 2 done, "*" s" ]]
}

@test "json_has_the_fixed_members" {
    need_jq
    run --separate-stderr "$tare" validate -n 1 --json -- ./mpiexec -n 2 ./app
    [ "$status" -eq 0 ]
    [ "$(value 'keys_unsorted | join(" ")')" = "tare schema command mode rule rows" ]
    [ "$(value '[.schema, .command, .mode, .rule] | join(" ")')" = "1 validate header exact" ]
    [ "$(value '[.rows[] | keys_unsorted[:6] | join(" ")] | unique | join("|")')" = \
        "case region median_ns spread_ns error_pct inside_bounds" ]
    [ "$(value '[.rows[] | select(.region == "total") | .case] | join(" ")')" = \
        "baseline instrumented local published exact" ]
    [ "$(value '.rows[] | select(.region == "total" and .case == "exact") | map(tostring) | join(" ")')" = \
        "exact total 1010000 0 1 true 990000 1030000 -1000" ]
    [ "$(value '.rows[] | select(.region == "total" and .case == "baseline") | [.error_pct, .inside_bounds] | tostring')" = \
        "[null,null]" ]
    [ "$(value '.rows[] | select(.region == "MPI_Recv(), rank 1" and .case == "exact") | .error_pct')" = 2.3295 ]
}

@test "median_and_spread_are_those_of_all_rounds" {
    need_jq
    cat > varying << 'END_OF_SCRIPT'
#!/bin/bash
[[ $TARE_RULE != exact ]] || echo x >> rounds
case $(wc -l < rounds) in
    1) export EXACT="1010000 990000 1030000" ;;
    2) export EXACT="1300000 1290000 1310000" ;;
    *) export EXACT="1020000 1000000 1040000" ;;
esac
exec ./app
END_OF_SCRIPT
    chmod +x varying
    : > rounds
    run --separate-stderr "$tare" validate -n 3 --json -- ./mpiexec -n 2 ./varying
    [ "$(value '.rows[] | select(.region == "total" and .case == "exact") | map(tostring) | join(" ")')" = \
        "exact total 1020000 290000 2 true 1000000 1040000 -1000" ]
}

@test "second_order_runs_the_exact_rule_with_repeated_probes_too" {
    run "$tare" validate --dry-run --mode=header --second-order=3 -- mpiexec -n 2 ./app
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 5 ]
    [[ ${lines[0]} == "baseline: "* && ${lines[0]} != *REPEAT* ]]
    [ "${lines[3]}" = "exact: mpiexec -n 2 env TARE_PROFILE=1 TARE_PROFILE_FORMAT=tau TARE_PROFILE_DIR=DIR \
TARE_RULE=exact TARE_MODE=header TARE_REPEAT_PROBES=0 $tare exec ./app" ]
    [ "${lines[4]/PROBES=3/PROBES=0}" = "${lines[3]/exact: /repeated: }" ]
    run "$tare" validate --dry-run --second-order -- ./app
    [[ ${lines[4]} == "repeated: "*" TARE_REPEAT_PROBES=1 "* ]]
    run --separate-stderr "$tare" validate -n 2 --second-order --keep=kept -- ./mpiexec -n 2 ./app
    [ "$status" -eq 0 ]
    [ "$(grep -oE 'BASELINE|RULE=[a-z]+|PROBES=1' "$NOTES" | sed 's/.*=//' | paste -s -d ' ')" = \
        "BASELINE local published exact exact 1 BASELINE local published exact exact 1" ]
    [ -s kept/round-2-repeated/MULTI__TIME/profile.1.0.0 ]
}

# The exact total is off by 0.010 ms; two more of each probe add 0.008 ms, so one adds 0.004 ms and 0.006 ms stay.
@test "second_order_extrapolates_to_no_probes" {
    run --separate-stderr "$tare" validate -n 1 --second-order=2 -- ./mpiexec -n 2 ./app
    [ "$status" -eq 0 ]
    [ "$(line total exact)" = "total exact 1.010 0.000 +1.00 0.990 1.030 yes -0.001" ]
    [ "$(line total repeated)" = "total repeated 1.018 0.000 +1.80 1.000 1.050 -0.001" ]
    [ "$(line total extrapolated)" = "total extrapolated 1.006 0.000 +0.60" ]
    [ "$(line 'total, rank 1' extrapolated)" = "total, rank 1 extrapolated 1.006 0.000 +11.78" ]
    [ "$(line 'MPI_Recv\(\)' extrapolated)" = "MPI_Recv() extrapolated 0.900 0.000 +2.33" ]
    [[ $output == *"repeated has 2 probes more for each one of exact;"*$'\n'"exact - (repeated - exact) / 2."* ]]
    [[ $output == *"Error of the exact total: +0.010 ms (+1.00 %)"* ]]
    [[ $output == *"executions: +0.004 ms (+0.40 %), spread of the rounds 0.000 ms"* ]]
    [[ $output == *"stays: +0.006 ms (+0.60 %)"* ]]
    [[ $output == *"One round does not tell growth from chance"* ]]
    [[ $output == *"empty hooks, which the baseline runs"* ]]
}

@test "second_order_with_another_baseline_speaks_of_the_compiler" {
    run --separate-stderr "$tare" validate -n 1 --second-order --baseline="./app plain" -- ./mpiexec -n 2 ./app
    [ "$status" -eq 0 ]
    [[ $output == *"what the compiler does not do in functions with hooks"* && $output != *"empty hooks"* ]]
}

# As above for the exact runs; the rounds' growth is 5, -50 and 20 us, their extrapolated totals 1005, 1350 and 1000 us.
@test "second_order_takes_medians_and_the_spread_of_the_rounds" {
    need_jq
    cat > varying << 'END_OF_SCRIPT'
#!/bin/bash
[[ -z $LIBTARE_BASELINE_DIR ]] || echo x >> rounds
case $(wc -l < rounds) in
    1) export EXACT="1010000 990000 1030000" REPEATED="1020000 0 0" ;;
    2) export EXACT="1300000 1290000 1310000" REPEATED="1200000 0 0" ;;
    *) export EXACT="1020000 1000000 1040000" REPEATED="1060000 0 0" ;;
esac
exec ./app
END_OF_SCRIPT
    chmod +x varying
    : > rounds
    run --separate-stderr "$tare" validate -n 3 --second-order=2 --json -- ./mpiexec -n 2 ./varying
    [ "$(value '.rows[] | select(.region == "total" and .case == "extrapolated") | map(tostring) | join(" ")')" = \
        "extrapolated total 1000000 350000 0 null 1000000 1000000 0" ]
    [ "$(value '[.rows[] | select(.region == "total") | .case] | join(" ")')" = \
        "baseline instrumented local published exact repeated extrapolated" ]
    : > rounds
    run --separate-stderr "$tare" validate -n 3 --second-order=2 -- ./mpiexec -n 2 ./varying
    [[ $output == *"executions: +0.020 ms (+2.00 %), spread of the rounds 0.070 ms"* ]]
    [[ $output == *"stays: +0.000 ms (+0.00 %)"* ]]
    [[ $output == *"no more than the rounds differ by: these runs do not tell whether it grows"* ]]
    [[ $output != *"One round"* ]]
}

@test "second_order_that_is_beyond_the_spread_has_no_doubt" {
    run --separate-stderr "$tare" validate -n 2 --second-order -- ./mpiexec -n 2 ./app
    [ "$status" -eq 0 ]
    [[ $output == *"executions: +0.008 ms (+0.80 %), spread of the rounds 0.000 ms"* ]]
    [[ $output == *"stays: +0.002 ms (+0.20 %)"* && $output == *"Two points lie on a line"* ]]
    [[ $output != *"do not tell whether"* && $output != *"One round"* ]]
}

@test "second_order_of_a_program_without_probes_is_refused" {
    REGION=work run --separate-stderr "$tare" validate -n 1 --second-order -- ./mpiexec -n 2 ./app
    assert_refused 1
    assert_says "round 1, repeated: no probe was repeated"
}

@test "max_error_is_that_of_the_exact_rule_with_second_order_too" {
    run --separate-stderr "$tare" validate -n 1 --second-order=2 --max-error=0.8 -- ./mpiexec -n 2 ./app
    [ "$status" -eq 1 ]
    [[ $stderr == *"off by 1.0000 %"* ]]
    run --separate-stderr "$tare" validate -n 1 --second-order=2 --max-error=1 -- ./mpiexec -n 2 ./app
    [ "$status" -eq 0 ]
}

@test "max_error_decides_about_the_status" {
    run --separate-stderr "$tare" validate -n 1 --max-error=1 -- ./mpiexec -n 2 ./app
    [ "$status" -eq 0 ]
    run --separate-stderr "$tare" validate -n 1 --max-error 0.99 -- ./mpiexec -n 2 ./app
    [ "$status" -eq 1 ]
    [[ $output == *"Dilation"* ]]
    [[ $stderr == *"the exact rule's total is off by 1.0000 %, more than --max-error=0.99"* ]]
    EXACT="980000 980000 980000" run --separate-stderr "$tare" validate -n 1 --max-error 1 -- ./mpiexec -n 2 ./app
    [ "$status" -eq 1 ]
    [[ $stderr == *"off by -2.0000 %"* ]]
}

@test "bad_options_are_refused" {
    for mode in header datatype message copy; do
        LD_PRELOAD="" run "$tare" validate --dry-run --mode=$mode -- mpiexec -n 2 ./app
        [[ $output == *"TARE_MODE=$mode $tare exec ./app"* ]]
    done
    for bad in -n0 -n1.5 -nx -n1000 --rounds= --max-error=-1 --max-error=x --max-error= --max-error=nan --mode=off \
        --mode= --baseline= --keep= --second-order= --second-order=0 --second-order=10 --second-order=1.5 \
        --second-order=x; do
        run --separate-stderr "$tare" validate "$bad" -- ./mpiexec -n 2 ./app
        assert_refused 2
    done
    run --separate-stderr "$tare" validate -n 3
    assert_refused 2
    assert_says "a command to run is missing"
}

@test "environment_that_makes_no_sense_is_refused" {
    TARE_MODE=heder run --separate-stderr "$tare" validate -- ./mpiexec -n 2 ./app
    assert_refused 1
    assert_says "TARE_MODE=heder is not allowed"
    TARE_MODE=off run --separate-stderr "$tare" validate -- ./mpiexec -n 2 ./app
    assert_refused 1
    assert_says "TARE_MODE=off carries nothing"
    TARE_MODE=off run --separate-stderr "$tare" validate -n 1 --mode=header -- ./mpiexec -n 2 ./app
    [ "$status" -eq 0 ]
}

@test "program_that_fails_is_shown_with_case_and_round" {
    printf '#!/bin/bash\n[[ $TARE_RULE != published ]] || { echo "I am ill" >&2; exit 3; }\nexec ./app\n' > ill
    chmod +x ill
    run --separate-stderr "$tare" validate -n 2 -- ./mpiexec -n 2 ./ill
    [ "$status" -eq 1 ]
    [ -z "$output" ]
    echo "$stderr"
    [[ ${stderr_lines[0]} == *"| I am ill" ]]
    [[ ${stderr_lines[1]} == "tare validate: round 1, published: ended with status 3: ./mpiexec -n 2 env "* ]]
    [ -z "$(ls "$TMPDIR")" ]
}

@test "program_that_leaves_no_time_is_refused" {
    run --separate-stderr "$tare" validate -n 1 -- ./mpiexec -n 2 true
    assert_refused 1
    assert_says "round 1, baseline: rank 0 has left no time"
}

@test "program_that_cannot_be_started_is_named" {
    run --separate-stderr "$tare" validate -n 1 -- ./no-mpiexec -n 2 {} ./app
    assert_refused 1
    assert_says "cannot be started: './no-mpiexec'"
}

@test "profile_of_fewer_ranks_than_the_run_had_is_refused" {
    printf '#!/bin/bash\n./app\n[[ -z $TARE_RULE ]] || rm "$TARE_PROFILE_DIR"/*/profile.1.0.0\n' > short
    chmod +x short
    run --separate-stderr "$tare" validate -n 1 -- ./mpiexec -n 2 ./short
    [ "$status" -eq 1 ]
    assert_says "round 1, local: rank 1 has left no profile"
}

@test "profile_without_the_total_is_refused" {
    printf '#!/bin/bash\n./app\n[[ -z $TARE_RULE ]] || sed -i "s/tare total/tare other/" "$TARE_PROFILE_DIR"/*/*\n' > other
    chmod +x other
    run --separate-stderr "$tare" validate -n 1 -- ./mpiexec -n 2 ./other
    [ "$status" -eq 1 ]
    assert_says "round 1, local: rank 0 has measured no time between MPI_Init and MPI_Finalize"
}

@test "keep_leaves_profiles_and_output_of_the_runs" {
    run --separate-stderr "$tare" validate -n 1 --keep=kept -- ./mpiexec -n 2 ./app
    [ "$status" -eq 0 ]
    [ -s kept/round-1-baseline/baseline.1 ]
    [ "$(cat kept/round-1-exact/output.out)" = "output of the program" ]
    [ -s kept/round-1-local/MULTI__TIME/profile.1.0.0 ]
    run --separate-stderr "$tare" validate -n 1 --keep=kept -- ./mpiexec -n 2 ./app
    assert_refused 1
    assert_says "--keep=kept: the folder is not empty"
}

@test "without_keep_nothing_is_left" {
    run --separate-stderr "$tare" validate -n 1 -- ./mpiexec -n 2 ./app
    [ "$status" -eq 0 ]
    [ -z "$(ls "$TMPDIR")" ]
}

@test "signal_ends_the_run_in_progress_and_leaves_nothing" {
    printf '#!/bin/bash\necho $$ > pid\nexec sleep 60\n' > slow
    chmod +x slow
    "$tare" validate -n 1 -- ./mpiexec -n 2 ./slow 2> said &
    for ((i = 0; i < 100; i++)); do [ -s pid ] && break; sleep 0.1; done
    kill -TERM $!
    ended=0
    wait $! || ended=$?
    [ "$ended" -eq 143 ]
    run ! kill -0 "$(cat pid)"
    [ -z "$(ls "$TMPDIR")" ]
}

@test "terminal_shows_what_is_being_done" {
    command -v script > /dev/null || skip "script is not installed"
    run script -qec "$(printf '%q ' "$tare" validate -n 1 -- ./mpiexec -n 2 ./app)" /dev/null
    [[ $output == *"round 1 of 1, exact, "* && $output != *"done, "* ]]
}

@test "installation_without_the_baseline_library_is_refused" {
    install_tool "$BATS_TEST_TMPDIR/without"
    run --separate-stderr "$BATS_TEST_TMPDIR/without$TOOL_BINDIR/tare" validate -- ./mpiexec -n 2 ./app
    assert_refused 1
    assert_says "cannot find libtare-baseline.so for the MPI family tare"
}
