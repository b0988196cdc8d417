// SPDX-License-Identifier: BSD-3-Clause
// Conjugate gradients: each step solves a system anew, of which the solution is known. An iteration exchanges a halo
// and makes two reductions, each of which all ranks wait for.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "halo.hpp"
#include "kernel.hpp"
#include "pages.hpp"
#include "part.hpp"

namespace tare::kernels {
namespace {

// The matrix is the five-point Laplacian and the identity: its condition is at most 9, an iteration halves the error.
constexpr int iterations = 40;
constexpr double allowed_error = 1e-9;

class cg_kernel : public kernel {
  public:
    cg_kernel(const process &self, int points)
        : points_(points), place_(part_of(points, self.rank, self.ranks)), x_(cells()), r_(cells()), p_(cells()),
          q_(cells()), b_(cells()) {
        fill_solution(p_);
        multiply(p_, b_);
    }

    void step(process &self, int) override {
        self.work([&] {
            std::fill(x_.begin(), x_.end(), 0);
            p_ = r_ = b_;
        });
        double rr = dot(self, r_, r_);
        for (int i = 0; i < iterations; ++i) {
            halo_.begin(self, p_.data(), width(), rows());
            halo_.finish(self);
            self.work([&] { multiply(p_, q_); });
            const double alpha = rr / dot(self, p_, q_);
            self.work([&] { add(x_, alpha, p_), add(r_, -alpha, q_); });
            const double before = rr;
            rr = dot(self, r_, r_);
            self.work([&] { scale_and_add(p_, rr / before, r_); });
        }
    }

    verdict check(process &, int) override {
        fill_solution(p_);
        verdict result = {true, 0};
        for (int i = 1; i <= rows(); ++i)
            for (int j = 1; j <= points_; ++j) {
                const double value = x_[at(i, j)];
                std::uint64_t bits;
                std::memcpy(&bits, &value, sizeof bits);
                result.hash = joined(result.hash, bits);
                result.is_right &= std::fabs(value - p_[at(i, j)]) <= allowed_error;
            }
        return result;
    }

  private:
    int width() const { return points_ + 2; }
    int rows() const { return place_.size(); }
    std::size_t cells() const { return std::size_t(rows() + 2) * width(); }
    std::size_t at(int i, int j) const { return std::size_t(i) * width() + j; }

    // Outside the grid it is 0, which columns 0 and points + 1 stay.
    void fill_solution(paged<double> &into) const {
        for (int i = 0; i <= rows() + 1; ++i)
            for (int j = 1; j <= points_; ++j) {
                const int row = place_.begin + i;
                const bool is_inside = row >= 1 && row <= points_;
                into[at(i, j)] = is_inside ? double(scrambled(at(row, j)) >> 11) * 0x1p-53 : 0;
            }
    }

    void multiply(const paged<double> &from, paged<double> &into) const {
        for (int i = 1; i <= rows(); ++i)
            for (int j = 1; j <= points_; ++j)
                into[at(i, j)] = 5 * from[at(i, j)] - from[at(i, j) - 1] - from[at(i, j) + 1] - from[at(i - 1, j)] -
                                 from[at(i + 1, j)];
    }

    double dot(process &self, const paged<double> &a, const paged<double> &b) const {
        double here = 0, all = 0;
        self.work([&] {
            for (std::size_t k = at(1, 0); k < at(rows() + 1, 0); ++k)
                here += a[k] * b[k];
        });
        self.call([&] { MPI_Allreduce(&here, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
        return all;
    }

    void add(paged<double> &to, double factor, const paged<double> &from) const {
        for (std::size_t k = at(1, 0); k < at(rows() + 1, 0); ++k)
            to[k] += factor * from[k];
    }

    void scale_and_add(paged<double> &to, double factor, const paged<double> &from) const {
        for (std::size_t k = at(1, 0); k < at(rows() + 1, 0); ++k)
            to[k] = factor * to[k] + from[k];
    }

    int points_;
    part place_;
    paged<double> x_, r_, p_, q_, b_;
    halo halo_;
};

}  // namespace

extern const kernel_kind cg;
const kernel_kind cg = {
    "cg", "conjugate gradients, halo and two reductions an iteration", "grid points a side",
    300, 1, 20000, 25, 2, 0, any_ranks, make_kernel<cg_kernel>};

}  // namespace tare::kernels
