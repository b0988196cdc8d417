// SPDX-License-Identifier: BSD-3-Clause
// The result of `tare trace match`, for people and for programs.
#include "trace_match.hpp"

#include "json_envelope.hpp"
#include "regions.hpp"
#include "table.hpp"
#include "units.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace tare::tool {
namespace {

using match::difference;
using match::match_result;
using match::tally;

std::string number(std::uint64_t n) { return std::to_string(n); }

int truth_of(const match_result &result) { return result.knows_truth() ? match::method_sequence : match::method_fifo; }

std::string share(const difference &d) {
    return share_text(percent_of(static_cast<std::int64_t>(d.wrong), static_cast<std::int64_t>(d.compared)));
}

void print_methods(const match_result &result) {
    table t({{"method", false}, {"pairs"}, {"sends left"}, {"receives left"}, {"wrong"}, {"%"}, {"sender's thread"},
             {"receiver's thread"}});
    for (int m = 0; m < match::method_count; ++m) {
        const tally &found = result.methods[m];
        if (m == match::method_sequence && !result.knows_truth())
            continue;
        std::vector<std::string> row = {match::method_names[m], number(found.pairs), number(found.sends_left),
                                        number(found.receives_left)};
        const difference &d = result.difference_of(m);
        if (m == truth_of(result))
            row.insert(row.end(), 4, "");
        else
            row.insert(row.end(), {number(d.wrong), share(d),
                                   m == match::method_forward ? "" : number(d.wrong_sender_thread),
                                   m == match::method_backward ? "" : number(d.wrong_receiver_thread)});
        t.add(std::move(row));
    }
    print_left_out_columns(t.print(look_at_stdout()));
}

void print_if(std::uint64_t count, const char *what) {
    if (count > 0)
        std::printf("%s\n", (number(count) + what).c_str());
}

std::string of_truth(const match_result &result) {
    if (!result.knows_truth())
        return "No message says who sent it (attribute sequence): wrong is what differs from fifo.";
    const std::uint64_t silent = result.sends + result.receives - result.with_sequence;
    return "Wrong is what differs from sequence" +
           (silent == 0 ? std::string(".") : ", which " + number(silent) + " sends and receives do not have.");
}

void print_notes(const match_result &result) {
    std::printf("\n%" PRIu64 " sends, %" PRIu64 " receives. %s\n", result.sends, result.receives,
                of_truth(result).c_str());
    print_if(result.cancelled_sends, " sends were cancelled.");
    print_if(result.cancelled_receives, " receives were cancelled.");
    print_if(result.never_completed, " receives were posted and had not completed at the end.");
    print_if(result.truth().cut, " messages were longer than what was received of them.");
    if (result.truth().before_send > 0)
        std::printf("%" PRIu64 " messages were received before they were sent, by the clocks: by up to %" PRIu64
                    " ns.\n", result.truth().before_send, result.truth().most_before_ns);
    print_if(result.of_unknown_process,
             " sends and receives are left out: the trace does not say which process is their peer.");
    print_if(result.repeated, " sends and receives have a sequence that another one has: it was not believed.");
    print_if(result.passed_over, " receives were open for so long that fifo went on without them.");
}

using thread_row = std::pair<match::thread_pair, std::array<std::uint64_t, match::method_count>>;

// The most messages first.
std::vector<thread_row> rows_of(const match_result &result) {
    std::vector<thread_row> rows(result.threads.begin(), result.threads.end());
    const int truth = truth_of(result);
    std::stable_sort(rows.begin(), rows.end(),
                     [truth](const thread_row &a, const thread_row &b) { return a.second[truth] > b.second[truth]; });
    return rows;
}

void print_threads(const tare_archive_t &archive, const match_result &result, const match_wish &wish) {
    std::vector<column> columns = {{"from"}, {"to"}};
    for (const char *name : match::method_names)
        columns.push_back({name});
    table t(columns);
    const std::vector<thread_row> rows = rows_of(result);
    const auto limit = static_cast<std::size_t>(wish.limit.value_or(default_limit));
    const std::size_t shown = limit == 0 ? rows.size() : std::min(limit, rows.size());
    for (std::size_t i = 0; i < shown; ++i) {
        const auto &[ends, counts] = rows[i];
        std::vector<std::string> cells = {place_text(archive, ends.first), place_text(archive, ends.second)};
        for (const std::uint64_t count : counts)
            cells.push_back(number(count));
        t.add(std::move(cells));
    }
    std::printf("\n");
    print_left_out_columns(t.print(look_at_stdout()));
    if (shown < rows.size())
        std::printf("%s: --limit=0 shows all\n", count_text(rows.size() - shown, "more pair").c_str());
    std::printf("\nMessages from a thread to a thread, RANK.THREAD, as each method has paired them.\n");
}

json threads_json(const tare_archive_t &archive, const match_result &result) {
    json rows = json::array();
    for (const auto &[ends, counts] : rows_of(result)) {
        const tare_archive_location_t &from = archive.locations[ends.first], &to = archive.locations[ends.second];
        json row = {{"from_rank", archive.processes[from.process].rank},
                    {"from_thread", from.thread},
                    {"to_rank", archive.processes[to.process].rank},
                    {"to_thread", to.thread}};
        for (int m = 0; m < match::method_count; ++m)
            row[match::method_names[m]] = counts[m];
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace

void print_match_text(const tare_archive_t &archive, const match_result &result, const match_wish &wish) {
    print_methods(result);
    print_notes(result);
    if (wish.threads)
        print_threads(archive, result, wish);
}

void print_match_json(const tare_archive_t &archive, const match_result &result) {
    json rows = json::array();
    for (int m = 0; m < match::method_count; ++m) {
        const tally &found = result.methods[m];
        const difference &d = result.difference_of(m);
        rows.push_back({{"method", match::method_names[m]},
                        {"pairs", found.pairs},
                        {"sends_left", found.sends_left},
                        {"receives_left", found.receives_left},
                        {"compared", d.compared},
                        {"wrong", d.wrong},
                        {"wrong_sender_thread", d.wrong_sender_thread},
                        {"wrong_receiver_thread", d.wrong_receiver_thread}});
    }
    json more = {{"clock", archive.clock},
                 {"compared_with", match::method_names[truth_of(result)]},
                 {"sends", result.sends},
                 {"receives", result.receives},
                 {"with_sequence", result.with_sequence},
                 {"cancelled_sends", result.cancelled_sends},
                 {"cancelled_receives", result.cancelled_receives},
                 {"never_completed", result.never_completed},
                 {"cut", result.truth().cut},
                 {"before_send", result.truth().before_send},
                 {"most_before_send_ns", result.truth().most_before_ns},
                 {"of_unknown_process", result.of_unknown_process},
                 {"repeated_sequence", result.repeated},
                 {"passed_over", result.passed_over},
                 {"most_in_memory", result.most_open}};
    if (!result.threads.empty())
        more["threads"] = threads_json(archive, result);
    std::printf("%s\n", envelope("trace match", "", "", std::move(rows), more).c_str());
}

}  // namespace tare::tool
