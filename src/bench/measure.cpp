// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include <algorithm>
#include <chrono>

#include "stats.hpp"

namespace tare::bench {
namespace {

// Not MPI_Wtime: a tool's wrapper around it would be measured with the messages.
using clock = std::chrono::steady_clock;

// Batch `index` of `batches` gets its share of the iterations; together the batches run all of them.
int batch_length(int iterations, int batches, int index) {
    const long long total = iterations;
    return static_cast<int>(total * (index + 1) / batches - total * index / batches);
}

double event_us(const bench_case &bench, clock::duration elapsed, int count) {
    return std::chrono::duration<double, std::micro>(elapsed).count() / bench.events_per_iteration / count;
}

double time_of_batch(const bench_case &bench, work &todo, int count) {
    const clock::time_point start = clock::now();
    todo.run(count);
    return event_us(bench, clock::now() - start, count);
}

// A passive rank stays in MPI until the others are ready with it. So does one that takes turns: asleep it would send
// nothing on, and a carrier's own message may wait for room still. Ranks that a turn has woken are apart by as long as
// that took, which is more than many a collective.
void gather_ranks(const bench_case &bench, const options &wanted) {
    if (bench.is_passive || wanted.validates || wanted.turn.runs > 0)
        MPI_Barrier(MPI_COMM_WORLD);
}

// Whoever had the cores before has left the caches to be filled.
constexpr int part_that_warms_up = 4;

int batches_of(const side &self, const row &line) {
    return self.wanted->has_tail ? line.iterations : std::min(line.iterations, max_samples);
}

// Batches that something comes between: other runs, or the payload check.
void timed_apart(const bench_case &bench, side &self, work &todo, turns &order, row &line) {
    const int batches = batches_of(self, line);
    const bool validates = self.wanted->validates;
    for (int i = 0; i < batches; ++i) {
        const int count = batch_length(line.iterations, batches, i);
        order.begin();
        if (self.wanted->turn.runs > 0)
            todo.run(count / part_that_warms_up + 1);
        gather_ranks(bench, *self.wanted);
        if (validates) {
            self.batch++;
            todo.fill();
            gather_ranks(bench, *self.wanted);
        }
        line.samples_us.push_back(time_of_batch(bench, todo, count));
        todo.settle();
        gather_ranks(bench, *self.wanted);
        line.is_right = line.is_right && (!validates || todo.is_right(count));
        order.end();
    }
}

void timed_together(const bench_case &bench, const side &self, work &todo, row &line) {
    const int batches = batches_of(self, line);
    std::vector<clock::time_point> ends(static_cast<std::size_t>(batches) + 1);
    ends[0] = clock::now();
    for (int i = 0; i < batches; ++i) {
        todo.run(batch_length(line.iterations, batches, i));
        ends[static_cast<std::size_t>(i) + 1] = clock::now();
    }
    for (int i = 0; i < batches; ++i)
        line.samples_us.push_back(event_us(bench, ends[i + 1] - ends[i], batch_length(line.iterations, batches, i)));
}

// Ranks without a part in the messages have samples, too: next to nothing.
void combine_ranks(const bench_case &bench, const side &self, row &line) {
    if (bench.samples == samples_of::first_rank)
        return;
    const MPI_Op op = bench.samples == samples_of::slowest_rank ? MPI_MAX : MPI_SUM;
    MPI_Allreduce(MPI_IN_PLACE, line.samples_us.data(), static_cast<int>(line.samples_us.size()), MPI_DOUBLE, op,
                  MPI_COMM_WORLD);
    if (bench.samples == samples_of::mean_of_ranks)
        for (double &sample_us : line.samples_us)
            sample_us /= self.ranks;
}

void summarize(row &line) {
    line.median_us = median(line.samples_us);
    line.mad_us = median_deviation(line.samples_us, line.median_us);
    line.p99_us = percentile(line.samples_us, 99);
}

double messages_of_event(const bench_case &bench, const options &wanted) {
    return static_cast<double>(std::max(wanted.window, 1)) * std::max(wanted.pairs, 1) * bench.ways;
}

}  // namespace

row measure(const bench_case &bench, side &self, turns &order) {
    row line;
    line.size = self.size;
    line.iterations = self.wanted->iterations.for_size(self.size);
    line.messages = messages_of_event(bench, *self.wanted);
    order.begin();
    auto todo = bench.make(self);
    MPI_Barrier(MPI_COMM_WORLD);
    todo->run(self.wanted->warmup.for_size(self.size));
    gather_ranks(bench, *self.wanted);
    order.end();
    if (self.wanted->turn.runs > 0 || self.wanted->validates)
        timed_apart(bench, self, *todo, order, line);
    else
        timed_together(bench, self, *todo, line);
    order.begin();
    combine_ranks(bench, self, line);
    summarize(line);
    todo->add_to(line);
    todo.reset();
    order.end();
    return line;
}

}  // namespace tare::bench
