// SPDX-License-Identifier: BSD-3-Clause
// `tare trace stats`: how many events each thread has, and who has sent how much to whom.
#include "events.hpp"
#include "json_envelope.hpp"
#include "regions.hpp"
#include "table.hpp"
#include "trace_read.hpp"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <numeric>
#include <optional>

namespace tare::tool {
namespace {

enum { json_option = 1000, limit_option };

const option long_options[] = {
    {"json", no_argument, nullptr, json_option},
    {"limit", required_argument, nullptr, limit_option},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
};

struct stats_wish {
    bool json = false;
    std::optional<int> limit;
};

void print_help() {
    std::printf("Usage: tare trace stats [OPTION]... [DIR|FILE]\n"
                "Print how many events each thread of a trace has, and the messages between ranks. The trace is the one\n"
                "in DIR (default: ./%s), or any OTF2 archive: its .otf2 FILE.\n"
                "\n"
                "      --json           print one JSON object\n"
                "      --limit=N        tables of no more than N rows; 0: of all (default %d)\n"
                "  -h, --help           print this and exit\n"
                "  -V, --version        print the version and exit\n",
                default_trace, default_limit);
}

int take(int option, void *data) {
    auto &wish = *static_cast<stats_wish *>(data);
    if (option != json_option)
        return set_number("trace", "--limit", optarg, wish.limit);
    wish.json = true;
    return -1;
}

using kinds = std::array<std::uint64_t, TARE_ARCHIVE_KINDS>;

struct traffic {
    std::uint64_t sends = 0, sent_bytes = 0, receives = 0, received_bytes = 0;
};

class stats : public trace_visitor {
  public:
    explicit stats(const stats_wish &wish) : wish_(wish) {}

    void begin(const tare_archive_t &archive) override {
        archive_ = &archive;
        counts_.resize(archive.location_count);
    }

    void events(const tare_archive_event_t *events, std::size_t count) override {
        for (std::size_t i = 0; i < count; ++i)
            add(events[i]);
    }

    void end() override {
        if (wish_.json)
            print_json();
        else
            print_text();
    }

  private:
    // Ranks of the sender and the receiver.
    using ends = std::pair<std::uint32_t, std::uint32_t>;

    void add(const tare_archive_event_t &e) {
        ++counts_[e.location][e.kind];
        first_ns_ = std::min(first_ns_, e.time_ns);
        last_ns_ = std::max(last_ns_, e.time_ns);
        if (e.peer == TARE_ARCHIVE_UNKNOWN)
            return;
        const std::uint32_t own = rank(archive_->locations[e.location].process);
        if (match::is_send(e.kind)) {
            traffic &t = pairs_[{own, rank(e.peer)}];
            ++t.sends;
            t.sent_bytes += e.length;
        } else if (match::is_receive(e.kind)) {
            traffic &t = pairs_[{rank(e.peer), own}];
            ++t.receives;
            t.received_bytes += e.length;
        }
    }

    std::uint32_t rank(std::uint32_t process) const { return archive_->processes[process].rank; }

    static std::uint64_t all(const kinds &of) { return std::accumulate(of.begin(), of.end(), std::uint64_t{0}); }
    static std::uint64_t sends(const kinds &of) { return of[TARE_ARCHIVE_SEND] + of[TARE_ARCHIVE_ISEND]; }
    static std::uint64_t receives(const kinds &of) { return of[TARE_ARCHIVE_RECV] + of[TARE_ARCHIVE_IRECV]; }

    std::size_t shown(std::size_t rows) const {
        const auto limit = static_cast<std::size_t>(wish_.limit.value_or(default_limit));
        return limit == 0 ? rows : std::min(limit, rows);
    }

    static void print_left_out(std::size_t rows, std::size_t shown, const char *what) {
        if (shown < rows)
            std::printf("%s: --limit=0 shows all\n", count_text(rows - shown, what).c_str());
    }

    void print_threads() const {
        table t({{"thread"}, {"events"}, {"calls"}, {"sends"}, {"receives"}, {"collectives"}, {"name", false}});
        const std::size_t rows = shown(counts_.size());
        for (std::uint32_t i = 0; i < rows; ++i) {
            const kinds &of = counts_[i];
            t.add({place_text(*archive_, i), std::to_string(all(of)), std::to_string(of[TARE_ARCHIVE_ENTER]),
                   std::to_string(sends(of)), std::to_string(receives(of)),
                   std::to_string(of[TARE_ARCHIVE_COLLECTIVE_END]), archive_->locations[i].name});
        }
        print_left_out_columns(t.print(look_at_stdout()));
        print_left_out(counts_.size(), rows, "more thread");
    }

    void print_pairs() const {
        table t({{"from"}, {"to"}, {"sends"}, {"bytes"}, {"receives"}, {"bytes"}});
        const std::size_t rows = shown(pairs_.size());
        std::size_t row = 0;
        for (const auto &[who, of] : pairs_)
            if (row++ < rows)
                t.add({std::to_string(who.first), std::to_string(who.second), std::to_string(of.sends),
                       std::to_string(of.sent_bytes), std::to_string(of.receives), std::to_string(of.received_bytes)});
        std::printf("\n");
        print_left_out_columns(t.print(look_at_stdout()));
        print_left_out(pairs_.size(), rows, "more pair");
    }

    void print_text() const {
        std::uint64_t events = 0;
        for (const kinds &of : counts_)
            events += all(of);
        print_threads();
        if (!pairs_.empty())
            print_pairs();
        std::printf("\n%" PRIu64 " events in %" PRIu64 " ns.\n", events, events == 0 ? 0 : last_ns_ - first_ns_);
    }

    void print_json() const {
        json rows = json::array(), pairs = json::array();
        for (std::uint32_t i = 0; i < counts_.size(); ++i) {
            const tare_archive_location_t &l = archive_->locations[i];
            rows.push_back({{"rank", rank(l.process)},
                            {"thread", l.thread},
                            {"name", l.name},
                            {"events", all(counts_[i])},
                            {"calls", counts_[i][TARE_ARCHIVE_ENTER]},
                            {"sends", sends(counts_[i])},
                            {"receives", receives(counts_[i])},
                            {"collectives", counts_[i][TARE_ARCHIVE_COLLECTIVE_END]}});
        }
        for (const auto &[who, of] : pairs_)
            pairs.push_back({{"from_rank", who.first},
                             {"to_rank", who.second},
                             {"sends", of.sends},
                             {"sent_bytes", of.sent_bytes},
                             {"receives", of.receives},
                             {"received_bytes", of.received_bytes}});
        json more = {{"clock", archive_->clock}, {"pairs", std::move(pairs)}};
        more["first_ns"] = last_ns_ < first_ns_ ? json() : json(first_ns_);
        more["last_ns"] = last_ns_ < first_ns_ ? json() : json(last_ns_);
        std::printf("%s\n", envelope("trace stats", "", "", std::move(rows), more).c_str());
    }

    const stats_wish &wish_;
    const tare_archive_t *archive_ = nullptr;
    std::vector<kinds> counts_;                // by location
    std::map<ends, traffic> pairs_;
    std::uint64_t first_ns_ = UINT64_MAX, last_ns_ = 0;
};

}  // namespace

int run_trace_stats(int argc, char **argv) {
    stats_wish wish;
    std::string path;
    const trace_arguments arguments = {"+:hV", long_options, print_help, take};
    if (const int status = read_trace_arguments(argc, argv, arguments, &wish, path); status >= 0)
        return status;
    stats visitor(wish);
    return read_trace(path, visitor);
}

}  // namespace tare::tool
