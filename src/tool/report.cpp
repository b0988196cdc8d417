// SPDX-License-Identifier: BSD-3-Clause
// `tare report`: the profile of a directory, per rank and region.
#include "report.hpp"

#include "command.hpp"
#include "regions.hpp"
#include "report_calls.hpp"
#include "report_html.hpp"
#include "report_peers.hpp"
#include "report_states.hpp"
#include "suggest.hpp"

#include <algorithm>
#include <cstdio>
#include <getopt.h>

namespace tare::tool {
namespace {

enum {
    json_option = 1000,
    html_option,
    limit_option,
    each_option,
    sum_option,
    imbalance_option,
    waiting_option,
    states_option,
    callsites_option,
    messages_option,
    matrix_option,
    peers_option,
    callpath_option,
    suggest_option
};

const option long_options[] = {
    {"json", no_argument, nullptr, json_option},
    {"html", required_argument, nullptr, html_option},
    {"rank", required_argument, nullptr, 'r'},
    {"region", required_argument, nullptr, 'R'},
    {"sort", required_argument, nullptr, 's'},
    {"limit", required_argument, nullptr, limit_option},
    {"each", no_argument, nullptr, each_option},
    {"sum", no_argument, nullptr, sum_option},
    {"imbalance", no_argument, nullptr, imbalance_option},
    {"waiting", no_argument, nullptr, waiting_option},
    {"states", no_argument, nullptr, states_option},
    {"callsites", no_argument, nullptr, callsites_option},
    {"messages", no_argument, nullptr, messages_option},
    {"matrix", no_argument, nullptr, matrix_option},
    {"peers", no_argument, nullptr, peers_option},
    {"callpath", no_argument, nullptr, callpath_option},
    {"suggest-filter", no_argument, nullptr, suggest_option},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
};

const char *const view_options[] = {"", "--each", "--sum", "--imbalance", "--waiting",
                                     "--states", "--peers", "--callsites", "--messages", "--matrix", "--callpath",
                                     "--suggest-filter"};

std::string keys_text(report_view view) {
    return joined(sort_keys(view));
}

void print_help() {
    std::printf("Usage: tare report [OPTION]... [DIRECTORY]\n"
                "Print the profile that a run has left in DIRECTORY (default: here), per rank and region: calls,\n"
                "inclusive and exclusive time and waiting in MPI as measured and as they were without measuring,\n"
                "what was removed, bounds, and what compensation could not place; and the waiting of the ranks.\n"
                "\n"
                "      --json         print one JSON object, times in ns\n"
                "      --html=FILE    write one page with plots and tables for a browser, - for stdout: regions, ranks,\n"
                "                     waiting, MPI calls and messages; --rank, --region and --sort say what it shows\n"
                "                     at first, --limit how many regions it has (default all)\n"
                "      --each         a line for each rank, thread and region (default up to %zu threads)\n"
                "      --sum          a line for each region: all ranks and threads together (default beyond)\n"
                "      --imbalance    instead: min, mean and max over the ranks of each region's time\n"
                "      --waiting      instead: each rank's waiting in MPI before and after compensation\n"
                "      --states       instead: the waiting by what is waited for (late sender, wait at barrier, ...), and\n"
                "                     where in the program\n"
                "      --peers        instead: for whom each rank has waited, in which function of MPI\n"
                "      --callpath     instead: the tree of call paths, if the run recorded them (TARE_CALLPATH); all\n"
                "                     ranks and threads together beyond %zu, unless --rank names one\n"
                "      --callsites    instead: each place in the program that calls MPI, over all ranks\n"
                "      --messages     instead: how many messages of what size were sent\n"
                "      --matrix       instead: who has sent how much to whom\n"
                "      --suggest-filter  instead: a file for TARE_FILTER that excludes the regions that cost most to\n"
                "                     measure for what they tell, with the saving that it expects\n"
                "      --rank=N       only this rank\n"
                "      --region=NAME  only this region, or MPI function; MPI_Recv stands for MPI_Recv() too;\n"
                "                     with --callpath the paths that end in it, and what leads to them\n"
                "      --limit=N      no more than N lines of a thread, or of the table; 0: all (default %d);\n"
                "                     with --callpath N paths, and what leads to them\n"
                "      --sort=KEY     the largest first within a thread, default excl (with --callpath incl, and\n"
                "                     among the paths below one line); KEY is one of\n"
                "                     %s\n"
                "                     with --imbalance one of %s\n"
                "                     with --waiting one of %s\n"
                "                     with --states one of %s\n"
                "                     with --peers one of %s\n"
                "  -h, --help         print this and exit\n"
                "  -V, --version      print the version and exit\n"
                "\n"
                "With --json and --waiting everything is shown unless --limit says less. Ranks without a file are\n"
                "named on stderr, and so are those that were killed or still run: their figures come from what they\n"
                "have left so far. The exit status is 1 if there is no profile in DIRECTORY, a file of it is damaged,\n"
                "or nothing in it is what was asked for.\n",
                most_shown_each, most_shown_each, default_limit, keys_text(report_view::each).c_str(),
                keys_text(report_view::imbalance).c_str(), keys_text(report_view::waiting).c_str(),
                keys_text(report_view::states).c_str(), keys_text(report_view::peers).c_str());
}

bool is_about_calls(report_view view) { return view == report_view::callsites || view == report_view::messages; }

bool has_keys(report_view view) {
    return !is_about_calls(view) && view != report_view::suggestion && view != report_view::matrix;
}

const char *option_of(report_view view) {
    return view_options[static_cast<int>(view)];
}

int set_view(report_view view, report_wish &wish) {
    if (wish.view != report_view::automatic && wish.view != view)
        return usage_error("report", std::string(option_of(wish.view)) + " and " + option_of(view) +
                                     " are different tables: one at a time");
    wish.view = view;
    return -1;
}

int set_html(const std::string &path, report_wish &wish) {
    wish.html = path;
    return path.empty() ? usage_error("report", "--html needs the name of a file, or - for stdout") : -1;
}

// The page has tables of its own; what is left says what it shows at first.
int check_html_options(const report_wish &wish) {
    if (wish.html.empty())
        return -1;
    if (wish.json)
        return usage_error("report", "--html and --json are different forms: one at a time");
    if (wish.view != report_view::automatic)
        return usage_error("report", std::string(option_of(wish.view)) + " does not go with --html: the page has "
                                     "tables of regions, ranks, calls and messages");
    return -1;
}

// What the tables of calls and a filter file do not have.
int check_calls_options(const report_wish &wish) {
    if (wish.view == report_view::suggestion && (wish.sort || !wish.region.empty()))
        return usage_error("report", std::string(wish.sort ? "--sort" : "--region") +
                                     " does not go with --suggest-filter");
    if (wish.view == report_view::matrix && (wish.sort || !wish.region.empty()))
        return usage_error("report", std::string(wish.sort ? "--sort" : "--region") + " does not go with --matrix");
    if (!is_about_calls(wish.view))
        return -1;
    if (wish.sort || wish.limit)
        return usage_error("report", std::string(wish.sort ? "--sort" : "--limit") + " does not go with " +
                                     option_of(wish.view));
    if (!wish.region.empty() && wish.view == report_view::messages)
        return usage_error("report", "--region does not go with --messages: the sizes of messages are known by rank");
    return -1;
}

// Which keys there are depends on the table, which may be named later.
int check_options(const report_wish &wish) {
    const auto known = sort_keys(wish.view);
    if (wish.sort && has_keys(wish.view) && std::find(known.begin(), known.end(), *wish.sort) == known.end())
        return usage_error("report", "--sort=" + *wish.sort + " is not one of " + joined(known));
    if (wish.view == report_view::imbalance && wish.rank)
        return usage_error("report", "--imbalance is about all ranks: it takes no --rank");
    if (const int status = check_html_options(wish); status >= 0)
        return status;
    return check_calls_options(wish);
}

int read_option(int option, const std::string &word, report_wish &wish) {
    switch (option) {
    case json_option: wish.json = true; return -1;
    case html_option: return set_html(optarg, wish);
    case 'r': return set_number("report", "--rank", optarg, wish.rank);
    case 'R': return set_region("report", optarg, wish.region);
    case 's': wish.sort = optarg; return -1;
    case limit_option: return set_number("report", "--limit", optarg, wish.limit);
    case each_option: return set_view(report_view::each, wish);
    case sum_option: return set_view(report_view::sum, wish);
    case imbalance_option: return set_view(report_view::imbalance, wish);
    case waiting_option: return set_view(report_view::waiting, wish);
    case states_option: return set_view(report_view::states, wish);
    case peers_option: return set_view(report_view::peers, wish);
    case callsites_option: return set_view(report_view::callsites, wish);
    case messages_option: return set_view(report_view::messages, wish);
    case matrix_option: return set_view(report_view::matrix, wish);
    case callpath_option: return set_view(report_view::callpath, wish);
    case suggest_option: return set_view(report_view::suggestion, wish);
    case 'h': return print_help(), exit_good;
    case 'V': return print_version(), exit_good;
    default: return usage_error("report", option_error(option, word));
    }
}

// Gives back a status where the command line ends the command, else -1.
int read_options(int argc, char **argv, report_wish &wish) {
    opterr = 0;
    for (;;) {
        const std::string word = optind < argc ? argv[optind] : "";
        const int option = getopt_long(argc, argv, ":hV", long_options, nullptr);
        if (option == -1)
            break;
        if (const int status = read_option(option, word, wish); status >= 0)
            return status;
    }
    if (optind + 1 < argc)
        return usage_error("report", std::string("one directory at a time: '") + argv[optind + 1] + "' is too many");
    if (optind < argc)
        wish.directory = argv[optind];
    return check_options(wish);
}

// Whether there is anything of what was asked for; the status if not, else -1.
int check_wish(const profile::run &run, const report_wish &wish) {
    std::string sentence = absence_sentence(run, wish.directory, wish.rank, wish.region);
    if (sentence.empty() && wish.view == report_view::callpath)
        sentence = path_absence_sentence(run, wish);
    return sentence.empty() ? -1 : fail("report", exit_failed, sentence);
}

void print_lines(const profile::run &run, const report_wish &wish) {
    const report_lines lines = select_lines(run, wish);
    if (wish.json)
        print_report_json(run, wish, lines);
    else if (wish.view == report_view::callpath)
        print_callpaths(run, wish, make_tree(run, wish, lines));
    else
        print_report(run, wish, lines);
}

void print(const profile::run &run, const report_wish &wish) {
    if (wish.view == report_view::imbalance) {
        const imbalance_rows rows = select_imbalance(run, wish);
        wish.json ? print_imbalance_json(run, rows) : print_imbalance(run, wish, rows);
    } else if (wish.view == report_view::waiting) {
        const waiting_rows rows = select_waiting(run, wish);
        wish.json ? print_waiting_json(run, rows) : print_waiting(run, wish, rows);
    } else {
        print_lines(run, wish);
    }
}

int report(const report_wish &wish) {
    const profile::run run = profile::read_directory(wish.directory);
    if (wish.view == report_view::callsites)
        return report_callsites(run, wish);
    if (wish.view == report_view::messages)
        return report_messages(run, wish);
    for (const std::string &warning : warnings_of(run))
        fail("report", exit_good, warning);
    if (const int status = check_wish(run, wish); status >= 0)
        return status;
    if (wish.view == report_view::suggestion)
        return report_suggestions(run, wish);
    if (wish.view == report_view::matrix)
        return report_matrix(run, wish);
    if (wish.view == report_view::states)
        return report_states(run, decide(run, wish));
    if (wish.view == report_view::peers)
        return report_peers(run, decide(run, wish));
    if (!wish.html.empty())
        write_page(run, wish);
    else
        print(run, decide(run, wish));
    return exit_good;
}

}  // namespace

int run_report(int argc, char **argv) {
    report_wish wish;
    const int status = read_options(argc, argv, wish);
    if (status >= 0)
        return status;
    try {
        return report(wish);
    } catch (const profile::error &e) {
        return fail("report", exit_failed, e.what());
    }
}

}  // namespace tare::tool
