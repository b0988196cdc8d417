// SPDX-License-Identifier: BSD-3-Clause
// `tare bench --accuracy`: kernels with probes of known cost, and how far their compensated times are from those of
// the same kernels without probes.
#ifndef TARE_TOOL_BENCH_ACCURACY_HPP
#define TARE_TOOL_BENCH_ACCURACY_HPP

#include "bench.hpp"
#include "bench_machine.hpp"
#include "program.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace tare::tool {

struct accuracy_wish {
    std::vector<std::string> kernels, modes, rules;  // empty: all
    std::vector<int> dilations;                      // per cent; empty: 20, 100, 500, or with `quick` 500
    int rounds = 0;                                  // 0: 5, or with `quick` 3
    std::optional<int> seed;
    std::string plot;
    bool quick = false;
    bool json = false;
    bool dry_run = false;
};

// The truth is mode off, dilation 0.
struct accuracy_case {
    int dilation_pct = 0;
    std::string mode = "off";
    std::string rule = "exact";

    bool is_truth() const { return dilation_pct == 0; }
    bool is_judged() const { return mode == "header" && rule == "exact"; }
    bool operator<(const accuracy_case &other) const {
        return std::tie(dilation_pct, mode, rule) < std::tie(other.dilation_pct, other.mode, other.rule);
    }
};

// A kernel of this installation, and how many ranks it is made for.
struct accuracy_kernel {
    std::string name;
    int ranks = 2;
};

struct accuracy_plan {
    std::vector<accuracy_kernel> kernels;
    std::vector<accuracy_case> cases;  // in the order of the table; the truth first
    int rounds = 5;
    bench_transport over;
    std::string program, libraries, layer, libtare;
};

// A run is taken in laps, and what the machine takes from some of them does not reach the median of all. They are short:
// one with probes takes several times as long as one without, and both must be likely to be left alone. It divides the
// steps of every kernel.
constexpr int laps_of_run = 25;

// Of one rank in one lap, in ns.
struct kernel_times {
    std::int64_t total = 0, total_comp = 0, total_lo = 0, total_hi = 0;
    std::int64_t wait = 0, wait_comp = 0;
    std::int64_t work = 0, overhead = 0, stolen = 0, inversions = 0;
};

using kernel_lap = std::vector<kernel_times>;  // by rank

struct kernel_run {
    std::vector<kernel_lap> laps;
    std::string result;  // of the computation: the same in all runs
    bool is_repairable = true;
};

// The laps of all runs of a kernel by case, round by round, more of the truth than of the others.
struct kernel_runs {
    std::map<accuracy_case, std::vector<kernel_lap>> laps;
    std::size_t rounds = 0;
    bool is_repairable = true;
};

struct accuracy_wait {
    std::int64_t truth_ns = 0, measured_ns = 0, comp_ns = 0;  // medians
    bool is_of_total = false;  // the truth hardly waits: the error is per cent of its total
    double error_pct = 0;
    std::vector<double> round_errors_pct;  // of each round against its own truth
};

struct accuracy_row {
    std::string kernel;
    accuracy_case of;
    bool is_repairable = true;
    std::int64_t truth_ns = 0, measured_ns = 0, comp_ns = 0;  // medians of the slowest rank's total
    std::int64_t lo_ns = 0, hi_ns = 0;
    double dilated_pct = 0;       // what the probes made of the total
    double error_pct = 0;
    std::vector<double> round_errors_pct;  // of each round against its own truth
    double spread_pct = 0;        // of the laps' errors, the middle half
    double work_pct = 0;          // how much longer the program's own work took, on the rank where that is most
    bool inside_bounds = false;   // of the middle half of the truths
    std::int64_t inversions = 0;  // of all ranks, median
    std::vector<accuracy_wait> waits;  // by rank

    const accuracy_wait &worst_wait() const;
};

// Cases beside the judged one, by name: "datatype exact".
struct accuracy_rivals {
    std::vector<std::string> nearer;   // by more than the rounds differ
    std::vector<std::string> as_near;  // or the rounds do not tell
};

// At the greatest dilation.
struct accuracy_verdict {
    std::string kernel;
    bool is_repairable = true;
    bool total_holds = false, wait_holds = false;
    accuracy_rivals totals, waits;
    const accuracy_row *judged = nullptr;  // null: header mode with the exact rule did not run
};

struct accuracy_result {
    std::vector<accuracy_row> rows;
    std::vector<std::string> failures;    // a sentence each: that kernel was not run again
    int rounds = 0;                       // that are whole
    int seed = 0;
    machine_use machine;
    std::size_t busy_runs = 0, runs = 0;  // while which the machine was not quiet, of all
    int interrupted = 0;                  // the signal, or 0
};

constexpr double total_mark_pct = 3;
constexpr double wait_mark_pct = 5;
constexpr double least_wait_pct = 10;  // of the total: with less waiting than that its error is per cent of the total

// ---- bench_accuracy_plan.cpp ----

refusal make_accuracy_plan(const accuracy_wish &wish, accuracy_plan &plan);
std::vector<std::string> accuracy_command(const accuracy_plan &plan, const accuracy_kernel &kernel,
                                          const accuracy_case &of);

// ---- bench_accuracy_run.cpp ----

// Runs all rounds, or until a signal comes. Throws run_error.
accuracy_result run_accuracy(const accuracy_wish &wish, const accuracy_plan &plan);

// ---- bench_accuracy_rows.cpp ----

// The rows of one kernel, in the order of the cases.
std::vector<accuracy_row> accuracy_rows(const std::string &kernel, const std::vector<accuracy_case> &cases,
                                        const kernel_runs &runs);
std::vector<accuracy_verdict> accuracy_verdicts(const accuracy_result &result);

// ---- bench_accuracy_text.cpp, bench_accuracy_figure.cpp ----

void print_accuracy(const accuracy_result &result);
void plot_accuracy(const accuracy_result &result, const std::string &file);

// `tare bench` with --accuracy among its options.
int run_bench_accuracy(int argc, char **argv);

}  // namespace tare::tool

#endif
