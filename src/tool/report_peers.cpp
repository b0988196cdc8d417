// SPDX-License-Identifier: BSD-3-Clause
#include "report_peers.hpp"

#include "command.hpp"
#include "figures.hpp"
#include "json_rows.hpp"
#include "regions.hpp"
#include "report_calls.hpp"
#include "states.hpp"
#include "table.hpp"
#include "units.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

namespace tare::tool {
namespace {

using profile::waiting;

// What each rank ran, as measured and compensated.
std::map<int, std::pair<std::int64_t, std::int64_t>> times_of_ranks(const profile::run &run) {
    std::map<int, std::pair<std::int64_t, std::int64_t>> times;
    for (const profile::thread &t : run.threads)
        for (const profile::row &r : t.rows)
            if (r.region == profile::root_region) {
                auto &[ran_ns, ran_comp_ns] = times[t.rank];
                ran_ns = plus(ran_ns, r.incl_ns);
                ran_comp_ns = plus(ran_comp_ns, r.incl_comp_ns);
            }
    return times;
}

std::int64_t value_of(const waiting &w, const std::string &key) {
    if (key == "wait")
        return w.wait_ns;
    if (key == "wait-comp")
        return w.wait_comp_ns;
    return key == "calls" ? w.calls : 0;
}

void print_table(const peer_lines &all) {
    const time_unit u = unit_for(std::max(all.wait_ns, all.wait_comp_ns));
    table t({{"rank"}, {"waits for", false}, {"function", false, 0, true}, {"wait state", false, 3},
             {"calls", true, 2}, {"wait"}, {"wait-comp"}, {"share %", true, 4}, {"share-comp %", true, 4}});
    for (const peer_line &l : all.lines) {
        const waiting &w = l.waited;
        t.add({std::to_string(l.rank), whom_shown(w), printable(w.function), state_of(w), std::to_string(w.calls),
               time_text(w.wait_ns, u), time_text(w.wait_comp_ns, u), share_text(percent_of(w.wait_ns, l.ran_ns)),
               share_text(percent_of(w.wait_comp_ns, l.ran_comp_ns))});
    }
    const std::vector<std::string> left_out = t.print(look_at_stdout());
    if (all.left_out > 0)
        std::printf("%s: --limit=0 shows all, --rank=N one rank\n", count_text(all.left_out, "more line").c_str());
    std::printf("\nAll together: %s %s waiting, %s without measuring.\n"
                "Times in %s. wait: blocked, as measured; -comp: without measuring; calls: that have waited;\n"
                "share: of the rank's time in %s. several, all: no single process; (not known): it cannot be told.\n",
                time_text(all.wait_ns, u).c_str(), u.name, time_text(all.wait_comp_ns, u).c_str(), u.name,
                profile::root_region);
    print_left_out_columns(left_out);
}

void print_text(const profile::run &run, const report_wish &wish, const peer_lines &all) {
    print_head(run, wish.directory);
    if (all.lines.empty()) {
        const std::string where = wish.region.empty() ? "" : " in " + printable(wish.region);
        std::printf("\nNo call of MPI has waited%s.\n", where.c_str());
        return;
    }
    std::puts("");
    print_table(all);
}

void print_json(const profile::run &run, const peer_lines &all) {
    json_rows out("report", run.attribute(profile::key::mode), run.attribute(profile::key::rule));
    for (const peer_line &l : all.lines) {
        const waiting &w = l.waited;
        out.begin();
        out.number("rank", l.rank);
        out.number("peer", w.whom < 0 ? std::nullopt : std::optional<std::int64_t>(w.whom));
        out.text("waits_for", w.whom < 0 ? profile::whom_text(w.whom) : "rank");
        out.text("function", w.function);
        out.text("state", state_of(w));
        out.number("calls", w.calls);
        out.number("wait_ns", w.wait_ns);
        out.number("wait_comp_ns", w.wait_comp_ns);
        out.real("share_pct", percent_of(w.wait_ns, l.ran_ns));
        out.real("share_comp_pct", percent_of(w.wait_comp_ns, l.ran_comp_ns));
        out.end();
    }
    out.finish();
}

// Of ranks that have left no table nothing is known; a version of Tare that did not note it has left too little.
std::vector<profile::rank_calls> tables_of(const profile::run &run, const std::string &directory) {
    std::vector<profile::rank_calls> calls = calls_of(run, directory);
    if (calls.empty())
        throw profile::error("the run in " + directory + " has left no table of its MPI calls: no file tare-calls.0");
    for (const profile::rank_calls &c : calls)
        if (!c.knows_waits)
            throw profile::error(directory + "/tare-calls." + std::to_string(c.rank) + " is an older version's, which "
                                 "did not note for whom the calls have waited");
    if (const std::string absent = absent_calls_sentence(run, calls); !absent.empty())
        fail("report", exit_good, absent);
    return calls;
}

}  // namespace

const char *state_of(const profile::waiting &w) {
    return waits::states[waits::state_in_order(waits::state_of(w.function), w.order)].name;
}

std::string whom_shown(const profile::waiting &w) {
    switch (w.whom) {
    case profile::elsewhere: return "another job";
    case profile::several: return "several";
    case profile::all_others: return "all";
    case profile::unknown: return "(not known)";
    default: return "rank " + std::to_string(w.whom);
    }
}

peer_lines select_peers(const profile::run &run, const std::vector<profile::rank_calls> &calls,
                        const report_wish &wish) {
    auto times = times_of_ranks(run);
    peer_lines result;
    for (const profile::rank_calls &c : calls)
        for (const waiting &w : c.waits) {
            const bool is_wished = wish.region.empty() || is_named(w.function, wish.region);
            if (!is_wished || c.rank != wish.rank.value_or(c.rank))
                continue;
            const auto &[ran_ns, ran_comp_ns] = times[c.rank];
            result.lines.push_back({c.rank, w, ran_ns, ran_comp_ns});
            result.wait_ns = plus(result.wait_ns, w.wait_ns);
            result.wait_comp_ns = plus(result.wait_comp_ns, w.wait_comp_ns);
        }
    std::stable_sort(result.lines.begin(), result.lines.end(), [&](const peer_line &a, const peer_line &b) {
        return value_of(a.waited, *wish.sort) > value_of(b.waited, *wish.sort);
    });
    const std::size_t shown = shown_of(result.lines.size(), *wish.limit);
    result.left_out = result.lines.size() - shown;
    result.lines.resize(shown);
    return result;
}

int report_peers(const profile::run &run, const report_wish &wish) {
    const peer_lines all = select_peers(run, tables_of(run, wish.directory), wish);
    if (wish.json)
        print_json(run, all);
    else
        print_text(run, wish, all);
    return exit_good;
}

}  // namespace tare::tool
