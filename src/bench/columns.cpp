// SPDX-License-Identifier: BSD-3-Clause
#include "columns.hpp"

#include <algorithm>

#include "stats.hpp"

namespace tare::bench {
namespace {

double least_us(const row &line) {
    return *std::min_element(line.samples_us.begin(), line.samples_us.end());
}

double greatest_us(const row &line) {
    return *std::max_element(line.samples_us.begin(), line.samples_us.end());
}

template <int percent> double tail_us(const row &line) { return percentile(line.samples_us, percent); }

double median_us(const row &line) { return line.median_us; }
double iterations(const row &line) { return line.iterations; }

// Bytes per microsecond are megabytes (10^6) per second.
double mb_per_s(const row &line, double event_us) { return line.size * line.messages / event_us; }

double median_mb_per_s(const row &line) { return mb_per_s(line, line.median_us); }
double least_mb_per_s(const row &line) { return mb_per_s(line, greatest_us(line)); }
double greatest_mb_per_s(const row &line) { return mb_per_s(line, least_us(line)); }
double messages_per_s(const row &line) { return line.messages / line.median_us * 1e6; }

double overall_us(const row &line) { return line.with_compute.overall_us; }
double start_us(const row &line) { return line.with_compute.start_us; }
double compute_us(const row &line) { return line.with_compute.compute_us; }
double test_us(const row &line) { return line.with_compute.test_us; }
double wait_us(const row &line) { return line.with_compute.wait_us; }

// How much of the communication took no time beside the computation.
double overlap_pct(const row &line) {
    const double seen_us = line.with_compute.overall_us - line.with_compute.compute_us;
    return std::clamp(100 * (1 - seen_us / line.median_us), 0.0, 100.0);
}

constexpr column iterations_column = {"Iterations", nullptr, iterations, shown::with_full, 12, 0};

}  // namespace

bool have_tail(const std::vector<column> &columns) {
    return std::any_of(columns.begin(), columns.end(), [](const column &c) { return c.when == shown::with_tail; });
}

std::vector<column> time_columns(const char *heading) {
    return {{heading, nullptr, median_us},
            {"Min Latency(us)", nullptr, least_us, shown::with_full},
            {"Max Latency(us)", nullptr, greatest_us, shown::with_full},
            {"P50 Tail Lat(us)", nullptr, tail_us<50>, shown::with_tail},
            {"P90 Tail Lat(us)", nullptr, tail_us<90>, shown::with_tail},
            {"P99 Tail Lat(us)", nullptr, tail_us<99>, shown::with_tail},
            iterations_column};
}

std::vector<column> bandwidth_columns() {
    return {{"Bandwidth (MB/s)", "mb_per_s", median_mb_per_s},
            {"Min (MB/s)", nullptr, least_mb_per_s, shown::with_full},
            {"Max (MB/s)", nullptr, greatest_mb_per_s, shown::with_full},
            iterations_column};
}

std::vector<column> rate_columns() {
    return {{"MB/s", "mb_per_s", median_mb_per_s},
            {"Messages/s", "messages_per_s", messages_per_s, shown::with_rate},
            iterations_column};
}

std::vector<column> overlap_columns() {
    return {{"Overall(us)", "overall_us", overall_us},
            {"Compute(us)", "compute_us", compute_us},
            {"Coll. Init(us)", "start_us", start_us, shown::with_full},
            {"MPI_Test(us)", "test_us", test_us, shown::with_full},
            {"MPI_Wait(us)", "wait_us", wait_us, shown::with_full},
            {"Pure Comm.(us)", nullptr, median_us},
            {"Min Comm.(us)", nullptr, least_us, shown::with_full},
            {"Max Comm.(us)", nullptr, greatest_us, shown::with_full},
            {"Overlap(%)", "overlap_pct", overlap_pct}};
}

}  // namespace tare::bench
