#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What following the waits between threads costs: each operation alone, with libtare-threads while nobody has declared
# anything, and with it when somebody has. The three take turns; medians in ns, and the spread (least and most) of the
# ratios to the first. Quiet machine: make -C build/test/threads cost-table
# shellcheck disable=SC2154  # set by the Makefile
set -eu
runs=${RUNS:-9}
export TARE_MODE=header TARE_RULE=exact

# sorted NUMBER...: least, median, most
sorted() { printf '%s\n' "$@" | sort -g | awk '{ v[NR] = $1 } END { print v[1], v[int((NR + 1) / 2)], v[NR] }'; }

printf '%-14s %10s %10s %6s  %-13s %10s %6s  %s\n' 'operation' 'alone, ns' 'loaded' 'ratio' 'spread' 'declared' 'ratio' \
    'spread'
while read -r name count; do
    alone=() loaded=() declared=() r1=() r2=()
    for ((i = 0; i < runs; i++)); do
        alone+=("$(./cost "$name" "$count")")
        loaded+=("$(LD_PRELOAD=$PRELOAD ./cost "$name" "$count")")
        declared+=("$(LD_PRELOAD=$PRELOAD ./cost "$name" "$count" declared)")
        r1+=("$(awk "BEGIN { print ${loaded[i]} / ${alone[i]} }")")
        r2+=("$(awk "BEGIN { print ${declared[i]} / ${alone[i]} }")")
    done
    read -r _ a _ <<<"$(sorted "${alone[@]}")"
    read -r _ l _ <<<"$(sorted "${loaded[@]}")"
    read -r _ d _ <<<"$(sorted "${declared[@]}")"
    read -r lo1 m1 hi1 <<<"$(sorted "${r1[@]}")"
    read -r lo2 m2 hi2 <<<"$(sorted "${r2[@]}")"
    printf '%-14s %10.1f %10.1f %6.2f  %-13s %10.1f %6.2f  %s\n' "$name" "$a" "$l" "$m1" \
        "$(printf '%.2f-%.2f' "$lo1" "$hi1")" "$d" "$m2" "$(printf '%.2f-%.2f' "$lo2" "$hi2")"
done <<END
mutex 1000000
condition 30000
barrier 30000
thread 5000
omp_parallel 100000
omp_barrier 100000
omp_critical 1000000
END
