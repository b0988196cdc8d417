// SPDX-License-Identifier: BSD-3-Clause
#include "comms.hpp"

#include "communication.hpp"
#include "command.hpp"
#include "profile.hpp"
#include "trace_read.hpp"

#include <cstdio>
#include <memory>

namespace tare::tool {
namespace {

void print_help() {
    std::printf("Usage: tare comms [OPTION]... [DIR|FILE]\n"
                "Say what the processes of a program send each other, from its trace: transfers of the same data between the\n"
                "same calls are a class, with their time, who sends to whom and how the data are divided, which class had\n"
                "brought the data to the sender, and what could be better. The trace is the one in DIR (default: ./%s),\n"
                "or any OTF2 archive: its .otf2 FILE. TARE_TRACE=1 makes a program write one, and\n"
                "TARE_TRACE_RECORDS=sites,buffers,data,contents puts in it what this command looks at.\n",
                default_trace);
    print_analysis_options("no more than N classes");
}

class comms_visitor : public trace_visitor {
  public:
    explicit comms_visitor(const analysis_wish &wish) : wish_(wish) {}

    void begin(const tare_archive_t &archive) override {
        archive_ = &archive;
        clock_ = clock_of(archive, wish_.clock);
        analysis_ = std::make_unique<comms::communication>(
            archive, change_to(clock_, archive),
            comms::find_variable{[this](const std::string &module, std::uint64_t value) {
                                     const source_variable v = modules_.variable_at(module, value);
                                     return comms::variable{v.name, v.begin, v.end};
                                 },
                                 [this](const std::string &function, std::int64_t offset) {
                                     const local_variable v = modules_.local_at(function, offset);
                                     return comms::local_variable{v.name, v.begin, v.end};
                                 }});
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
    const analysis_wish &wish_;
    const tare_archive_t *archive_ = nullptr;
    std::string clock_;
    source_lines modules_;
    std::unique_ptr<comms::communication> analysis_;
};

}  // namespace

int run_comms(int argc, char **argv) {
    analysis_wish wish;
    std::string path;
    if (const int status = read_analysis_arguments(argc, argv, "comms", print_help, wish, path); status >= 0)
        return status;
    try {
        comms_visitor visitor(wish);
        return read_trace(path, visitor, "comms");
    } catch (const profile::error &e) {
        return fail("comms", exit_failed, e.what());
    }
}

}  // namespace tare::tool
