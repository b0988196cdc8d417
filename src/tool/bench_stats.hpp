// SPDX-License-Identifier: BSD-3-Clause
// The statistics of `tare bench`.
#ifndef TARE_TOOL_BENCH_STATS_HPP
#define TARE_TOOL_BENCH_STATS_HPP

#include <optional>
#include <vector>

namespace tare::tool {

// Of at least one value; the mean of the middle two if their number is even.
double median_of(std::vector<double> values);

// Median absolute deviation from the median.
double deviation_of(const std::vector<double> &values);

// exp of the mean of logarithms, all values above 0.
double geometric_mean(const std::vector<double> &values);

// With its 95 % confidence interval; lo and hi are not there where one pair is all there is.
struct ratio {
    double value = 1;
    std::optional<double> lo, hi;

    // Half of the interval's width.
    std::optional<double> half_width() const;
};

// 95 % confidence interval of a mean; not there where one value is all there is.
struct interval {
    double mean = 0;
    std::optional<double> lo, hi;
};

// Student's, which is honest about few values: at least one.
interval interval_of_mean(const std::vector<double> &values);

// Of samples that were taken in pairs: the geometric mean of the pairs' ratios, and Student's interval of the mean of
// their logarithms, which is honest about few pairs. Samples above 0; as many pairs as the shorter series has, at least
// one.
ratio ratio_of_pairs(const std::vector<double> &samples, const std::vector<double> &base);

}  // namespace tare::tool

#endif
