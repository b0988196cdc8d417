// SPDX-License-Identifier: BSD-3-Clause
// `tare report --matrix`: who has sent how much to whom.
#include "command.hpp"
#include "json_rows.hpp"
#include "regions.hpp"
#include "report.hpp"
#include "table.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace tare::tool {
namespace {

using profile::sent_messages;

struct matrix_row {
    int from;
    sent_messages sent;
};

struct matrix_rows {
    std::vector<matrix_row> rows;    // the most bytes first
    std::size_t left_out = 0;
    std::int64_t messages = 0, bytes = 0;    // with those that are left out
};

matrix_rows select(const profile::run &run, const report_wish &wish) {
    matrix_rows all;
    for (const profile::thread &t : run.threads)
        for (const sent_messages &s : t.sent)
            if (!wish.rank || t.rank == *wish.rank) {
                all.rows.push_back({t.rank, s});
                all.messages += s.messages;
                all.bytes += s.bytes;
            }
    std::stable_sort(all.rows.begin(), all.rows.end(),
                     [](const matrix_row &a, const matrix_row &b) { return a.sent.bytes > b.sent.bytes; });
    const auto limit = static_cast<std::size_t>(wish.limit.value_or(wish.json ? 0 : default_limit));
    if (limit != 0 && all.rows.size() > limit) {
        all.left_out = all.rows.size() - limit;
        all.rows.resize(limit);
    }
    return all;
}

std::string receiver_text(int to) { return to == profile::elsewhere ? "other jobs" : std::to_string(to); }

std::string mean_text(const sent_messages &s) {
    char text[40];
    std::snprintf(text, sizeof text, "%.1f", static_cast<double>(s.bytes) / static_cast<double>(s.messages));
    return text;
}

void print_text(const matrix_rows &all) {
    table t({{"from"}, {"to"}, {"messages"}, {"bytes"}, {"mean", true, 1}, {"min", true, 2}, {"max", true, 2}});
    for (const auto &[from, s] : all.rows)
        t.add({std::to_string(from), receiver_text(s.to), std::to_string(s.messages), std::to_string(s.bytes),
               mean_text(s), std::to_string(s.least_bytes), std::to_string(s.most_bytes)});
    print_left_out_columns(t.print(look_at_stdout()));
    if (all.left_out > 0)
        std::printf("%s: --limit=0 shows all\n", count_text(all.left_out, "more pair").c_str());
    std::printf("\n%" PRId64 " messages, %" PRId64 " bytes. Messages sent from one process to another; not those of "
                "collective calls.\n", all.messages, all.bytes);
}

void print_json(const profile::run &run, const matrix_rows &all) {
    json_rows out("report", run.attribute(profile::key::mode), run.attribute(profile::key::rule));
    for (const auto &[from, s] : all.rows) {
        out.begin();
        out.number("rank", from);
        out.number("to", s.to == profile::elsewhere ? std::nullopt : std::optional<std::int64_t>(s.to));
        out.number("messages", s.messages);
        out.number("bytes", s.bytes);
        out.number("min_bytes", s.least_bytes);
        out.number("max_bytes", s.most_bytes);
        out.end();
    }
    out.finish();
}

}  // namespace

int report_matrix(const profile::run &run, const report_wish &wish) {
    const matrix_rows all = select(run, wish);
    if (all.rows.empty())
        return fail("report", exit_failed,
                    (wish.rank ? "rank " + std::to_string(*wish.rank) + " of the run in " : "the run in ") +
                        wish.directory + " has sent no messages that were measured");
    if (wish.json) {
        print_json(run, all);
        return exit_good;
    }
    print_head(run, wish.directory);
    std::puts("");
    print_text(all);
    return exit_good;
}

}  // namespace tare::tool
