// SPDX-License-Identifier: BSD-3-Clause
#include "waits.hpp"

#include "analysis.hpp"
#include "command.hpp"
#include "profile.hpp"
#include "trace_read.hpp"

#include <cstdio>
#include <memory>

namespace tare::tool {
namespace {

void print_help() {
    std::printf("Usage: tare waits [OPTION]... [DIR|FILE]\n"
                "Say why the processes of a program wait, from its trace: which steps of the source made the one late that\n"
                "was waited for, over any number of hops, with their shares, and what would go of the waiting if a step\n"
                "took both the same time. The trace is the one in DIR (default: ./%s), or any OTF2 archive: its\n"
                ".otf2 FILE. TARE_TRACE=1 makes a program write one.\n",
                default_trace);
    print_analysis_options("tables of no more than N rows");
}

class waits_visitor : public trace_visitor {
  public:
    explicit waits_visitor(const analysis_wish &wish) : wish_(wish) {}

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
    const analysis_wish &wish_;
    const tare_archive_t *archive_ = nullptr;
    std::string clock_;
    std::unique_ptr<waits::analysis> analysis_;
};

}  // namespace

int run_waits(int argc, char **argv) {
    analysis_wish wish;
    std::string path;
    if (const int status = read_analysis_arguments(argc, argv, "waits", print_help, wish, path); status >= 0)
        return status;
    try {
        waits_visitor visitor(wish);
        return read_trace(path, visitor, "waits");
    } catch (const profile::error &e) {
        return fail("waits", exit_failed, e.what());
    }
}

}  // namespace tare::tool
