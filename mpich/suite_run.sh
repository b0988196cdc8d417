# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# Runs tests, each by one call of MPICH's own runtests with a list of one line: what passes is MPICH's own verdict.

# Set by run_columns: the files that compare reads, and 1 as soon as a test fails that may not.
recorded=() unexpected=0
declare -A known_reason

# A line of suite_known_bad: the test's name, two or more blanks, the reason.
read_known_bad() {
    local name reason
    while IFS=$'\t' read -r name reason; do
        known_reason[$name]=$reason
    done < <(sed -e '/^#/d' -e '/^$/d' -e 's/   */\t/' "$known_bad_list")
}

# Nothing of the caller's changes what a test does. What a column means for the ranks: suite-rank reads SUITE_*.
column_environment() {
    local column=$1 name
    for name in $(compgen -e | grep -E '^(TARE_|PMI|MPI_LOCAL|MPIR_CVAR_|MPITEST_|MPIEXEC_|HYDRA_|FI_|UCX_|LD_PRELOAD)'); do
        unset "$name"
    done
    ((${#over_settings[@]} == 0)) || export "${over_settings[@]}"
    prefix=$mpi
    if [[ $column == unpatched ]]; then
        prefix=$unpatched
    else
        export TARE_MODE=${column%+exec}
    fi
    export LD_LIBRARY_PATH=$prefix/lib SUITE_LIBMPI=$prefix/lib/libmpi.so.12 SUITE_TARE='' SUITE_TURNS=${turns#none}
    export MPITEST_PROGRAM_WRAPPER=$here/suite-rank MPITEST_TIMEOUT=$time_limit MPITEST_MEMORY_TOTAL
    MPITEST_MEMORY_TOTAL=$(awk '/^MemAvailable/ { printf "%d", $2 / 1048576 }' /proc/meminfo)
    if [[ $column == *+exec ]]; then
        export SUITE_TARE=$tare
    fi
}

# How long runtests may take: its own limit, and time for it to say so.
outer_limit() {
    local limit=$time_limit
    [[ ${line_of[$1]} =~ timeLimit=([0-9]+) ]] && limit=${BASH_REMATCH[1]}
    echo $((limit + 60))
}

# call_runtests NAME DIR: leaves runtests' TAP in DIR/tap, what it printed in DIR/out.
call_runtests() {
    local name=$1 dir=$2
    echo "${line_of[$name]}" >"$dir/list"
    rm -f "$dir/tap"
    mkdir -p "$dir/profile"
    cd "$suite/${folder_with[$name]}" || exit
    TARE_PROFILE_DIR=$dir/profile timeout -k 10 "$(outer_limit "$name")" "$suite/runtests" -srcdir=. \
        "-tests=$dir/list" "-tapfile=$dir/tap" "-mpiexec=$prefix/bin/mpiexec" </dev/null >"$dir/out" 2>&1 &
    echo $! >>"$dir/pids"
    wait $! || true
}

# Tests that poll must not go on when this script is stopped. First the shells that would start the next one; each
# `timeout` takes its whole process group with it.
stop_tests() {
    local pids
    trap - INT TERM EXIT
    jobs -p | xargs -r kill 2>/dev/null || true
    mapfile -t pids < <(find "$results" -name pids -exec cat '{}' +)
    kill "${pids[@]}" 2>/dev/null || true
}

# verdict_of DIR: pass, skip or fail, and why: the first line that a test which passes would not have printed.
verdict_of() {
    local tap=$1/tap
    if grep -q '^ok .*# SKIP' "$tap" 2>/dev/null; then
        echo "skip"$'\t'"$(sed -n 's/^ok .*# SKIP *//p' "$tap" | head -n 1)"
    elif grep -q '^ok ' "$tap" 2>/dev/null; then
        echo "pass"$'\t'
    else
        echo "fail"$'\t'"$(why_failed "$1")"
    fi
}

why_failed() {
    local line
    line=$(sed -n 's/^## *//p' "$1/tap" 2>/dev/null |
        grep -m1 -vE '^(Test output|No [Ee]rrors|[=-]*$)') || true
    [[ -n $line ]] || line=$(tail -n 1 "$1/out" 2>/dev/null) || true
    echo "${line:-no result}" | tr '\t' ' '
}

# A result is worth nothing when the test ran on another libmpi: then nothing else is run.
refuse_wrong_libmpi() {
    grep -hm1 -o 'mpich-suite: .* loads .*' "$1/tap" "$1/out" 2>/dev/null
}

# run_test NAME DIR: prints the line of the results file: name, verdict, seconds, runs, why it failed at first.
run_test() {
    local name=$1 dir=$2 runs=0 verdict why first='' start seconds
    mkdir -p "$dir"
    echo "$BASHPID" >"$dir/pids"
    start=${EPOCHREALTIME/[.,]/}
    while :; do
        runs=$((runs + 1))
        (call_runtests "$name" "$dir")
        refuse_wrong_libmpi "$dir" >"$work/wrong_libmpi" && rm "$dir/pids" && return 1
        IFS=$'\t' read -r verdict why < <(verdict_of "$dir")
        [[ $verdict == fail ]] || break
        [[ -n $first ]] || first=$why
        cp "$dir/tap" "$dir/tap.failed.$runs" 2>/dev/null || true
        ((runs <= again)) || break
    done
    rm "$dir/pids"
    seconds=$(((${EPOCHREALTIME/[.,]/} - start) / 1000))
    printf '%s\t%s\t%d.%03d\t%d\t%s\n' "$name" "$verdict" $((seconds / 1000)) $((seconds % 1000)) "$runs" \
        "${first:-$why}"
}

# --- many tests ---

ranks_of() {
    local _ ranks
    read -r _ ranks _ <<<"${line_of[$1]}"
    echo $((ranks < jobs ? ranks : jobs))
}

# wait_for_one: when a test has ended badly, no other one is worth starting.
wait_for_one() {
    local ended
    wait -n -p ended || die "$(cat "$work/wrong_libmpi" 2>/dev/null || echo "a test could not be run")"
    busy=$((busy - ${cost[$ended]}))
    unset "cost[$ended]"
}

is_done() {
    [[ $go_on == yes ]] && grep -qE $'\t(pass|skip)\t' "$work/$1/result" 2>/dev/null
}

# run_side_by_side COLUMN NAME...: at most `jobs` ranks at a time; a result in $work/NAME/result.
run_side_by_side() {
    local column=$1 name need busy=0
    local -A cost=()
    shift
    for name in "$@"; do
        ! is_done "$name" || continue
        need=$(ranks_of "$name")
        while ((busy + need > jobs)); do
            wait_for_one
        done
        mkdir -p "$work/$name"
        run_test "$name" "$work/$name" >"$work/$name/result" &
        cost[$!]=$need
        busy=$((busy + need))
    done
    while ((${#cost[@]})); do
        wait_for_one
    done
}

is_left_out() {
    [[ $known_bad == no && -n ${known_reason[$1]-} ]]
}

# run_folder COLUMN FOLDER: appends to the column's results, in the order of the list.
run_folder() {
    local column=$1 name here_tests=() run=()
    for name in "${tests[@]}"; do
        [[ ${folder_with[$name]} == "$2" ]] || continue
        here_tests+=("$name")
        is_left_out "$name" || run+=("$name")
    done
    work=$results/$column
    mkdir -p "$work"
    (column_environment "$column" && run_side_by_side "$column" "${run[@]}") &
    wait $! || exit
    for name in "${here_tests[@]}"; do
        if is_left_out "$name"; then
            printf '%s\tskip\t0\t0\tknown to be bad: %s\n' "$name" "${known_reason[$name]}"
        else
            cat "$work/$name/result"
        fi
    done >"$work/$2.part"
    cat "$work/$2.part" >>"$results/$column.results"
    report_folder "$column" "$2" "$work/$2.part"
}

# --- what is said on the way ---

report_folder() {
    if [[ $tap == yes ]]; then
        tap_lines "$1" "$3"
    else
        plain_lines "$1" "$2" "$3"
    fi
}

plain_lines() {
    awk -F'\t' -v column="$1" -v folder="$2" '
        { count[$2]++; seconds += $3 }
        $2 == "fail" { print "    " column " " $1 ": failed (" $4 " runs): " $5 }
        $2 == "pass" && $4 > 1 { print "    " column " " $1 ": passed when run again (" $4 " runs), before: " $5 }
        END {
            printf "%s %s: %d passed, %d failed, %d left out, %.0f s\n", column, folder, count["pass"], count["fail"],
                count["skip"], seconds
        }' "$3"
}

# Without an unpatched column, or beside it: a test that fails in one of Tare's columns is a failed case.
tap_lines() {
    local name verdict runs why title
    while IFS=$'\t' read -r name verdict _ runs why; do
        tap_number=$((tap_number + 1))
        title="$tap_number - $1: $name"
        case $verdict in
        pass) echo "ok $title" ;;
        skip) echo "ok $title # SKIP $why" ;;
        fail) echo "not ok $title" && unexpected=1 ;;
        esac
        [[ $verdict == skip || -z $why ]] || echo "# $runs runs; at first: $why"
    done <"$2"
}

run_columns() {
    local column folder names tap_number=0
    IFS=, read -ra names <<<"${unpatched:+unpatched,}$columns"
    read_known_bad
    trap 'stop_tests; exit 130' INT TERM
    trap stop_tests EXIT
    for column in "${names[@]}"; do
        recorded+=("$results/$column.results")
        rm -f "$results/$column.results"
        [[ $go_on == yes ]] || rm -rf "${results:?}/$column"
    done
    kind_of_run >"$results/of"
    for folder in "${folders[@]}"; do
        for column in "${names[@]}"; do
            run_folder "$column" "$folder"
        done
    done
    [[ $tap == no ]] || echo "1..$tap_number"
}
