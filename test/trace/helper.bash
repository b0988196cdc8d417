# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# Shared by the tests of traces. Set by make: SCENARIO, ROWS, TOOL, SUMS, MPIEXEC, LAYER.
load ../lib/helpers

archive=tare-trace/traces.otf2

# --- the layer: on each family of MPI libraries, by its own launcher ---

family_programs=$PWD

mpiexec_of() {
    case $1 in
        tare) echo "$MPIEXEC" ;;
        mpich) echo "$MPIEXEC_MPICH" ;;
        openmpi) echo "$MPIEXEC_OPENMPI --oversubscribe --allow-run-as-root" ;;
    esac
}

layer_of() { echo "$top_builddir/src/pmpi/$1/.libs/libtare-mpi.so:$top_builddir/src/lib/.libs/libtare.so"; }

modes_of() { echo "$([ "$1" = tare ] && echo header) off datatype message copy"; }

in_a_new_folder() { mkdir "$BATS_TEST_TMPDIR/$((++folders))" && cd "$BATS_TEST_TMPDIR/$folders" || return; }

# traced_ranks FAMILY MODE N PROGRAM [ARGUMENT...]: in a folder of its own, without a word
traced_ranks() {
    in_a_new_folder
    # shellcheck disable=SC2046  # a launcher and its options
    run --separate-stderr timeout 100 $(mpiexec_of "$1") -n "$3" env LD_PRELOAD="$(layer_of "$1")" TARE_MODE="$2" TARE_TRACE=1 \
        "$family_programs/$1/$4" "${@:5}"
    [ "$status" -eq 0 ] || { echo "$1 $2: status $status: $stderr"; return 1; }
    [[ $stderr != *tare:* ]] || { echo "$1 $2: said: $stderr"; return 1; }
}

# quietly ACTION [ARGUMENT]...: of tare trace; nothing is said on stderr
quietly() {
    run --separate-stderr "$TOOL" trace "$@"
    [ "$status" -eq 0 ] || { echo "status $status: $stderr"; return 1; }
    [ -z "$stderr" ] || { echo "said: $stderr"; return 1; }
}

match_quietly() { quietly match "$@"; }

# refused STATUS SENTENCE ACTION [ARGUMENT]...: without a word but one sentence
refused() {
    run --separate-stderr "$TOOL" trace "${@:3}"
    [ "$status" -eq "$1" ] || { echo "status $status"; return 1; }
    [ -z "$output" ] || { echo "printed $output"; return 1; }
    [[ $stderr == "tare trace: $2"* && $(grep -c . <<<"$stderr") -eq 1 ]] || { echo "said: $stderr"; return 1; }
}

# an_archive WORD... FOLDER: by write_archive
an_archive() {
    mkdir "${!#}"
    "$WRITE_ARCHIVE" "$@"
}

need_jq() { command -v jq >/dev/null || skip "jq is not installed"; }

# member NAME: of the object that match has printed, outside of its rows
member() { sed -nE "s/^ \"$1\": \"?([^\",]*)\"?,?\$/\1/p" <<<"$output"; }

# of_method NAME MEMBER: in its rows
of_method() { awk -F '[:,]' -v name="\"$1\"" -v member="\"$2\"" '{ gsub(/ /, "") } /"method"/ { on = $2 == name } on && $1 == member { print $2 }' <<<"$output"; }

# The sums of the profile here, as sums.py prints those of the trace.
sums_of_profile() {
    "$ROWS" . | sed -nE 's/^([0-9]+ [0-9]+) (calls=[0-9]+) .*(incl=[0-9]+) .*(incl_comp=-?[0-9]+) .* (MPI|TAU_[A-Z]+) (.*)/\1 \2 \4 \3 \6/p' |
        sed -E 's/ (MPI_.*)\(\)$/ \1/' | grep -v ' calls=[0-9]* .* tare calibration$' | LC_ALL=C sort
}

# Of the outermost region, which ends behind the profile, no times; of the others not the compensated one.
exact_sums() { sed -E "s,incl_comp=[^ ]* ,,; s,incl=.* (\.TAU application),\1," "$1" | LC_ALL=C sort; }

# The trace here tells of every region what the profile does: its calls and its measured time to the nanosecond, and its
# compensated time but for what it was below 0 in some calls, where time stamps stand still: 4 thousandths, by which a
# constant of the probes may be wrong, and $1 ns a call (default: 5000). Below 0 on the whole it is 0 in the trace.
assert_trace_is_the_profile() {
    "$SUMS" "$archive" | LC_ALL=C sort >trace.sums
    sums_of_profile >profile.sums
    [ -s profile.sums ]
    diff <(exact_sums profile.sums) <(exact_sums trace.sums)
    paste -d ' ' <(sort -k1,2 -k6 profile.sums) <(sort -k1,2 -k6 trace.sums) | awk -v allowed="${1:-5000}" '
        { split($3, calls, "="); split($4, profile, "="); match($0, / incl_comp=-?[0-9]+ incl=[0-9]+ [^=]*$/)
          split(substr($0, RSTART + 1), rest, /[ =]/); off = rest[2] - (profile[2] < 0 ? 0 : profile[2]) }
        { most = allowed * calls[2] + rest[4] / 250 }
        !/TAU application/ && (off > most || off < -most) { print; wrong = 1 }
        END { exit wrong }'
}

# Of a killed process: what was open has ended in both, at times that differ.
assert_calls_are_the_profiles() {
    diff <(sums_of_profile | sed 's/ incl_.* / /; s/ incl.*=[0-9-]* / /' | LC_ALL=C sort) \
        <("$SUMS" "$archive" | sed 's/ incl_.* / /; s/ incl.*=[0-9-]* / /' | LC_ALL=C sort)
}

# Of the archive in this folder: times of a thread never go back, what is entered is left, a collective call has both its
# events, and otf2-print reads it without a word.
assert_balanced() {
    "$TOOL" trace print "$1" | awk 'NR > 1 {
            if ($1 < latest[$3]) { print "back: " $0; wrong = 1 }
            latest[$3] = $1
            if ($4 == "Enter") open[$3, ++depth[$3]] = $5
            if ($4 == "Leave" && (!depth[$3] || open[$3, depth[$3]--] != $5)) { print "unbalanced: " $0; wrong = 1 }
            if ($4 == "MpiCollectiveBegin") collective[$3]++
            if ($4 == "MpiCollectiveEnd" && --collective[$3] < 0) { print "no begin: " $0; wrong = 1 }
        }
        END { for (t in depth) if (depth[t]) wrong = 1; for (t in collective) if (collective[t]) wrong = 1; exit wrong }' || return 1
    otf2-print "$1/traces.otf2" >printed 2>said || { cat said; return 1; }
    [ ! -s said ] || { cat said; return 1; }
    [ "$(grep -cE '^(ENTER|LEAVE) ' printed)" -eq "$("$TOOL" trace print "$1" | grep -cE ' (Enter|Leave) ')" ]
}
