# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Progress for long steps; sourced by quickstart and by the scripts of mpich/.
#
#   step TITLE LOG COMMAND [ARG...]
#
# runs COMMAND with its output in LOG, says when it starts and how long it took, shows the elapsed time on the way
# (a counter on a terminal, else a line every TARE_HEARTBEAT seconds with what the log says by then), and ends the script
# with the tail of the log when COMMAND fails.  step_advice holds the sentence that says what to do then.

step_advice='Correct the cause and run the same command again: finished steps are not repeated.'

elapsed_words() {
    local s=$1
    if ((s < 60)); then echo "$s s"; else printf '%d min %02d s\n' $((s / 60)) $((s % 60)); fi
}

# last_line LOG: ": " and its last line that is not empty, 100 characters of it
last_line() {
    tail -c 4096 "$1" 2>/dev/null | tr -cd '[:print:]\n' | awk 'NF { line = $0 } END { if (line) print ": " substr(line, 1, 100) }'
}

# Runs beside the step and ends by itself when the script has gone.
heartbeat() {
    local title=$1 log=$2 every=${TARE_HEARTBEAT:-30} start=$SECONDS
    local next=$every
    while sleep 1 && kill -0 $$ 2>/dev/null; do
        local s=$((SECONDS - start))
        if [[ -t 1 ]]; then
            printf '\r    %s ... %s ' "$title" "$(elapsed_words $s)"
        elif ((s >= next)); then
            next=$((next + every))
            echo "    $title ... $(elapsed_words $s)$(last_line "$log")"
        fi
    done
}

step_failed() {
    local title=$1 log=$2 took=$3
    {
        echo "==> $title: FAILED after $took; the end of its log:"
        tail -n 20 "$log" | sed 's/^/    | /'
        echo "    The whole log: $log"
        echo "    $step_advice"
    } >&2
}

step() {
    local title=$1 log=$2 start=$SECONDS status=0 beat
    shift 2
    mkdir -p "$(dirname "$log")"
    echo "==> $title"
    heartbeat "$title" "$log" &
    beat=$!
    set +e
    ( set -e; "$@" ) >"$log" 2>&1 </dev/null
    status=$?
    set -e
    kill "$beat" 2>/dev/null
    wait "$beat" 2>/dev/null || true
    [[ -t 1 ]] && printf '\r\033[K'
    if ((status != 0)); then
        step_failed "$title" "$log" "$(elapsed_words $((SECONDS - start)))"
        exit "$status"
    fi
    echo "    $title: done in $(elapsed_words $((SECONDS - start)))"
}
