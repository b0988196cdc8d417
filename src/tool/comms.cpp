// SPDX-License-Identifier: BSD-3-Clause
#include "comms.hpp"

#include "communication.hpp"
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
    std::printf("Usage: tare comms [OPTION]... [DIR|FILE]\n"
                "Say what the processes of a program send each other, from its trace: transfers of the same data between the\n"
                "same calls are a class, with their time, who sends to whom and how the data are divided, which class had\n"
                "brought the data to the sender, and what could be better. The trace is the one in DIR (default: ./%s),\n"
                "or any OTF2 archive: its .otf2 FILE. TARE_TRACE=1 makes a program write one, and\n"
                "TARE_TRACE_RECORDS=sites,buffers,data,contents puts in it what this command looks at.\n"
                "\n"
                "      --json           print one JSON object\n"
                "      --html=FILE      write one page with bars for a browser, - for stdout\n"
                "      --limit=N        no more than N classes; 0: all (default %d)\n"
                "      --clock=CLOCK    compensated (default, if the archive has it) or measured\n"
                "  -h, --help           print this and exit\n"
                "  -V, --version        print the version and exit\n",
                default_trace, default_limit);
}

int take(int option, void *data) {
    auto &wish = *static_cast<comms_wish *>(data);
    switch (option) {
    case json_option: wish.json = true; return -1;
    case clock_option: return set_clock("comms", optarg, wish.clock);
    case html_option: return set_page("comms", optarg, wish.html);
    default: return set_number("comms", "--limit", optarg, wish.limit);
    }
}

class comms_visitor : public trace_visitor {
  public:
    explicit comms_visitor(const comms_wish &wish) : wish_(wish) {}

    void begin(const tare_archive_t &archive) override {
        archive_ = &archive;
        clock_ = clock_of(archive, wish_.clock);
        analysis_ = std::make_unique<comms::communication>(archive, change_to(clock_, archive));
    }

    void events(const tare_archive_event_t *events, std::size_t count) override {
        for (std::size_t i = 0; i < count; ++i)
            analysis_->add(events[i]);
    }

    void end() override {
        const comms_view view = view_of(*archive_, analysis_->finish(), clock_);
        if (!wish_.html.empty())
            write_comms_page(view, wish_.html);
        else if (wish_.json)
            print_comms_json(view);
        else
            print_comms_text(view, wish_);
    }

  private:
    const comms_wish &wish_;
    const tare_archive_t *archive_ = nullptr;
    std::string clock_;
    std::unique_ptr<comms::communication> analysis_;
};

}  // namespace

int run_comms(int argc, char **argv) {
    comms_wish wish;
    std::string path;
    const trace_arguments arguments = {"+:hV", long_options, print_help, take, "comms"};
    if (const int status = read_trace_arguments(argc, argv, arguments, &wish, path); status >= 0)
        return status;
    if (wish.json && !wish.html.empty())
        return usage_error("comms", "--json and --html cannot be had together");
    try {
        comms_visitor visitor(wish);
        return read_trace(path, visitor, "comms");
    } catch (const profile::error &e) {
        return fail("comms", exit_failed, e.what());
    }
}

}  // namespace tare::tool
