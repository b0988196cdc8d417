#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Completion in bash: what it offers is what the tool takes.
load helpers

setup() {
    clean_environment
    # shellcheck source=/dev/null
    source "$SOURCES/src/tool/completion/tare"
}

# What is offered behind these words, the last of which is begun: offered WORD...
offered() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _tare
    echo "${COMPREPLY[*]}"
}

@test "first_word_completes_to_a_command" {
    [ "$(offered tare re)" = "report" ]
    [ "$(offered tare '')" = "exec report compare convert validate bench trace waits comms info help -h --help -V --version" ]
    [ "$(offered tare help '')" = "exec report compare convert validate bench trace waits comms info" ]
    # Those that the help names, and no other.
    [ "$(offered tare help '' | tr ' ' '\n')" = \
        "$("$TOOL" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | grep -vx help)" ]
}

@test "options_offered_are_those_of_the_help" {
    for command in exec report compare convert validate bench waits comms info; do
        wanted=$("$TOOL" "$command" --help | sed -nE 's/^ .{5}(--[a-z-]+=?).*/\1/p' | sort)
        [ "$(wc -w <<< "$wanted")" -ge 3 ]
        [ "$(offered tare "$command" -- | tr ' ' '\n' | sort)" = "$wanted" ]
    done
}

@test "actions_of_trace_and_their_options_are_offered" {
    [ "$(offered tare trace '')" = "chrome cut join match merge print show stats -h --help -V --version" ]
    [ "$(offered tare trace ma)" = match ]
    [[ " $(offered tare trace cut --from =) " != *" tau "* ]]
    for action in chrome cut join match merge print show stats; do
        [ "$(offered tare trace "$action" - | tr ' ' '\n' | sort)" = "$("$TOOL" trace "$action" --help | options_in)" ]
    done
}

# The short and the long ones in a help, one a line.
options_in() {
    sed -nE 's/^ {2,6}((-[a-zA-Z]), )?(--?[a-z-]+=?).*/\2\n\3/p' | grep . | sort
}

@test "short_options_offered_are_those_of_the_help" {
    for command in exec report compare convert validate bench waits comms info; do
        wanted=$("$TOOL" "$command" --help | options_in)
        [ "$(offered tare "$command" - | tr ' ' '\n' | sort)" = "$wanted" ]
    done
    [ "$(offered tare - | tr ' ' '\n' | sort)" = "$("$TOOL" --help | options_in)" ]
}

@test "options_offered_for_accuracy_are_those_of_its_help" {
    wanted=$("$TOOL" bench --accuracy --help | options_in)
    [ "$(wc -w <<< "$wanted")" -ge 14 ]
    [ "$(offered tare bench --accuracy - | tr ' ' '\n' | sort)" = "$wanted" ]
    [ "$(offered tare bench --accuracy --rule = '')" = "exact published local" ]
}

@test "options_of_the_compilers_offered_are_those_of_their_help" {
    compiler=${TOOL%/tool/*}/probe/tarecc
    [ -e "$compiler" ] || skip "src/probe is not built"
    COMP_WORDS=(tarecc -) COMP_CWORD=1
    _tare_compiler
    [ "$(printf '%s\n' "${COMPREPLY[@]}" | sort)" = "$("$compiler" --tare-help | options_in)" ]
    COMP_WORDS=(tarecc app.)
    _tare_compiler
    [ ${#COMPREPLY[@]} -eq 0 ]
    for name in tarecc tarecxx tarefc; do [[ $(complete -p $name) == *"-o default -F _tare_compiler"* ]]; done
}

@test "every_sort_key_offered_is_taken" {
    keys=$(offered tare report --sort = '')
    [ "$(wc -w <<< "$keys")" -eq 10 ]
    for key in $keys; do
        run "$TOOL" report --sort="$key" "$FIXTURES/two_ranks"
        [ "$status" -eq 0 ]
    done
}

@test "every_sort_key_offered_for_another_table_is_taken" {
    for view in --imbalance --waiting --states --peers; do
        keys=$(offered tare report $view --sort = '')
        [ "$(wc -w <<< "$keys")" -ge 4 ]
        for key in $keys; do
            run "$TOOL" report $view --sort="$key" "$FIXTURES/two_ranks"
            [ "$status" -eq 0 ]
        done
    done
}

@test "every_key_offered_for_a_comparison_is_taken" {
    for option in --sort --show; do
        keys=$(offered tare compare $option = '')
        [ "$(wc -w <<< "$keys")" -eq 8 ]
        for key in $keys; do
            run "$TOOL" compare "$option=$key" "$FIXTURES/two_ranks" "$FIXTURES/two_ranks"
            [ "$status" -eq 0 ]
        done
    done
}

@test "profiles_to_compare_complete_to_folders" {
    cd "$FIXTURES" || return 1
    [ "$(offered tare compare two)" = "two_ranks" ]
    [ "$(offered tare compare two_ranks two)" = "two_ranks" ]
}

@test "place_of_the_page_completes_to_files" {
    cd "$FIXTURES/two_ranks" || return 1
    [ "$(offered tare report --html = tare-calls.1)" = "tare-calls.1" ]
    [ "$(offered tare report --html tare-calls.0)" = "tare-calls.0" ]
    [ -z "$(offered tare report tare-calls.)" ]
}

@test "every_format_offered_is_taken" {
    [ "$(offered tare convert --to = '')" = "tau cube json csv chrome speedscope" ]
    for format in $(offered tare convert --to = ''); do
        "$TOOL" convert --to="$format" -o "$BATS_TEST_TMPDIR/in.$format" "$FIXTURES/two_ranks"
        run "$TOOL" convert --from="$format" --to=csv "$BATS_TEST_TMPDIR/in.$format"
        [ "$status" -eq 0 ]
    done
    [ "$(offered tare convert --from = t)" = "tau" ]
    for clock in $(offered tare convert --clock = ''); do
        run "$TOOL" convert --to=chrome --clock="$clock" "$FIXTURES/two_ranks"
        [ "$status" -eq 0 ]
    done
}

@test "profile_to_convert_and_output_complete_to_files" {
    cd "$FIXTURES/two_ranks" || return 1
    [ "$(offered tare convert tare-calls.0)" = "tare-calls.0" ]
    [ "$(offered tare convert -o tare-calls.1)" = "tare-calls.1" ]
}

@test "sort_key_begun_completes" {
    [ "$(offered tare report --sort = rem)" = "removed" ]
}

# As bash breaks it up.
@test "options_behind_a_value_of_second_order_are_those_of_the_tool" {
    [ "$(offered tare validate --second-order = 2 --dry)" = "--dry-run" ]
    [ "$(offered tare validate --second-order --dry)" = "--dry-run" ]
    [[ $(offered tare validate --second-order = 2 ls --) != *dry-run* ]]
}

@test "words_behind_the_program_are_not_options_of_the_tool" {
    [[ $(offered tare exec ls --) != *dry-run* ]]
}
