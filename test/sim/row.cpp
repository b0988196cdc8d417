// SPDX-License-Identifier: BSD-3-Clause
#include "row.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace sim {

namespace {

// An estimator that is exact must be so in every process, and not only in the last to end.
constexpr double exact_limit = 1e-9;

double relative(ps estimate, ps truth)
{
    return truth == 0 ? 0 : static_cast<double>(estimate - truth) / static_cast<double>(truth);
}

// `end` says when a process of the instrumented run ended, by some estimate.
template <typename estimate> error error_of(const outcome& truth, const outcome& run, estimate end)
{
    ps true_time = 0;
    ps time = INT64_MIN;
    double apart = 0;
    double sum = 0;
    for (std::size_t p = 0; p < truth.processes.size(); ++p) {
        const ps true_end = truth.processes[p].end;
        const ps estimated = end(run.processes[p]);
        true_time = std::max(true_time, true_end);
        time = std::max(time, estimated);
        apart += std::abs(static_cast<double>(estimated - true_end));
        sum += static_cast<double>(true_end);
    }
    return {100 * relative(time, true_time), sum > 0 ? 100 * apart / sum : 0};
}

double worst_exact_error(const outcome& truth, const outcome& run)
{
    double worst = 0;
    for (std::size_t p = 0; p < truth.processes.size(); ++p) {
        const process_result& mine = run.processes[p];
        worst = std::max(worst, std::abs(relative(mine.end - mine.delay[exact], truth.processes[p].end)));
    }
    return worst;
}

void add(error& sum, const error& e, double weight)
{
    sum.run_time += e.run_time * weight;
    sum.per_process += e.per_process * weight;
}

void add_seed(const scenario& s, std::uint32_t seed, double weight, row& r)
{
    const cost_table costs = draw_costs(s, seed);
    const outcome truth = simulate(s, costs, false);
    const outcome run = simulate(s, costs, true);
    add(r.measured, error_of(truth, run, [](const process_result& p) { return p.end; }), weight);
    for (std::size_t e = 0; e < columns; ++e) {
        const auto compensated = [e](const process_result& p) { return p.end - p.delay[e]; };
        add(r.estimated[e], error_of(truth, run, compensated), weight);
    }
    r.worst_exact = std::max(r.worst_exact, worst_exact_error(truth, run));
    r.inversions.count += run.inversions.count;
    r.inversions.largest = std::max(r.inversions.largest, run.inversions.largest);
    r.events += truth.events + run.events;
}

void check(const expectation& x, const row& r, std::ostream& out)
{
    const bool is_measured = x.column == measured_column;
    const double found = is_measured ? r.measured.run_time : r.estimated[x.column].run_time;
    if (std::abs(found - x.percent) > x.tolerance)
        out << (is_measured ? "measured" : estimators[x.column].name) << " is " << found << " %, expected "
            << x.percent << " % within " << x.tolerance << " %\n";
    if (x.column == exact && x.percent == 0 && r.worst_exact >= exact_limit)
        out << "exact is off by " << r.worst_exact << " of a process's time, allowed are " << exact_limit << "\n";
}

}  // namespace

row run_scenario(const scenario& s)
{
    row r;
    const double weight = 1.0 / (s.last_seed - s.first_seed + 1.0);
    for (std::uint32_t seed = s.first_seed; seed <= s.last_seed; ++seed)
        add_seed(s, seed, weight, r);
    return r;
}

std::string deviations(const scenario& s, const row& r)
{
    std::ostringstream out;
    for (const expectation& x : s.expected)
        check(x, r, out);
    if (s.inversions && *s.inversions != (r.inversions.count > 0))
        out << "there are " << r.inversions.count << " inversions, expected " << (*s.inversions ? "some" : "none")
            << "\n";
    return out.str();
}

}  // namespace sim
