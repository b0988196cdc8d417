// SPDX-License-Identifier: BSD-3-Clause
// Rule (R) with bounds: how certain the arrivals are decides how certain the delay is.
#ifndef TARE_CORE_BOUNDED_JOIN_HPP
#define TARE_CORE_BOUNDED_JOIN_HPP

#include "arrival.hpp"
#include "rule.hpp"

namespace tare {

// What a stamp says of its sender's delay.
struct carried {
    std::int64_t delay_ns;
    std::int64_t lo_ns;
    std::int64_t hi_ns;
};

// Of one value, or of the widths of the last one that this thread has received.
inline bool knows_bounds(const tare_wire_t &wire) noexcept
{
    return tare_wire_is_sharp(wire) || has_widths(wire, last_received);
}

inline carried carried_by(const tare_wire_t &wire) noexcept
{
    const std::int64_t delay = tare_wire_delay_ns(wire);
    if (tare_wire_is_sharp(wire))
        return {delay, delay, delay};
    if (!has_widths(wire, last_received))
        decode_widths(wire);
    // As tare_wire_delay_lo_ns and tare_wire_delay_hi_ns, but decode_widths has cut off what they would compare here.
    const std::int64_t lo = delay - last_received.lo_ns;
    return {delay, delay >= 0 ? larger(lo, 0) : lo, delay + last_received.hi_ns};
}

// (R) run three times: with the best estimate, and with the latest and the earliest possible arrival.
class bounded_join {
  public:
    explicit bounded_join(const readiness &r) noexcept
        : mid_({r.time_ns, r.delay_ns}), lo_({r.time_ns, r.delay_lo_ns}), hi_({r.time_ns, r.delay_hi_ns})
    {
    }

    void apply(const tare_post_t &post) noexcept
    {
        const edge e{post.post_ns, post.delay_ns};
        mid_.apply(e);
        lo_.apply(e);
        hi_.apply(e);
    }

    // An edge of this process: its time is known, and it counts under every rule.
    void apply_exactly(const tare_wire_t &wire, std::int64_t ready_ns) noexcept
    {
        apply(rule::exact, wire, {ready_ns, ready_ns, ready_ns, false});
    }

    // What this process has done itself counts under every rule but that of a process alone.
    void apply(const tare_edge_t &e, const arrival &a) noexcept
    {
        const bool is_exact = (e.flags & TARE_EDGE_OWN) && tare_global.rule != TARE_RULE_LOCAL;
        apply(is_exact ? rule::exact : static_cast<rule>(tare_global.rule), e.wire, a);
    }

    // The rule is looked at once for the three.
    void apply(rule r, const tare_wire_t &wire, const arrival &a) noexcept
    {
        if (is_likely(r == rule::exact))
            apply_each(rule::exact, carried_by(wire), a);
        else
            apply_each(r, carried_by(wire), a);
    }

    void at_least(std::int64_t now_ns) noexcept
    {
        mid_.at_least(now_ns);
        lo_.at_least(now_ns);
        hi_.at_least(now_ns);
    }

    std::int64_t event_ns() const noexcept { return mid_.event_ns(); }
    std::int64_t delay_ns() const noexcept { return mid_.delay_ns(); }
    std::int64_t lo_ns() const noexcept { return smaller(lo_.delay_ns(), mid_.delay_ns()); }
    std::int64_t hi_ns() const noexcept { return larger(hi_.delay_ns(), mid_.delay_ns()); }

  private:
    __attribute__((always_inline)) void apply_each(rule r, const carried &c, const arrival &a) noexcept
    {
        mid_.apply(r, {a.ready_ns, c.delay_ns});
        lo_.apply(r, {a.latest_ns, c.lo_ns});
        hi_.apply(r, {a.earliest_ns, c.hi_ns});
        lo_.at_least(mid_.event_ns());
        hi_.at_least(mid_.event_ns());
    }

    join mid_, lo_, hi_;
};

}  // namespace tare

#endif
