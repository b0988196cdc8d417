// SPDX-License-Identifier: BSD-3-Clause
// Batches of all layouts in turn, each time in another order; what is compared stands side by side in time. The
// plain layout takes part twice: its second column is what two equal things differ by.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "report.hpp"

namespace report {

namespace {

using layout::kind;
using session::order;
using session::task;

constexpr kind columns[] = {kind::plain, kind::plain, kind::cq_data, kind::cq_data_tag, kind::prefix,
                            kind::prefix_iov};
constexpr int column_count = sizeof columns / sizeof *columns;
constexpr std::size_t latency_sizes[] = {0, 8, 1024, 8192, 65536, session::largest_bytes};

using samples = std::vector<double>;

double quantile(samples values, double part)
{
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
}

order batch_of(task what, std::size_t bytes, int messages)
{
    static std::uint64_t number = 0;
    number += UINT64_C(1) << 32;
    return {what, kind::plain, session::arrival::posted, bytes, messages, number};
}

// Messages or rounds that fill a batch; the first batches are also the warm-up.
int calibrated(session::side& s, task what, std::size_t bytes, const settings& wanted)
{
    const int messages_a_round = what == task::window ? session::in_flight(bytes) : 2;
    int count = 2;
    for (;;) {
        const double each_s = session::lead(s, batch_of(what, bytes, count));
        const double batch_ms = each_s * count * messages_a_round * 1e3;
        if (batch_ms >= wanted.batch_ms / 2)
            return std::max(2, static_cast<int>(count * wanted.batch_ms / batch_ms));
        count *= 2;
    }
}

std::vector<samples> measured(session::side& s, task what, std::size_t bytes, const settings& wanted)
{
    const int count = calibrated(s, what, bytes, wanted);
    std::vector<samples> seconds(column_count);
    for (int turn = 0; turn < wanted.turns; ++turn) {
        for (int i = 0; i < column_count; ++i) {
            const int column = (turn % 2 ? column_count - 1 - i : i) + turn / 2;
            order o = batch_of(what, bytes, count);
            o.layout = columns[column % column_count];
            seconds[column % column_count].push_back(session::lead(s, o));
        }
    }
    return seconds;
}

samples ratios(const samples& of, const samples& to)
{
    samples all;
    for (std::size_t i = 0; i < of.size(); ++i)
        all.push_back(of[i] / to[i]);
    return all;
}

void print_row(const std::vector<samples>& seconds)
{
    for (int i = 1; i < column_count; ++i) {
        const samples r = ratios(seconds[i], seconds[0]);
        std::printf("  %6.3f [%5.3f %5.3f]", quantile(r, 0.5), quantile(r, 0.25), quantile(r, 0.75));
    }
    std::printf("\n");
    std::fflush(stdout);
}

void print_head(const char *what)
{
    std::printf("\n%-22s %10s", what, "plain");
    const char *names[] = {"plain again", "cq_data", "cq_data_tag", "prefix", "prefix_iov"};
    for (const char *name : names)
        std::printf("  %-20s", name);
    std::printf("\n");
}

void latency_row(session::side& s, std::size_t bytes, const settings& wanted)
{
    const std::vector<samples> seconds = measured(s, task::ping_pong, bytes, wanted);
    std::printf("%8zu B            us %10.3f", bytes, quantile(seconds[0], 0.5) * 1e6);
    print_row(seconds);
}

void window_row(session::side& s, std::size_t bytes, bool rate, const settings& wanted)
{
    const std::vector<samples> seconds = measured(s, task::window, bytes, wanted);
    const double each_s = quantile(seconds[0], 0.5);
    std::printf("%8zu B x %2d   %5s %10.3f", bytes, session::in_flight(bytes), rate ? "M/s" : "GB/s",
                (rate ? 1 : static_cast<double>(bytes) * 1e-3) / each_s * 1e-6);
    print_row(seconds);
}

}  // namespace

void table(session::side& s, const settings& wanted)
{
    fabric::describe("");
    std::printf("%d turns of batches of %g ms; time against plain in the same turn: median [quartiles]\n",
                wanted.turns, wanted.batch_ms);
    print_head("one way");
    if (wanted.bytes >= 0)
        return latency_row(s, static_cast<std::size_t>(wanted.bytes), wanted);
    for (const std::size_t bytes : latency_sizes)
        latency_row(s, bytes, wanted);
    print_head("in flight");
    window_row(s, 8, true, wanted);
    window_row(s, session::largest_bytes, false, wanted);
    std::printf("\n");
}

}  // namespace report
