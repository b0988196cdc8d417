// SPDX-License-Identifier: BSD-3-Clause
#include "bench_stats.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace tare::tool {
namespace {

// The 97.5 % quantile of Student's distribution, by degrees of freedom from 1 on; the normal one is reached slowly.
double student_quantile(std::size_t freedom) {
    constexpr double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    // Beyond the table: the first terms of the expansion of Cornish and Fisher.
    constexpr double normal = 1.959964;
    if (freedom <= std::size(table))
        return table[freedom - 1];
    return normal + (normal * normal * normal + normal) / (4.0 * static_cast<double>(freedom));
}

double mean(const std::vector<double> &values) {
    double sum = 0;
    for (const double value : values)
        sum += value;
    return sum / static_cast<double>(values.size());
}

// Of the mean.
double standard_error(const std::vector<double> &values, double centre) {
    double squares = 0;
    for (const double value : values)
        squares += (value - centre) * (value - centre);
    const double n = static_cast<double>(values.size());
    return std::sqrt(squares / (n - 1) / n);
}

}  // namespace

double median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double deviation_of(const std::vector<double> &values) {
    const double centre = median_of(values);
    std::vector<double> away;
    for (const double value : values)
        away.push_back(std::fabs(value - centre));
    return median_of(away);
}

double geometric_mean(const std::vector<double> &values) {
    std::vector<double> logarithms;
    for (const double value : values)
        logarithms.push_back(std::log(value));
    return std::exp(mean(logarithms));
}

std::optional<double> ratio::half_width() const {
    return lo && hi ? std::optional<double>((*hi - *lo) / 2) : std::nullopt;
}

interval interval_of_mean(const std::vector<double> &values) {
    interval result{mean(values), {}, {}};
    if (values.size() < 2)
        return result;
    const double half = student_quantile(values.size() - 1) * standard_error(values, result.mean);
    result.lo = result.mean - half;
    result.hi = result.mean + half;
    return result;
}

ratio ratio_of_pairs(const std::vector<double> &samples, const std::vector<double> &base) {
    std::vector<double> logarithms;
    for (std::size_t i = 0; i < std::min(samples.size(), base.size()); ++i)
        logarithms.push_back(std::log(samples[i] / base[i]));
    const interval found = interval_of_mean(logarithms);
    ratio result{std::exp(found.mean), {}, {}};
    if (found.lo && found.hi) {
        result.lo = std::exp(*found.lo);
        result.hi = std::exp(*found.hi);
    }
    return result;
}

}  // namespace tare::tool
