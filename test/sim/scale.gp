# SPDX-License-Identifier: BSD-3-Clause
# The plots of doc/results/scale.md, from the matrices that scale.sh makes: gnuplot -e "out='FOLDER'" scale.gp
# Colours of Okabe and Ito, which colour-blind eyes tell apart, and a mark for each; a white ground for dark pages.
set style line 1 lc rgb "#0072B2" lw 1.6 pt 7 ps 0.5
set style line 2 lc rgb "#D55E00" lw 1.6 pt 5 ps 0.5
set style line 3 lc rgb "#009E73" lw 1.6 pt 9 ps 0.6
set style line 4 lc rgb "#CC79A7" lw 1.6 pt 13 ps 0.6
set style line 5 lc rgb "#000000" lw 1.2 pt 2 ps 0.6
set style line 9 lc rgb "#bbbbbb" lw 0.5 dt 3
set grid ls 9
set border lc rgb "#555555"
set tics nomirror
unset mxtics
unset mytics
set style data linespoints
set datafile missing "nan"
names = "tree dissemination ring stencil2 stencil3"
titles = "'tree' 'dissemination' 'ring' '2-D stencil' '3-D stencil'"
file(name) = out . "/" . name . ".dat"
set format x "10^{%L}"
set logscale x

# --- what each rule leaves ---
set terminal svg size 900,360 font "sans-serif,12" background "white"
set output out . "/scale-rules.svg"
set multiplot layout 1,2 title "Left of the dilation of the run time, all stamps and latencies known"
set xlabel "processes"
set ylabel "left, % of the dilation"
set yrange [-4:104]
set key outside below horizontal samplen 2 maxrows 2 noenhanced
do for [rule in "published local"] {
    set title "rule " . rule . "; the exact rule: 0 (line)"
    plot for [i = 1:5] file("rules_" . rule) using 1:i+1 every ::1 ls i title word(titles, i), \
         0 with lines lc rgb "#555555" lw 3 title "exact, all five"
}
unset multiplot

# --- by the number of processes ---
set terminal svg size 900,900 font "sans-serif,11" background "white"
set output out . "/scale-sizes.svg"
set multiplot layout 4,2 title "Exact rule: mean size of the error of a process's compensated end, us"
set logscale y
set yrange [*:*]
set format y "%g"
set xlabel "processes"
set ylabel "error, us"
set key off
panels = "calibration spread noise jitter drift never short timeless"
heads = "'1 % of each probe not declared' '10 % (s.d.) of each process, either way' \
'10 % (s.d.) of each step, either way' 'messages 1 us longer (mean)' 'clocks drift by 50 ppm' \
'latencies never known (one clock)' 'short stamps of libfabric' 'stamps without time between hosts'"
do for [k = 1:8] {
    set title word(heads, k)
    if (k == 8) { set key default inside vertical bottom right samplen 2 noenhanced } else { set key off }
    plot for [i = 1:5] file(word(panels, k)) using 1:(column(i+1) < 1e-3 ? NaN : column(i+1)) every ::1 \
        ls i title word(titles, i)
}
unset multiplot

# --- by the amount ---
set terminal svg size 900,680 font "sans-serif,11" background "white"
set output out . "/scale-amounts.svg"
set multiplot layout 3,2 title "Exact rule, 4096 processes: mean size of the error of a process's compensated end, us"
set format x "%g"
panels = "by_calibration by_spread by_noise by_jitter by_drift by_sync"
heads = "'not declared of each probe' 'of each process, either way' 'of each step, either way' 'jitter' \
'drift between hosts (clocks compared)' 'comparison of clocks at the start (nothing learned)'"
labels = "'% of a probe' '% of a probe, s.d.' '% of a probe, s.d.' 'mean, ns' 'ppm, at most' 'half a round trip, ns'"
do for [k = 1:6] {
    set title word(heads, k)
    set xlabel word(labels, k)
    if (k == 5) { set key default inside vertical top left samplen 2 noenhanced } else { set key off }
    plot for [i = 1:5] file(word(panels, k)) using 1:(column(i+1) < 1e-5 ? NaN : column(i+1)) every ::1 \
        ls i title word(titles, i)
}
unset multiplot

# --- bounds, and peers ---
set terminal svg size 900,360 font "sans-serif,12" background "white"
set output out . "/scale-bounds.svg"
set multiplot layout 1,2
set title "Width of the bounds, 1024 processes, nothing wrong"
set xlabel "steps of the program"
set ylabel "median width, % of the dilation"
unset logscale y
set yrange [0:*]
set key default vertical at graph 0.98, graph 0.47 samplen 2 noenhanced
plot for [i = 1:5] file("width") using 1:i+1 every ::1 ls i title word(titles, i)
set title "Table of latencies: 4096 slots"
set xlabel "peers of a process, heard of in turn"
set ylabel "latency still known, %"
set format x "10^{%L}"
set yrange [-4:104]
set key default vertical at graph 0.98, graph 0.96 samplen 2 noenhanced
plot file("peers") using 1:2 ls 1 title "core", \
     [1:1e6] 100 * (1 - 1 / 4096.0) ** (x - 1) with lines lc rgb "#D55E00" dt 2 title "(4095/4096)^{peers - 1}"
unset multiplot
