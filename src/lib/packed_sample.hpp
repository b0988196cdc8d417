// SPDX-License-Identifier: BSD-3-Clause
// A sample in registers, two counters in each, for the hot path: the core's block has most of them side by side. The
// arithmetic is that of record.hpp.
#ifndef TARE_LIB_PACKED_SAMPLE_HPP
#define TARE_LIB_PACKED_SAMPLE_HPP

#include "record.hpp"
#include "tare_transport.h"

#include <cstddef>
#include <cstring>

namespace tare {

#define TARE_PACKED __attribute__((always_inline)) inline

class packed_sample {
  public:
    TARE_PACKED explicit packed_sample(const sample &s) noexcept
        : delay_(load(&s.v[c_delay])), hi_time_(load(&s.v[c_delay_hi])), wait_(load(&s.v[c_wait])),
          residue_(s.v[c_residue])
    {
    }
    // The counters of a thread at a time; `ahead_ns` is overhead that belongs before this moment and is declared later.
    TARE_PACKED packed_sample(const tare_thread_t &b, std::int64_t time_ns, std::int64_t ahead_ns) noexcept
        : delay_(load(&b.delay_ns) + pair{ahead_ns, ahead_ns}), hi_time_(pair{b.delay_hi_ns + ahead_ns, time_ns}),
          wait_(load(&b.wait_ns)), residue_(b.residue_ns)
    {
    }

    TARE_PACKED void store(sample &s) const noexcept
    {
        put(&s.v[c_delay], delay_);
        put(&s.v[c_delay_hi], hi_time_);
        put(&s.v[c_wait], wait_);
        s.v[c_residue] = residue_;
    }
    TARE_PACKED friend packed_sample operator-(packed_sample a, const packed_sample &b) noexcept
    {
        a.delay_ -= b.delay_;
        a.hi_time_ -= b.hi_time_;
        a.wait_ -= b.wait_;
        a.residue_ -= b.residue_;
        return a;
    }
    TARE_PACKED void add_to(sample &s) const noexcept
    {
        put(&s.v[c_delay], load(&s.v[c_delay]) + delay_);
        put(&s.v[c_delay_hi], load(&s.v[c_delay_hi]) + hi_time_);
        put(&s.v[c_wait], load(&s.v[c_wait]) + wait_);
        s.v[c_residue] += residue_;
    }
    TARE_PACKED void take_off(sample &s) const noexcept { (packed_sample(s) - *this).store(s); }

  private:
    using pair = std::int64_t __attribute__((vector_size(16)));

    TARE_PACKED static pair load(const std::int64_t *from) noexcept
    {
        pair p;
        std::memcpy(&p, from, sizeof p);     // the core's block need not be aligned so
        return p;
    }
    TARE_PACKED static void put(std::int64_t *to, const pair &p) noexcept { std::memcpy(to, &p, sizeof p); }

    static_assert(c_delay_lo == c_delay + 1 && c_time == c_delay_hi + 1 && c_wait_comp == c_wait + 1);
    static_assert(offsetof(tare_thread_t, delay_lo_ns) == offsetof(tare_thread_t, delay_ns) + sizeof(std::int64_t));
    static_assert(offsetof(tare_thread_t, wait_compensated_ns) == offsetof(tare_thread_t, wait_ns) + sizeof(std::int64_t));

    pair delay_;         // the delay and its lower bound
    pair hi_time_;       // its upper bound, and the time
    pair wait_;          // both waiting times
    std::int64_t residue_;
};

#undef TARE_PACKED

}  // namespace tare

#endif
