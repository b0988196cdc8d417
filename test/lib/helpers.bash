# SPDX-License-Identifier: BSD-3-Clause
# Shared by the tests of libtare and the probes. Set by make: SCENARIO, ROWS, ... the programs beside this file.

bats_require_minimum_version 1.5.0

# No variable of the caller's reaches a test: neither Tare's nor a launcher's.
clean_environment() {
    local name
    for name in $(compgen -v | grep -E '^(TARE_|PMI|OMPI_)'); do unset "$name"; done
    unset LD_PRELOAD
}

# Each test has a folder of its own and measures.
measure_here() {
    clean_environment
    cd "$BATS_TEST_TMPDIR" || return 1
    export TARE_PROFILE=1
}

setup() { measure_here; }

# value RANK THREAD NAME REGION: one number of the profile in this folder.
value() {
    "$ROWS" . | awk -v rank="$1" -v thread="$2" -v name="$3" -v region="$4" '
        $1 == rank && $2 == thread {
            at = index($0, "residue=")
            rest = substr($0, at)
            sub(/^[^ ]* [^ ]* /, "", rest)
            if (rest != region) next
            for (i = 3; i <= 12; i++) { split($i, pair, "="); if (pair[1] == name) print pair[2] }
        }'
}

assert_value() {
    local found
    found=$(value "$1" "$2" "$3" "$4")
    [ "$found" = "$5" ] || { echo "$4: $3 is '$found', wanted $5"; "$ROWS" .; return 1; }
}

# Of every thread: what the paths to a region have is together what the region has.
assert_paths_add_up() {
    "$ROWS" . | awk '
        / calls=.* residue=/ {
            name = $0
            sub(/^.* residue=[^ ]* /, "", name)
            is_path = name ~ /^TAU_CALLPATH[|]/
            sub(/^[^ ]* /, "", name)
            if (is_path) sub(/^.* => /, "", name)
            for (i = 3; i <= 12; i++) {
                split($i, pair, "=")
                if (pair[1] !~ /^(calls|subrs|excl)$/) continue
                key = $1 " " $2 " " name ": " pair[1]
                if (is_path) { paths[key] += pair[2]; count++ } else flat[key] += pair[2]
            }
        }
        END {
            for (key in flat)
                if (key !~ / [.]TAU application: / && paths[key] + 0 != flat[key]) {
                    print key " is " flat[key] ", of its paths " paths[key] + 0
                    bad = 1
                }
            for (key in paths) if (!(key in flat)) { print key " is of paths only"; bad = 1 }
            exit bad || count == 0
        }'
}

# assert_between LOW VALUE HIGH
assert_between() {
    if [ -z "$2" ] || [ "$2" -lt "$1" ] || [ "$2" -gt "$3" ]; then
        echo "'$2' is not between $1 and $3"
        return 1
    fi
}

# limit_ns NS: twenty times as much in a build --with-sanitizer, which makes every instruction dearer.
limit_ns() { echo $(($1${SANITIZER:+ * 20})); }

# in_some_attempt COMMAND...: one of five is good enough, where other load on the machine may begin at any time.
# errexit is off in COMMAND, so what fails there has to return.
in_some_attempt() {
    local attempt
    for attempt in 1 2 3 4 5; do
        if "$@"; then return 0; fi
    done
    return 1
}

assert_no_region() {
    [ -z "$(value "$1" "$2" calls "$3")" ] || { echo "$3 is in the profile"; return 1; }
}

# A calibrated constant: positive and below 1 us, or below 100 us in a build --with-sanitizer.
is_sane_ns() { awk -v ns="$1" -v limit="1000${SANITIZER:+00}" 'BEGIN { exit ns > 0 && ns < limit ? 0 : 1 }'; }

# Of its batches: a number that may be 0.
is_sane_spread() {
    [[ $1 =~ ^[0-9]+\.[0-9]{3}$ ]] && awk -v ns="$1" -v limit="1000${SANITIZER:+00}" 'BEGIN { exit ns < limit ? 0 : 1 }'
}

# residual MODE PROGRAM: shows how much of the cost of a pair of hooks is left, and asserts most loosely.
residual() {
    [ -z "${SANITIZER-}" ] || skip "--with-sanitizer=$SANITIZER makes every instruction of the hooks dearer"
    local without with compensated
    read -r without with compensated < <(TARE_OVERHEAD=$1 "$2")
    awk -v a="$without" -v b="$with" -v c="$compensated" -v mode="$1" 'BEGIN {
        printf "# %-10s a pair of hooks costs %.1f ns, of which %.1f are left\n", mode, b - a, c - a
        exit b - a > 10 && c - a < 0.5 * (b - a) && a - c < 0.5 * (b - a) ? 0 : 1 }' >&3
}
