// SPDX-License-Identifier: BSD-3-Clause
#include "overlap.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace tare::bench {
namespace {

using clock = std::chrono::steady_clock;
using microseconds = std::chrono::duration<double, std::micro>;

double us_since(clock::time_point start) {
    return microseconds(clock::now() - start).count();
}

// Some work whose result the compiler cannot leave out, until so much time has passed.
void compute(double wanted_us) {
    const clock::time_point start = clock::now();
    volatile double value = 1;
    do {
        for (int i = 0; i < 8; ++i)
            value = value * 0.5 + 1;
    } while (us_since(start) < wanted_us);
}

// What the calls of MPI_Test took, which stand behind equal parts of the computation.
double compute_and_test(const side &self, double wanted_us, MPI_Request &request) {
    const int tests = self.wanted->test_calls;
    double test_us = 0;
    for (int i = 0; i < tests; ++i) {
        compute(wanted_us / (tests + 1));
        const clock::time_point start = clock::now();
        int is_done = 0;
        before_call(self.tool);
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
        test_us += us_since(start);
    }
    compute(wanted_us / (tests + 1));
    return test_us;
}

overlapped time_iteration(const side &self, double wanted_us, const std::function<MPI_Request(int)> &start, int i) {
    overlapped result;
    const clock::time_point begin = clock::now();
    MPI_Request request = start(i);
    const clock::time_point started = clock::now();
    result.test_us = compute_and_test(self, wanted_us, request);
    const clock::time_point computed = clock::now();
    before_call(self.tool);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    const clock::time_point end = clock::now();
    result.start_us = microseconds(started - begin).count();
    result.compute_us = microseconds(computed - started).count() - result.test_us;
    result.wait_us = microseconds(end - computed).count();
    result.overall_us = microseconds(end - begin).count();
    return result;
}

// The parts of one iteration add up, those of a mean or of medians would not, or would hold the machine's moods.
overlapped median_iteration(std::vector<overlapped> &all) {
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::nth_element(all.begin(), middle, all.end(),
                     [](const overlapped &a, const overlapped &b) { return a.overall_us < b.overall_us; });
    return *middle;
}

}  // namespace

// All ranks compute as long as rank 0 communicated.
overlapped overlap(const side &self, const row &line, const std::function<MPI_Request(int)> &start) {
    double wanted_us = line.median_us;
    MPI_Bcast(&wanted_us, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    std::vector<overlapped> all;
    all.reserve(static_cast<std::size_t>(line.iterations));
    for (int i = 0; i < line.iterations; ++i)
        all.push_back(time_iteration(self, wanted_us, start, i));
    return median_iteration(all);
}

}  // namespace tare::bench
