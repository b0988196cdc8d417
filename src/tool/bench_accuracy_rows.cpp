// SPDX-License-Identifier: BSD-3-Clause
// From the runs of a kernel to the rows of the table: medians, and how far they are from the truth.
#include "bench_accuracy.hpp"

#include "bench_stats.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tare::tool {
namespace {

using numbers = std::vector<std::int64_t>;
using laps = std::vector<kernel_lap>;
using of_lap = std::function<std::int64_t(const kernel_lap &)>;

std::int64_t median(numbers values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : values[half - 1] + (values[half] - values[half - 1]) / 2;
}

// The value below which so many hundredths of all are.
std::int64_t quantile(numbers values, std::size_t hundredths) {
    std::sort(values.begin(), values.end());
    return values[(values.size() - 1) * hundredths / 100];
}

numbers values_of(const laps &all, const of_lap &figure) {
    numbers result;
    for (const kernel_lap &lap : all)
        result.push_back(figure(lap));
    return result;
}

// The slowest rank's.
of_lap greatest(std::int64_t kernel_times::*value) {
    return [value](const kernel_lap &lap) {
        std::int64_t most = INT64_MIN;
        for (const kernel_times &t : lap)
            most = std::max(most, t.*value);
        return most;
    };
}

of_lap of_rank(std::size_t rank, std::int64_t kernel_times::*value) {
    return [=](const kernel_lap &lap) { return lap[rank].*value; };
}

std::int64_t inversions_of(const kernel_lap &lap) {
    std::int64_t sum = 0;
    for (const kernel_times &t : lap)
        sum += t.inversions;
    return sum;
}

double percent(std::int64_t part, std::int64_t whole) {
    return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

// The laps of one round of several, each of which has as many.
laps laps_of_round(const laps &all, std::size_t round, std::size_t rounds) {
    const auto each = static_cast<laps::difference_type>(all.size() / rounds);
    const auto first = all.begin() + static_cast<laps::difference_type>(round) * each;
    return {first, first + each};
}

// Each round against its own truth, which is near it in time.
std::vector<double> errors_of_rounds(const laps &truth, const laps &runs, std::size_t rounds, const of_lap &true_figure,
                                     const of_lap &found_figure, std::int64_t whole_ns) {
    std::vector<double> errors;
    for (std::size_t round = 0; round < rounds; ++round) {
        const std::int64_t is = median(values_of(laps_of_round(truth, round, rounds), true_figure));
        const std::int64_t found = median(values_of(laps_of_round(runs, round, rounds), found_figure));
        errors.push_back(percent(found - is, whole_ns));
    }
    return errors;
}

accuracy_wait wait_of(std::size_t rank, const laps &truth, const laps &runs, std::size_t rounds,
                      std::int64_t total_ns) {
    accuracy_wait result;
    result.truth_ns = median(values_of(truth, of_rank(rank, &kernel_times::wait)));
    result.measured_ns = median(values_of(runs, of_rank(rank, &kernel_times::wait)));
    result.comp_ns = median(values_of(runs, of_rank(rank, &kernel_times::wait_comp)));
    result.is_of_total = percent(result.truth_ns, total_ns) < least_wait_pct;
    const std::int64_t whole_ns = result.is_of_total ? total_ns : result.truth_ns;
    result.error_pct = percent(result.comp_ns - result.truth_ns, whole_ns);
    result.round_errors_pct = errors_of_rounds(truth, runs, rounds, of_rank(rank, &kernel_times::wait),
                                               of_rank(rank, &kernel_times::wait_comp), whole_ns);
    return result;
}

// What the probes did to the program's own work, by the caches, by the other core: it is no overhead that anybody
// declares, so it is in every compensated time.
double work_change_pct(const laps &truth, const laps &runs) {
    double most = 0;
    for (std::size_t rank = 0; rank < truth.front().size(); ++rank) {
        const std::int64_t before = median(values_of(truth, of_rank(rank, &kernel_times::work)));
        const std::int64_t after = median(values_of(runs, of_rank(rank, &kernel_times::work)));
        const double change = before > 0 ? percent(after - before, before) : 0;
        most = std::fabs(change) > std::fabs(most) ? change : most;
    }
    return most;
}

accuracy_row row_of(const std::string &kernel, const accuracy_case &of, const laps &truth, const laps &runs,
                    std::size_t rounds) {
    accuracy_row row;
    row.kernel = kernel;
    row.of = of;
    const numbers truths = values_of(truth, greatest(&kernel_times::total));
    const numbers found = values_of(runs, greatest(&kernel_times::total_comp));
    row.truth_ns = median(truths);
    row.measured_ns = median(values_of(runs, greatest(&kernel_times::total)));
    row.comp_ns = median(found);
    row.lo_ns = median(values_of(runs, greatest(&kernel_times::total_lo)));
    row.hi_ns = median(values_of(runs, greatest(&kernel_times::total_hi)));
    row.dilated_pct = percent(row.measured_ns - row.truth_ns, row.truth_ns);
    row.error_pct = percent(row.comp_ns - row.truth_ns, row.truth_ns);
    row.round_errors_pct = errors_of_rounds(truth, runs, rounds, greatest(&kernel_times::total),
                                            greatest(&kernel_times::total_comp), row.truth_ns);
    row.spread_pct = percent(quantile(found, 75) - quantile(found, 25), row.truth_ns);
    row.work_pct = work_change_pct(truth, runs);
    row.inside_bounds = row.lo_ns <= quantile(truths, 75) && row.hi_ns >= quantile(truths, 25);
    row.inversions = median(values_of(runs, inversions_of));
    for (std::size_t rank = 0; rank < truth.front().size(); ++rank)
        row.waits.push_back(wait_of(rank, truth, runs, rounds, row.truth_ns));
    return row;
}

// The row of header mode and the exact rule at the greatest dilation of a kernel.
const accuracy_row *judged_row(const accuracy_result &result, const std::string &kernel) {
    const accuracy_row *found = nullptr;
    for (const accuracy_row &row : result.rows)
        if (row.kernel == kernel && row.of.is_judged() && (!found || row.of.dilation_pct > found->of.dilation_pct))
            found = &row;
    return found;
}

double wait_error(const accuracy_row &row) { return std::fabs(row.worst_wait().error_pct); }

struct error_in_rounds {
    double error_pct;
    const std::vector<double> &rounds_pct;
};

// How much farther from the truth the other is in each round. Rounds of both are taken by the sign of the whole, so that
// chance is not counted as distance where an error is small.
std::vector<double> farther_by_round(const error_in_rounds &other, const error_in_rounds &judged) {
    std::vector<double> farther;
    for (std::size_t round = 0; round < judged.rounds_pct.size(); ++round)
        farther.push_back(std::copysign(1, other.error_pct) * other.rounds_pct[round] -
                          std::copysign(1, judged.error_pct) * judged.rounds_pct[round]);
    return farther;
}

void compare(const std::string &name, const error_in_rounds &other, const error_in_rounds &judged,
             accuracy_rivals &rivals) {
    const interval farther = interval_of_mean(farther_by_round(other, judged));
    if (farther.lo && *farther.hi < 0)
        rivals.nearer.push_back(name);
    else if (!farther.lo || *farther.lo <= 0)
        rivals.as_near.push_back(name);
}

void compare_with_others(const accuracy_result &result, accuracy_verdict &verdict) {
    const accuracy_row &judged = *verdict.judged;
    for (const accuracy_row &row : result.rows) {
        if (row.kernel != judged.kernel || row.of.dilation_pct != judged.of.dilation_pct || &row == &judged)
            continue;
        const std::string name = row.of.mode + " " + row.of.rule;
        const accuracy_wait &wait = row.worst_wait(), &judged_wait = judged.worst_wait();
        compare(name, {row.error_pct, row.round_errors_pct}, {judged.error_pct, judged.round_errors_pct},
                verdict.totals);
        compare(name, {wait.error_pct, wait.round_errors_pct}, {judged_wait.error_pct, judged_wait.round_errors_pct},
                verdict.waits);
    }
}

accuracy_verdict verdict_of(const accuracy_result &result, const accuracy_row &first) {
    accuracy_verdict verdict;
    verdict.kernel = first.kernel;
    verdict.is_repairable = first.is_repairable;
    verdict.judged = judged_row(result, first.kernel);
    if (!verdict.judged)
        return verdict;
    verdict.total_holds = std::fabs(verdict.judged->error_pct) <= total_mark_pct;
    verdict.wait_holds = wait_error(*verdict.judged) <= wait_mark_pct;
    compare_with_others(result, verdict);
    return verdict;
}

}  // namespace

const accuracy_wait &accuracy_row::worst_wait() const {
    return *std::max_element(waits.begin(), waits.end(), [](const accuracy_wait &a, const accuracy_wait &b) {
        return std::fabs(a.error_pct) < std::fabs(b.error_pct);
    });
}

std::vector<accuracy_row> accuracy_rows(const std::string &kernel, const std::vector<accuracy_case> &cases,
                                        const kernel_runs &runs) {
    std::vector<accuracy_row> rows;
    const laps &truth = runs.laps.at(accuracy_case());
    for (const accuracy_case &of : cases)
        if (!of.is_truth()) {
            rows.push_back(row_of(kernel, of, truth, runs.laps.at(of), runs.rounds));
            rows.back().is_repairable = runs.is_repairable;
        }
    return rows;
}

std::vector<accuracy_verdict> accuracy_verdicts(const accuracy_result &result) {
    std::vector<accuracy_verdict> verdicts;
    for (const accuracy_row &row : result.rows)
        if (verdicts.empty() || verdicts.back().kernel != row.kernel)
            verdicts.push_back(verdict_of(result, row));
    return verdicts;
}

}  // namespace tare::tool
