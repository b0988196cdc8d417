// SPDX-License-Identifier: BSD-3-Clause
// Time that passes, and time that somebody else took.
//
// Spinning is for an amount of time, never until a time: overhead in between makes it later, as it would any program.
#ifndef TARE_KERNELS_CLOCKS_HPP
#define TARE_KERNELS_CLOCKS_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <time.h>

namespace tare::kernels {

inline std::int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

inline std::int64_t processor_ns() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return std::int64_t(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

class core_watch {
  public:
    void begin() {
        gaps_ns_ = 0;
        start_ns_ = now_ns();
        start_processor_ns_ = processor_ns();
    }

    // Since begin(), as far as it shows: time without the processor, or gaps in what this has spun.
    std::int64_t stolen_ns() const {
        return std::max(now_ns() - start_ns_ - (processor_ns() - start_processor_ns_), gaps_ns_);
    }

    // Gives back how long it really was.
    std::int64_t spin(std::int64_t ns) {
        const std::int64_t start = now_ns();
        std::int64_t now = start;
        while (now < start + ns) {
            const std::int64_t before = now;
            now = now_ns();
            if (now - before > gap_ns)
                gaps_ns_ += now - before;
        }
        return now - start;
    }

  private:
    // Between two readings of the clock: more than this is no interrupt, somebody else had the core.
    static constexpr std::int64_t gap_ns = 20'000;

    std::int64_t gaps_ns_ = 0;
    std::int64_t start_ns_ = 0;
    std::int64_t start_processor_ns_ = 0;
};

}  // namespace tare::kernels

#endif
