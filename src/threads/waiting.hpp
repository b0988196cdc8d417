// SPDX-License-Identifier: BSD-3-Clause
// A wait between threads as a region of the profile and of the trace, with its waiting time, measured and compensated.
//
// Threads: each enters and leaves on its own. Nothing happens where no region is recorded.
#ifndef TARE_THREADS_WAITING_HPP
#define TARE_THREADS_WAITING_HPP

#include <atomic>

#include "tare_measure.h"

namespace tare::threads {

// What is waited for: lives as long as the process.
class wait_kind {
  public:
    constexpr wait_kind(const char *name, const char *group) noexcept : name_(name), group_(group) {}

    tare_region_t *region() noexcept
    {
        tare_region_t *r = region_.load(std::memory_order_acquire);
        if (r == nullptr) {
            r = tare_measure_region(name_, group_);  // the same one for the same name
            region_.store(r, std::memory_order_release);
        }
        return r;
    }

  private:
    const char *const name_, *const group_;
    std::atomic<tare_region_t *> region_{nullptr};
};

// From the construction on until the destruction, also of a thread that is cancelled in it.
class waiting {
  public:
    explicit waiting(wait_kind &kind) noexcept : region_(tare_measure_is_on() ? kind.region() : nullptr)
    {
        if (region_ != nullptr)
            tare_measure_enter_mpi(region_);
    }
    ~waiting()
    {
        if (region_ != nullptr)
            tare_measure_leave_mpi(region_, 1);
    }
    waiting(const waiting &) = delete;
    waiting &operator=(const waiting &) = delete;

  private:
    tare_region_t *const region_;
};

}  // namespace tare::threads

#endif
