// SPDX-License-Identifier: BSD-3-Clause
#ifndef TARE_BENCH_NUMBERS_HPP
#define TARE_BENCH_NUMBERS_HPP

#include <cctype>
#include <optional>
#include <string>

namespace tare::bench {

// Digits only, from `low` to `high`.
inline std::optional<int> parse_int(const std::string &text, int low, int high) {
    if (text.empty())
        return std::nullopt;
    long long value = 0;
    for (const char c : text) {
        if (!std::isdigit(static_cast<unsigned char>(c)))
            return std::nullopt;
        value = value * 10 + (c - '0');
        if (value > high)
            return std::nullopt;
    }
    return value < low ? std::nullopt : std::optional<int>(static_cast<int>(value));
}

}  // namespace tare::bench

#endif
