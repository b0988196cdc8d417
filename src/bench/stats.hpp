// SPDX-License-Identifier: BSD-3-Clause
#ifndef TARE_BENCH_STATS_HPP
#define TARE_BENCH_STATS_HPP

#include <algorithm>
#include <cmath>
#include <vector>

namespace tare::bench {

// Of at least one value; the mean of the middle two if their number is even.
inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Median absolute deviation from `centre`, not scaled to a standard deviation.
inline double median_deviation(std::vector<double> values, double centre) {
    for (double &value : values)
        value = std::fabs(value - centre);
    return median(std::move(values));
}

// By the nearest rank: the least value that so many percent of the values do not exceed.
inline double percentile(std::vector<double> values, double percent) {
    std::sort(values.begin(), values.end());
    const double place = std::ceil(percent / 100 * static_cast<double>(values.size()));
    return values[static_cast<std::size_t>(std::max(place, 1.0)) - 1];
}

}  // namespace tare::bench

#endif
