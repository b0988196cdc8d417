// SPDX-License-Identifier: BSD-3-Clause
#include "trace_match.hpp"

#include "regions.hpp"

#include <cstdio>
#include <memory>

namespace tare::tool {
namespace {

enum { json_option = 1000, limit_option };

const option long_options[] = {
    {"json", no_argument, nullptr, json_option},
    {"limit", required_argument, nullptr, limit_option},
    {"threads", no_argument, nullptr, 't'},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
};

void print_help() {
    std::printf("Usage: tare trace match [OPTION]... [DIR|FILE]\n"
                "Pair the sends of a trace with its receives by each method that is known for it, and say how many pairs\n"
                "are wrong. The trace is the one in DIR (default: ./%s), or any OTF2 archive: its .otf2 FILE.\n"
                "\n"
                "  forward   as published: a send, forward in time to the first receive of its receiver, tag and length\n"
                "  backward  as published: a receive, backward to the latest send of its sender, tag and length\n"
                "  open      the same, with marks: a receive takes the first send that has none yet\n"
                "  fifo      MPI's order: communicator, sender, receiver and tag, the order of sends and of posted receives\n"
                "  sequence  what the message itself carried: the sending thread and its number. This is the truth\n"
                "\n"
                "      --json           print one JSON object\n"
                "      --limit=N        a table of no more than N pairs of threads; 0: of all (default %d)\n"
                "  -t, --threads        also how many messages each method draws from which thread to which\n"
                "  -h, --help           print this and exit\n"
                "  -V, --version        print the version and exit\n"
                "\n"
                "Where messages do not say who sent them, pairs are compared with those of fifo.\n",
                default_trace, default_limit);
}

int take(int option, void *data) {
    auto &wish = *static_cast<match_wish *>(data);
    switch (option) {
    case json_option: wish.json = true; return -1;
    case 't': wish.threads = true; return -1;
    default: return set_number("trace", "--limit", optarg, wish.limit);
    }
}

class match_visitor : public trace_visitor {
  public:
    explicit match_visitor(const match_wish &wish) : wish_(wish) {}

    void begin(const tare_archive_t &archive) override {
        archive_ = &archive;
        matcher_ = std::make_unique<match::matcher>(match::places_of(archive), wish_.threads);
    }

    void events(const tare_archive_event_t *events, std::size_t count) override {
        for (std::size_t i = 0; i < count; ++i)
            matcher_->add(events[i]);
    }

    void end() override {
        const match::match_result result = matcher_->finish();
        if (wish_.json)
            print_match_json(*archive_, result);
        else
            print_match_text(*archive_, result, wish_);
    }

  private:
    const match_wish &wish_;
    const tare_archive_t *archive_ = nullptr;
    std::unique_ptr<match::matcher> matcher_;
};

}  // namespace

int run_trace_match(int argc, char **argv) {
    match_wish wish;
    std::string path;
    const trace_arguments arguments = {"+:thV", long_options, print_help, take};
    if (const int status = read_trace_arguments(argc, argv, arguments, &wish, path); status >= 0)
        return status;
    match_visitor visitor(wish);
    return read_trace(path, visitor);
}

}  // namespace tare::tool
