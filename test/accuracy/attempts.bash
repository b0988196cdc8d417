# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154,SC2034  # status and output are set by bats; in_short is for who loads this

# Options of `run` for a short form of a scene. On a quiet machine at most 1 % of the truth are left (MARK_PERCENT=1), by a
# wrong rule ten and more; what is asserted by itself lies between the two.
in_short=(--check --mark "${MARK_PERCENT:-5}" --exact -n 3 --percent 50)

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
