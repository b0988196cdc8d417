#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Plays everything that doc/results/scale.md says, in some ten minutes of one core: lines of tare_scale, matrices and
# plots in OUT. Takes TARE_SCALE, SCALE_COST, SOURCE (this folder) and OUT from the environment; SCALE_LARGEST for less.
set -euo pipefail

: "${TARE_SCALE:?}" "${SCALE_COST:?}" "${SOURCE:?}" "${OUT:?}"
largest=${SCALE_LARGEST:-1048576}
patterns=tree,dissemination,ring,stencil2,stencil3
mkdir -p "$OUT"

# sizes FROM TO: a ladder in steps of 4, as far as the largest
sizes() {
    local size list=
    for ((size = $1; size <= $2 && size <= largest; size *= 4)); do
        list+=${list:+,}$size
    done
    echo "$list"
}

# play NAME WORD...: its lines behind those of the file that are there already
play() {
    local file=$OUT/$1.tsv head=()
    shift
    if [[ -s $file ]]; then
        head=(--no-head)
    fi
    "$TARE_SCALE" "${head[@]}" "$@" >>"$file"
}

# ladder NAME WORD...: small jobs with several seeds, dissemination not at 2^20
ladder() {
    local name=$1
    shift
    play "$name" "pattern=$patterns" "processes=$(sizes 16 16384)" seed=1,2,3,4,5,6,7,8 "$@"
    if ((largest > 16384)); then
        play "$name" "pattern=$patterns" "processes=$(sizes 65536 262144)" "$@"
    fi
    if ((largest > 262144)); then
        play "$name" pattern=tree,ring,stencil2,stencil3 processes=1048576 "$@"
    fi
}

# amounts NAME PARAMETER VALUES WORD...: of 4096 processes
amounts() {
    play "$1" "pattern=$patterns" "processes=$(sizes 4096 4096)" seed=1,2,3,4,5,6,7,8 "$2=$3" "${@:4}"
}

matrix() { awk -f "$SOURCE/scale.awk" "${@:3}" "$OUT/$1.tsv" >"$OUT/$2.dat"; }

instructions() {
    local number=0 name with without
    while IFS=$'\t' read -r name _; do
        with=$(count "$number" joined) without=$(count "$number" prepared)
        printf '%s\t%d\n' "$name" $((with - without))
        number=$((number + 1))
    done <"$OUT/times.tsv"
}

# count NUMBER joined|prepared: instructions a call, from two runs of different lengths
count() {
    local short long
    short=$(collected "$@" 1000) long=$(collected "$@" 3000)
    echo $(((long - short) / 2000))
}

collected() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$SCALE_COST" run "$@" 2>&1 | awk '/Collected/ { print $NF }'
}

costs() {
    "$SCALE_COST" sizes >"$OUT/sizes.tsv"
    "$SCALE_COST" times >"$OUT/times.tsv"
    "$SCALE_COST" peers >"$OUT/peers.tsv"
    if command -v valgrind >/dev/null; then
        instructions >"$OUT/instructions.tsv"
    fi
}

rm -f "$OUT"/*.tsv "$OUT"/*.dat
SECONDS=0
costs

# Nothing is wrong: what each rule leaves.
for rule in exact published local; do
    play rules "pattern=$patterns" "processes=$(sizes 16 1048576)" "rule=$rule"
done

# Something is wrong, of a size, by the number of processes.
play calibration "pattern=$patterns" "processes=$(sizes 16 1048576)" calibration=1
ladder spread spread=10
ladder noise noise=10
ladder jitter jitter_ns=1000
ladder drift clock=synced drift_ppm=50 offset_us=1000
ladder never learned=never
ladder timeless stamp=timeless
play short "pattern=$patterns" "processes=$(sizes 16 262144)" stamp=short
play synced "pattern=$patterns" "processes=$(sizes 16 262144)" clock=synced learned=no offset_us=1000
play unknown "pattern=$patterns" "processes=$(sizes 16 262144)" clock=unknown learned=no offset_us=1000

# The same by its size.
amounts by_calibration calibration 0.1,0.3,1,3,10
amounts by_spread spread 0.1,0.3,1,3,10,30
amounts by_noise noise 0.1,0.3,1,3,10,30
amounts by_jitter jitter_ns 10,30,100,300,1000,3000,10000
amounts by_poll poll_ns 10,30,100,300,1000,3000,10000
amounts by_drift drift_ppm 0.1,0.3,1,3,10,30,100 clock=synced
amounts by_sync sync_ns 100,300,1000,3000,10000,30000,100000 clock=synced learned=no
amounts by_quantum probe_ns 1.237,12.37,123.7

# Where the program goes on: what becomes of bounds and errors.
for steps in 1 4 16 64 256; do
    play by_steps "pattern=$patterns" "processes=$(sizes 1024 1024)" "steps=$steps" jitter_ns=0,1000
done

echo "scale: played in $SECONDS s, in $OUT"
