// SPDX-License-Identifier: BSD-3-Clause
// `tare report`: the profile of a directory, per rank and region.
#include "report.hpp"

#include "command.hpp"
#include "json.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <getopt.h>

namespace tare::tool {
namespace {

enum { json_option = 1000 };

const option long_options[] = {
    {"json", no_argument, nullptr, json_option},
    {"rank", required_argument, nullptr, 'r'},
    {"region", required_argument, nullptr, 'R'},
    {"sort", required_argument, nullptr, 's'},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
};

std::string keys_text() {
    std::string text;
    for (const std::string &name : sort_keys())
        text += (text.empty() ? "" : ", ") + name;
    return text;
}

void print_help() {
    std::printf("Usage: tare report [OPTION]... [DIRECTORY]\n"
                "Print the profile that a run has left in DIRECTORY (default: here), per rank and region: calls,\n"
                "inclusive and exclusive time and waiting in MPI as measured and as they were without measuring,\n"
                "what was removed, bounds, and what compensation could not place.\n"
                "\n"
                "      --json         print one JSON object, times in ns\n"
                "      --rank=N       only this rank\n"
                "      --region=NAME  only this region; MPI_Recv stands for MPI_Recv() too\n"
                "      --sort=KEY     the largest first within a rank, default excl; KEY is one of\n"
                "                     %s\n"
                "  -h, --help         print this and exit\n"
                "  -V, --version      print the version and exit\n"
                "\n"
                "Ranks without a file are named on stderr, and so are those that were killed or still run: their\n"
                "figures come from what they have left so far. The exit status is 1 if there is no profile in\n"
                "DIRECTORY, a file of it is damaged, or nothing in it is what was asked for.\n",
                keys_text().c_str());
}

// A rank: digits, and not so many that it could overflow.
bool is_number(const std::string &text) {
    return !text.empty() && text.size() <= 9 &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

int set_rank(const std::string &text, report_wish &wish) {
    if (!is_number(text))
        return usage_error("report", "--rank=" + text + " is not a whole number from 0 on");
    wish.rank = std::stoi(text);
    return -1;
}

int set_sort(const std::string &text, report_wish &wish) {
    const auto &known = sort_keys();
    if (std::find(known.begin(), known.end(), text) == known.end())
        return usage_error("report", "--sort=" + text + " is not one of " + keys_text());
    wish.sort = text;
    return -1;
}

int set_region(const std::string &text, report_wish &wish) {
    wish.region = text;
    return text.empty() ? usage_error("report", "--region needs the name of a region") : -1;
}

// Gives back a status where the command line ends the command, else -1.
int read_options(int argc, char **argv, report_wish &wish, bool &json) {
    opterr = 0;
    for (int status = -1; status < 0;) {
        const std::string word = optind < argc ? argv[optind] : "";
        const int result = getopt_long(argc, argv, ":hV", long_options, nullptr);
        if (result == -1)
            break;
        switch (result) {
        case json_option: json = true; break;
        case 'r': status = set_rank(optarg, wish); break;
        case 'R': status = set_region(optarg, wish); break;
        case 's': status = set_sort(optarg, wish); break;
        case 'h': return print_help(), exit_good;
        case 'V': return print_version(), exit_good;
        default: return usage_error("report", option_error(result, word));
        }
        if (status >= 0)
            return status;
    }
    if (optind + 1 < argc)
        return usage_error("report", std::string("one directory at a time: '") + argv[optind + 1] + "' is too many");
    if (optind < argc)
        wish.directory = argv[optind];
    return -1;
}

// Why nothing was selected, in one sentence.
int nothing_found(const profile::run &run, const report_wish &wish) {
    const auto is_wished = [&](const profile::thread &t) { return t.rank == wish.rank.value_or(t.rank); };
    const std::string place = "the profile in " + wish.directory;
    if (std::none_of(run.threads.begin(), run.threads.end(), is_wished))
        return fail("report", exit_failed, "--rank=" + std::to_string(*wish.rank) + ": " + place +
                                           " has no such rank, the run had " + std::to_string(run.ranks()));
    const std::string best = nearest(wish.region, region_names(run));
    const std::string hint = best.empty() || best == wish.region ? "" : ": did you mean '" + best + "'?";
    const std::string where = wish.rank ? " on rank " + std::to_string(*wish.rank) : "";
    return fail("report", exit_failed,
                "--region=" + wish.region + ": " + place + " has no such region" + where + hint);
}

void name_missing(const profile::run &run) {
    const std::vector<int> missing = missing_ranks(run);
    if (missing.size() == 1)
        fail("report", exit_good, "rank " + number_list(missing) + " is missing: its process did not finish");
    else if (!missing.empty())
        fail("report", exit_good, "ranks " + number_list(missing) + " are missing: their processes did not finish");
}

struct fate_words {
    const char *fate;
    const char *one;     // what is said of one rank, and of several
    const char *several;
};

constexpr fate_words fates[] = {
    {profile::recovered::killed, " was killed: its figures end at its last enter or leave",
     " were killed: their figures end at their last enter or leave"},
    {profile::recovered::torn, " was killed inside an enter or leave: that one may be missing",
     " were killed inside an enter or leave: those may be missing"},
    {profile::recovered::running, " is still running: its figures end at its latest enter or leave",
     " are still running: their figures end at their latest enter or leave"},
    {profile::recovered::unwritten, " could not write its profile: its figures end at its last enter or leave",
     " could not write their profiles: their figures end at their last enter or leave"},
};

void name_recovered(const profile::run &run) {
    for (const fate_words &f : fates)
        if (const std::vector<int> ranks = recovered_ranks(run, f.fate); !ranks.empty())
            fail("report", exit_good, (ranks.size() == 1 ? "rank " : "ranks ") + number_list(ranks) +
                                          (ranks.size() == 1 ? f.one : f.several));
}

int report(const report_wish &wish, bool json) {
    const profile::run run = profile::read_directory(wish.directory);
    name_missing(run);
    name_recovered(run);
    const std::vector<report_line> lines = select_lines(run, wish);
    if (lines.empty())
        return nothing_found(run, wish);
    if (json)
        std::puts(report_json(run, lines).c_str());
    else
        print_report(run, wish, lines);
    return exit_good;
}

}  // namespace

int run_report(int argc, char **argv) {
    report_wish wish;
    bool json = false;
    const int status = read_options(argc, argv, wish, json);
    if (status >= 0)
        return status;
    try {
        return report(wish, json);
    } catch (const profile::error &e) {
        return fail("report", exit_failed, e.what());
    }
}

}  // namespace tare::tool
