// SPDX-License-Identifier: BSD-3-Clause
// `tare bench`: runs the benchmarks in every mode beside the unpatched MPICH, and prints what each mode costs.
#include "bench.hpp"

#include "bench_accuracy.hpp"
#include "bench_words.hpp"
#include "command.hpp"
#include "json.hpp"
#include "launch.hpp"
#include "runs.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <getopt.h>

namespace tare::tool {
namespace {

enum { json_option = 1000, quick_option, mode_option, over_option, programs_option, declare_option, minutes_option,
       plot_option, seed_option, list_option, dry_run_option };

const option long_options[] = {
    {"rounds", required_argument, nullptr, 'n'},
    {"minutes", required_argument, nullptr, minutes_option},
    {"quick", no_argument, nullptr, quick_option},
    {"programs", required_argument, nullptr, programs_option},
    {"over", required_argument, nullptr, over_option},
    {"mode", required_argument, nullptr, mode_option},
    {"declare", required_argument, nullptr, declare_option},
    {"plot", required_argument, nullptr, plot_option},
    {"seed", required_argument, nullptr, seed_option},
    {"json", no_argument, nullptr, json_option},
    {"list", no_argument, nullptr, list_option},
    {"dry-run", no_argument, nullptr, dry_run_option},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
};

void print_help() {
    std::printf("Usage: tare bench [OPTION]...\n"
                "Run Tare's benchmarks on two ranks of this machine, in every mode and on every transport that is\n"
                "installed, beside the unpatched MPICH; print how much longer each mode takes.\n"
                "\n"
                "      --quick          a few programs on one transport, in a minute\n"
                "      --minutes=M      rounds until so many minutes are over, at least 3 (default 20, quick 1)\n"
                "  -n, --rounds=N       so many rounds instead, 1 to 999\n"
                "      --programs=LIST  these benchmarks, names without tare_, or all (default: one of each kind)\n"
                "      --over=LIST      these transports (default: all there are)\n"
                "      --mode=LIST      of off, header, datatype, message, copy (default: all)\n"
                "      --declare=WHAT   none, event or overhead: what each rank tells the carrier before each call\n"
                "                       (default event: a cost and a time stamp, as tools do)\n"
                "      --plot=FILE      draw what each mode adds to the latency; FILE ends in .svg or .png\n"
                "      --accuracy       something else: how far off compensated times are (--accuracy --help tells more)\n"
                "      --seed=N         for the order of runs, 0 to 2147483647 (default: another each time)\n"
                "      --json           print one JSON object with all samples\n"
                "      --list           print the programs and transports there are\n"
                "      --dry-run        print the commands of a round, and do not run them\n"
                "  -h, --help           print this and exit\n"
                "  -V, --version        print the version and exit\n"
                "\n"
                "A block is one program on one transport: all its builds are started at once, and measure in turn, a\n"
                "batch of messages each. A round is all blocks in an order of its own. The unpatched MPICH must have\n"
                "been built with Tare (./quickstart --unpatched); else the modes are compared with off.\n");
}

int set_minutes(const std::string &text, bench_wish &wish) {
    if (!read_number(text, 0.1, 10000, wish.minutes))
        return usage_error("bench", "--minutes=" + text + " is not a number from 0.1 to 10000");
    return -1;
}

// Gives back a status where the command line ends the command, else -1.
int read_options(int argc, char **argv, bench_wish &wish) {
    opterr = 0;
    for (int status = -1; status < 0;) {
        const std::string word = optind < argc ? argv[optind] : "";
        const int result = getopt_long(argc, argv, "+:n:hV", long_options, nullptr);
        if (result == -1)
            break;
        switch (result) {
        case 'n': status = set_whole("--rounds", optarg, 1, 999, wish.rounds); break;
        case minutes_option: status = set_minutes(optarg, wish); break;
        case quick_option: wish.quick = true; break;
        case programs_option: status = set_list("--programs", optarg, wish.programs); break;
        case over_option: status = set_list("--over", optarg, wish.transports); break;
        case mode_option: status = set_list("--mode", optarg, wish.modes); break;
        case declare_option: wish.declared = optarg; break;
        case plot_option: status = set_plot(optarg, wish.plot); break;
        case seed_option: status = set_seed(optarg, wish.seed); break;
        case json_option: wish.json = true; break;
        case list_option: wish.list = true; break;
        case dry_run_option: wish.dry_run = true; break;
        case 'h': return print_help(), exit_good;
        case 'V': return print_version(), exit_good;
        default: return usage_error("bench", option_error(result, word));
        }
        if (status >= 0)
            return status;
    }
    if (optind < argc)
        return usage_error("bench", std::string("unexpected argument ") + argv[optind]);
    if (wish.minutes == 0)
        wish.minutes = wish.quick ? 1 : 20;
    return -1;
}

// The plot shows one program.
refusal refuse_plot(const bench_wish &wish, const bench_plan &plan) {
    for (const std::string &program : plan.programs)
        if (wish.plot.empty() || program == "latency")
            return {};
    return {exit_usage, "--plot=" + wish.plot + " shows the program latency, which --programs leaves out"};
}

void print_plan(const bench_plan &plan) {
    for (const bench_transport &over : plan.transports)
        for (const std::string &program : plan.programs) {
            const std::vector<std::string> builds = bench_builds(plan, over);
            for (std::size_t i = 0; i < builds.size(); ++i) {
                const std::string turn = "TURN:" + std::to_string(i) + ":" + std::to_string(builds.size());
                std::puts(shell_line(bench_command(plan, over, program, builds[i], turn)).c_str());
            }
        }
}

int bench(const bench_wish &wish, const bench_plan &plan) {
    const bench_result result = run_bench_plan(wish, plan);
    if (wish.json)
        std::puts(bench_json(result).c_str());
    else
        print_bench(result);
    std::fflush(stdout);
    for (const std::string &sentence : result.failures)
        fail("bench", exit_failed, sentence);
    if (!wish.plot.empty() && result.rounds > 0)
        plot_bench(result, wish.plot);
    if (result.interrupted)
        return end_by(result.interrupted);
    return result.failures.empty() ? exit_good : exit_failed;
}

// A bench of its own, with options of its own.
bool wants_accuracy(int argc, char **argv) {
    return std::any_of(argv + 1, argv + argc, [](const char *word) { return std::strcmp(word, "--accuracy") == 0; });
}

}  // namespace

int run_bench(int argc, char **argv) {
    if (wants_accuracy(argc, argv))
        return run_bench_accuracy(argc, argv);
    bench_wish wish;
    const int status = read_options(argc, argv, wish);
    if (status >= 0)
        return status;
    if (wish.list)
        return print_bench_list(), exit_good;
    bench_plan plan;
    refusal refused = make_bench_plan(wish, plan);
    if (refused.status == exit_good)
        refused = refuse_plot(wish, plan);
    if (refused.status == exit_usage)
        return usage_error("bench", refused.sentence);
    if (refused.status != exit_good)
        return fail("bench", refused.status, refused.sentence);
    if (wish.dry_run)
        return print_plan(plan), exit_good;
    try {
        return bench(wish, plan);
    } catch (const interrupted &e) {
        return end_by(e.signal);
    } catch (const run_error &e) {
        return fail("bench", exit_failed, e.what());
    }
}

}  // namespace tare::tool
