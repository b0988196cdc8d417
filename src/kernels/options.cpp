// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <climits>
#include <cstdio>
#include <cstring>
#include <getopt.h>

#include "numbers.hpp"

namespace tare::kernels {
namespace {

constexpr int most_dilation = 10000;
constexpr int most_steps = 1000000;

enum { own_clock_option = 1000, others_option, rank_option, laps_option, list_option, json_option };

const option long_options[] = {
    {"dilation", required_argument, nullptr, 'd'},
    {"others", required_argument, nullptr, others_option},
    {"rank", required_argument, nullptr, rank_option},
    {"own-clock", no_argument, nullptr, own_clock_option},
    {"size", required_argument, nullptr, 's'},
    {"steps", required_argument, nullptr, 'i'},
    {"laps", required_argument, nullptr, laps_option},
    {"json", no_argument, nullptr, json_option},
    {"list", no_argument, nullptr, list_option},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'v'},
    {nullptr, 0, nullptr, 0},
};

void set_number(const char *name, int low, int high, int &target, options &result) {
    const auto value = bench::parse_int(optarg, low, high);
    if (value)
        target = *value;
    else
        result.error = std::string(name) + " " + optarg + ": give a whole number from " + std::to_string(low) +
                       " to " + std::to_string(high);
}

void apply(int letter, const std::string &word, options &result) {
    const std::string name = word.rfind("--", 0) == 0 ? word : std::string("-") + static_cast<char>(optopt);
    switch (letter) {
    case 'd': set_number("--dilation", 0, most_dilation, result.dilation_pct, result); break;
    case others_option: set_number("--others", 0, 100, result.others_pct, result); break;
    case rank_option: set_number("--rank", 0, INT_MAX, result.probed, result); break;
    case own_clock_option: result.own_clock = true; break;
    case 's': set_number("--size", 1, INT_MAX, result.size, result); break;
    case 'i': set_number("--steps", 1, most_steps, result.steps, result); break;
    case laps_option: set_number("--laps", 1, most_steps, result.laps, result); break;
    case json_option: result.json = true; break;
    case list_option: result.what = request::list; break;
    case 'h': result.what = request::help; break;
    case 'v': result.what = request::version; break;
    case ':': result.error = name + " needs a value"; break;
    default: result.error = "unknown option " + name; break;
    }
}

std::string names() {
    std::string text;
    for (int i = 0; i < kernel_count; ++i)
        text += (i == 0 ? "" : ", ") + std::string(all_kernels[i]->name);
    return text;
}

void set_kernel(int argc, char **argv, options &result) {
    if (optind >= argc) {
        result.error = "a kernel is missing: give one of " + names();
        return;
    }
    for (int i = 0; i < kernel_count; ++i)
        if (std::strcmp(all_kernels[i]->name, argv[optind]) == 0)
            result.kind = all_kernels[i];
    if (result.kind == nullptr)
        result.error = std::string("no kernel is called ") + argv[optind] + ": give one of " + names();
    else if (optind + 1 < argc)
        result.error = std::string("unexpected argument ") + argv[optind + 1];
}

void set_defaults(options &result) {
    const kernel_kind &kind = *result.kind;
    if (result.size == 0)
        result.size = kind.size;
    if (result.steps == 0)
        result.steps = kind.steps;
    if (result.probed < 0)
        result.probed = kind.probed;
    if (result.size > kind.most_size)
        result.error = "--size " + std::to_string(result.size) + ": the largest of " + kind.name + " is " +
                       std::to_string(kind.most_size);
    else if (result.steps % result.laps != 0)
        result.error = "--laps " + std::to_string(result.laps) + ": give a divisor of the " +
                       std::to_string(result.steps) + " steps";
}

}  // namespace

options parse_options(int argc, char **argv) {
    options result;
    opterr = 0;
    while (result.error.empty() && result.what == request::run) {
        const int letter = getopt_long(argc, argv, ":d:s:i:hv", long_options, nullptr);
        if (letter == -1)
            break;
        apply(letter, argv[optind - 1], result);
    }
    if (result.error.empty() && result.what == request::run)
        set_kernel(argc, argv, result);
    if (result.error.empty() && result.what == request::run)
        set_defaults(result);
    return result;
}

void print_help() {
    std::printf(
        "Usage: mpiexec -n 2 tare_kernel [OPTION]... KERNEL\n"
        "Run a small parallel kernel with probes that cost as much as they are told to, and check its result.\n\n"
        "  -d, --dilation PERCENT  what the probes cost: so much of the work in front of them (default 0: none)\n"
        "      --rank RANK         whose probes cost that (default: as --list says)\n"
        "      --others PERCENT    so much of it on the other ranks (default 10)\n"
        "      --own-clock         no time stamp before each MPI call: the transport reads the clock itself\n"
        "  -s, --size SIZE         of the problem, and\n"
        "  -i, --steps STEPS       how often (default: as --list says, with the ranks that it is made for)\n"
        "      --laps LAPS         in so many parts, each with times of its own; all ranks begin one together (default 1)\n"
        "      --json              one JSON object, times in ns\n"
        "      --list              the kernels, and what they do\n"
        "  -h, --help              print this and exit\n"
        "  -v, --version           print the version and exit\n\n"
        "Even ranks have two shares of the work, odd ranks three. Probes spin and declare by tare.h what they took.\n"
        "Prints for each rank the time of the steps and that inside MPI calls, as measured and compensated.\n");
}

}  // namespace tare::kernels
