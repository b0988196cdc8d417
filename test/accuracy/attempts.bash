# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154  # status and output are set by bats

# attempts COMMAND...: COMMAND leaves the status of `run --check`, as bats's run does. One of three attempts has to be
# within the mark. A wrong rule is tens of per cent off every time (status 1), which no machine's unrest excuses (3).
attempts() {
    local attempt unclear=0
    for attempt in 1 2 3; do
        "$@"
        echo "attempt $attempt: $output"
        case $status in
        0) return 0 ;;
        1) ;;
        3) unclear=$((unclear + 1)) ;;
        *) return 1 ;;
        esac
    done
    ((unclear == 0)) || skip "in $unclear of 3 attempts equal runs differed by more than the mark, and none was within it"
    false
}
