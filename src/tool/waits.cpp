// SPDX-License-Identifier: BSD-3-Clause
#include "waits.hpp"

#include "analysis.hpp"
#include "command.hpp"
#include "profile.hpp"
#include "regions.hpp"
#include "trace_read.hpp"

#include <cstdio>
#include <memory>

namespace tare::tool {
namespace {

enum { json_option = 1000, limit_option, clock_option, html_option };

const option long_options[] = {
    {"json", no_argument, nullptr, json_option},
    {"html", required_argument, nullptr, html_option},
    {"limit", required_argument, nullptr, limit_option},
    {"clock", required_argument, nullptr, clock_option},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
};

void print_help() {
    std::printf("Usage: tare waits [OPTION]... [DIR|FILE]\n"
                "Say why the processes of a program wait, from its trace: which steps of the source made the one late that\n"
                "was waited for, over any number of hops, with their shares, and what would go of the waiting if a step\n"
                "took both the same time. The trace is the one in DIR (default: ./%s), or any OTF2 archive: its\n"
                ".otf2 FILE. TARE_TRACE=1 makes a program write one.\n"
                "\n"
                "      --json           print one JSON object\n"
                "      --html=FILE      write one page with bars for a browser, - for stdout\n"
                "      --limit=N        tables of no more than N rows; 0: of all (default %d)\n"
                "      --clock=CLOCK    compensated (default, if the archive has it) or measured\n"
                "  -h, --help           print this and exit\n"
                "  -V, --version        print the version and exit\n",
                default_trace, default_limit);
}

int take(int option, void *data) {
    auto &wish = *static_cast<waits_wish *>(data);
    switch (option) {
    case json_option: wish.json = true; return -1;
    case clock_option: return set_clock("waits", optarg, wish.clock);
    case html_option: return set_page("waits", optarg, wish.html);
    default: return set_number("waits", "--limit", optarg, wish.limit);
    }
}

class waits_visitor : public trace_visitor {
  public:
    explicit waits_visitor(const waits_wish &wish) : wish_(wish) {}

    void begin(const tare_archive_t &archive) override {
        archive_ = &archive;
        clock_ = clock_of(archive, wish_.clock);
        analysis_ = std::make_unique<waits::analysis>(archive, change_to(clock_, archive));
    }

    void events(const tare_archive_event_t *events, std::size_t count) override {
        for (std::size_t i = 0; i < count; ++i)
            analysis_->add(events[i]);
    }

    void end() override {
        const waits_view view = view_of(*archive_, analysis_->finish(), clock_);
        if (!wish_.html.empty())
            write_waits_page(view, wish_.html);
        else if (wish_.json)
            print_waits_json(view);
        else
            print_waits_text(view, wish_);
    }

  private:
    const waits_wish &wish_;
    const tare_archive_t *archive_ = nullptr;
    std::string clock_;
    std::unique_ptr<waits::analysis> analysis_;
};

}  // namespace

int run_waits(int argc, char **argv) {
    waits_wish wish;
    std::string path;
    const trace_arguments arguments = {"+:hV", long_options, print_help, take, "waits"};
    if (const int status = read_trace_arguments(argc, argv, arguments, &wish, path); status >= 0)
        return status;
    if (wish.json && !wish.html.empty())
        return usage_error("waits", "--json and --html cannot be had together");
    try {
        waits_visitor visitor(wish);
        return read_trace(path, visitor, "waits");
    } catch (const profile::error &e) {
        return fail("waits", exit_failed, e.what());
    }
}

}  // namespace tare::tool
