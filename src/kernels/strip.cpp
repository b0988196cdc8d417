// SPDX-License-Identifier: BSD-3-Clause
#include "strip.hpp"

#include <cmath>
#include <cstring>

namespace tare::kernels {
namespace {

constexpr double pi = 3.14159265358979323846;

}  // namespace

strip::strip(const process &self, int points)
    : points_(points), place_(part_of(points, self.rank, self.ranks)),
      old_(std::size_t(rows() + 2) * width()) {
    for (int i = 0; i < rows() + 2; ++i)
        for (int j = 0; j < width(); ++j)
            row(i)[j] = plane(i, j) + wave(i, j);
    new_ = old_;
}

double strip::plane(int row, int column) const {
    return double(place_.begin + row + column) / (points_ + 1);
}

double strip::wave(int row, int column) const {
    const double h = 1.0 / (points_ + 1);
    return std::sin(pi * h * (place_.begin + row)) * std::sin(pi * h * column);
}

double strip::sweep(int first, int last) {
    double change = 0;
    for (int i = first; i <= last; ++i) {
        const double *here = row(i), *below = row(i - 1), *above = row(i + 1);
        double *result = new_.data() + std::size_t(i) * width();
        for (int j = 1; j <= points_; ++j) {
            result[j] = 0.25 * (here[j - 1] + here[j + 1] + below[j] + above[j]);
            change += (result[j] - here[j]) * (result[j] - here[j]);
        }
    }
    return change;
}

verdict strip::check(int sweeps) const {
    constexpr double allowed = 1e-11;
    const double left = std::pow(std::cos(pi / (points_ + 1)), sweeps);
    verdict result = {true, 0};
    for (int i = 1; i <= rows(); ++i)
        for (int j = 1; j <= points_; ++j) {
            const double value = old_[std::size_t(i) * width() + j];
            std::uint64_t bits;
            std::memcpy(&bits, &value, sizeof bits);
            result.hash = joined(result.hash, bits);
            // Also if it is no number.
            result.is_right &= std::fabs(value - plane(i, j) - left * wave(i, j)) <= allowed;
        }
    return result;
}

}  // namespace tare::kernels
