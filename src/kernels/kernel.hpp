// SPDX-License-Identifier: BSD-3-Clause
// What a kernel is to the engine.
#ifndef TARE_KERNELS_KERNEL_HPP
#define TARE_KERNELS_KERNEL_HPP

#include <climits>
#include <cstdint>
#include <memory>

#include "process.hpp"

namespace tare::kernels {

struct verdict {
    bool is_right;
    std::uint64_t hash;  // of this rank's part of the result: the same in every run that computes the same
};

class kernel {
  public:
    virtual ~kernel() = default;

    // The number-th, from 0; on every rank, timed.
    virtual void step(process &self, int number) = 0;

    // Behind so many steps, on every rank: against what is known of the result.
    virtual verdict check(process &self, int steps) = 0;
};

constexpr int any_ranks = INT_MAX;

struct kernel_kind {
    const char *name;
    const char *title;
    const char *size_is;
    int size;
    int least_size;  // for each rank
    int most_size;
    int steps;
    int ranks;             // that say something; 2 or more can run it
    int probed;            // the rank whose probes cost most
    int repairable_ranks;  // with up to so many no matching, and no control flow, depends on time
    std::unique_ptr<kernel> (*make)(const process &self, int size);
};

extern const kernel_kind *const all_kernels[];
extern const int kernel_count;

template <typename Kernel> std::unique_ptr<kernel> make_kernel(const process &self, int size) {
    return std::make_unique<Kernel>(self, size);
}

}  // namespace tare::kernels

#endif
