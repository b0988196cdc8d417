// SPDX-License-Identifier: BSD-3-Clause
// The parts of the page: each function makes an element, or an object that has one.

function panel(id, title, ...content) {
    return element("section", {id, "aria-labelledby": id + "-title"}, element("h2", {id: id + "-title"}, title),
        ...content);
}

// ---- summary ----

function total_of(ranks, name) { return ranks.reduce((sum, rank) => sum + rank[name], 0); }

function most_of(ranks, name) {
    return ranks.reduce((most, rank) => rank[name] > most[name] ? rank : most, ranks[0]);
}

function card(title, figure, note) {
    return element("div", {class: "card"}, element("h3", {}, title), element("p", {class: "figure"}, figure),
        element("p", {class: "note"}, note));
}

function change_phrase(before, after) {
    const text = change_text(percent_of(after - before, before));
    return text && text + " %";
}

function make_summary(ranks) {
    const measured = total_of(ranks, "incl_ns"), compensated = total_of(ranks, "incl_comp_ns");
    const wait = total_of(ranks, "wait_ns"), wait_comp = total_of(ranks, "wait_comp_ns");
    const longest = most_of(ranks, "incl_ns"), longest_comp = most_of(ranks, "incl_comp_ns");
    const change_ns = (rank) => Math.abs(rank.wait_comp_ns - rank.wait_ns);
    const changed = ranks.reduce((most, rank) => change_ns(rank) > change_ns(most) ? rank : most, ranks[0]);
    const share = (part, whole) => percent_text(percent_of(part, whole)) + " %";
    return panel("summary", "Summary", element("div", {class: "cards"},
        card("Longest rank", times_phrase(longest.incl_ns, longest_comp.incl_comp_ns),
            `as measured (rank ${longest.rank}), and without measuring (rank ${longest_comp.rank})`),
        card("Removed", time_phrase(measured - compensated),
            share(measured - compensated, measured) + " of the time of all ranks together"),
        card("Waiting in MPI", times_phrase(wait, wait_comp),
            `all ranks together: ${share(wait, measured)} of their time as measured, ` +
            `${share(wait_comp, compensated)} without measuring`),
        card("Largest change of waiting", `rank ${changed.rank}: ` +
            (change_phrase(changed.wait_ns, changed.wait_comp_ns) || "none"),
            times_phrase(changed.wait_ns, changed.wait_comp_ns))));
}

// ---- plots ----

function rank_label(rank) { return "rank " + rank; }

function below_comp(rank) { return rank.incl_comp_ns - rank.lo_ns; }
function above_comp(rank) { return rank.hi_ns - rank.incl_comp_ns; }
function has_bounds(rank) { return below_comp(rank) !== 0 || above_comp(rank) !== 0; }

// Where more is put in than is taken off, the measured time ends inside the compensated one.
function time_line(rank, unit) {
    const grows = rank.incl_ns < rank.incl_comp_ns;
    return {
        label: rank_label(rank.rank),
        value: time_text(rank.incl_comp_ns, unit) + " of " + time_text(rank.incl_ns, unit),
        note: `rank ${rank.rank}: measured ${time_phrase(rank.incl_ns)}, compensated ` +
            `${time_phrase(rank.incl_comp_ns)} (${time_phrase(rank.lo_ns)} to ${time_phrase(rank.hi_ns)}), removed ` +
            time_phrase(rank.removed_ns),
        bars: [[{class: "compensated", from: 0, to: rank.incl_comp_ns},
            {class: grows ? "added" : "removed", from: rank.incl_comp_ns, to: rank.incl_ns}]],
        whiskers: has_bounds(rank) ? [{bar: 0, from: rank.lo_ns, to: rank.hi_ns}] : [],
    };
}

function make_time_plot(ranks) {
    const unit = unit_for(largest(ranks.map((rank) => rank.incl_ns)));
    const longest = most_of(ranks, "incl_ns");
    return new Plot({
        id: "plot-time", title: "Time of each rank", unit, lines: ranks.map((rank) => time_line(rank, unit)),
        text: `Of ${count_phrase(ranks.length, "rank")}, rank ${longest.rank} ran longest: ` +
            `${time_phrase(longest.incl_ns)} as measured, of which ${time_phrase(longest.removed_ns)} are removed.`,
        legend: [["compensated", "compensated"], ["removed", "removed (the whole bar: measured)"],
            ["whisker", "bounds of the compensated time"]],
    });
}

// What the arrival of a message leaves open lies in the waiting, so the bounds of the time are those of the waiting.
function wait_line(rank, unit) {
    const lo = Math.max(0, rank.wait_comp_ns - below_comp(rank)), hi = rank.wait_comp_ns + above_comp(rank);
    return {
        label: rank_label(rank.rank),
        value: time_text(rank.wait_ns, unit) + " \u2192 " + time_text(rank.wait_comp_ns, unit),
        note: `rank ${rank.rank}: waiting ${time_phrase(rank.wait_ns)} as measured, ` +
            `${time_phrase(rank.wait_comp_ns)} compensated (${time_phrase(lo)} to ${time_phrase(hi)})`,
        bars: [[{class: "before", from: 0, to: rank.wait_ns}], [{class: "after", from: 0, to: rank.wait_comp_ns}]],
        whiskers: has_bounds(rank) ? [{bar: 1, from: lo, to: hi}] : [],
    };
}

function make_wait_plot(ranks) {
    const unit = unit_for(largest(ranks.flatMap((rank) => [rank.wait_ns, rank.wait_comp_ns])));
    const before = most_of(ranks, "wait_ns"), after = most_of(ranks, "wait_comp_ns");
    return new Plot({
        id: "plot-wait", title: "Waiting in MPI of each rank", unit,
        lines: ranks.map((rank) => wait_line(rank, unit)),
        text: `Rank ${before.rank} waited longest, ${time_phrase(before.wait_ns)}; without measuring it would have ` +
            `been rank ${after.rank}, ${time_phrase(after.wait_comp_ns)}.`,
        legend: [["before", "as measured"], ["after", "compensated"],
            ["whisker", "bounds of the compensated waiting"]],
    });
}

// ---- tables ----

// Times of a table have one unit, which stands in the headings. `values` are those of all rows, for the width.
function time_column(key, label, help, unit, value, values) {
    const least = values.reduce((a, b) => Math.min(a, b), 0);
    return {key, label, unit: unit.name, help, value, show: (row) => time_text(value(row), unit),
        widest: Math.max(time_text(largest(values), unit).length, time_text(least, unit).length)};
}

function count_column(key, label, help, value, values, unit = "") {
    return {key, label, unit, help, value, show: (row) => String(value(row)),
        widest: String(largest(values)).length};
}

function percent_column(key, label, help, value, text = percent_text) {
    const sortable = (row) => Number.isFinite(value(row)) ? value(row) : -Infinity;
    return {key, label, unit: "%", help, value: sortable, show: (row) => text(value(row)), widest: 7};
}

function make_ranks(ranks) {
    const unit = unit_for(largest(ranks.flatMap((rank) => [rank.incl_ns, rank.hi_ns])));
    const time = (key, label, help, value = (i) => ranks[i][key]) => time_column(key, label, help, unit, value,
        ranks.map((rank) => rank[key]));
    const grid = new Grid({
        id: "ranks-table", caption: "Ranks", sort: "rank", filter_label: "Filter",
        columns: [
            {key: "rank", label: "rank", is_text: true, widest: 12, value: (i) => ranks[i].rank,
                name: (i) => rank_label(ranks[i].rank)},
            time("incl_ns", "measured", "time in " + run.root),
            time("incl_comp_ns", "compensated", "the same without measuring"),
            time("removed_ns", "removed", "measured less compensated"),
            percent_column("removed_pct", "removed", "of the measured time",
                (i) => percent_of(ranks[i].removed_ns, ranks[i].incl_ns)),
            time("lo_ns", "comp-lo", "lower bound of the compensated time"),
            time("hi_ns", "comp-hi", "upper bound of the compensated time"),
            time("wait_ns", "wait", "blocked in MPI, as measured"),
            time("wait_comp_ns", "wait-comp", "blocked in MPI, without measuring"),
            percent_column("wait_change", "change", "of the waiting, by compensation",
                (i) => percent_of(ranks[i].wait_comp_ns - ranks[i].wait_ns, ranks[i].wait_ns), change_text),
            percent_column("share", "share-comp", "waiting of the compensated time",
                (i) => percent_of(ranks[i].wait_comp_ns, ranks[i].incl_comp_ns)),
            time("residue_ns", "residue", "what compensation could not place"),
        ],
    });
    grid.set_rows(ranks.map((rank, i) => i));
    return grid;
}

// key, label, help; labels are the keys of tare report --sort.
const region_times = [
    ["incl_ns", "incl", "time in the region and those called from it, as measured"],
    ["incl_comp_ns", "incl-comp", "incl without measuring"],
    ["excl_ns", "excl", "time in the region itself, as measured"],
    ["excl_comp_ns", "excl-comp", "excl without measuring"],
    ["wait_ns", "wait", "blocked in MPI inside the region, as measured"],
    ["wait_comp_ns", "wait-comp", "wait without measuring"],
    ["removed_ns", "removed", "incl less incl-comp"],
    ["lo_ns", "comp-lo", "lower bound of incl-comp"],
    ["hi_ns", "comp-hi", "upper bound of incl-comp"],
    ["residue_ns", "residue", "what compensation could not place"],
];

function sort_key_of(word) {
    const found = region_times.find(([, label]) => label === word);
    return found ? found[0] : word;
}

// A row is a region's number, or the figures of a region on a rank or thread with their `order`.
class Regions {
    constructor() {
        this.columns = sums;
        const unit = unit_for(Math.max(largest(sums.incl_ns), largest(sums.hi_ns)));
        const value = (key) => (row) => typeof row === "number" ? this.columns[key][row] : row[key];
        this.grid = new Grid({
            id: "regions-table", caption: "Regions", sort: sort_key_of(run.first.sort), filter_label: "Filter",
            columns: [
                {key: "region", label: "region", is_text: true,
                    value: (row) => typeof row === "number" ? run.regions[row] : row.order},
                count_column("calls", "calls", "how often the region was entered", value("calls"), sums.calls),
                ...region_times.map(([key, label, help]) => time_column(key, label, help, unit, value(key),
                    sums[key])),
            ],
        });
        this.grid.controls.prepend(...rank_choice("regions-rank", has_threads, (threads) => this.choose(threads)));
        this.choose(null);
    }

    // Threads' indices; null: all.
    choose(threads) {
        const rows = threads ? rows_of(threads) : null;
        this.columns = rows ? rows.columns : sums;
        this.grid.open.clear();
        this.grid.children = !threads && threads_by_rank.size > 1 ? (region) => this.on_ranks(region)
            : threads && threads.length > 1 ? (region) => this.on_threads(region, threads) : null;
        this.grid.set_rows(rows ? rows.regions : run.regions.map((name, i) => i));
    }

    on_ranks(region) {
        const parts = [...threads_by_rank].map(([rank, indices]) => [rank, rank_label(rank), indices]);
        return this.parts_of(region, parts);
    }

    on_threads(region, threads) {
        return this.parts_of(region, threads.map((index) =>
            [index, "thread " + run.threads[index][1], [index]]));
    }

    parts_of(region, parts) {
        return parts.map(([order, label, indices]) => ({label, row: figures_of(region, indices), order}))
            .filter((part) => part.row !== null)
            .map(({label, row, order}) => ({label, row: {...row, order}}));
    }
}

// A choice of all ranks, one, or one of its threads; calls on_change(indices of threads, or null).
function rank_choice(id, offers_threads, on_change) {
    const options = [["all ranks together", null]];
    for (const [rank, indices] of threads_by_rank) {
        options.push([rank_label(rank), indices]);
        if (offers_threads && indices.length > 1)
            indices.forEach((index) => options.push([`rank ${rank}, thread ${run.threads[index][1]}`, [index]]));
    }
    const select = element("select", {id}, ...options.map(([words], i) => element("option", {value: i}, words)));
    select.addEventListener("change", () => on_change(options[select.value][1]));
    return [element("label", {for: id}, "Show"), select];
}

function make_sites() {
    const member = (name) => { const i = site_members.indexOf(name); return (site) => run.sites[site][i]; };
    const all = (name) => run.sites.map((site) => site[site_members.indexOf(name)]);
    const count = (key, label, help, unit) => count_column(key, label, help, member(key), all(key), unit);
    const unit = unit_for(largest(all("time_ns"))), unit_of_one = unit_for(largest(all("max_ns")));
    const time = (key, label, help) => time_column(key, label, help, unit, member(key), all(key));
    const one = (key, label, help) => time_column(key, label, help, unit_of_one, member(key), all(key));
    const grid = new Grid({
        id: "sites-table", caption: "Call sites", sort: "time_ns", filter_label: "Filter",
        columns: [
            {key: "site", label: "site", is_text: true, help: "where the call returns to", value: member("site")},
            {key: "function", label: "function", is_text: true, widest: 20, value: member("function")},
            count("ranks", "ranks", "that call there"),
            count("calls", "calls", "of all ranks"),
            count("sent_bytes", "sent", "bytes sent", "B"),
            count("received_bytes", "received", "bytes received", "B"),
            one("min_ns", "min", "the shortest call, as measured"),
            one("mean_ns", "mean", "of the calls, as measured"),
            one("max_ns", "max", "the longest call, as measured"),
            time("time_ns", "time", "of all calls, as measured"),
            time("time_comp_ns", "comp", "of all calls, without measuring"),
            time("wait_ns", "wait", "blocked in MPI, as measured"),
            time("wait_comp_ns", "wait-comp", "blocked in MPI, without measuring"),
            percent_column("share_pct", "share", "of the time of all sites", member("share_pct")),
        ],
    });
    grid.set_rows(run.sites.map((site, i) => i));
    return grid;
}

// A bar as long as the value is of the most.
function bar_cell(value, most) {
    const bar = element("span", {class: "bar", "aria-hidden": "true"});
    bar.style.width = most > 0 ? 100 * Math.max(0, value) / most + "%" : "0";
    return element("td", {class: "bars"}, bar);
}

// ---- wait states ----

function state_row([name, meaning, wait_ns, wait_comp_ns, calls, max_comp_ns, max_rank], unit, most) {
    const figures = [time_text(wait_ns, unit), time_text(wait_comp_ns, unit), String(calls),
        time_text(max_comp_ns, unit), rank_label(max_rank)];
    return element("tr", {}, element("th", {scope: "row", class: "text", title: "waiting " + meaning}, name),
        ...figures.map((words) => element("td", {class: "number"}, words)), bar_cell(wait_comp_ns, most));
}

function make_states() {
    const unit = unit_for(largest(run.states.flatMap((state) => [state[2], state[3]])));
    const most = largest(run.states.map((state) => state[3]));
    const heading = (kind, words) => element("th", {scope: "col", class: kind}, words);
    const numbers = [`wait ${unit.name}`, `wait-comp ${unit.name}`, "calls", `most ${unit.name}`, "on"];
    const note = "All ranks together, by what the function that waits is for. Bars and most: without measuring. " +
        "tare report --states says where in the program, tare waits of a trace why.";
    return element("div", {}, element("p", {class: "note"}, note),
        element("table", {class: "messages", "aria-label": "Wait states"},
            element("thead", {}, element("tr", {}, heading("text", "wait state"),
                ...numbers.map((words) => heading("number", words)), element("td"))),
            element("tbody", {}, ...run.states.map((state) => state_row(state, unit, most)))));
}

// ---- tables of names, figures and a bar ----

function bar_row(names, figures, value, most) {
    const [first, ...others] = names;
    return element("tr", {}, element("th", {scope: "row", class: "text"}, first),
        ...others.map((words) => element("td", {class: "text"}, words)),
        ...figures.map((words) => element("td", {class: "number"}, words)), bar_cell(value, most));
}

function bar_table(id, label, names, figures, rows) {
    const heading = (kind) => (words) => element("th", {scope: "col", class: kind}, words);
    return element("div", {class: "plot-box"}, element("table", {id, class: "messages", "aria-label": label},
        element("thead", {}, element("tr", {}, ...names.map(heading("text")), ...figures.map(heading("number")), element("td"))),
        element("tbody", {}, ...rows)));
}

// ---- behind the first process that leaves ----

function completion_row([site, name, state, time_ns, time_comp_ns, calls, max_comp_ns, max_rank], unit, most) {
    const figures = [time_text(time_ns, unit), time_text(time_comp_ns, unit), String(calls), time_text(max_comp_ns, unit),
        rank_label(max_rank)];
    return bar_row([site, name, state], figures, time_comp_ns, most);
}

function make_completions() {
    const unit = unit_for(largest(run.completions.flatMap((line) => [line[3], line[4]])));
    const most = largest(run.completions.map((line) => line[4]));
    const unknown = run.completion_unknown > 0 ? ` Not known of ${count_phrase(run.completion_unknown, "more call")}.` : "";
    const hosts = run.completion_hosts > 1 ? " The first process of the own host counts, so the times are these at least." : "";
    const note = "No waiting: what barriers and operations from all to all take behind the first process that has left them, as " +
        "measured and, -comp, most and bars, without measuring." + unknown + hosts;
    return element("div", {}, element("p", {class: "note"}, note),
        bar_table("completion-table", "Behind the first process that leaves", ["call", "function", "completion"],
            [`time ${unit.name}`, `time-comp ${unit.name}`, "calls", `most ${unit.name}`, "on"],
            run.completions.map((line) => completion_row(line, unit, most))));
}

// ---- for whom ranks wait ----

function share_phrase(part, whole) { return whole > 0 ? (100 * part / whole).toFixed(2) : ""; }

function peer_row([rank, whom, name, state, calls, wait_ns, wait_comp_ns, ran_ns, ran_comp_ns], unit, most) {
    const figures = [String(calls), time_text(wait_ns, unit), time_text(wait_comp_ns, unit),
        share_phrase(wait_ns, ran_ns), share_phrase(wait_comp_ns, ran_comp_ns)];
    return bar_row([rank_label(rank), whom, name, state], figures, wait_comp_ns, most);
}

function make_peers() {
    const unit = unit_for(largest(run.peers.flatMap((line) => [line[5], line[6]])));
    const most = largest(run.peers.map((line) => line[6]));
    const more = run.peers_left_out > 0 ? ` ${count_phrase(run.peers_left_out, "more line")}: tare report --peers --limit=0.` : "";
    const note = "Calls that have waited, as measured and, -comp and bars, without measuring; shares of the rank's time. " +
        "several, all: no single process; (not known): it cannot be told." + more;
    return element("div", {}, element("p", {class: "note"}, note),
        bar_table("peers-table", "For whom ranks wait", ["rank", "waits for", "function", "wait state"],
            ["calls", `wait ${unit.name}`, `wait-comp ${unit.name}`, "share %", "share-comp %"],
            run.peers.map((line) => peer_row(line, unit, most))));
}

// ---- messages ----

function class_phrase(c) {
    if (c < 2)
        return size_text(c);
    return c === 2 ? "2 to 3 B" : `from ${size_text(2 ** (c - 1))} to below ${size_text(2 ** c)}`;
}

function sizes_of(ranks) {
    const sizes = new Map();
    for (const [rank, c, messages, bytes] of run.messages) {
        if (ranks && !ranks.has(rank))
            continue;
        const sum = sizes.get(c) || [0, 0];
        sizes.set(c, [sum[0] + messages, sum[1] + bytes]);
    }
    return [...sizes].sort((a, b) => a[0] - b[0]);
}

function message_row(c, messages, bytes, most) {
    return element("tr", {}, element("th", {scope: "row", class: "text"}, class_phrase(c)),
        element("td", {class: "number"}, String(messages)), element("td", {class: "number"}, String(bytes)),
        bar_cell(messages, most));
}

function make_messages() {
    const body = element("tbody"), total = element("p", {class: "status", role: "status"});
    const show = (threads) => {
        const sizes = sizes_of(threads && new Set(threads.map((index) => run.threads[index][0])));
        const most = largest(sizes.map(([, [messages]]) => messages));
        const sum = (i) => sizes.reduce((all, [, figures]) => all + figures[i], 0);
        body.replaceChildren(...sizes.map(([c, [messages, bytes]]) => message_row(c, messages, bytes, most)));
        total.textContent = count_phrase(sum(0), "message") + ", " + count_phrase(sum(1), "byte") +
            ". Messages sent from one process to another; not those of collective calls.";
    };
    const heading = (kind, words) => element("th", {scope: "col", class: kind}, words);
    const table = element("table", {class: "messages", "aria-label": "Messages by size"},
        element("thead", {}, element("tr", {}, heading("text", "size"), heading("number", "messages"),
            heading("number", "sum B"), element("td"))), body);
    show(null);
    const controls = element("div", {class: "controls"}, ...rank_choice("messages-rank", false, show));
    return element("div", {}, controls, table, total);
}

// ---- matrix ----

const widest_matrix = 64;

function rank_name(rank) { return rank < 0 ? "other jobs" : "rank " + rank; }

// The more bytes, the more of the colour.
function matrix_cell(pair, most) {
    if (!pair)
        return element("td");
    const [from, to, messages, bytes] = pair;
    const phrase = `${rank_name(from)} to ${rank_name(to)}: ${count_phrase(messages, "message")}, ` +
        count_phrase(bytes, "byte");
    const cell = element("td", {title: phrase}, size_text(bytes));
    cell.style.setProperty("--share", (most > 0 ? 10 + 60 * bytes / most : 10) + "%");
    return cell;
}

function make_grid_of_pairs() {
    const by_pair = new Map(run.sent.map((pair) => [pair[0] + " " + pair[1], pair]));
    const sorted = (i) => [...new Set(run.sent.map((pair) => pair[i]))].sort((a, b) => a - b);
    const senders = sorted(0), receivers = sorted(1), most = largest(run.sent.map((pair) => pair[3]));
    const heading = (scope, rank) => element("th", {scope}, rank < 0 ? "other" : String(rank));
    const rows = senders.map((from) => element("tr", {}, heading("row", from),
        ...receivers.map((to) => matrix_cell(by_pair.get(from + " " + to), most))));
    const head = element("tr", {}, element("th", {scope: "col"}, "from \\ to"),
        ...receivers.map((to) => heading("col", to)));
    return element("table", {class: "matrix", "aria-label": "Bytes from rank to rank"},
        element("thead", {}, head), element("tbody", {}, ...rows));
}

function make_list_of_pairs() {
    const pairs = [...run.sent].sort((a, b) => b[3] - a[3]).slice(0, 200);
    const heading = (words) => element("th", {scope: "col", class: "number"}, words);
    const row = ([from, to, messages, bytes]) => element("tr", {},
        ...[rank_name(from), rank_name(to), String(messages), String(bytes)]
            .map((words) => element("td", {class: "number"}, words)));
    return element("table", {class: "messages", "aria-label": "Bytes from rank to rank"},
        element("thead", {}, element("tr", {}, ...["from", "to", "messages", "sum B"].map(heading))),
        element("tbody", {}, ...pairs.map(row)));
}

function make_matrix() {
    const is_small = run.ranks <= widest_matrix;
    const note = "Messages sent from one process to another; not those of collective calls. " +
        (is_small ? "Rows send, columns receive." : "The 200 pairs with the most bytes; tare report --matrix has all.");
    return element("div", {}, element("p", {class: "note"}, note),
        element("div", {class: "plot-box"}, is_small ? make_grid_of_pairs() : make_list_of_pairs()));
}
