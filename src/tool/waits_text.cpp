// SPDX-License-Identifier: BSD-3-Clause
// What `tare waits` prints.
#include "waits.hpp"

#include "json_envelope.hpp"
#include "regions.hpp"
#include "table.hpp"
#include "units.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace tare::tool {
namespace {

std::string heading(const char *what, const time_unit &unit) { return std::string(what) + " [" + unit.name + "]"; }

class waits_text {
  public:
    waits_text(const waits_view &view, const analysis_wish &wish)
        : view_(view), unit_(unit_for(view.waiting_ns)), limit_(wish.limit.value_or(default_limit)) {}

    void print() const {
        print_head();
        if (!view_.waits.empty()) {
            print_waits();
            if (view_.waits.size() > 1)
                print_causes("all waits", view_.causes, view_.waiting_ns);
            for (std::size_t i = 0; i < shown_of(view_.waits.size(), limit_); ++i)
                print_causes(step_at(view_.waits[i].step, view_.waits[i].place) + ", " + view_.waits[i].state,
                             view_.waits[i].causes, view_.waits[i].waiting_ns);
            print_legend();
        }
        if (!view_.completions.empty())
            print_completions();
        for (const std::string &note : waits_notes(view_))
            std::printf("%s\n", printable(note).c_str());
    }

  private:
    void print_head() const {
        const time_unit unit = unit_for(view_.total_ns);
        std::printf("%s of %s %s of %s (%s %%) are waiting%s.\n\n", time_text(view_.waiting_ns, unit).c_str(),
                    time_text(view_.total_ns, unit).c_str(), unit.name, count_text(view_.ranks.size(), "rank").c_str(),
                    share_text(percent_of(view_.waiting_ns, view_.total_ns)).c_str(),
                    view_.clock.empty() ? "" : (", on the " + view_.clock + " clock").c_str());
    }

    void print_left_out(std::size_t rows, std::size_t shown, const char *what) const {
        if (shown < rows)
            std::printf("%s: --limit=0 shows all\n", count_text(rows - shown, what).c_str());
    }

    void print_waits() const {
        table t({{"wait", false, 0, true}, {"state", false, 1}, {"waits", true, 2}, {heading("time", unit_)}, {"%"}});
        const std::size_t shown = shown_of(view_.waits.size(), limit_);
        for (std::size_t i = 0; i < shown; ++i) {
            const wait_row &w = view_.waits[i];
            t.add({step_at(w.step, w.place), w.state, std::to_string(w.waits), time_text(w.waiting_ns, unit_),
                   share_text(percent_of(w.waiting_ns, view_.waiting_ns))});
        }
        print_left_out_columns(t.print(look_at_stdout()));
        print_left_out(view_.waits.size(), shown, "more wait");
    }

    void print_causes(const std::string &of, const std::vector<cause_row> &causes, std::int64_t waiting_ns) const {
        std::printf("\n%s:\n", printable(of).c_str());
        std::vector<column> columns = {{"cause", false, 0, true}, {heading("explains", unit_)}, {"%"}, {"would go [%]", true, 1},
                 {"most on rank", true, 2}, {heading("there", unit_), true, 3}, {heading("mean", unit_), true, 3}};
        const std::vector<counted_column> counted = counted_columns(view_);
        for (const counted_column &c : counted)
            columns.push_back({c.is_time ? heading(c.heading, unit_) : c.heading, true, 4});
        table t(columns);
        const std::vector<cause_row> large = without_small(causes, waiting_ns);
        const std::size_t shown = shown_of(large.size(), limit_);
        for (std::size_t i = 0; i < shown; ++i) {
            const cause_row &c = large[i];
            std::vector<std::string> cells = {
                step_at(c.step, c.place), time_text(c.explained_ns, unit_), share_text(percent_of(c.explained_ns, waiting_ns)),
                share_text(percent_of(c.would_go_ns, waiting_ns)), c.most_rank ? std::to_string(*c.most_rank) : "",
                c.most_rank ? time_text(c.most_ns, unit_) : "", c.most_rank ? time_text(c.mean_ns, unit_) : ""};
            for (const counted_column &more : counted)
                cells.push_back(!c.more ? "" : more.is_time ? time_text(more.of(c), unit_) : std::to_string(more.of(c)));
            t.add(cells);
        }
        print_left_out_columns(t.print(look_at_stdout()));
        print_left_out(causes.size(), shown, "more cause");
    }

    void print_completions() const {
        const time_unit unit = unit_for(view_.completions.front().ns);
        std::printf("\nNo waiting, but behind the first one that has left the same operation:\n");
        table t({{"call", false, 0, true}, {"state", false, 1}, {"calls", true, 2}, {heading("time", unit)}});
        const std::size_t shown = shown_of(view_.completions.size(), limit_);
        for (std::size_t i = 0; i < shown; ++i) {
            const completion_row &c = view_.completions[i];
            t.add({step_at(c.step, c.place), c.state, std::to_string(c.calls), time_text(c.ns, unit)});
        }
        print_left_out_columns(t.print(look_at_stdout()));
        print_left_out(view_.completions.size(), shown, "more call");
    }

    // Those of 0.00 % are shown where all are asked for.
    std::vector<cause_row> without_small(const std::vector<cause_row> &causes, std::int64_t waiting_ns) const {
        std::vector<cause_row> large;
        constexpr std::int64_t parts = 20000;
        for (const cause_row &c : causes)
            if (limit_ == 0 || std::max(std::abs(c.explained_ns), std::abs(c.would_go_ns)) >= waiting_ns / parts)
                large.push_back(c);
        return large;
    }

    void print_legend() const {
        std::printf("\nA cause explains by how much longer the one waited for was in it than the one that waited, each over all\n"
                    "who were waited for on the way; together that is the waiting. \"Would go\": if both took the same time.\n");
        if (view_.counters >> TARE_COUNTER_CORE_NS & 1)
            std::printf("Off core, stalled and computing are what the explained time was; counts are how many more there were.\n");
        if (view_.counters >> TARE_COUNTER_TOUCHED & 1)
            std::printf("Pages are of what the step uses by tare_uses: new there, come from another node, or on another node\n"
                        "than who used them.\n");
    }

    const waits_view &view_;
    const time_unit unit_;
    const int limit_;
};

void add_place(json &row, const source_place &place) {
    if (place.site.empty())
        return;
    row["call_site"] = place.site;
    row["source"] = place.line > 0 ? json(place.file + ":" + std::to_string(place.line)) : json();
}

json causes_json(const waits_view &view, const std::vector<cause_row> &causes) {
    const std::vector<counted_column> counted = counted_columns(view);
    json rows = json::array();
    for (const cause_row &c : causes) {
        json row = {{"step", c.step}, {"explained_ns", c.explained_ns}, {"would_go_ns", c.would_go_ns}};
        row["most_rank"] = c.most_rank ? json(*c.most_rank) : json();
        row["most_ns"] = c.most_ns;
        row["mean_ns"] = c.mean_ns;
        if (!counted.empty())
            row["more"] = json();
        for (const counted_column &more : counted)
            if (c.more)
                row["more"][more.member] = more.of(c);
        add_place(row, c.place);
        rows.push_back(std::move(row));
    }
    return rows;
}

json completions_json(const std::vector<completion_row> &completions) {
    json rows = json::array();
    for (const completion_row &c : completions) {
        rows.push_back({{"call", c.step}, {"state", c.state}, {"metric", c.metric}, {"calls", c.calls}, {"ns", c.ns}});
        add_place(rows.back(), c.place);
    }
    return rows;
}

json gaps_json(const std::vector<gap_row> &gaps) {
    json rows = json::array();
    for (const gap_row &g : gaps)
        rows.push_back({{"call", g.call}, {"reason", g.reason}, {"calls", g.calls}, {"ns", g.ns}});
    return rows;
}

}  // namespace

void print_waits_text(const waits_view &view, const analysis_wish &wish) { waits_text(view, wish).print(); }

void print_waits_json(const waits_view &view) {
    json rows = json::array(), ranks = json::array();
    for (const wait_row &w : view.waits) {
        rows.push_back({{"wait", w.step},
                        {"state", w.state},
                        {"waits", w.waits},
                        {"waiting_ns", w.waiting_ns},
                        {"causes", causes_json(view, w.causes)}});
        add_place(rows.back(), w.place);
    }
    for (const rank_waits &r : view.ranks)
        ranks.push_back({{"rank", r.rank}, {"waiting_ns", r.waiting_ns}, {"own_ns", r.own_ns}});
    const json more = {{"clock", view.clock},
                       {"total_ns", view.total_ns},
                       {"waiting_ns", view.waiting_ns},
                       {"unknown_ns", view.unknown_ns},
                       {"calls", view.calls},
                       {"outside", view.outside},
                       {"before_send", view.before_send},
                       {"given_up", view.given_up},
                       {"most_in_memory", view.most_queued},
                       {"causes", causes_json(view, view.causes)},
                       {"completion", completions_json(view.completions)},
                       {"not_known", gaps_json(view.gaps)},
                       {"ranks", std::move(ranks)},
                       {"silent_ranks", view.silent_ranks}};
    std::printf("%s\n", envelope("waits", "", "", std::move(rows), more).c_str());
}

}  // namespace tare::tool
