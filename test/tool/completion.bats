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
    [ "$(offered tare '')" = "exec report compare validate info --help --version" ]
}

@test "options_offered_are_those_of_the_help" {
    for command in exec report compare validate info; do
        wanted=$("$TOOL" "$command" --help | sed -nE 's/^ .{5}(--[a-z-]+=?).*/\1/p' | sort)
        [ "$(wc -w <<< "$wanted")" -ge 3 ]
        [ "$(offered tare "$command" -- | tr ' ' '\n' | sort)" = "$wanted" ]
    done
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
    for view in --imbalance --waiting; do
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
