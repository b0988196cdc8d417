#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154,SC2016  # bats sets status and output; inner shells expand what is quoted
# A command runs where the kernel's list of functions is empty, and is otherwise as it would be.

load helper

quickly() { run "$top_srcdir/build-aux/quick-starts" "$@"; }

@test "arguments_and_status_are_the_commands" {
    quickly sh -c 'printf "<%s>" "$@"; exit 7' sh "two words" '' '$HOME'
    assert_status 7
    [[ $output == '<two words><><$HOME>' ]]
}

# In a namespace of its own, where the list is there again: this run may have it empty.
@test "list_is_empty_for_the_command_alone" {
    unshare --mount true 2>/dev/null || skip "a mount namespace is not allowed here"
    run unshare --mount bash -c '
        while umount -q /proc/kallsyms; do :; done
        (($(wc -l </proc/kallsyms) > 0)) || exit 99
        "$0" "$0" wc -l /proc/kallsyms
        (($(wc -l </proc/kallsyms) > 0))' "$top_srcdir/build-aux/quick-starts"
    [[ $status -ne 99 ]] || skip "the kernel's list cannot be read here"
    assert_status 0
    [[ $output == '0 /proc/kallsyms' ]] || { echo "printed $output"; return 1; }
}

@test "command_is_needed" {
    quickly
    assert_status 2
    [[ $output == "usage: quick-starts COMMAND [ARGUMENT...]" ]]
}
