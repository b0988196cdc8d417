#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Many messages and many requests, in short: `make stress` has the long form. shellcheck disable=SC2154
load helper

# The modes in which something is kept for each request.
stressed() {
    for mode in "${modes[@]}"; do
        TARE_MODE=$mode run layered 2 stress "$@"
        [[ $status -eq 0 ]] || { echo "$mode: status $status: $output"; return 1; }
        [[ $output == *" 0 wrong"* ]]
    done
}

@test "messages_100000_leave_memory_as_it_was" { stressed messages 100000; }
@test "requests_100000_open_at_once_leave_memory_as_it_was" { stressed requests 100000; }

@test "stress_wrong_number_one_sentence" {
    run plain 1 stress messages 3
    [[ $status -ne 0 && $output == *"N between 50 and 100000000"* ]]
}
