// SPDX-License-Identifier: BSD-3-Clause
// Random costs that are the same on every machine: MT19937 seeded by array and read as 53-bit fractions, as Python's
// `random.Random(seed)` does, so that tables can be compared with Python programs digit by digit.
#ifndef TARE_SIM_RANDOM_HPP
#define TARE_SIM_RANDOM_HPP

#include <array>
#include <cstddef>
#include <cstdint>

namespace sim {

class random_source {
  public:
    explicit random_source(std::uint32_t seed);

    // Uniform in [0, 1), a multiple of 2^-53.
    double uniform();

    // Exponentially distributed with the given mean.
    double exponential(double mean);

  private:
    static constexpr std::size_t words = 624;

    void fill(std::uint32_t seed);
    void refill();
    std::uint32_t next_word();

    std::array<std::uint32_t, words> state_{};
    std::size_t used_ = words;
};

}  // namespace sim

#endif
