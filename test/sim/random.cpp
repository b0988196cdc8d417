// SPDX-License-Identifier: BSD-3-Clause
// MT19937 (Matsumoto and Nishimura, 1998), with the seeding by array of its 2002 revision.
#include "random.hpp"

#include <cmath>

namespace sim {

namespace {

constexpr std::size_t middle = 397;

std::uint32_t twist(std::uint32_t high, std::uint32_t low)
{
    const std::uint32_t mixed = (high & 0x80000000U) | (low & 0x7fffffffU);
    return (mixed >> 1) ^ ((mixed & 1U) != 0 ? 0x9908b0dfU : 0U);
}

}  // namespace

void random_source::fill(std::uint32_t seed)
{
    state_[0] = seed;
    for (std::size_t i = 1; i < words; ++i) {
        const std::uint32_t before = state_[i - 1];
        state_[i] = 1812433253U * (before ^ (before >> 30)) + static_cast<std::uint32_t>(i);
    }
}

// Seeding by an array of one word, the seed.
random_source::random_source(std::uint32_t seed)
{
    fill(19650218U);
    std::size_t i = 1;
    const auto step_on = [&] {
        if (++i >= words) {
            state_[0] = state_[words - 1];
            i = 1;
        }
    };
    for (std::size_t k = 0; k < words; ++k) {
        const std::uint32_t before = state_[i - 1];
        state_[i] = (state_[i] ^ ((before ^ (before >> 30)) * 1664525U)) + seed;
        step_on();
    }
    for (std::size_t k = 1; k < words; ++k) {
        const std::uint32_t before = state_[i - 1];
        state_[i] = (state_[i] ^ ((before ^ (before >> 30)) * 1566083941U)) - static_cast<std::uint32_t>(i);
        step_on();
    }
    state_[0] = 0x80000000U;
}

void random_source::refill()
{
    for (std::size_t i = 0; i < words; ++i)
        state_[i] = state_[(i + middle) % words] ^ twist(state_[i], state_[(i + 1) % words]);
    used_ = 0;
}

std::uint32_t random_source::next_word()
{
    if (used_ == words)
        refill();
    std::uint32_t y = state_[used_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    return y ^ (y >> 18);
}

double random_source::uniform()
{
    const double high = next_word() >> 5;
    const double low = next_word() >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
}

double random_source::exponential(double mean) { return -std::log(1.0 - uniform()) / (1.0 / mean); }

}  // namespace sim
