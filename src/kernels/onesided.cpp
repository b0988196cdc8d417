// SPDX-License-Identifier: BSD-3-Clause
// Jacobi's method, the halo put into the neighbours' windows: post, start, complete, wait.
#include <algorithm>

#include "strip.hpp"

namespace tare::kernels {
namespace {

class onesided_kernel : public kernel {
  public:
    onesided_kernel(const process &self, int points) : rows_(self, points) {
        MPI_Win_allocate(MPI_Aint(2 * rows_.width() * sizeof(double)), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                         &slots_, &window_);
        int others[2], count = 0;
        if (rows_.has_below())
            others[count++] = self.rank - 1;
        if (rows_.has_above())
            others[count++] = self.rank + 1;
        MPI_Group world;
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Group_incl(world, count, others, &neighbours_);
        MPI_Group_free(&world);
    }
    ~onesided_kernel() override {
        MPI_Group_free(&neighbours_);
        MPI_Win_free(&window_);
    }

    void step(process &self, int) override {
        self.call([&] { MPI_Win_post(neighbours_, 0, window_); });
        self.call([&] { MPI_Win_start(neighbours_, 0, window_); });
        if (rows_.has_below())
            put(self, rows_.row(1), self.rank - 1, rows_.width());
        if (rows_.has_above())
            put(self, rows_.row(rows_.rows()), self.rank + 1, 0);
        self.call([&] { MPI_Win_complete(window_); });
        self.work([&] { rows_.sweep(2, rows_.rows() - 1); });
        self.call([&] { MPI_Win_wait(window_); });
        self.work([&] { sweep_edges(); });
        rows_.finish();
    }

    verdict check(process &, int steps) override { return rows_.check(steps); }

  private:
    // A window has the row from below, then the one from above.
    void put(process &self, const double *row, int target, int place) {
        const int width = rows_.width();
        self.call([&] { MPI_Put(row, width, MPI_DOUBLE, target, place, width, MPI_DOUBLE, window_); });
    }

    void sweep_edges() {
        const int width = rows_.width();
        if (rows_.has_below())
            std::copy(slots_, slots_ + width, rows_.row(0));
        if (rows_.has_above())
            std::copy(slots_ + width, slots_ + 2 * width, rows_.row(rows_.rows() + 1));
        rows_.sweep(1, 1);
        rows_.sweep(rows_.rows(), rows_.rows());
    }

    strip rows_;
    double *slots_ = nullptr;
    MPI_Win window_ = MPI_WIN_NULL;
    MPI_Group neighbours_ = MPI_GROUP_NULL;
};

}  // namespace

extern const kernel_kind onesided;
const kernel_kind onesided = {
    "onesided", "Jacobi's method, halo by MPI_Put and post, start, complete, wait", "grid points a side",
    400, 3, 20000, 1500, 2, 0, any_ranks, make_kernel<onesided_kernel>};

}  // namespace tare::kernels
