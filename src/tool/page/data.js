// SPDX-License-Identifier: BSD-3-Clause
// What the page holds, and how to read it.
//
// The element tare-run is the run: {tare, ranks, root, regions_of_run, first: {rank, region, sort}, threads: [[rank,
// number], ...], regions: [name, ...], columns: [[name, plus, minus], ...], sum: block, roots: block, states: [[name,
// meaning, wait_ns, wait_comp_ns, calls, max_comp_ns, max_rank], ...], completion_hosts: count, completion_unknown: calls,
// completions: [[site, function, name, time_ns, time_comp_ns, calls, max_comp_ns, max_rank], ...], sites: [...], messages: [[rank, class, messages,
// bytes], ...], peers_left_out: count, peers: [[rank, whom, function, state, calls, wait_ns, wait_comp_ns, ran_ns,
// ran_comp_ns], ...], sent: [[rank, to, messages, bytes], ...]}; to -1: other jobs. A row of sum is a region, of roots a
// thread: what it ran and waited at all. sites, messages and peers are there if the run left them; site_members names
// what a site has.
//
// An element of the class tare-thread for each thread, in their order: {regions, columns: block}. regions is how
// many, if they are the first of the run's, else their numbers.
//
// A block has an entry for each of `columns`: a number that stands for all rows, or a list with one for each row, or
// {at, is} for rows that are not 0. To each value those of the column `plus` less those of `minus` are to be added.
// rank -1: no rank; times are in ns.
"use strict";

const run = JSON.parse(document.getElementById("tare-run").textContent);
const thread_elements = document.getElementsByClassName("tare-thread");
const site_members = ["site", "function", "ranks", "calls", "sent_bytes", "received_bytes", "time_ns", "min_ns",
    "mean_ns", "max_ns", "time_comp_ns", "wait_ns", "wait_comp_ns", "share_pct"];

function unpacked(values, count) {
    if (Array.isArray(values))
        return Float64Array.from(values);
    const result = new Float64Array(count);
    if (typeof values === "number")
        return result.fill(values);
    values.at.forEach((row, i) => { result[row] = values.is[i]; });
    return result;
}

// By name, a Float64Array for each column.
function columns_of(block, count) {
    const result = {};
    run.columns.forEach(([name, plus, minus], c) => {
        const values = unpacked(block[c], count);
        for (let i = 0; plus && i < count; i++)
            values[i] += result[plus][i] - (minus ? result[minus][i] : 0);
        result[name] = values;
    });
    return result;
}

const sums = columns_of(run.sum, run.regions.length);
const parsed_threads = [];

// {place: region number -> row or -1, columns}; read when it is first asked for, because most never are.
function thread_of(index) {
    if (parsed_threads[index])
        return parsed_threads[index];
    const stored = JSON.parse(thread_elements[index].textContent);
    const regions = Array.isArray(stored.regions) ? stored.regions : null;
    const count = regions ? regions.length : stored.regions;
    const place = new Int32Array(run.regions.length).fill(-1);
    for (let i = 0; i < count; i++)
        place[regions ? regions[i] : i] = i;
    return parsed_threads[index] = {place, columns: columns_of(stored.columns, count)};
}

// The indices of the threads of each rank, by rank.
const threads_by_rank = new Map();
run.threads.forEach(([rank], index) => {
    if (!threads_by_rank.has(rank))
        threads_by_rank.set(rank, []);
    threads_by_rank.get(rank).push(index);
});
const has_threads = run.threads.some(([, number]) => number > 0);

// The rows of some threads, summed up: {regions: numbers, columns}.
function rows_of(indices) {
    const count = run.regions.length;
    const present = new Uint8Array(count);
    const columns = {};
    for (const [name] of run.columns)
        columns[name] = new Float64Array(count);
    for (const index of indices) {
        const {place, columns: own} = thread_of(index);
        for (let region = 0; region < count; region++)
            if (place[region] >= 0)
                present[region] = 1;
        for (const name in columns)
            for (let region = 0; region < count; region++)
                if (place[region] >= 0)
                    columns[name][region] += own[name][place[region]];
    }
    const regions = [];
    for (let region = 0; region < count; region++)
        if (present[region])
            regions.push(region);
    return {regions, columns};
}

function add_figures(columns, at, into) {
    for (const name in columns)
        into[name] = (into[name] || 0) + columns[name][at];
}

// What each rank ran and waited, its threads together.
function ranks_summary() {
    const roots = columns_of(run.roots, run.threads.length);
    return [...threads_by_rank].map(([rank, indices]) => {
        const result = {rank};
        indices.forEach((index) => add_figures(roots, index, result));
        return result;
    });
}

// The figures of a region on some threads together; null: none has it.
function figures_of(region, indices) {
    let result = null;
    for (const index of indices) {
        const {place, columns} = thread_of(index);
        if (place[region] >= 0)
            add_figures(columns, place[region], result = result || {});
    }
    return result;
}
