// SPDX-License-Identifier: BSD-3-Clause
// Sums of what files say. They may say what they like: sums stop at the ends of 64 bits. Any thread.
#ifndef TARE_PROFILE_BOUNDED_SUM_HPP
#define TARE_PROFILE_BOUNDED_SUM_HPP

#include <cstdint>

namespace tare {

inline std::int64_t plus(std::int64_t a, std::int64_t b) noexcept
{
    std::int64_t sum = 0;
    return !__builtin_add_overflow(a, b, &sum) ? sum : a < 0 ? INT64_MIN : INT64_MAX;
}

inline std::int64_t minus(std::int64_t a, std::int64_t b) noexcept
{
    std::int64_t difference = 0;
    return !__builtin_sub_overflow(a, b, &difference) ? difference : a < 0 ? INT64_MIN : INT64_MAX;
}

inline void add_up(std::int64_t &sum, std::int64_t value) noexcept { sum = plus(sum, value); }

}  // namespace tare

#endif
