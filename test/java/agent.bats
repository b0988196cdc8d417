#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The agent: methods, threads and garbage collection of a Java program without MPI.
# shellcheck disable=SC2154,SC2016  # bats sets status, output and stderr; classes in classes have a $
load helper

@test "methods_are_regions_with_their_names_and_calls" {
    measured methods
    ends_well
    main=$(thread_of main)
    [ "$(calls "$main" 'Scenario.main(String[])')" -eq 1 ]
    [ "$(calls "$main" 'Scenario.outer(int, String[])')" -eq 1 ]
    [ "$(calls "$main" 'Scenario.work()')" -eq 10 ]
    [ "$(calls "$main" 'Scenario.<init>()')" -eq 1 ]
    [ "$(calls "$main" 'Scenario.<init>(int)')" -eq 1 ]
    [ "$(calls "$main" 'Scenario.lambda$outer$0()')" -eq 1 ]
    grep -q '^"Scenario.work()" .* GROUP="java"' "MULTI__TIME/profile.0.0.$main"
}

@test "methods_of_the_platform_are_no_regions" {
    measured methods
    ends_well
    "$ROWS" . >rows
    run grep -E ' (java|javax|jdk|sun|tare)[./]' rows
    [ "$status" -eq 1 ]
}

@test "times_of_each_thread_are_conserved" {
    for what in methods exceptions threads tiny; do
        rm -rf ./MULTI*
        measured "$what"
        ends_well
        assert_times_are_conserved
    done
}

@test "start_of_the_agent_is_taken_off" {
    measured methods
    ends_well
    main=$(thread_of main)
    [ "$(value 0 "$main" incl 'tare calibration')" -gt 1000000 ]
    [ "$(value 0 "$main" incl_comp 'tare calibration')" -lt 1000000 ]
}

@test "method_that_throws_is_left" {
    measured exceptions
    ends_well
    main=$(thread_of main)
    [ "$(calls "$main" 'Scenario.catcher()')" -eq 5 ]
    [ "$(calls "$main" 'Scenario.thrower(int)')" -eq 20 ]
    # What comes behind it is in the one that has caught.
    [ "$(value 0 "$main" subrs 'Scenario.catcher()')" -eq 10 ]
    [ "$(value 0 "$main" subrs 'Scenario.thrower(int)')" -eq 15 ]
    [ "$(calls "$main" 'Scenario.divides(int)')" -eq 2 ]
}

@test "constructor_whose_base_throws_is_not_entered" {
    measured exceptions
    ends_well
    main=$(thread_of main)
    [ "$(calls "$main" 'Scenario$Base.<init>(boolean)')" -eq 2 ]
    [ "$(calls "$main" 'Scenario$Derived.<init>(boolean)')" -eq 1 ]
}

@test "stack_that_overflows_leaves_the_program_as_it_is" {
    measured overflows
    ends_well
    [ "$output" = "overflows done" ]
    [ "$(all_calls 'Scenario.overflows()')" -eq 1 ]
    [ "$(all_calls 'Scenario.work()')" -eq 1 ]
}

@test "exception_that_nobody_catches_ends_the_program_as_before" {
    measured fails
    [ "$status" -eq 1 ]
    [[ $stderr == 'Exception in thread "main" java.lang.IllegalStateException: thrown on purpose'* ]]
    [ "$(all_calls 'Scenario.thrower(int)')" -eq 3 ]
    assert_times_are_conserved
}

@test "exit_status_is_the_programs_and_the_profile_is_there" {
    measured exits
    [ "$status" -eq 7 ]
    [ -z "$stderr" ]
    [ "$(all_calls 'Scenario.work()')" -eq 1 ]
}

@test "threads_have_the_names_that_they_have_at_their_end" {
    measured threads
    ends_well
    for name in "worker 0" "worker 1" "&lt;&quot;2&quot; &amp; more&gt;"; do
        [ "$(calls "$(thread_of "$name")" 'Scenario.work()')" -eq 1 ]
    done
    [ "$(calls "$(thread_of main)" 'Scenario.threads()')" -eq 1 ]
}

@test "report_names_the_threads_that_it_shows" {
    measured threads
    ends_well
    run "$TOOL" report
    grep '^Threads: ' <<<"$output" | tr , '\n' | sed 's/.* 0[.][0-9]* //' | sort >names
    [ "$(cat names)" = $'<"2" & more>\nmain\nworker 0\nworker 1' ]
}

@test "garbage_collection_is_a_region_on_a_thread_of_its_own" {
    measured gc
    ends_well
    collector=$(thread_of "garbage collection")
    [ "$(calls "$collector" 'garbage collection')" -ge 1 ]
    [ "$(value 0 "$collector" incl 'garbage collection')" -gt 0 ]
    [ "$(all_calls 'Scenario.main(String[])')" -eq 1 ]
    [ "$("$ROWS" . | grep -F 'garbage collection' | cut -d ' ' -f 2 | sort -u)" = "$collector" ]
    grep -q '^"garbage collection" .* GROUP="java_gc"' "MULTI__TIME/profile.0.0.$collector"
}

@test "filter_leaves_methods_without_hooks" {
    cat >rules <<'END'
SCOREP_REGION_NAMES_BEGIN
  EXCLUDE Scenario.*
  INCLUDE Scenario.main Scenario.outer*
SCOREP_REGION_NAMES_END
END
    TARE_FILTER=rules measured methods
    ends_well
    [ "$(all_calls 'Scenario.main(String[])')" -eq 1 ]
    [ "$(all_calls 'Scenario.outer(int, String[])')" -eq 1 ]
    [ "$(all_calls 'Scenario.work()')" -eq 0 ]
    # outer calls nothing that is measured.
    [ "$(value 0 "$(thread_of main)" subrs 'Scenario.outer(int, String[])')" -eq 0 ]
}

@test "agent_without_methods_names_threads_and_collections" {
    with_agent methods=off gc
    ends_well
    [ "$(all_calls 'Scenario.main(String[])')" -eq 0 ]
    [ "$(all_calls 'garbage collection')" -ge 1 ]
    with_agent gc=off,methods=hooks gc
    ends_well
    [ "$(all_calls 'Scenario.main(String[])')" -eq 1 ]
    [ "$(all_calls 'garbage collection')" -eq 0 ]
}

@test "events_tell_the_same_as_hooks" {
    measured exceptions
    ends_well
    "$ROWS" . | sed -nE 's/^.* (calls=[0-9]+) (subrs=[0-9]+) .* (Scenario.*)/\3 \1 \2/p' | sort >by_hooks
    rm -rf ./MULTI*
    with_agent methods=events exceptions
    ends_well
    "$ROWS" . | sed -nE 's/^.* (calls=[0-9]+) (subrs=[0-9]+) .* (Scenario.*)/\3 \1 \2/p' | sort >by_events
    [ -s by_hooks ]
    # A constructor is entered before the one above is called.
    diff <(grep -v 'Derived\|exceptions' by_hooks) <(grep -v 'Derived\|exceptions' by_events)
}

@test "bad_option_is_said_in_one_sentence_and_ends_the_machine" {
    allowed="methods=hooks, methods=events, methods=off, gc=on and gc=off"
    for option in methods=all nothing gc; do
        with_agent "$option" methods
        [ "$status" -eq 1 ]
        [ -z "$output" ]
        [ "$stderr" = "tare: the Java agent's option $option is not one of $allowed" ]
    done
}

@test "agent_where_nothing_is_measured_changes_nothing" {
    TARE_PROFILE=0 with_agent "" methods
    ends_well
    [ "$output" = "methods done" ]
    [ ! -e MULTI__TIME ]
}

@test "children_are_neither_disturbed_nor_measured" {
    measured starts "$JAVA" "$CLASSES"
    ends_well
    [ "$output" = $'methods done\nfrom a child\nstarts done' ]
    [ "$(all_calls 'Scenario.work()')" -eq 2 ]
    [ "$(all_calls 'Scenario.outer(int, String[])')" -eq 0 ]
}

@test "killed_machine_leaves_its_profile" {
    measured killed
    [ "$status" -eq 137 ]
    run --separate-stderr "$TOOL" report --json
    [ "$status" -eq 0 ]
    jq -e '[.rows[] | select(.region == "Scenario.last()")] | length == 1' <<<"$output"
    jq -e '[.rows[] | select(.region == "Scenario.work()" and .calls == 1)] | length == 1' <<<"$output"
    strings -a .tare-live.0 | grep -qx main
}

@test "tiny_methods_are_throttled" {
    TARE_THROTTLE=1000:100000 measured tiny
    ends_well
    [ "$(all_calls 'Scenario.divides(int)')" -eq 200000 ]
    assert_times_are_conserved
}

@test "exec_gives_the_agent_to_java_alone" {
    run "$TOOL" exec --dry-run "$JAVA" Scenario
    [[ $output == *"# option for java: -agentpath:$AGENT"* ]]
    mkdir bin && ln -s "$JAVA" bin/
    PATH=$PWD/bin:$PATH run "$TOOL" exec --dry-run java Scenario
    [[ $output == *"# option for java: -agentpath:$AGENT"* ]]
    run "$TOOL" exec --dry-run "$JAVA" "-agentpath:$AGENT=gc=off" Scenario
    [[ $output != *"option for java"* ]]
    run "$TOOL" exec --dry-run "${JAVA%java}javac" Scenario.java
    [[ $output != *"option for java"* ]]
    TARE_PROFILE=0 run "$TOOL" exec --dry-run "$JAVA" Scenario
    [[ $output != *"option for java"* ]]
}

@test "trace_has_the_names_of_threads" {
    [ "$HAVE_OTF2" = yes ] || skip "libotf2-trace-dev is not installed"
    TARE_TRACE=1 measured threads
    ends_well
    otf2-print -G tare-trace/traces.otf2 >printed
    for name in main "worker 0" "worker 1"; do
        grep -qE "^LOCATION .*Name: \"Thread [0-9]+: $name\"" printed
    done
    grep -E '^REGION .*"Scenario.work\(\)".*FUNCTION.*COMPILER' printed
}

@test "killed_machine_leaves_the_names_of_its_trace" {
    [ "$HAVE_OTF2" = yes ] || skip "libotf2-trace-dev is not installed"
    TARE_TRACE=1 measured killed
    [ "$status" -eq 137 ]
    "$TOOL" trace join
    otf2-print -G tare-trace/traces.otf2 | grep -qE '^LOCATION .*Name: "Thread 1: main"'
}
