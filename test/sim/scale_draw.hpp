// SPDX-License-Identifier: BSD-3-Clause
// Random numbers by name: what is drawn depends on who draws what, and not on the order of drawing, so that the
// program with probes and that without, and two rules, get the same.
#ifndef TARE_SIM_SCALE_DRAW_HPP
#define TARE_SIM_SCALE_DRAW_HPP

#include <cmath>
#include <cstdint>

namespace scale {

class draw {
  public:
    draw(std::int64_t seed, std::uint64_t purpose, std::uint64_t a, std::uint64_t b = 0)
        : bits_(mixed(mixed(mixed(mixed(static_cast<std::uint64_t>(seed)) + purpose) + a) + b))
    {
    }

    double uniform() const { return static_cast<double>(bits_ >> 11) * 0x1p-53; }
    double either_way() const { return 2 * uniform() - 1; }
    std::uint64_t below(std::uint64_t count) const { return (bits_ >> 32) * count >> 32; }
    double exponential() const { return -std::log(1 - uniform()); }

    // Box and Muller.
    double normal() const
    {
        const double angle = 6.283185307179586 * static_cast<double>(mixed(bits_) >> 11) * 0x1p-53;
        return std::sqrt(2 * exponential()) * std::cos(angle);
    }

  private:
    // splitmix64 (public domain).
    static std::uint64_t mixed(std::uint64_t x)
    {
        x += 0x9e3779b97f4a7c15u;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
        x = (x ^ x >> 27) * 0x94d049bb133111ebu;
        return x ^ x >> 31;
    }

    std::uint64_t bits_;
};

}  // namespace scale

#endif
