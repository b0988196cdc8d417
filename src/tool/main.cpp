// SPDX-License-Identifier: BSD-3-Clause
// `tare COMMAND ...`: finds the subcommand and leaves everything else to it.
#include "command.hpp"
#include "safe_file.hpp"
#include "tare_env_own.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <sys/auxv.h>

using namespace tare::tool;

namespace {

struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
    bool starts_programs = false;
};

const subcommand subcommands[] = {
    {"exec", run_exec, "run a program with measurement: mpiexec -n 2 tare exec ./app", true},
    {"report", run_report, "print the profile that a run has left in a directory"},
    {"compare", run_compare, "compare two profiles, region by region"},
    {"convert", run_convert, "write a profile as tau, cube, json, csv, chrome or speedscope, and read those"},
    {"validate", run_validate, "run a program with and without measurement, and print how far off the times are", true},
    {"bench", run_bench, "run the benchmarks in every mode beside the unpatched MPICH, and print what each costs", true},
    {"trace", run_trace, "show the trace of a run, print, cut, join or merge it, pair sends with receives, count events"},
    {"waits", run_waits, "say why processes wait, from a trace: which steps made the one late that was waited for"},
    {"comms", run_comms, "say what processes send, from a trace: which data, from where to where, and what is amiss with that"},
    {"info", run_info, "say what is installed, and what the environment selects"},
};

void print_help() {
    std::printf("Usage: tare COMMAND [OPTION]... [ARGUMENT]...\n"
                "Measure a parallel program, and take the cost of measuring out of its times.\n"
                "\n"
                "Commands:\n");
    for (const subcommand &s : subcommands)
        std::printf("  %-8s %s\n", s.name, s.summary);
    std::printf("  %-8s %s\n", "help", "say how a command is used: tare help report");
    std::printf("\n"
                "Options:\n"
                "  -h, --help     print this and exit\n"
                "  -V, --version  print the version and exit\n"
                "\n"
                "'tare COMMAND --help' or 'tare help COMMAND' tells more, and so do tare(1) and tare-COMMAND(1). The\n"
                "variables that select what a run does are in tare(7), or 'tare info --env'; tare-model(7) says what\n"
                "compensated times mean.\n");
}

int unknown(const char *name) {
    std::vector<std::string> known = {"help"};
    for (const subcommand &s : subcommands)
        known.push_back(s.name);
    const std::string best = nearest(name, known);
    const std::string hint = best.empty() ? "" : ": did you mean '" + best + "'?";
    return usage_error("", std::string("unknown ") + (name[0] == '-' ? "option " : "command ") + name + hint);
}

// What cannot be written is not lost in silence.
int check_output(const char *name, int status) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)
        return status;
    const char *reason = std::strerror(errno);
    return fail(name, status == exit_good ? exit_failed : status, std::string("cannot write the output: ") + reason);
}

// A file that would become larger than the limit (ulimit -f) is an error like a full disk, and not the end. Programs
// that are started would inherit that.
int run(const subcommand &s, int argc, char **argv) {
    if (!s.starts_programs)
        std::signal(SIGXFSZ, SIG_IGN);
    try {
        return check_output(s.name, s.run(argc, argv));
    } catch (const std::bad_alloc &) {
        return fail(s.name, exit_failed, "there is not enough memory");
    }
}

// The words from the command's name on.
int start(int argc, char **argv) {
    for (const subcommand &s : subcommands)
        if (std::strcmp(argv[0], s.name) == 0)
            return run(s, argc, argv);
    return unknown(argv[0]);
}

// `tare help COMMAND` is `tare COMMAND --help`.
int help(int argc, char **argv) {
    if (argc < 2 || std::strcmp(argv[1], "help") == 0)
        return print_help(), exit_good;
    if (argc > 2)
        return usage_error("", std::string("help tells of one command at a time: '") + argv[2] + "' is too many");
    char option[] = "--help";
    char *words[] = {argv[1], option, nullptr};
    return start(2, words);
}

}  // namespace

int main(int argc, char **argv) {
    if (getauxval(AT_SECURE) != 0)
        return fail("", exit_failed, "this program must not be set-uid, set-gid or given capabilities: it runs "
                                     "programs and writes files as its caller says");
    tare::profile::share_files(tare_env_file_access());
    if (argc < 2)
        return usage_error("", "a command is missing");
    const char *name = argv[1];
    if (std::strcmp(name, "--help") == 0 || std::strcmp(name, "-h") == 0)
        return print_help(), exit_good;
    if (std::strcmp(name, "--version") == 0 || std::strcmp(name, "-V") == 0)
        return print_version(), exit_good;
    if (std::strcmp(name, "help") == 0)
        return help(argc - 1, argv + 1);
    return start(argc - 1, argv + 1);
}
