// SPDX-License-Identifier: BSD-3-Clause
#include "analysis_options.hpp"

#include "command.hpp"
#include "profile.hpp"
#include "regions.hpp"
#include "trace.hpp"

#include <cstdio>

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

struct asked {
    const char *command;
    analysis_wish &wish;
};

int set_clock(const char *command, const std::string &text, std::string &clock) {
    if (text != "compensated" && text != "measured")
        return usage_error(command, "--clock " + text + " is not known: allowed are compensated and measured");
    clock = text;
    return -1;
}

int set_page(const char *command, const std::string &text, std::string &file) {
    if (text.empty())
        return usage_error(command, "--html needs the name of a file");
    file = text;
    return -1;
}

int take(int option, void *data) {
    const auto &to = *static_cast<asked *>(data);
    switch (option) {
    case json_option: to.wish.json = true; return -1;
    case clock_option: return set_clock(to.command, optarg, to.wish.clock);
    case html_option: return set_page(to.command, optarg, to.wish.html);
    default: return set_number(to.command, "--limit", optarg, to.wish.limit);
    }
}

}  // namespace

void print_analysis_options(const char *limit_of) {
    std::printf("\n"
                "      --json           print one JSON object\n"
                "      --html=FILE      write one page with bars for a browser, - for stdout\n"
                "      --limit=N        %s; 0: of all (default %d)\n"
                "      --clock=CLOCK    compensated (default, if the archive has it) or measured\n"
                "  -h, --help           print this and exit\n"
                "  -V, --version        print the version and exit\n",
                limit_of, default_limit);
}

int read_analysis_arguments(int argc, char **argv, const char *command, void (*print_help)(), analysis_wish &wish,
                            std::string &path) {
    asked to = {command, wish};
    const trace_arguments arguments = {"+:hV", long_options, print_help, take, command};
    if (const int status = read_trace_arguments(argc, argv, arguments, &to, path); status >= 0)
        return status;
    if (wish.json && !wish.html.empty())
        return usage_error(command, "--json and --html cannot be had together");
    return -1;
}

std::string clock_of(const tare_archive_t &archive, const std::string &wish) {
    return wish.empty() && archive.clock[0] != '\0' ? "compensated" : wish;
}

clock_change change_to(const std::string &clock, const tare_archive_t &archive) {
    const std::string has = archive.clock;
    if (clock == has)
        return clock_change::none;
    if (has.empty())
        throw profile::error(std::string(archive.file) + " does not say which clock it has, as Tare's archives do: "
                             "--clock cannot be had of it");
    return clock == "measured" ? clock_change::add_removed : clock_change::subtract_removed;
}

}  // namespace tare::tool
