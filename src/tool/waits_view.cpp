// SPDX-License-Identifier: BSD-3-Clause
#include "waits.hpp"

#include "bounded_sum.hpp"
#include "command.hpp"
#include "regions.hpp"
#include "units.hpp"

#include <algorithm>
#include <map>

namespace tare::tool {
namespace {

using waits::nature;
using waits::step_table;

class view_maker {
  public:
    view_maker(const tare_archive_t &archive, const waits::result &found) : archive_(archive), found_(found) {
        for (const waits::step &s : found.steps)
            places_.push_back(s.site < archive.text_count ? lines_.find(archive.texts[s.site]) : source_place{});
    }

    void fill(waits_view &view) const {
        std::map<std::uint32_t, waits::explanation> all;
        for (const auto &[where, sum] : found_.waits) {
            view.waits.push_back({step_text(where.first), places_[where.first], waits::states[where.second].name, sum.waits, sum.waiting_ns,
                                  causes_of(sum.causes)});
            for (const auto &[step, e] : sum.causes) {
                add_up(all[step].explained_ns, e.explained_ns);
                add_up(all[step].would_go_ns, e.would_go_ns);
                all[step].more.add(e.more);
            }
        }
        view.causes = causes_of(all);
        std::stable_sort(view.waits.begin(), view.waits.end(),
                         [](const wait_row &a, const wait_row &b) { return a.waiting_ns > b.waiting_ns; });
        fill_completions(view);
        fill_gaps(view);
        fill_ranks(view);
    }

  private:
    std::string region_text(std::uint32_t region) const {
        return region < archive_.region_count ? archive_.regions[region] : "(outside of regions)";
    }

    // The step of a wait is that of its call: what else the call takes is another.
    std::string step_text(std::uint32_t number) const {
        const waits::step &s = found_.steps[number];
        if (s.what == nature::start)
            return "(before the end of MPI_Init)";
        if (s.what == nature::clock)
            return "(clocks that differ)";
        if (s.what == nature::begin)
            return "(beginning of a thread)";
        if (s.what == nature::work)
            return region_text(s.region);
        const std::string text = region_text(s.region) + " > " + region_text(s.call);
        return s.what == nature::unknown ? text + " (not known)" : text;
    }

    std::vector<cause_row> causes_of(const std::map<std::uint32_t, waits::explanation> &causes) const {
        std::vector<cause_row> rows;
        for (const auto &[step, e] : causes) {
            if (e.explained_ns == 0 && e.would_go_ns == 0)
                continue;
            cause_row row = {step_text(step), places_[step], e.explained_ns, e.would_go_ns, std::nullopt, 0, 0, std::nullopt};
            if (found_.counters != 0 && found_.steps[step].what == nature::work)
                row.more = e.more;
            if (step != step_table::start && step != step_table::clock)
                find_most(row, step);
            rows.push_back(std::move(row));
        }
        std::stable_sort(rows.begin(), rows.end(),
                         [](const cause_row &a, const cause_row &b) { return a.explained_ns > b.explained_ns; });
        return rows;
    }

    void find_most(cause_row &row, std::uint32_t step) const {
        std::int64_t sum = 0, processes = 0;
        for (std::size_t i = 0; i < found_.processes.size(); ++i) {
            if (found_.processes[i].threads == 0)
                continue;
            const std::int64_t ns = found_.processes[i].own[step];
            add_up(sum, ns);
            ++processes;
            if (!row.most_rank || ns > row.most_ns) {
                row.most_rank = archive_.processes[i].rank;
                row.most_ns = ns;
            }
        }
        row.mean_ns = processes == 0 ? 0 : sum / processes;
    }

    void fill_completions(waits_view &view) const {
        for (const auto &[where, sum] : found_.completions)
            if (const waits::completion_words *words = waits::completion_behind(where.second))
                view.completions.push_back(
                    {step_text(where.first), places_[where.first], words->name, words->metric, sum.calls, sum.ns});
        std::stable_sort(view.completions.begin(), view.completions.end(),
                         [](const completion_row &a, const completion_row &b) { return a.ns > b.ns; });
    }

    void fill_gaps(waits_view &view) const {
        static const char *const reasons[waits::gap_count] = {
            "the trace has no other end of their messages",
            "the trace does not tell who the operation waits for, or not of all of its ranks",
            "the trace has no event of what they wait for",
            "the trace does not tell for which thread (TARE_TRACE_RECORDS=threads does, but where tasks of OpenMP run)"};
        for (const auto &[which, sum] : found_.gaps) {
            view.gaps.push_back({region_text(which.second), reasons[which.first], sum.calls, sum.ns});
            add_up(view.unknown_ns, sum.ns);
        }
        std::stable_sort(view.gaps.begin(), view.gaps.end(),
                         [](const gap_row &a, const gap_row &b) { return a.ns > b.ns; });
    }

    void fill_ranks(waits_view &view) const {
        for (std::size_t i = 0; i < found_.processes.size(); ++i) {
            const waits::process_sum &p = found_.processes[i];
            const std::uint32_t rank = archive_.processes[i].rank;
            if (p.threads == 0)
                view.silent_ranks.push_back(rank);
            else
                view.ranks.push_back({rank, p.waiting_ns, p.own.sum()});
        }
    }

    const tare_archive_t &archive_;
    const waits::result &found_;
    source_lines lines_;
    std::vector<source_place> places_;         // by step
};

}  // namespace

std::string step_at(const std::string &step, const source_place &place) {
    const std::string where = place.text();
    return where.empty() ? step : step + " at " + where;
}

waits_view view_of(const tare_archive_t &archive, const waits::result &found, const std::string &clock) {
    waits_view view;
    view.file = archive.file;
    view.clock = clock;
    view.total_ns = found.total_ns;
    view.waiting_ns = found.waiting_ns;
    view.calls = found.calls;
    view.outside = found.outside;
    view.before_send = found.before_send;
    view.given_up = found.given_up;
    view.most_queued = found.most_queued;
    view.counters = found.counters;
    view_maker(archive, found).fill(view);
    return view;
}

std::vector<counted_column> counted_columns(const waits_view &view) {
    const auto bit = [](tare_trace_counter counter) { return std::uint32_t{1} << counter; };
    const counted_column all[] = {
        {"off core", "off_core_ns", bit(TARE_COUNTER_CORE_NS), true, [](const cause_row &c) { return c.more->off_core_ns; }},
        {"stalled", "stalled_ns", bit(TARE_COUNTER_CORE_NS) | bit(TARE_COUNTER_CYCLES) | bit(TARE_COUNTER_STALLED), true,
         [](const cause_row &c) { return c.more->stalled_ns; }},
        {"computing", "computing_ns", bit(TARE_COUNTER_CORE_NS), true,
         [](const cause_row &c) { return minus(minus(c.explained_ns, c.more->off_core_ns), c.more->stalled_ns); }},
        {"page faults", "page_faults", bit(TARE_COUNTER_FAULTS), false, [](const cause_row &c) { return c.more->faults; }},
        {"cache misses", "cache_misses", bit(TARE_COUNTER_MISSES), false, [](const cause_row &c) { return c.more->misses; }},
        {"remote reads", "remote_reads", bit(TARE_COUNTER_REMOTE), false, [](const cause_row &c) { return c.more->remote; }},
        {"first touched", "first_touched_pages", bit(TARE_COUNTER_TOUCHED), false,
         [](const cause_row &c) { return c.more->touched_pages; }},
        {"migrated pages", "migrated_pages", bit(TARE_COUNTER_MIGRATED), false,
         [](const cause_row &c) { return c.more->migrated_pages; }},
        {"remote pages", "remote_pages", bit(TARE_COUNTER_FAR), false, [](const cause_row &c) { return c.more->remote_pages; }},
        {"instructions", "instructions", bit(TARE_COUNTER_INSTRUCTIONS), false,
         [](const cause_row &c) { return c.more->instructions; }}};
    std::vector<counted_column> told;
    for (const counted_column &column : all)
        if ((view.counters & column.needs) == column.needs)
            told.push_back(column);
    return told;
}

namespace {

// Where a trace has counters: those that it has not got. Without them what a core did is all computing.
std::vector<std::string> not_counted(const waits_view &view) {
    std::vector<std::string> names;
    for (const auto &[counter, name] : {std::pair(TARE_COUNTER_STALLED, "stalls"), {TARE_COUNTER_INSTRUCTIONS, "instructions"},
                                        {TARE_COUNTER_MISSES, "cache misses"}, {TARE_COUNTER_REMOTE, "remote reads"}})
        if ((view.counters >> TARE_COUNTER_CORE_NS & 1) != 0 && (view.counters >> counter & 1) == 0)
            names.emplace_back(name);
    return names;
}

}  // namespace

std::vector<std::string> waits_notes(const waits_view &view) {
    std::vector<std::string> notes;
    const time_unit unit = unit_for(view.total_ns);
    if (view.calls == 0)
        notes.push_back("The trace has no region of a call that may wait: nobody knows when a wait began.");
    else if (view.outside > 0)
        notes.push_back(count_text(view.outside, "event") + " of messages and collective operations are in no call of MPI.");
    for (const gap_row &gap : view.gaps)
        notes.push_back("Not known: " + time_text(gap.ns, unit) + " " + unit.name + " in " +
                        count_text(gap.calls, "call") + " of " + gap.call + ": " + gap.reason + ".");
    if (const std::vector<std::string> names = not_counted(view); !names.empty())
        notes.push_back("Not known: " + joined(names) + ": the machine did not count them, or not for this user.");
    std::vector<int> silent(view.silent_ranks.begin(), view.silent_ranks.end());
    std::sort(silent.begin(), silent.end());
    if (!silent.empty())
        notes.push_back(sentence_of(silent, "has", "have") + " left no event in the trace.");
    if (view.before_send > 0)
        notes.push_back(count_text(view.before_send, "wait") +
                        " ended before the one waited for had come, by the clocks: those of two processes differ.");
    if (view.given_up > 0)
        notes.push_back(count_text(view.given_up, "call") + " waited for what came too late in the trace, or not at all.");
    return notes;
}

}  // namespace tare::tool
