// SPDX-License-Identifier: BSD-3-Clause
// `tare compare`: two profiles, region by region.
#include "compare.hpp"

#include "command.hpp"
#include "regions.hpp"

#include <algorithm>
#include <cstdio>
#include <getopt.h>

namespace tare::tool {
namespace {

enum { json_option = 1000, limit_option, show_option, max_change_option, min_share_option };

const option long_options[] = {
    {"json", no_argument, nullptr, json_option},
    {"rank", required_argument, nullptr, 'r'},
    {"region", required_argument, nullptr, 'R'},
    {"sort", required_argument, nullptr, 's'},
    {"limit", required_argument, nullptr, limit_option},
    {"show", required_argument, nullptr, show_option},
    {"max-change", required_argument, nullptr, max_change_option},
    {"min-share", required_argument, nullptr, min_share_option},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
};

std::vector<std::string> quantity_names() {
    std::vector<std::string> names;
    for (const quantity &q : quantities)
        names.push_back(q.name);
    return names;
}

std::vector<std::string> sort_keys() {
    std::vector<std::string> names = quantity_names();
    names.push_back("region");
    return names;
}

void print_help() {
    std::printf("Usage: tare compare [OPTION]... A B\n"
                "Compare the profiles that two runs have left in the directories A and B: for each region, over all\n"
                "ranks and threads, calls, times and waiting in MPI in both, the difference, and per cent of A.\n"
                "\n"
                "      --json          print one JSON object, times in ns\n"
                "      --rank=N        only this rank of both runs\n"
                "      --region=NAME   only this region; MPI_Recv stands for MPI_Recv() too\n"
                "      --show=KEYS     what is compared, separated by commas, or all: of\n"
                "                      %s\n"
                "                      (default excl-comp,incl-comp,wait-comp,calls)\n"
                "      --sort=KEY      the largest change of this first, default excl-comp; or region\n"
                "      --limit=N       no more than N regions; 0: all (default %d; all with --json)\n"
                "      --max-change=P  exit 1 if excl-comp of a region changed by more than P per cent\n"
                "      --min-share=P   not of regions below P per cent of the time in both runs (default 1)\n"
                "  -h, --help          print this and exit\n"
                "  -V, --version       print the version and exit\n"
                "\n"
                "Runs that differ in ranks, mode or rule get a warning on stderr. The exit status is 1 if a profile\n"
                "is missing or damaged, nothing in them is what was asked for, or --max-change is exceeded.\n",
                joined(quantity_names()).c_str(), default_limit);
}

int set_percent(const char *name, const std::string &text, double most, double &value) {
    if (read_number(text, 0, most, value))
        return -1;
    const std::string allowed = most > 100 ? "from 0 on" : "from 0 to 100";
    return usage_error("compare", std::string(name) + "=" + text + " is not a number of per cent " + allowed);
}

int set_max_change(const std::string &text, compare_wish &wish) {
    double value = 0;
    const int status = set_percent("--max-change", text, 1e9, value);
    wish.max_change_pct = value;
    return status;
}

int set_sort(const std::string &text, compare_wish &wish) {
    const auto known = sort_keys();
    wish.sort = text;
    if (std::find(known.begin(), known.end(), text) == known.end())
        return usage_error("compare", "--sort=" + text + " is not one of " + joined(known));
    return -1;
}

int set_show(const std::string &text, compare_wish &wish) {
    wish.shown.clear();
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        const std::string word = text.substr(at, end - at);
        const quantity *found = find_quantity(word);
        if (!found && word != "all")
            return usage_error("compare", "--show=" + text + ": '" + word + "' is not one of " +
                                          joined(quantity_names()) + ", all");
        for (const quantity &q : quantities)
            if ((!found || found == &q) && std::find(wish.shown.begin(), wish.shown.end(), &q) == wish.shown.end())
                wish.shown.push_back(&q);
        at = end + 1;
    }
    return -1;
}

int read_option(int option, const std::string &word, compare_wish &wish) {
    switch (option) {
    case json_option: wish.json = true; return -1;
    case 'r': return set_number("compare", "--rank", optarg, wish.rank);
    case 'R': return set_region("compare", optarg, wish.region);
    case 's': return set_sort(optarg, wish);
    case limit_option: return set_number("compare", "--limit", optarg, wish.limit);
    case show_option: return set_show(optarg, wish);
    case max_change_option: return set_max_change(optarg, wish);
    case min_share_option: return set_percent("--min-share", optarg, 100, wish.min_share_pct);
    case 'h': return print_help(), exit_good;
    case 'V': return print_version(), exit_good;
    default: return usage_error("compare", option_error(option, word));
    }
}

// Gives back a status where the command line ends the command, else -1.
int read_options(int argc, char **argv, compare_wish &wish) {
    opterr = 0;
    for (;;) {
        const std::string word = optind < argc ? argv[optind] : "";
        const int option = getopt_long(argc, argv, ":hV", long_options, nullptr);
        if (option == -1)
            break;
        if (const int status = read_option(option, word, wish); status >= 0)
            return status;
    }
    if (argc - optind < side_count)
        return usage_error("compare", "two directories are needed: tare compare A B");
    if (argc - optind > side_count)
        return usage_error("compare", std::string("two directories at a time: '") + argv[optind + side_count] +
                                      "' is too many");
    for (int s = 0; s < side_count; ++s)
        wish.directories[s] = argv[optind + s];
    return -1;
}

// Whether there is anything of what was asked for; the status if not, else -1.
int check_wish(const comparison &result, const compare_wish &wish) {
    for (const compared_run &run : result.runs)
        if (!run.has_rank)
            return fail("compare", exit_failed, "--rank=" + std::to_string(*wish.rank) + ": the profile in " +
                                                run.directory + " has no such rank, the run had " +
                                                std::to_string(run.ranks));
    if (!wish.region.empty() && result.rows.empty())
        return fail("compare", exit_failed, "--region=" + wish.region + ": neither profile has such a region");
    return -1;
}

void warn(const comparison &result) {
    for (const compared_run &run : result.runs)
        for (const std::string &warning : run.warnings)
            fail("compare", exit_good, run.directory + ": " + warning);
    const std::string difference = difference_sentence(result);
    if (!difference.empty())
        fail("compare", exit_good, difference);
}

int judge(const comparison &result, const compare_wish &wish) {
    const std::string exceeded = wish.max_change_pct ? exceeded_sentence(result, wish) : "";
    return exceeded.empty() ? exit_good : fail("compare", exit_failed, exceeded);
}

int compare(const compare_wish &wish) {
    compared_run a = read_run(wish.directories[side_a], wish.rank);
    compared_run b = read_run(wish.directories[side_b], wish.rank);
    const comparison result = compare_runs(std::move(a), std::move(b), wish);
    if (const int status = check_wish(result, wish); status >= 0)
        return status;
    warn(result);
    if (wish.json)
        print_comparison_json(result);
    else
        print_comparison(result, wish);
    std::fflush(stdout);
    return judge(result, wish);
}

}  // namespace

int run_compare(int argc, char **argv) {
    compare_wish wish;
    const int status = read_options(argc, argv, wish);
    if (status >= 0)
        return status;
    try {
        return compare(wish);
    } catch (const profile::error &e) {
        return fail("compare", exit_failed, e.what());
    }
}

}  // namespace tare::tool
