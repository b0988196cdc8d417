// SPDX-License-Identifier: BSD-3-Clause
// A rank's rows of a square grid with fixed values around it, on which Jacobi's method solves Laplace's equation.
//
// The values around are those of x + y, which solves it. The first guess is that and the grid's smoothest wave, so
// that after so many sweeps the error is known: the wave, times cos (pi h) for each.
#ifndef TARE_KERNELS_STRIP_HPP
#define TARE_KERNELS_STRIP_HPP

#include "kernel.hpp"
#include "pages.hpp"
#include "part.hpp"

namespace tare::kernels {

class strip {
  public:
    strip(const process &self, int points);

    int width() const { return points_ + 2; }
    int rows() const { return place_.size(); }
    bool has_below() const { return place_.begin > 0; }
    bool has_above() const { return place_.end < points_; }

    // Row 0 is the one below this rank's, row rows() + 1 the one above.
    double *row(int number) { return old_.data() + std::size_t(number) * width(); }

    // New values of the rows from first to last. Gives back the sum of the changes' squares.
    double sweep(int first, int last);
    void finish() { old_.swap(new_); }

    verdict check(int sweeps) const;

  private:
    double wave(int row, int column) const;
    double plane(int row, int column) const;

    int points_;
    part place_;
    paged<double> old_, new_;
};

}  // namespace tare::kernels

#endif
