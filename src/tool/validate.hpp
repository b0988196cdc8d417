// SPDX-License-Identifier: BSD-3-Clause
// What `tare validate` compares: the same figures of runs without and with measurement.
#ifndef TARE_TOOL_VALIDATE_HPP
#define TARE_TOOL_VALIDATE_HPP

#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tare::tool {

// In the order of the table. `instrumented` is no run of its own: it is what the exact one has measured. With
// --second-order only: `repeated`, a run by the exact rule with further probes, and `extrapolated`, what follows from
// both for none.
enum validate_case {
    case_baseline,
    case_instrumented,
    case_local,
    case_published,
    case_exact,
    case_repeated,
    case_extrapolated,
    validate_cases
};
extern const char *const case_names[validate_cases];

// The time from MPI_Init's return to MPI_Finalize's call; the other regions are MPI functions.
constexpr const char *total_region = "total";

// The time of one region on one rank, or on all of them, in one run.
struct figure {
    std::int64_t ns = 0;
    std::int64_t lo_ns = 0;
    std::int64_t hi_ns = 0;
    std::int64_t residue_ns = 0;
};

// One run: figures by region and rank.
struct observation {
    int ranks = 0;
    std::string mode;  // of the carrier; empty: a baseline
    std::map<std::string, std::vector<figure>> regions;
    std::int64_t repeated_probes = 0;    // pairs of enter and leave beside the program's own
};

// All runs, by case; each case has as many, or none.
using observations = std::vector<observation>[validate_cases];

constexpr int whole_run = -1;

struct validate_row {
    validate_case which = case_baseline;
    std::string region;
    int rank = whole_run;                // whole_run: total of the slowest rank, sum of all ranks of other regions
    figure median;
    std::int64_t spread_ns = 0;          // the largest less the smallest
    std::optional<double> error_pct;     // against the baseline's median; nothing where that is 0, or is the baseline
    std::optional<bool> inside_bounds;   // the exact case: whether its bounds hold the baseline's median

    std::string name() const;            // "total", "MPI_Recv(), rank 1"
};

// What the error of the exact rule's total is made of.
struct second_order {
    int repeats = 0;                     // further executions of each probe, in the case `repeated`
    std::int64_t error_ns = 0;
    std::int64_t growth_ns = 0;          // for each execution of the probes, as far as two points tell
    std::int64_t growth_spread_ns = 0;   // of the rounds

    bool tells_growth() const { return growth_spread_ns < std::abs(growth_ns); }
};

struct validation {
    int rounds = 0;
    int ranks = 0;
    std::string mode;
    std::string command;                 // as it was given
    std::string baseline;                // as it was given, or empty
    std::vector<validate_row> rows;      // by region, rank and case
    std::optional<second_order> growth;  // with --second-order

    const validate_row &total_of(validate_case which) const;
};

// ---- validate_read.cpp: both throw run_error, or profile::error ----

// The files that libtare-baseline has left in a folder.
observation read_baseline(const std::string &folder);
// A profile's MPI regions and total: the times as measured, and the compensated ones with their bounds.
struct measured_and_compensated {
    observation measured, compensated;
};
measured_and_compensated read_profile(const std::string &folder);

// ---- validate_rows.cpp ----

// repeats: of --second-order, or 0.
std::vector<validate_row> make_rows(const observations &runs, int repeats);
second_order find_growth(const observations &runs, int repeats);

// ---- validate_text.cpp ----

void print_validation(const validation &result);

}  // namespace tare::tool

#endif
