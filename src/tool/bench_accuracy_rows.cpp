// SPDX-License-Identifier: BSD-3-Clause
// From the runs of a kernel to the rows of the table: medians, and how far they are from the truth.
#include "bench_accuracy.hpp"

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

accuracy_wait wait_of(std::size_t rank, const laps &truth, const laps &runs, std::int64_t total_ns) {
    accuracy_wait result;
    result.truth_ns = median(values_of(truth, of_rank(rank, &kernel_times::wait)));
    result.measured_ns = median(values_of(runs, of_rank(rank, &kernel_times::wait)));
    result.comp_ns = median(values_of(runs, of_rank(rank, &kernel_times::wait_comp)));
    result.is_of_total = percent(result.truth_ns, total_ns) < least_wait_pct;
    result.error_pct = percent(result.comp_ns - result.truth_ns, result.is_of_total ? total_ns : result.truth_ns);
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

accuracy_row row_of(const std::string &kernel, const accuracy_case &of, const laps &truth, const laps &runs) {
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
    row.spread_pct = percent(quantile(found, 75) - quantile(found, 25), row.truth_ns);
    row.work_pct = work_change_pct(truth, runs);
    row.inside_bounds = row.lo_ns <= quantile(truths, 75) && row.hi_ns >= quantile(truths, 25);
    row.inversions = median(values_of(runs, inversions_of));
    for (std::size_t rank = 0; rank < truth.front().size(); ++rank)
        row.waits.push_back(wait_of(rank, truth, runs, row.truth_ns));
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

void compare_with_others(const accuracy_result &result, accuracy_verdict &verdict) {
    const accuracy_row &judged = *verdict.judged;
    for (const accuracy_row &row : result.rows) {
        if (row.kernel != judged.kernel || row.of.dilation_pct != judged.of.dilation_pct || &row == &judged)
            continue;
        const std::string name = row.of.mode + " " + row.of.rule;
        if (std::fabs(row.error_pct) < std::fabs(judged.error_pct))
            verdict.better_totals.push_back(name);
        if (wait_error(row) < wait_error(judged))
            verdict.better_waits.push_back(name);
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
            rows.push_back(row_of(kernel, of, truth, runs.laps.at(of)));
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
