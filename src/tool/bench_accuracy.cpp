// SPDX-License-Identifier: BSD-3-Clause
#include "bench_accuracy.hpp"

#include "bench_words.hpp"
#include "command.hpp"
#include "json.hpp"
#include "launch.hpp"
#include "runs.hpp"

#include <cstdio>
#include <getopt.h>

namespace tare::tool {
namespace {

enum { accuracy_option = 1000, kernel_option, dilation_option, mode_option, rule_option, plot_option, seed_option,
       quick_option, json_option, dry_run_option };

const option long_options[] = {
    {"accuracy", no_argument, nullptr, accuracy_option},
    {"kernel", required_argument, nullptr, kernel_option},
    {"dilation", required_argument, nullptr, dilation_option},
    {"mode", required_argument, nullptr, mode_option},
    {"rule", required_argument, nullptr, rule_option},
    {"rounds", required_argument, nullptr, 'n'},
    {"quick", no_argument, nullptr, quick_option},
    {"seed", required_argument, nullptr, seed_option},
    {"plot", required_argument, nullptr, plot_option},
    {"json", no_argument, nullptr, json_option},
    {"dry-run", no_argument, nullptr, dry_run_option},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
};

void print_help() {
    std::printf("Usage: tare bench --accuracy [OPTION]...\n"
                "Run small parallel kernels without probes, which is the truth, and with probes that make their\n"
                "work much longer, in every mode and by every rule; print how far off compensated times are.\n"
                "\n"
                "      --quick          three rounds, 500 %% and header mode only, in a minute or two\n"
                "  -n, --rounds=N       runs of each case, 1 to 999 (default 5); the truth is run before every second\n"
                "      --kernel=LIST    of those that 'tare_kernel --list' names (default: all)\n"
                "      --dilation=LIST  what the probes cost, per cent of the work, 1 to 10000 (default 20,100,500)\n"
                "      --mode=LIST      of header, datatype, message, copy (default: all)\n"
                "      --rule=LIST      of exact, published, local (default: all; modes other than header: exact)\n"
                "      --plot=FILE      draw the error of waiting by kernel and rule; FILE ends in .svg or .png\n"
                "      --seed=N         for the order of runs, 0 to 2147483647 (default: another each time)\n"
                "      --json           print one JSON object with every rank's waiting, times in ns\n"
                "      --dry-run        print the commands of a round, and do not run them\n"
                "  -h, --help           print this and exit\n"
                "  -V, --version        print the version and exit\n"
                "\n"
                "Rank 0 (in montecarlo and contest rank 1) has all of the probes' cost, other ranks have a tenth.\n"
                "The marks are for header mode and the exact rule at the greatest dilation: %g %% of the total,\n"
                "%g %% of each rank's waiting, and nearer than every other mode and rule.\n",
                total_mark_pct, wait_mark_pct);
}

int set_dilations(const std::string &text, accuracy_wish &wish) {
    wish.dilations.clear();
    for (const std::string &word : split_at_commas(text + (text.empty() ? "," : ""))) {
        wish.dilations.push_back(0);
        const int status = set_whole("--dilation", word, 1, 10000, wish.dilations.back());
        if (status >= 0)
            return status;
    }
    return -1;
}

// Gives back a status where the option ends the command, else -1.
int apply(int option, const std::string &word, accuracy_wish &wish) {
    switch (option) {
    case accuracy_option: return -1;
    case kernel_option: return set_list("--kernel", optarg, wish.kernels);
    case dilation_option: return set_dilations(optarg, wish);
    case mode_option: return set_list("--mode", optarg, wish.modes);
    case rule_option: return set_list("--rule", optarg, wish.rules);
    case 'n': return set_whole("--rounds", optarg, 1, 999, wish.rounds);
    case seed_option: return set_seed(optarg, wish.seed);
    case plot_option: return set_plot(optarg, wish.plot);
    case quick_option: return wish.quick = true, -1;
    case json_option: return wish.json = true, -1;
    case dry_run_option: return wish.dry_run = true, -1;
    case 'h': return print_help(), exit_good;
    case 'V': return print_version(), exit_good;
    default: return usage_error("bench", option_error(option, word) + (option == '?' ? " of --accuracy" : ""));
    }
}

int read_options(int argc, char **argv, accuracy_wish &wish) {
    opterr = 0;
    for (;;) {
        const std::string word = optind < argc ? argv[optind] : "";
        const int result = getopt_long(argc, argv, "+:n:hV", long_options, nullptr);
        if (result == -1)
            break;
        const int status = apply(result, word, wish);
        if (status >= 0)
            return status;
    }
    return optind < argc ? usage_error("bench", std::string("unexpected argument ") + argv[optind]) : -1;
}

void print_plan(const accuracy_plan &plan) {
    for (const accuracy_kernel &kernel : plan.kernels)
        for (const accuracy_case &of : plan.cases)
            std::puts(shell_line(accuracy_command(plan, kernel, of)).c_str());
}

int bench(const accuracy_wish &wish, const accuracy_plan &plan) {
    const accuracy_result result = run_accuracy(wish, plan);
    if (wish.json)
        std::puts(accuracy_json(result).c_str());
    else
        print_accuracy(result);
    std::fflush(stdout);
    for (const std::string &sentence : result.failures)
        fail("bench", exit_failed, sentence);
    if (!wish.plot.empty() && !result.rows.empty())
        plot_accuracy(result, wish.plot);
    if (result.interrupted)
        return end_by(result.interrupted);
    return result.failures.empty() ? exit_good : exit_failed;
}

}  // namespace

int run_bench_accuracy(int argc, char **argv) {
    accuracy_wish wish;
    const int status = read_options(argc, argv, wish);
    if (status >= 0)
        return status;
    accuracy_plan plan;
    const refusal refused = make_accuracy_plan(wish, plan);
    if (refused.status == exit_usage)
        return usage_error("bench", refused.sentence);
    if (refused.status != exit_good)
        return fail("bench", refused.status, refused.sentence);
    if (wish.dry_run)
        return print_plan(plan), exit_good;
    try {
        return bench(wish, plan);
    } catch (const run_error &e) {
        return fail("bench", exit_failed, e.what());
    }
}

}  // namespace tare::tool
