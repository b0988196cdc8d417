// SPDX-License-Identifier: BSD-3-Clause
// Plays experiments in the real core at any size and prints what is left of the overhead, one line each.
#include <getopt.h>

#include <cstdio>
#include <cstdlib>

#include "scale_experiment.hpp"

#ifndef TARE_VERSION
#error "TARE_VERSION comes from the Makefile"
#endif

namespace {

const char help[] =
    "Usage: tare_scale [OPTION]... [NAME=VALUE[,VALUE]...]...\n"
    "Plays message passing programs of up to 2097152 processes with probes and without, by the core that libmpi is\n"
    "built from, and prints a line of tab-separated values for each combination of the values, the last name's\n"
    "first.\n"
    "\n"
    "  -l, --list      names, what they mean, and what they are where nothing is said\n"
    "  -n, --no-head   without the line of names\n"
    "  -h, --help      this text\n"
    "  -V, --version   the version\n"
    "\n"
    "Exit status: 0 done, 2 bad input.\n";

[[noreturn]] void give_up(const std::string &sentence)
{
    std::fprintf(stderr, "tare_scale: %s\n", sentence.c_str());
    std::exit(2);
}

bool parse_options(int argc, char **argv)
{
    static const option options[] = {{"list", no_argument, nullptr, 'l'},    {"no-head", no_argument, nullptr, 'n'},
                                     {"help", no_argument, nullptr, 'h'},    {"version", no_argument, nullptr, 'V'},
                                     {nullptr, 0, nullptr, 0}};
    bool has_head = true;
    for (int key; (key = getopt_long(argc, argv, "lnhV", options, nullptr)) != -1;) {
        switch (key) {
        case 'l': std::fputs(scale::parameter_list().c_str(), stdout); std::exit(0);
        case 'n': has_head = false; break;
        case 'h': std::fputs(help, stdout); std::exit(0);
        case 'V': std::puts("tare_scale (Tare) " TARE_VERSION); std::exit(0);
        default: std::fputs("Try 'tare_scale --help'.\n", stderr); std::exit(2);
        }
    }
    return has_head;
}

}  // namespace

int main(int argc, char **argv)
{
    try {
        const bool has_head = parse_options(argc, argv);
        const auto all = scale::experiments({argv + optind, argv + argc});
        if (has_head)
            std::printf("%s\n", scale::head().c_str());
        for (const scale::experiment &x : all) {
            std::printf("%s\n", scale::line(x, scale::play(x)).c_str());
            std::fflush(stdout);
        }
        return 0;
    } catch (const std::exception &e) {
        give_up(e.what());
    }
}
