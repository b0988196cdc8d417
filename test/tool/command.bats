#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What all subcommands have in common.
load helpers

setup() {
    clean_environment
}

commands="exec report compare convert validate bench info"

@test "help_of_tool_goes_to_stdout_and_names_every_command" {
    run --separate-stderr "$TOOL" --help
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    for command in $commands; do [[ $output == *"  $command "* ]]; done
}

@test "help_of_each_command_goes_to_stdout" {
    for command in $commands; do
        run --separate-stderr "$TOOL" "$command" --help
        [ "$status" -eq 0 ]
        [ -z "$stderr" ]
        [[ ${lines[0]} == "Usage: tare $command "* ]]
    done
}

@test "help_as_a_command_prints_what_the_option_prints" {
    [ "$("$TOOL" help)" = "$("$TOOL" --help)" ]
    [ "$("$TOOL" help help)" = "$("$TOOL" --help)" ]
    for command in $commands; do [ "$("$TOOL" help "$command")" = "$("$TOOL" "$command" --help)" ]; done
}

@test "help_for_what_is_no_command_is_refused" {
    run --separate-stderr "$TOOL" help reprot
    assert_refused 2
    assert_says "did you mean 'report'"
    run --separate-stderr "$TOOL" help report compare
    assert_refused 2
    assert_says "'compare' is too many"
}

@test "version_goes_to_stdout" {
    for command in "" $commands; do
        # shellcheck disable=SC2086 # no command: no word
        run --separate-stderr "$TOOL" $command --version
        [ "$status" -eq 0 ]
        [ -z "$stderr" ]
        [[ ${lines[0]} =~ ^tare\ \(Tare\)\ [0-9]+\.[0-9]+ ]]
    done
}

@test "missing_command_is_refused" {
    run --separate-stderr "$TOOL"
    assert_refused 2
    assert_says "command is missing"
}

@test "unknown_command_is_refused_with_the_nearest" {
    run --separate-stderr "$TOOL" reprot
    assert_refused 2
    assert_says "did you mean 'report'"
}

@test "unknown_command_like_none_is_refused_without_a_guess" {
    run --separate-stderr "$TOOL" xyzzyplugh
    assert_refused 2
    [[ $stderr != *"did you mean"* ]]
}

@test "unknown_option_of_each_command_is_refused_by_name" {
    for command in $commands; do
        run --separate-stderr "$TOOL" "$command" --nonsense=3
        assert_refused 2
        assert_says "tare $command: unknown option --nonsense"
        run --separate-stderr "$TOOL" "$command" -q
        assert_refused 2
        assert_says "unknown option -q"
    done
}

@test "option_value_that_should_not_be_is_refused" {
    run --separate-stderr "$TOOL" report --json=yes
    assert_refused 2
    assert_says "option --json takes no value"
}

@test "option_value_that_lacks_is_refused" {
    run --separate-stderr "$TOOL" report --rank
    assert_refused 2
    assert_says "option --rank needs a value"
}
