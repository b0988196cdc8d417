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
    [ "$(offered tare '')" = "exec report validate info --help --version" ]
}

@test "options_offered_are_those_of_the_help" {
    for command in exec report validate info; do
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

@test "sort_key_begun_completes" {
    [ "$(offered tare report --sort = rem)" = "removed" ]
}

@test "words_behind_the_program_are_not_options_of_the_tool" {
    [[ $(offered tare exec ls --) != *dry-run* ]]
}
