#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare waits on what ranks have really done: causes that are built in are found, and damaged traces say what they lack.
# shellcheck disable=SC2154,SC2030,SC2031  # bats sets status, output and stderr; each test is a subshell
load helper

setup() {
    clean_environment
    cd "$BATS_TEST_TMPDIR" || return 1
}

@test "imbalance_in_one_step_of_one_rank_is_the_cause" {
    traced 2 one
    as_json
    assert_sums_are_exact
    # 50 ms in each of ten rounds; then rank 0 waits at the barrier for rank 1's own step.
    is_so '.rows[0].state == "late sender" and .rows[0].waits >= 8 and .rows[0].waiting_ns > 300e6'
    is_so '.rows[0].causes[0] | .step == "compute" and .explained_ns > 300e6 and .most_rank == 0 and .most_ns >= 600e6'
    is_so '.rows[0].causes[0].would_go_ns > .rows[0].waiting_ns * 0.7'
    is_so '.clock == "compensated" and .given_up == 0 and .before_send == 0 and .silent_ranks == []'
    is_so 'all(.not_known[]; .call == "MPI_Finalize")'
}

@test "imbalance_is_found_over_two_and_three_hops" {
    for ranks in 3 4; do
        rm -rf tare-trace
        traced "$ranks" hops
        as_json
        assert_sums_are_exact
        is_so ".rows[0].state == \"late sender\" and .rows[0].waits >= 8 * ($ranks - 1)"
        # Each of the ranks behind rank 0 has waited for 50 ms of what rank 0 does, most of them at second hand.
        is_so ".causes[0] | .step == \"compute\" and .most_rank == 0 and .explained_ns > ($ranks - 1) * 300e6"
        is_so '(.rows[0].causes[] | select(.step == "own").explained_ns) > 0'
    done
}

@test "cancelled_imbalance_is_no_cause" {
    traced 2 cancelled
    as_json
    assert_sums_are_exact
    # Either step alone would be 400 ms.
    is_so '.waiting_ns < 200e6'
}

@test "alternating_causes_share_the_waiting" {
    traced 2 alternating
    as_json
    assert_sums_are_exact
    is_so '.rows[0].state == "wait at N x N"'
    is_so '[.rows[0].causes[:2][].step] == ["even", "odd"]'
    is_so '.rows[0].causes[0] | .most_rank == 0 and .explained_ns > 150e6'
    is_so '.rows[0].causes[1] | .most_rank == 1 and .explained_ns > 100e6'
    is_so '[.completion[] | select(.state == "N x N completion" and .metric == "mpi_nxn_completion") | .calls] | add == 20'
    is_so 'all(.completion[]; .ns >= 0 and .ns < 100e6)'
    run "$TOOL" waits
    [[ $output == *"behind the first one that has left"*"N x N completion "* ]]
}

# What the ranks found out as they left, in the profile of the same run: profile_completion STATE: calls, ns measured and compensated
profile_completion() {
    "$TOOL" report --states --json profile | jq -r --arg state "$1" \
        '[.completion[] | select(.state == $state)] | "\(map(.known_calls) | add) \(map(.time_ns) | add) \(map(.time_comp_ns) | add)"'
}

# By the trace: trace_completion STATE CLOCK
trace_completion() {
    "$TOOL" waits --json --clock="$2" profile/tare-trace | jq -r --arg state "$1" '[.completion[] | select(.state == $state).ns] | add // 0'
}

# The trace compares the same clock reads. Of the last operation of a run one may leave before the first has told that it has.
profile_agrees_with_the_trace() {
    local state=$1 calls=$2 found measured compensated
    read -r -a found <<< "$(profile_completion "$state")"
    measured=$(trace_completion "$state" measured)
    compensated=$(trace_completion "$state" compensated)
    awk -v found="${found[*]}" -v n="$calls" -v m="$measured" -v c="$compensated" 'BEGIN {
        split(found, f, " ")
        dm = f[2] - m; dc = f[3] - c
        exit !(f[1] == n && dm * dm <= (1e5 + m / 50) ^ 2 && dc * dc <= (1e5 + c / 50) ^ 2) }' && return
    echo "$state: the profile has ${found[*]}; the trace $calls calls, $measured ns measured, $compensated ns compensated"
    return 1
}

@test "profile_has_the_completions_that_the_trace_has" {
    mkdir profile
    export TARE_PROFILE=1 TARE_PROFILE_DIR=$PWD/profile
    traced 2 alternating
    profile_agrees_with_the_trace "N x N completion" 20
    traced 4 cancelled
    profile_agrees_with_the_trace "barrier completion" 40
}

# in_threads KIND [OPTION of tare exec...]: a run of thread_causes in this folder, with what records say of threads
in_threads() {
    silent "$1" env TARE_MODE=header TARE_TRACE=1 TARE_TRACE_RECORDS="${records-threads}" timeout 100 "$TOOL" exec "${@:2}" \
        "$THREAD_CAUSES" "$1"
    as_json
    assert_sums_are_exact
}

# thread_waits KIND STATE [TIMES]: `compute` explains the most of what is called STATE, so many times all that there is of it. How long
# it was is measured, too, since a thread that sleeps may not get a core at once; who waits may get none for so long, too, that it
# does not wait: that may be two rounds of the ten.
thread_waits() {
    in_threads "$1"
    is_so ".rows[0].state == \"$2\" and .rows[0].causes[0].step == \"compute\" and .rows[0].waiting_ns > 100e6"
    is_so ".rows[0].causes[0] | .explained_ns / .most_ns / ${3-1} | . > 0.75 and . < 1.05"
    is_so '.rows[0].causes[] | select(.step == "own") | .explained_ns < -35e6'
    is_so '.not_known == [] and all(.causes[]; .step != "(clocks that differ)" or (.explained_ns | fabs) < 1e6)'
}

@test "mutex_is_waited_for_while_another_thread_has_it" { thread_waits mutex "mutex contention"; }

@test "condition_is_waited_for_until_it_is_signaled" { thread_waits condition "wait for condition"; }

@test "threads_wait_at_a_barrier_for_the_late_one" { thread_waits barrier "wait at thread barrier"; }

# Two threads wait: the second one for the first, which waits for the one that computes.
@test "cause_is_found_behind_a_thread_that_waits_itself" { thread_waits hops "wait for condition" 2; }

@test "thread_that_is_joined_is_waited_for_by_what_it_does" { thread_waits join "wait for thread"; }

@test "openmp_barrier_waits_for_the_late_thread" { thread_waits omp_barrier "wait at OpenMP barrier"; }

@test "parallel_region_ends_with_its_late_thread" { thread_waits omp_end "wait at OpenMP region end"; }

@test "critical_region_is_waited_for_while_another_thread_is_in_it" {
    thread_waits omp_critical "OpenMP critical contention"
}

@test "waits_where_tasks_run_are_not_known" {
    in_threads omp_tasks
    is_so '.rows == [] and any(.not_known[]; .call == "omp parallel end" and .ns > 50e6)'
    waits
    [[ $output == *" of omp parallel end: the trace does not tell for which thread ("* ]]
}

@test "waits_for_threads_without_records_are_not_known" {
    records=none in_threads barrier --threads
    is_so '.rows == [] and (.not_known[0] | .call == "pthread_barrier_wait" and .calls == 20 and .ns > 100e6)'
}

@test "records_of_threads_without_their_library_are_said" {
    run --separate-stderr env LD_PRELOAD="${LAYER##*:}" TARE_PROFILE=1 TARE_TRACE=1 TARE_TRACE_RECORDS=threads "$THREAD_CAUSES" join
    [ "$status" -eq 0 ]
    [ "$stderr" = "tare: TARE_TRACE_RECORDS=threads: nothing is said of what threads wait for: libtare-threads.so is not preloaded, as tare exec does" ]
}

# Rank 1 waits for rank 0, which waits for its thread: both waits are explained by what the thread does.
@test "cause_goes_from_a_thread_to_another_process" {
    TARE_TRACE_RECORDS=threads LAYER=$LAYER:$THREADS_LIB traced 2 thread
    as_json
    assert_sums_are_exact
    is_so '[.rows[] | select(.waiting_ns > 100e6) | .state] | sort == ["late sender", "wait for thread"]'
    is_so 'all(.rows[] | select(.waiting_ns > 100e6); .causes[0] | .step == "compute" and (.explained_ns / .most_ns | . > 0.75 and . < 1.05))'
}

@test "killed_process_leaves_what_its_threads_have_waited_for" {
    run env TARE_MODE=header TARE_TRACE=1 TARE_TRACE_RECORDS=threads timeout 100 "$TOOL" exec "$THREAD_CAUSES" killed
    run "$TOOL" trace join
    [ "$status" -eq 0 ]
    as_json
    assert_sums_are_exact
    is_so '.rows[0] | .state == "wait for thread" and .waits == 10 and .causes[0].step == "compute"'
}

@test "trace_that_is_copied_has_its_threads" {
    in_threads join
    cp waits.json whole.json
    silent cut "$TOOL" trace cut --output=part
    as_json part
    [ "$(jq -c '[.waiting_ns, .rows]' waits.json)" = "$(jq -c '[.waiting_ns, .rows]' whole.json)" ]
    run "$TOOL" trace print part
    [ "$(grep -c ' ThreadBegin meeting [0-9]* round end$' <<<"$output")" -eq 10 ]
    [ "$(grep -c ' ThreadAcquire meeting [0-9]* round [0-9]* arrivals 1$' <<<"$output")" -eq 10 ]
}

# counted [PLACES]: what a fake core with so many places for counters has of it
counted() {
    rm -rf tare-trace
    TARE_TRACE_RECORDS=counters FAKE_COUNTERS=${1:-5} LAYER=$FAKE_COUNTERS_LIB:$LAYER traced 2 stalls
    [[ -z $output ]]
    as_json
    assert_sums_are_exact
    is_so '.rows[0].state == "wait at barrier" and (.rows[0].causes[0].step == "memory")'
}

# 10 ms without a core, 20 stalled and 10 computing, ten times; where other programs want the cores it is more without one.
@test "counters_split_what_a_step_takes_longer" {
    counted
    is_so '.rows[0].causes[0] | .most_rank == 0 and .explained_ns > 350e6 and .more.remote_reads == 1000 and .more.cache_misses == 1000'
    is_so '.rows[0].causes[0].more | .off_core_ns > 90e6 and .stalled_ns > 195e6 and .stalled_ns < 205e6'
    is_so '.rows[0].causes[0].more | .computing_ns > 90e6 and .computing_ns < 130e6'
    is_so '.rows[0].causes[0].more | (.instructions - 2 * .computing_ns | fabs) < 0.1 * .instructions'
    is_so 'all(.rows[].causes[]; .more == null or .explained_ns == .more.off_core_ns + .more.stalled_ns + .more.computing_ns)'
    is_so 'any(.rows[].causes[]; .more == null)'
    waits
    [[ $output == *"off core [ms]  stalled [ms]  computing [ms]  page faults  cache misses  remote reads  instructions"* ]]
    [[ $output != *"did not count"* ]]
    waits --html=waits.html
    grep -q '>off core \[ms\]</th>' waits.html
    grep -q '>1000</td>' waits.html
}

# Stalls, misses and remote reads have no place: what the core did is all computing.
@test "counters_that_the_machine_does_not_give_are_said" {
    counted 2
    is_so '.rows[0].causes[0].more | .computing_ns > 290e6 and .instructions > 0 and has("stalled_ns") == false'
    waits
    [[ $output == *"Not known: stalls, cache misses, remote reads: the machine did not count them, or not for this user."* ]]
    counted 0
    is_so '.rows[0].causes[0].more | .off_core_ns > 90e6 and .page_faults >= 0 and has("instructions") == false'
    waits
    [[ $output == *"Not known: stalls, instructions, cache misses, remote reads: the machine did not count"* ]]
}

# 1000 pages appear in the first of ten times, on the other node, from where they come behind the fifth; 64 of them are asked.
@test "pages_that_a_step_uses_are_told" {
    TARE_TRACE_RECORDS=pages LAYER=$FAKE_COUNTERS_LIB:$LAYER traced 2 pages
    [[ -z $output ]]
    as_json
    assert_sums_are_exact
    is_so '.rows[0].causes[0] | .step == "memory" and .most_rank == 0 and .explained_ns > 150e6'
    is_so '.rows[0].causes[0].more == {first_touched_pages: 1000, migrated_pages: 0, remote_pages: 5000}'
    # They have migrated before the region was entered: in what is around it.
    is_so '[.causes[].more | select(. != null).migrated_pages] | add == 1000'
    waits
    [[ $output == *"first touched  migrated pages  remote pages"* && $output == *"Pages are of what the step uses by tare_uses"* ]]
    [[ $output != *"off core"* && $output != *"did not count"* ]]
}

@test "first_touch_of_memory_is_told_beside_counters" {
    TARE_TRACE_RECORDS=counters,pages traced 2 touches
    as_json
    assert_sums_are_exact
    is_so '.rows[0].causes[0].step == "memory"'
    is_so 'any(.rows[0].causes[0].more; has("first_touched_pages"))' || skip "this kernel has no move_pages"
    is_so '.rows[0].causes[0].more | (.first_touched_pages - 1000 | fabs) <= 16 and .page_faults >= 1000 and .migrated_pages == 0'
}

@test "kernel_that_tells_nothing_of_pages_is_said" {
    run --separate-stderr timeout 100 "$MPIEXEC" -n 2 env LD_PRELOAD="$FAKE_COUNTERS_LIB:$LAYER" FAKE_PAGES=no TARE_MODE=header \
        TARE_TRACE=1 TARE_TRACE_RECORDS=pages "$CAUSES" pages
    [[ $status -eq 0 && -z $output ]]
    [[ $stderr == "tare: TARE_TRACE_RECORDS=pages: the kernel does not tell where pages are: Function not implemented" ]] ||
        { echo "$stderr"; return 1; }
    as_json
    is_so '.rows[0].causes[0] | .step == "memory" and has("more") == false'
}

@test "trace_without_counters_has_no_split" {
    traced 2 stalls
    as_json
    is_so 'all(.rows[].causes[]; has("more") == false)'
    waits
    [[ $output != *"off core"* && $output != *"did not count"* ]]
}

# On the measured clock the probes are a cause; on the compensated one the tool does not explain its own footprint.
@test "footprint_of_the_measurement_is_a_cause_on_the_measured_clock_only" {
    traced 2 probes
    as_json
    assert_sums_are_exact
    compensated=$(jq '[.causes[] | select(.step == "tiny" or .step == ".TAU application").explained_ns] | add // 0' waits.json)
    as_json --clock=measured
    assert_sums_are_exact
    is_so '.clock == "measured"'
    measured=$(jq '[.causes[] | select(.step == "tiny" or .step == ".TAU application").explained_ns] | add // 0' waits.json)
    [ "$measured" -gt $((compensated + 20000000)) ] || { echo "$compensated $measured"; return 1; }
}

@test "clock_of_the_archive_does_not_matter" {
    export TARE_TRACE_CLOCK=measured
    traced 2 one
    as_json
    assert_sums_are_exact
    is_so '.clock == "compensated" and .causes[0].step == "compute"'
    as_json --clock=measured
    assert_sums_are_exact
    is_so '.clock == "measured" and .causes[0].step == "compute"'
}

# Failed tests that follow one another are one visit of MPI_Test.
@test "polling_waits_for_a_late_sender_too" {
    traced 2 polling
    as_json
    assert_sums_are_exact
    is_so '.rows[0] | .wait == ".TAU application > MPI_Test" and .state == "late sender" and .causes[0].step == "compute"'
}

# killed RECORDS: rank 1 with these records
killed() {
    rm -rf tare-trace
    run timeout 100 "$MPIEXEC" -n 2 env LD_PRELOAD="$LAYER" TARE_MODE=header TARE_TRACE=1 TARE_TRACE_RECORDS="$1" "$CAUSES" victim
    for ((i = 0; i < 100; i++)); do pgrep -f "$CAUSES victim" >/dev/null || break; sleep 0.1; done
    # The other rank may have been killed, too, before it has left an archive of its own.
    run --separate-stderr "$TOOL" waits
    [ "$status" -eq 1 ]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    [[ $stderr == "tare waits: "* ]] || { echo "$stderr"; return 1; }
    run "$TOOL" trace join
    [ "$status" -eq 0 ]
    run --separate-stderr "$TOOL" waits --json
    [ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
    echo "$output" >waits.json
    assert_sums_are_exact
    is_so '.causes[0].step == "compute"'
    # Where the other rank was when it was ended, too.
    is_so 'any(.not_known[]; .call == "MPI_Barrier" and .calls == 1)'
}

@test "killed_rank_and_who_waited_for_it_are_told" {
    killed none
}

@test "killed_rank_leaves_its_counters" {
    killed counters,pages
    is_so '.causes[0].more | .page_faults >= 0 and .first_touched_pages >= 0'
    "$TOOL" trace print --rank=1 | grep -q ' core_ns [0-9]'
}

@test "rank_that_has_left_nothing_is_named" {
    traced 2 one
    rm tare-trace/traces/4294967296.evt 2>/dev/null || rm "$(ls tare-trace/traces/*.evt | tail -n 1)"
    run --separate-stderr "$TOOL" waits --json
    [ "$status" -eq 1 ]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    [[ $stderr == "tare waits: rank 1, thread 0: "* ]] || { echo "$stderr"; return 1; }
    echo "$output" >waits.json
    assert_sums_are_exact
    is_so '.silent_ranks == [1] and .waiting_ns == 0'
    is_so 'any(.not_known[]; .call == "MPI_Barrier" and .calls == 10)'
}

@test "cut_file_of_events_is_told_and_the_rest_explained" {
    traced 2 one
    file=$(ls tare-trace/traces/*.evt | tail -n 1)
    truncate -s $(($(stat -c %s "$file") / 2)) "$file"
    run --separate-stderr "$TOOL" waits --json
    [ "$status" -eq 1 ]
    [[ $stderr == "tare waits: rank 1, thread 0: "*" events can be read: "* ]] || { echo "$stderr"; return 1; }
    echo "$output" >waits.json
    assert_sums_are_exact
}

@test "text_has_the_figures_of_the_json" {
    traced 2 one
    waits
    [[ $output == *" of 2 ranks ("*" %) are waiting, on the compensated clock."* ]]
    text=$output
    as_json
    unit=1e6
    grep -qF '[ms]' <<<"$text" || unit=1e3
    is_so '.rows[0].wait == ".TAU application > MPI_Recv"'
    waits=$(jq '.rows[0].waits' waits.json)
    grep -qE "^\.TAU application > MPI_Recv +late sender +$waits " <<<"$text" || { echo "$text"; return 1; }
    explained=$(printf '%.3f' "$(jq ".rows[0].causes[0].explained_ns / $unit" waits.json)")
    grep -qE "^compute +${explained/./\\.} " <<<"$text" || { echo "$explained: $text"; return 1; }
    waits --limit=1
    [[ $output == *"--limit=0 shows all"* ]]
}

@test "page_has_a_bar_for_each_cause_and_loads_nothing" {
    traced 2 one
    as_json
    waits --html=page.html
    [ -z "$output" ]
    causes=$(jq '([.rows[].causes | length] | add) + (if (.rows | length) > 1 then (.causes | length) else 0 end) + (.rows | length)' waits.json)
    [ "$(grep -o 'class="bar"' page.html | wc -l)" -eq "$causes" ]
    grep -q '<bdi>compute</bdi>' page.html
    [ -z "$(grep -E '(src|href)="(http|//)' page.html)" ]
    xmllint --html --noout page.html 2>errors || true
    [ -z "$(grep -vE 'Tag (header|main|section|footer|bdi) invalid|^[ <^]' errors)" ]
    echo mine >other.html
    run --separate-stderr "$TOOL" waits --html=other.html
    [ "$status" -eq 1 ]
    [ "$(cat other.html)" = mine ]
}

# Of another program, whose sends and receives are no regions of MPI.
@test "foreign_archive_has_no_other_clock" {
    mkdir foreign
    "$WRITE_ARCHIVE" random 1 4 1 3000 0 foreign
    as_json foreign
    assert_sums_are_exact
    is_so '.clock == "" and .calls == 0 and .outside > 0 and .waiting_ns == 0'
    waits foreign
    [[ $output == *"The trace has no region of a call that may wait: nobody knows when a wait began."* ]]
    for clock in compensated measured; do
        run --separate-stderr "$TOOL" waits --clock="$clock" foreign
        [ "$status" -eq 1 ]
        [ "$stderr" = "tare waits: foreign/traces.otf2 does not say which clock it has, as Tare's archives do: --clock cannot be had of it" ]
    done
}

@test "bad_usage_is_one_sentence" {
    for bad in --clock=wall --limit=x --html= --nonsense; do
        run --separate-stderr "$TOOL" waits "$bad"
        [ "$status" -eq 2 ] || { echo "$bad: $status"; return 1; }
        [ "$(wc -l <<<"$stderr")" -eq 1 ]
        [[ $stderr == "tare waits: "* ]]
    done
    run --separate-stderr "$TOOL" waits --json --html=a
    [ "$status" -eq 2 ]
    run --separate-stderr "$TOOL" waits a b
    [ "$status" -eq 2 ]
    run --separate-stderr "$TOOL" waits not-there
    [ "$status" -eq 1 ]
    [[ $stderr == "tare waits: "*not-there* ]] || { echo "$stderr"; return 1; }
    mkdir empty
    run --separate-stderr "$TOOL" waits empty
    [ "$status" -eq 1 ]
    [ "$stderr" = "tare waits: there is no archive of a trace in empty" ]
    echo garbage >bad.otf2
    run --separate-stderr "$TOOL" waits bad.otf2
    [ "$status" -eq 1 ]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
}

@test "messages_received_in_another_order_than_sent_are_told_by_their_sources" {
    traced 2 same
    as_json
    assert_sums_are_exact
    is_so '[.rows[] | select(.state == "late sender, wrong order, same source") | .wait] == [".TAU application > MPI_Recv"]'
    is_so '.rows[] | select(.state == "late sender, wrong order, same source") | .waits >= 9 and .waiting_ns > 150e6'
    is_so '[.rows[] | select(.wait | endswith("MPI_Waitall")) | .state] | unique == ["late sender"]'
    rm -rf tare-trace
    traced 3 different
    as_json
    assert_sums_are_exact
    is_so '.rows[] | select(.state == "late sender, wrong order, different sources") | .waits >= 9 and .waiting_ns > 150e6'
    is_so '[.rows[] | select(.state == "late sender")] == []'
}

# line_of TEXT: in the program
line_of() { grep -m1 -n "$1" "$BATS_TEST_DIRNAME/causes.c" | cut -d: -f1; }

@test "calls_have_their_lines_where_the_trace_has_sites" {
    ldd "$TOOL" | grep -q libdw || skip "this Tare was built without libdw (libdw-dev)"
    export TARE_TRACE_RECORDS=sites
    traced 2 one
    as_json
    assert_sums_are_exact
    is_so ".rows[0] | .state == \"late sender\" and (.source | endswith(\"/causes.c:$(line_of 'MPI_Recv(')\"))"
    is_so '.rows[0].call_site | test("^[a-z_]+\\+0x[0-9a-f]+ \\(/.*/causes\\+0x[0-9a-f]+\\)$")'
    is_so '.rows[0].causes[0] | .step == "compute" and has("source") == false'
    waits
    grep -qE "> MPI_Recv at causes.c:$(line_of 'MPI_Recv(') +late sender" <<<"$output"
    waits --html=page.html
    grep -qE "<mark>$(line_of 'MPI_Send(')  .*MPI_Send\(" page.html
}

# A page is passed on: it has no lines of what a trace only claims to be source.
@test "page_has_no_lines_of_files_that_are_no_source" {
    ldd "$TOOL" | grep -q libdw || skip "this Tare was built without libdw (libdw-dev)"
    sed 's/^#include "work.h"/# 1 "secret.txt"\n&/' "$BATS_TEST_DIRNAME/causes.c" >claims.c
    seq 200 | sed 's/^/secret /' >secret.txt
    $CAUSES_CC -o claims claims.c $CAUSES_LIBS
    export TARE_TRACE_RECORDS=sites
    CAUSES=./claims traced 2 one
    waits --html=page.html
    grep -q 'MPI_Recv at secret.txt:' page.html
    ! grep -q 'secret [0-9]' page.html
}

@test "calls_of_a_module_that_is_gone_have_their_functions" {
    export TARE_TRACE_RECORDS=sites
    cp "$CAUSES" gone
    CAUSES=./gone traced 2 one
    rm gone
    as_json
    mkfifo gone
    as_json
    is_so '.rows[0].wait | endswith("> MPI_Recv")'
    is_so '.rows[0] | .source == null and (.call_site | test("/gone\\+0x"))'
    waits
    grep -qE '> MPI_Recv at [a-z_]+\+0x[0-9a-f]+ +late sender' <<<"$output"
}
