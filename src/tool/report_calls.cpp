// SPDX-License-Identifier: BSD-3-Clause
#include "report_calls.hpp"

#include "command.hpp"
#include "json.hpp"
#include "regions.hpp"
#include "table.hpp"
#include "units.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <set>

namespace tare::tool {
namespace {

using profile::message_class;
using profile::rank_calls;

bool is_wished(const rank_calls &c, const report_wish &wish) { return !wish.rank || c.rank == *wish.rank; }

bool is_wished(const profile::call_site &s, const report_wish &wish) {
    return wish.region.empty() || is_named(s.function, wish.region);
}

std::string usec(std::int64_t ns) { return time_text(ns, microsecond); }

std::string msec(std::int64_t ns) { return time_text(ns, millisecond); }

void print_head(const std::vector<rank_calls> &calls, const report_wish &wish, const char *what) {
    const rank_calls &first = calls.front();
    std::printf("%s of the run in %s: ", what, printable(wish.directory).c_str());
    if (wish.rank)
        std::printf("rank %d of %d", *wish.rank, first.ranks);
    else
        std::printf("%zu of %d rank%s", calls.size(), first.ranks, first.ranks == 1 ? "" : "s");
    std::printf(", mode %s, rule %s\nrun %s\n\n", printable(first.mode).c_str(), printable(first.rule).c_str(),
                printable(first.run_id).c_str());
}

void print_sites(const std::vector<site_line> &lines) {
    table t({{"site", false, 0, true}, {"function", false, 0, true}, {"ranks", true, 6}, {"calls"},
             {"sent B", true, 4}, {"received B", true, 4}, {"min us", true, 3}, {"mean us", true, 2},
             {"max us", true, 3}, {"time ms"}, {"comp ms", true, 5}, {"wait ms", true, 5}, {"share %", true, 1}});
    for (const site_line &l : lines) {
        const profile::call_site &s = l.site;
        t.add({printable(s.site), printable(s.function), std::to_string(l.ranks), std::to_string(s.calls),
               std::to_string(s.sent_bytes), std::to_string(s.received_bytes), usec(s.least_ns), usec(l.mean_ns()),
               usec(s.most_ns), msec(s.time_ns), msec(s.comp_ns), msec(s.wait_ns), share_text(100 * l.share)});
    }
    const std::vector<std::string> left_out = t.print(look_at_stdout());
    std::printf("\nsite: where the call returns to. min, mean, max: of one call, as measured; time: of all calls;\n"
                "comp: the same without measuring; wait: blocked in MPI, as measured; share: of all sites' time.\n");
    print_left_out_columns(left_out);
}

std::string size_text(std::int64_t bytes) {
    constexpr const char *units[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    int u = 0;
    for (; bytes >= 1024; bytes /= 1024)
        u++;
    return std::to_string(bytes) + units[u];
}

std::string class_text(std::size_t c) {
    if (c < 2)
        return std::to_string(c);
    if (c == 2)
        return "2 to 3";
    const std::string from = size_text(std::int64_t{1} << (c - 1));
    return c + 1 < static_cast<std::size_t>(profile::size_classes)
               ? "from " + from + " to below " + size_text(std::int64_t{1} << c)
               : "from " + from;
}

std::vector<message_class> sum_of_sizes(const std::vector<rank_calls> &calls) {
    std::vector<message_class> sum(profile::size_classes);
    for (const rank_calls &c : calls)
        for (std::size_t i = 0; i < sum.size(); ++i) {
            sum[i].messages += c.sizes[i].messages;
            sum[i].bytes += c.sizes[i].bytes;
        }
    return sum;
}

void print_sizes(const std::vector<message_class> &sizes) {
    constexpr std::int64_t longest_bar = 40;
    std::int64_t most = 0, messages = 0, bytes = 0;
    for (const message_class &c : sizes) {
        most = std::max(most, c.messages);
        messages += c.messages;
        bytes += c.bytes;
    }
    table t({{"bytes", false}, {"messages"}, {"sum of bytes"}, {"", false, 1}});
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const message_class &c = sizes[i];
        if (c.messages == 0)
            continue;
        const double part = static_cast<double>(c.messages) / static_cast<double>(most) * longest_bar;
        t.add({class_text(i), std::to_string(c.messages), std::to_string(c.bytes),
               std::string(std::max<std::size_t>(1, static_cast<std::size_t>(part + 0.5)), '#')});
    }
    t.print(look_at_stdout());
    std::printf("\n%" PRId64 " messages, %" PRId64 " bytes. Messages sent from one process to another; not those of "
                "collective calls.\n", messages, bytes);
}

}  // namespace

std::string absent_calls_sentence(const profile::run &run, const std::vector<rank_calls> &calls) {
    std::set<int> present, absent;
    for (const rank_calls &c : calls)
        present.insert(c.rank);
    for (const profile::thread &t : run.threads)
        if (present.count(t.rank) == 0)
            absent.insert(t.rank);
    const std::vector<int> ranks(absent.begin(), absent.end());
    return ranks.empty() ? "" : sentence_of(ranks, " has left no table of its MPI calls",
                                            " have left no tables of their MPI calls");
}

std::vector<rank_calls> calls_of(const profile::run &run, const std::string &directory) {
    std::vector<rank_calls> calls = profile::read_calls(directory);
    if (!calls.empty() && calls.front().run_id != run.attribute(profile::key::run_id))
        throw profile::error(directory + "/tare-calls." + std::to_string(calls.front().rank) +
                             " belongs to another run than the profile beside it");
    return calls;
}

std::vector<site_line> select_sites(const std::vector<rank_calls> &calls, const report_wish &wish) {
    std::map<std::pair<std::string, std::string>, site_line> sum;
    double all_ns = 0;
    for (const rank_calls &c : calls) {
        for (const profile::call_site &s : c.sites) {
            if (!is_wished(c, wish))
                continue;
            all_ns += static_cast<double>(s.time_ns);
            if (!is_wished(s, wish))
                continue;
            site_line &line = sum[{s.function, s.site}];
            line.site.function = s.function;
            line.site.site = s.site;
            add(line.site, s);
            line.ranks++;
        }
    }
    std::vector<site_line> lines;
    for (auto &[name, line] : sum) {
        line.share = all_ns > 0 ? static_cast<double>(line.site.time_ns) / all_ns : 0;
        lines.push_back(line);
    }
    std::stable_sort(lines.begin(), lines.end(),
                     [](const site_line &a, const site_line &b) { return a.site.time_ns > b.site.time_ns; });
    return lines;
}

namespace {

// The ranks that were asked for; a rank without a table is refused.
std::vector<rank_calls> wished_calls(const profile::run &run, const report_wish &wish) {
    std::vector<rank_calls> calls = calls_of(run, wish.directory);
    if (calls.empty())
        throw profile::error("the run in " + wish.directory +
                             " has left no table of its MPI calls: no file tare-calls.0");
    for (const std::string &warning : warnings_of(run))
        fail("report", exit_good, warning);
    if (!wish.rank) {
        if (const std::string sentence = absent_calls_sentence(run, calls); !sentence.empty())
            fail("report", exit_good, sentence);
        return calls;
    }
    calls.erase(std::remove_if(calls.begin(), calls.end(), [&](const rank_calls &c) { return !is_wished(c, wish); }),
                calls.end());
    if (calls.empty())
        throw profile::error("--rank=" + std::to_string(*wish.rank) + ": that rank has left no table of its MPI "
                             "calls in " + wish.directory);
    return calls;
}

}  // namespace

int report_callsites(const profile::run &run, const report_wish &wish) {
    const std::vector<rank_calls> calls = wished_calls(run, wish);
    const std::vector<site_line> lines = select_sites(calls, wish);
    if (lines.empty() && !wish.region.empty())
        return fail("report", exit_failed,
                    "--region=" + wish.region + ": no such MPI function was called in the run in " + wish.directory);
    if (wish.json) {
        std::puts(callsites_json(calls.front(), lines).c_str());
        return exit_good;
    }
    print_head(calls, wish, "MPI calls");
    print_sites(lines);
    return exit_good;
}

int report_messages(const profile::run &run, const report_wish &wish) {
    const std::vector<rank_calls> calls = wished_calls(run, wish);
    if (wish.json) {
        std::puts(messages_json(calls).c_str());
        return exit_good;
    }
    print_head(calls, wish, "Messages sent");
    print_sizes(sum_of_sizes(calls));
    return exit_good;
}

}  // namespace tare::tool
