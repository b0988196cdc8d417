// SPDX-License-Identifier: BSD-3-Clause
// `tare bench`: what is asked for, what there is to run, and what came of it.
#ifndef TARE_TOOL_BENCH_HPP
#define TARE_TOOL_BENCH_HPP

#include "bench_machine.hpp"
#include "bench_stats.hpp"
#include "program.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace tare::tool {

struct bench_wish {
    std::vector<std::string> programs;    // without "tare_"; empty: the usual ones, or with `quick` a few
    std::vector<std::string> transports;  // empty: all that the installation has
    std::vector<std::string> modes;       // empty: all
    std::string declared = "event";
    int rounds = 0;                       // 0: as many as there is time for
    double minutes = 0;                   // 0: 20, or with `quick` 1
    std::optional<int> seed;
    std::string plot;
    bool quick = false;
    bool list = false;
    bool json = false;
    bool dry_run = false;
};

// A way that messages go, and the MPICH for it.
struct bench_transport {
    std::string name;
    std::string meaning;
    std::vector<std::string> settings;  // NAME=VALUE
    std::string mpi;                    // the folder that holds lib/libmpi.so.12 and bin/mpiexec
    std::string unpatched;              // that of the unpatched MPICH with the same flags, or empty
};

// A program at one of its sizes.
struct bench_key {
    std::string transport, program;
    std::int64_t size = 0;

    bool operator<(const bench_key &other) const {
        return std::tie(transport, program, size) < std::tie(other.transport, other.program, other.size);
    }
};

// What everything is compared with: the unpatched MPICH, or, where a build has none, the patched one in mode off.
constexpr const char *base_build = "unpatched";
constexpr const char *off_mode = "off";

struct bench_plan {
    std::vector<bench_transport> transports;
    std::vector<std::string> programs, modes;
    std::string declared;
    std::string program_dir, tare_lib_dir, layer, libtare;
    bool quick = false;
};

// One mode at one place: a sample a round, each the median of the batches of a process.
struct bench_row {
    bench_key key;
    std::string mode;
    std::vector<double> samples_us;
    double median_us = 0;
    double mad_us = 0;
    std::optional<ratio> against;  // the time as a part of the base's; nothing of the base itself
};

struct bench_result {
    std::vector<bench_row> rows;            // by transport and program as planned, size and mode
    std::vector<std::string> failures;      // a sentence each
    std::vector<std::string> modes;         // the columns, without the base
    std::map<std::string, std::string> base;  // by transport: base_build or off_mode
    std::string declared;
    int rounds = 0;                         // that are whole
    int seed = 0;
    machine_use machine;
    std::size_t busy_blocks = 0, blocks = 0;  // while which the machine was not quiet, of all
    int interrupted = 0;                    // the signal, or 0
};

// ---- bench_plan.cpp ----

constexpr const char *no_mpich = "this installation has no patched MPICH: build Tare with it (./quickstart)";

// The transports of this installation, in the order of tables.
std::vector<bench_transport> bench_transports();
const std::vector<std::string> &bench_modes();
const std::vector<std::string> &bench_programs();

refusal make_bench_plan(const bench_wish &wish, bench_plan &plan);

// The command of a build (base_build or a mode) that is number `turn` of those that take turns by `file`.
std::vector<std::string> bench_command(const bench_plan &plan, const bench_transport &over, const std::string &program,
                                       const std::string &build, const std::string &turn);

// The builds of a block: the base first.
std::vector<std::string> bench_builds(const bench_plan &plan, const bench_transport &over);

// ---- bench_run.cpp ----

// Runs blocks until there are rounds or time enough, or a signal comes. Throws run_error.
bench_result run_bench_plan(const bench_wish &wish, const bench_plan &plan);

// ---- bench_text.cpp, bench_figure.cpp ----

void print_bench(const bench_result &result);
void print_bench_list();
void plot_bench(const bench_result &result, const std::string &file);

}  // namespace tare::tool

#endif
