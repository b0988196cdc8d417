// SPDX-License-Identifier: BSD-3-Clause
// Jacobi's method: the halo travels while the inner rows are swept; every step ends with the size of the change.
#include <cmath>

#include "halo.hpp"
#include "strip.hpp"

namespace tare::kernels {
namespace {

class jacobi_kernel : public kernel {
  public:
    jacobi_kernel(const process &self, int points) : rows_(self, points) {}

    void step(process &self, int) override {
        halo_.begin(self, rows_.row(0), rows_.width(), rows_.rows());
        double change = 0, all = 0;
        self.work([&] { change += rows_.sweep(2, rows_.rows() - 1); });
        halo_.finish(self);
        self.work([&] { change += rows_.sweep(1, 1) + rows_.sweep(rows_.rows(), rows_.rows()); });
        self.call([&] { MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
        rows_.finish();
        shrinks_ &= all < last_;
        last_ = all;
    }

    verdict check(process &, int steps) override {
        verdict result = rows_.check(steps);
        result.is_right &= shrinks_;
        return result;
    }

  private:
    strip rows_;
    halo halo_;
    double last_ = INFINITY;
    bool shrinks_ = true;
};

}  // namespace

extern const kernel_kind jacobi;
const kernel_kind jacobi = {
    "jacobi", "Jacobi's method, halo by nonblocking messages, one reduction a step", "grid points a side",
    400, 3, 20000, 1500, 2, 0, any_ranks, make_kernel<jacobi_kernel>};

}  // namespace tare::kernels
