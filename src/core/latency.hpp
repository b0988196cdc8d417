// SPDX-License-Identifier: BSD-3-Clause
// Where the arrival time of an early message comes from: the learned latency of a peer and size class.
//
// A polling engine does not see when a message arrived while the process was outside MPI. The stamp carries the send
// time on the sender's clock; the receiver learns, per peer and size class,
//
//     lambda = min (first seen - t_send)
//
// over all messages. It is an upper bound of clock offset + shortest latency, and exact once one message was really
// waited for. An early message then arrived at t_send + lambda. Latency and clock offset are held together, so no
// clock synchronisation is needed; the minimum slides, because clocks drift (1 us/s a ppm).
//
// Fixed slots, no allocation. A slot that another peer needs is taken over: learning starts again, nothing is wrong.
// Threads: any number, without a lock. A thread that reads a slot while another peer takes it over may once get that
// peer's lambda: an estimate that is off by the difference of two latencies, never more. Units: nanoseconds.
#ifndef TARE_CORE_LATENCY_HPP
#define TARE_CORE_LATENCY_HPP

#include <cstdint>

namespace tare {

// What is known of one peer and size class. any: something was seen; exact: one message was really waited for, and
// has not been forgotten.
struct latency {
    std::int64_t ns;
    bool any;
    bool exact;
};

class latency_table {
  public:
    // A minimum is forgotten after one to two windows: at 100 ppm of drift the error stays below 0.2 ms where messages
    // are waited for often enough to begin another after a second, else below 2 ms.
    static constexpr std::int64_t window_ns = 10'000'000'000;
    static constexpr std::int64_t short_window_ns = 1'000'000'000;

    latency get(std::uint64_t peer, std::uint32_t size_class) const noexcept
    {
        const slot *s = find(peer, size_class);
        if (s == nullptr)
            return {0, false, false};
        const std::int64_t current = s->current, previous = s->previous;
        return {current < previous ? current : previous, true, (s->exact_samples | s->previous_samples) != 0};
    }

    // Known well enough that not every message needs to be looked at: enough were really waited for in this window.
    bool is_settled(std::uint64_t peer, std::uint32_t size_class, std::int64_t now_ns) const noexcept
    {
        const slot *s = find(peer, size_class);
        return s != nullptr && s->is_settled(now_ns);
    }

    // The same where it is what this thread has found last, without a call. False: it is another, or not settled.
    bool is_settled_as_last(std::uint64_t peer, std::uint32_t size_class, std::int64_t now_ns) const noexcept
    {
        const slot &s = slots_[last_found_];
        return s.holds(peer, size_class) && s.is_settled(now_ns);
    }

    // The minimum of so many that were really waited for is hardly longer than it should be.
    bool is_minimum_of_many(std::uint64_t peer, std::uint32_t size_class) const noexcept
    {
        const slot *s = find(peer, size_class);
        return s != nullptr && (s->exact_samples >= settled_samples || s->previous_samples >= settled_samples);
    }

    // A message was first seen this long after it was sent (by the sender's clock, so it may be negative).
    // exact: a thread was waiting for it.
    void learn(std::uint64_t peer, std::uint32_t size_class, std::int64_t seen_after_ns, std::int64_t now_ns,
               bool exact) noexcept
    {
        if (!is_last_found(peer, size_class))
            last_found_ = index(peer, size_class);
        slot &s = slots_[last_found_];
        if (!s.holds(peer, size_class)) {
            s.start(peer, size_class, seen_after_ns, now_ns, exact);
            return;
        }
        const std::int64_t age_ns = now_ns - s.window_start_ns;
        if (age_ns > window_ns || (age_ns > short_window_ns && s.exact_samples >= settled_samples))
            s.start_window(seen_after_ns, now_ns);
        else if (seen_after_ns < s.current)
            s.current = seen_after_ns;
        if (exact)
            s.exact_samples = s.exact_samples + 1;
    }

  private:
    static constexpr std::int64_t none = INT64_MAX;
    static constexpr std::uint32_t settled_samples = 16;

    // A plain load or store, which other threads may do as well.
    template <typename T> class shared {
      public:
        operator T() const noexcept { return __atomic_load_n(&value_, __ATOMIC_RELAXED); }
        void operator=(T value) noexcept { __atomic_store_n(&value_, value, __ATOMIC_RELAXED); }

      private:
        T value_;
    };

    struct slot {
        shared<std::uint64_t> peer;
        shared<std::uint32_t> size_class;
        shared<bool> used;
        shared<std::uint32_t> exact_samples;     // really waited for, in this window, modulo 2^32
        shared<std::uint32_t> previous_samples;  // and in the one before
        shared<std::int64_t> current;   // minimum of this window
        shared<std::int64_t> previous;  // minimum of the one before
        shared<std::int64_t> window_start_ns;

        bool holds(std::uint64_t p, std::uint32_t c) const noexcept { return used && peer == p && size_class == c; }
        bool is_settled(std::int64_t now_ns) const noexcept
        {
            return exact_samples >= settled_samples && now_ns - window_start_ns <= window_ns;
        }

        void start(std::uint64_t p, std::uint32_t c, std::int64_t first, std::int64_t now_ns, bool is_exact) noexcept
        {
            used = false;
            peer = p;
            size_class = c;
            previous_samples = 0;
            exact_samples = is_exact;
            current = first;
            previous = none;
            window_start_ns = now_ns;
            used = true;
        }

        void start_window(std::int64_t first, std::int64_t now_ns) noexcept
        {
            const bool is_forgotten = now_ns - window_start_ns > 2 * window_ns;
            previous = is_forgotten ? none : std::int64_t(current);
            previous_samples = is_forgotten ? 0 : std::uint32_t(exact_samples);
            current = first;
            exact_samples = 0;
            window_start_ns = now_ns;
        }
    };

    static constexpr unsigned slot_bits = 12;

    // Mixed well, because ranks and classes are small numbers (the finalizer of MurmurHash3, public domain).
    static unsigned index(std::uint64_t peer, std::uint32_t size_class) noexcept
    {
        std::uint64_t key = peer + 0x9e3779b97f4a7c15u * (size_class + 1u);
        key = (key ^ key >> 33) * 0xff51afd7ed558ccdu;
        key = (key ^ key >> 33) * 0xc4ceb9fe1a85ec53u;
        return static_cast<unsigned>(key >> (64 - slot_bits));
    }

    bool is_last_found(std::uint64_t peer, std::uint32_t size_class) const noexcept
    {
        return __builtin_expect(slots_[last_found_].holds(peer, size_class), 1);
    }

    // Null: nothing is known. Who sends often sends again.
    const slot *find(std::uint64_t peer, std::uint32_t size_class) const noexcept
    {
        if (is_last_found(peer, size_class))
            return &slots_[last_found_];
        return find_another(peer, size_class);
    }

    __attribute__((noinline)) const slot *find_another(std::uint64_t peer, std::uint32_t size_class) const noexcept
    {
        last_found_ = index(peer, size_class);
        const slot &s = slots_[last_found_];
        return s.holds(peer, size_class) ? &s : nullptr;
    }

    // Where this thread has looked last, in any table: what is there is compared before it is believed.
    static __thread unsigned last_found_;

    slot slots_[1u << slot_bits];
};

}  // namespace tare

#endif
