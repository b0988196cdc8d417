// SPDX-License-Identifier: BSD-3-Clause
// Rule (R): how long an event is delayed, from the edges it had to wait for.
//
// An event that needs several things fires at E = max_k t_k. Without measurement it would have fired at
// max_k (t_k - D_k). So the delay after it is
//
//     D' = E - max_k (t_k - D_k) = min_k (D_k + (E - t_k))                                    (R)
//
// This file is the only place where (R) is computed: the transport, the carriers above MPI and the simulator all
// use `join`. Where the formula comes from and what it assumes: doc/model.md.
//
// Units: every time and delay is in nanoseconds on the local clock, signed 64 bit. Delays stay within +-2^47 and
// times within 2^62, so that no sum here can overflow.
// Threads: a join belongs to one thread; nothing here is shared.
// Errors: none; every input is accepted.
#ifndef TARE_CORE_RULE_HPP
#define TARE_CORE_RULE_HPP

#include <cstdint>

namespace tare {

// exact: (R). published: Malony/Shende (Euro-Par 2005, IJHPCA 2007), D' = min(D_s, D_r + w), which treats every
// message as if it had just arrived. local: what arrives is ignored.
enum class rule : std::uint8_t { exact = 0, published = 1, local = 2 };

// One thing that an event needs: when it was ready on the local clock, and the delay it carried then.
struct edge {
    std::int64_t ready_ns;
    std::int64_t delay_ns;
};

constexpr std::int64_t no_delay_limit = INT64_MAX;

// The state of one wait: running maxima, and the smallest delay of the edges that fire with the event itself.
// Idempotent and independent of the order in which edges are applied.
class join {
  public:
    // The first edge is the thread's own readiness: when it entered the wait, and its delay at that moment.
    constexpr explicit join(edge self) noexcept
        : event_ns_(self.ready_ns), uninstrumented_ns_(self.ready_ns - self.delay_ns)
    {
    }

    // An edge that was ready at a known time.
    constexpr void apply(edge e) noexcept
    {
        event_ns_ = larger(event_ns_, e.ready_ns);
        uninstrumented_ns_ = larger(uninstrumented_ns_, e.ready_ns - e.delay_ns);
    }

    // An edge without slack: it was ready when the event fired, whenever that was.
    constexpr void apply_at_event(std::int64_t delay_ns) noexcept
    {
        limit_ns_ = delay_ns < limit_ns_ ? delay_ns : limit_ns_;
    }

    // A carried edge under the rule that the user selected.
    constexpr void apply(rule r, edge e) noexcept
    {
        switch (r) {
        case rule::exact:
            apply(e);
            break;
        case rule::published:
            event_ns_ = larger(event_ns_, e.ready_ns);
            apply_at_event(e.delay_ns);
            break;
        case rule::local: {
            // The wait is taken as the program's own: the delay stays what it was.
            const std::int64_t delay = delay_ns();
            event_ns_ = larger(event_ns_, e.ready_ns);
            uninstrumented_ns_ = event_ns_ - delay;
            break;
        }
        }
    }

    // The event is known to have fired no earlier than this (a clock read, a time stamp of the tool).
    constexpr void at_least(std::int64_t now_ns) noexcept { event_ns_ = larger(event_ns_, now_ns); }

    constexpr std::int64_t event_ns() const noexcept { return event_ns_; }

    // D' of (R).
    constexpr std::int64_t delay_ns() const noexcept
    {
        const std::int64_t d = event_ns_ - uninstrumented_ns_;
        return d < limit_ns_ ? d : limit_ns_;
    }

  private:
    static constexpr std::int64_t larger(std::int64_t a, std::int64_t b) noexcept { return a > b ? a : b; }

    std::int64_t event_ns_;              // max_k t_k
    std::int64_t uninstrumented_ns_;     // max_k (t_k - D_k)
    std::int64_t limit_ns_ = no_delay_limit;
};

}  // namespace tare

#endif
