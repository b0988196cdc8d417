// SPDX-License-Identifier: BSD-3-Clause
// Puts the page together.

const legend = "Times: as measured; -comp: without measuring. wait: blocked in MPI.";

function regions_note() {
    const count = run.regions.length, all = run.regions_of_run;
    const part = count < all ? `${count} of the run's ${all} regions, those with the most ${run.first.sort}. ` : "";
    const opens = threads_by_rank.size > 1 ? " \u25b8 shows a region on each rank." : "";
    return element("p", {class: "note"}, part + legend + " removed: incl less incl-comp; comp-lo, comp-hi: bounds " +
        "of incl-comp; residue: not to be placed." + opens);
}

function show_first(regions) {
    const {rank, region} = run.first;
    const select = document.getElementById("regions-rank");
    const place = [...select.options].findIndex((option) => option.textContent === rank_label(rank));
    if (place > 0) {
        select.value = place;
        select.dispatchEvent(new Event("change"));
    }
    if (region)
        regions.grid.set_filter(region);
}

function fill_page() {
    const ranks = ranks_summary();
    const theme = new Theme();
    const plots = [make_time_plot(ranks), make_wait_plot(ranks)];
    const grids = {ranks: make_ranks(ranks), regions: new Regions()};
    const parts = [make_summary(ranks),
        panel("plots", "Ranks", element("div", {class: "plots"}, ...plots.map((plot) => plot.element)),
            element("h3", {}, "The same in figures"), grids.ranks.element),
        ...run.states.length > 0 ? [panel("states", "Wait states", make_states())] : [],
        panel("regions", "Regions", regions_note(), grids.regions.grid.element)];
    if (run.completions.length > 0)
        parts.splice(-1, 0, panel("completion", "Behind the first process that leaves", make_completions()));
    if (run.peers && run.peers.length > 0)
        parts.splice(-1, 0, panel("peers", "For whom ranks wait", make_peers()));
    if (run.sites) {
        grids.sites = make_sites();
        const note = "Where the program calls MPI, all ranks together. min, mean, max: of one call. " + legend;
        parts.push(panel("sites", "Call sites", element("p", {class: "note"}, note), grids.sites.element),
            panel("messages", "Messages", make_messages()));
    }
    if (run.sent.length > 0)
        parts.push(panel("matrix", "Who sent to whom", make_matrix()));
    document.getElementById("figures").append(...parts);
    document.getElementById("switches").append(theme.button);
    show_first(grids.regions);
    for (const part of [...plots, grids.ranks, grids.regions.grid, grids.sites])
        if (part)
            part.draw();
}

fill_page();
