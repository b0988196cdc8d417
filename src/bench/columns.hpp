// SPDX-License-Identifier: BSD-3-Clause
// The figures of a row and the columns that show them, with OSU's headings.
#ifndef TARE_BENCH_COLUMNS_HPP
#define TARE_BENCH_COLUMNS_HPP

#include <vector>

namespace tare::bench {

// An iteration of a nonblocking collective with a computation between its start and its wait: of all of them the one
// that took the median time.
struct overlapped {
    double overall_us = 0;
    double start_us = 0;
    double compute_us = 0;
    double test_us = 0;
    double wait_us = 0;
};

// One line of the table: every sample is the time of one event (a one-way message, a window, a call) in microseconds.
struct row {
    int size = 0;
    int iterations = 0;
    double messages = 1;  // of one event, of all pairs
    std::vector<double> samples_us = {};
    double median_us = 0;
    double mad_us = 0;
    double p99_us = 0;
    overlapped with_compute = {};
    bool is_right = true;  // the payload, if it was checked
};

// What brings a column into the table: nothing, -f, -z, or -R 1, which is the default.
enum class shown { always, with_full, with_tail, with_rate };

struct column {
    const char *heading;
    const char *json_key;  // null: a JSON row has this already, as a time
    double (*figure)(const row &line);
    shown when = shown::always;
    int width = 18;
    int precision = 2;
};

bool have_tail(const std::vector<column> &columns);

// With `heading` the time alone, and what -f and -z add to it.
std::vector<column> time_columns(const char *heading);
std::vector<column> bandwidth_columns();
std::vector<column> rate_columns();
std::vector<column> overlap_columns();

}  // namespace tare::bench

#endif
