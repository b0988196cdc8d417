// SPDX-License-Identifier: BSD-3-Clause
// The rows that neighbours of a line of ranks need from each other, by two messages each way.
#ifndef TARE_KERNELS_HALO_HPP
#define TARE_KERNELS_HALO_HPP

#include "process.hpp"

namespace tare::kernels {

class halo {
  public:
    // Of doubles. `rows` is the first one's address: what comes from below goes there, what comes from above behind
    // the own `count` rows.
    void begin(process &self, double *rows, int width, int count);
    void finish(process &self);

  private:
    void exchange(process &self, int other, double *to, double *from, int width);

    MPI_Request requests_[4];
    int used_ = 0;
};

}  // namespace tare::kernels

#endif
