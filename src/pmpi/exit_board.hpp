// SPDX-License-Identifier: BSD-3-Clause
// When the first process has left an operation in which all wait for all: the memory in which the processes of one node
// tell that. Each puts there when it has left. The first one may come to that later than another: the least is certain
// when all have entered the next operation.
//
// Zeroed memory is an empty board. Communicators are never taken off it: who looks for one finds what all others find.
//
// Threads and processes: any, without a lock.
#ifndef TARE_PMPI_EXIT_BOARD_HPP
#define TARE_PMPI_EXIT_BOARD_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tare::pmpi {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "it lies in memory that processes share");

// The least time that processes have put for one operation. Operations by their number, modulo 2^15; times in ns of one
// clock, less than 2^47 (39 hours) apart.
class least_exit {
  public:
    // False: a later operation is here already. Else `least_ns` is the least so far, this one's too.
    bool put(std::uint64_t operation, std::int64_t left_ns, std::int64_t &least_ns) noexcept
    {
        const std::uint64_t mine = is_used | (operation & number_mask) << number_shift |
                                   (static_cast<std::uint64_t>(left_ns) & time_mask);
        std::uint64_t there = word_.load(std::memory_order_relaxed);
        do {
            const std::int64_t ahead = there == 0 ? 1 : less(mine >> number_shift, there >> number_shift, number_bits);
            if (ahead < 0)
                return false;
            const std::int64_t behind_ns = ahead > 0 ? 0 : less(mine, there, number_shift);
            least_ns = left_ns - (behind_ns > 0 ? behind_ns : 0);
            if (ahead == 0 && behind_ns >= 0)
                return true;
        } while (!word_.compare_exchange_weak(there, mine, std::memory_order_relaxed));
        return true;
    }

    // What is there of it without this one. False: another operation is here.
    bool find(std::uint64_t operation, std::int64_t left_ns, std::int64_t &least_ns) const noexcept
    {
        const std::uint64_t there = word_.load(std::memory_order_relaxed);
        if (there >> number_shift != (is_used >> number_shift | (operation & number_mask)))
            return false;
        least_ns = left_ns - less(static_cast<std::uint64_t>(left_ns), there, number_shift);
        return true;
    }

  private:
    static constexpr unsigned number_shift = 48, number_bits = 15;
    static constexpr std::uint64_t is_used = UINT64_C(1) << 63, number_mask = (UINT64_C(1) << number_bits) - 1,
                                   time_mask = (UINT64_C(1) << number_shift) - 1;

    // The difference of two numbers of so many bits that are near each other.
    static std::int64_t less(std::uint64_t a, std::uint64_t b, unsigned bits) noexcept
    {
        return static_cast<std::int64_t>((a - b) << (64 - bits)) >> (64 - bits);
    }

    std::atomic<std::uint64_t> word_;    // used, number, time; 0: empty
};

// Those of the latest operations on one communicator. A process may be so many behind the first one: only an operation
// that moves no data lets it.
struct alignas(64) exits_of_comm {
    static constexpr std::size_t kept = 8;
    struct operation {
        least_exit measured, compensated;
    };

    std::atomic<std::uint64_t> identity;         // 0: nobody's
    operation latest[kept];

    operation &at(std::uint64_t number) noexcept { return latest[number % kept]; }
};

class exit_board {
  public:
    static constexpr std::size_t places = std::size_t{1} << 14, most_looked_at = 64;

    // nullptr: there is no room for another communicator.
    exits_of_comm *find(std::uint64_t identity) noexcept
    {
        identity += identity == 0;
        for (std::size_t i = 0; i < most_looked_at; i++) {
            exits_of_comm &c = comms_[(identity + i) % places];
            std::uint64_t there = 0;
            if (c.identity.compare_exchange_strong(there, identity, std::memory_order_relaxed) || there == identity)
                return &c;
        }
        return nullptr;
    }

  private:
    exits_of_comm comms_[places];
};

}  // namespace tare::pmpi

#endif
