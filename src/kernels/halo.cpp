// SPDX-License-Identifier: BSD-3-Clause
#include "halo.hpp"

namespace tare::kernels {

void halo::exchange(process &self, int other, double *to, double *from, int width) {
    if (other < 0 || other >= self.ranks)
        return;
    self.call([&] { MPI_Irecv(to, width, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &requests_[used_++]); });
    self.call([&] { MPI_Isend(from, width, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &requests_[used_++]); });
}

void halo::begin(process &self, double *rows, int width, int count) {
    double *top = rows + std::ptrdiff_t(count) * width;
    exchange(self, self.rank - 1, rows, rows + width, width);
    exchange(self, self.rank + 1, top + width, top, width);
}

void halo::finish(process &self) {
    self.call([&] { MPI_Waitall(used_, requests_, MPI_STATUSES_IGNORE); });
    used_ = 0;
}

}  // namespace tare::kernels
