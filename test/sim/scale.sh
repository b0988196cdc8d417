#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Plays everything that doc/results/scale.md says, in some ten minutes of one core: lines of tare_scale, matrices,
# tables and plots in OUT. Takes TARE_SCALE, SCALE_COST, SOURCE (this folder) and OUT from the environment;
# SCALE_LARGEST for less.
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

# Of all that is played, this takes the longest.
largest_dissemination() {
    if ((largest > 262144)); then
        play "$1" pattern=dissemination processes=1048576 "${@:2}"
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
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$SCALE_COST" run "$@" 2>&1 |
        awk '/Collected/ { print $NF }'
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
    ladder rules "rule=$rule"
    largest_dissemination rules "rule=$rule"
done

# Something is wrong, of a size, by the number of processes.
ladder calibration calibration=1
largest_dissemination calibration calibration=1
ladder spread spread=10
ladder noise noise=10
ladder jitter jitter_ns=1000
largest_dissemination jitter jitter_ns=1000
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

# Probes that are no whole number of nanoseconds, a hop after the other.
play rounding pattern=tree,dissemination,ring,stencil2 "processes=$(sizes 16 262144)" probe_ns=12.4

# Where the program goes on: what becomes of bounds and errors.
play by_length pattern=tree,stencil2,ring processes=64 steps=100,1000,10000,60000 clock=synced drift_ppm=50
for steps in 1 4 16 64 256; do
    play by_steps "pattern=$patterns" "processes=$(sizes 1024 1024)" "steps=$steps" jitter_ns=0,1000
done

# What is plotted.
for rule in published local; do
    matrix rules "rules_$rule" -v x=processes -v y=left -v by=pattern -v "where=rule=$rule"
done
for name in calibration spread noise jitter drift never short timeless; do
    matrix "$name" "$name" -v x=processes -v y=abs_ns -v by=pattern -v factor=1e-3
done
matrix by_calibration by_calibration -v x=calibration -v y=abs_ns -v by=pattern -v factor=1e-3
matrix by_spread by_spread -v x=spread -v y=abs_ns -v by=pattern -v factor=1e-3
matrix by_noise by_noise -v x=noise -v y=abs_ns -v by=pattern -v factor=1e-3
matrix by_jitter by_jitter -v x=jitter_ns -v y=abs_ns -v by=pattern -v factor=1e-3
matrix by_drift by_drift -v x=drift_ppm -v y=abs_ns -v by=pattern -v factor=1e-3
matrix by_sync by_sync -v x=sync_ns -v y=abs_ns -v by=pattern -v factor=1e-3
matrix by_steps width -v x=steps -v y=width_part -v by=pattern -v where=jitter_ns=0
cp "$OUT/peers.tsv" "$OUT/peers.dat"

# What is printed: all of it, in Markdown.
table() {
    printf '\n%s\n\n' "$1"
    awk -f "$SOURCE/scale.awk" -v format=markdown "${@:3}" "$OUT/$2.tsv"
}

# sources TITLE PROCESSES OPTION...: a row for each thing that is wrong
sources() {
    local name
    printf '\n%s, %s processes\n\n' "$1" "$2"
    echo '| | tree | dissemination | ring | stencil2 | stencil3 |'
    echo '|---|---|---|---|---|---|'
    for name in calibration spread noise jitter drift never synced unknown short timeless; do
        awk -f "$SOURCE/scale.awk" -v format=markdown -v x=processes -v by=pattern -v "where=processes=$2" "${@:3}" \
            "$OUT/$name.tsv" | sed -n "3s/[^|]* / $name /2p;3q"
    done
}

{
    for rule in published local exact; do
        table "left, % of the dilation, rule $rule" rules -v x=processes -v y=left -v by=pattern \
            -v "where=rule=$rule" -v size=1
        table "waits, mean error of a process in % of the mean wait, rule $rule" rules -v x=processes -v y=wait_abs \
            -v by=pattern -v "where=rule=$rule"
    done
    table "waits as measured, error in %" rules -v x=processes -v y=wait_measured -v by=pattern -v where=rule=exact
    table "dilation, us" rules -v x=processes -v y=dilation_ns -v by=pattern -v where=rule=exact -v factor=1e-3
    table "truth, us" rules -v x=processes -v y=truth_ns -v by=pattern -v where=rule=exact -v factor=1e-3
    for size in 4096 262144 1048576; do
        sources "error of a process's end, us" "$size" -v y=abs_ns -v factor=1e-3
        sources "left, % of the dilation" "$size" -v y=left -v size=1
        sources "worst error of a process's end, us" "$size" -v y=worst_ns -v size=1 -v factor=1e-3
        sources "waits, %" "$size" -v y=wait_abs
        sources "held, %" "$size" -v y=held
        sources "beyond, us" "$size" -v y=beyond_ns -v factor=1e-3
        sources "width, % of the dilation" "$size" -v y=width_part
    done
    for column in abs_ns left; do
        table "$column of probes of 12.4 ns" rounding -v x=processes -v "y=$column" -v by=pattern
    done
    for column in truth_ns abs_ns left wait_abs held width_part; do
        table "$column, 64 processes, 50 ppm" by_length -v x=steps -v "y=$column" -v by=pattern
    done
    for jitter in 0 1000; do
        for column in abs_ns left width_part held; do
            table "$column, jitter $jitter ns" by_steps -v x=steps -v "y=$column" -v by=pattern \
                -v "where=jitter_ns=$jitter"
        done
    done
} >"$OUT/tables.md"
if command -v gnuplot >/dev/null; then
    gnuplot -e "out='$OUT'" "$SOURCE/scale.gp"
    # Half of what gnuplot writes says nothing.
    sed -E -i -e 's/ stroke-linecap="butt" stroke-linejoin="miter"//; s/<tspan [^>]*>([^<]*)<.tspan>/\1/' \
        -e 's/^[ \t]+//; s/[ \t]+$//; /^$/d' "$OUT"/*.svg
    sed -E -i -z 's/<g [^>]*>\n<.g>\n//g' "$OUT"/*.svg
else
    echo "scale: gnuplot (Debian: gnuplot-nox) is missing, so there are no plots" >&2
fi

echo "scale: played in $SECONDS s, in $OUT"
