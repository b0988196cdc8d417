// SPDX-License-Identifier: BSD-3-Clause
// The tool's own messages neither carry nor change delays.
#ifndef TARE_PMPI_MUTED_HPP
#define TARE_PMPI_MUTED_HPP

#include "layer.hpp"

namespace tare::pmpi {

class muted_thread {
  public:
    muted_thread() : thread_(state.core->thread()) { thread_->muted++; }
    ~muted_thread() { thread_->muted--; }
    muted_thread(const muted_thread &) = delete;
    muted_thread &operator=(const muted_thread &) = delete;

  private:
    tare_thread_t *const thread_;
};

}  // namespace tare::pmpi

#endif
