// SPDX-License-Identifier: BSD-3-Clause
// TARE_TRACE_RECORDS=counters: what the kernel and the core have counted of a thread.
#ifndef TARE_LIB_COUNTERS_HPP
#define TARE_LIB_COUNTERS_HPP

#include "trace_event.h"

#include <cstdint>

namespace tare {

// Of the thread that makes it, which alone asks.
class thread_counters {
  public:
    thread_counters() noexcept;
    thread_counters(const thread_counters &) = delete;
    thread_counters &operator=(const thread_counters &) = delete;

    void read(tare_trace_counters_t &now) const noexcept;
    // By any thread. Whoever asks behind it is not told what the core has counted.
    void close() noexcept;

  private:
    void open() noexcept;
    bool add(int counter, std::uint32_t type, std::uint64_t event) noexcept;
    void read_core(tare_trace_counters_t &now) const noexcept;

    struct member {
        int counter;                     // enum tare_trace_counter
        int descriptor;
    };

    member members_[TARE_TRACE_COUNTED]; // of one group, which is read at once: the first one leads it
    int count_ = 0;
};

}  // namespace tare

#endif
