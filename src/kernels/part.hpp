// SPDX-License-Identifier: BSD-3-Clause
// Who has which part of the work. Even ranks have two shares of it and odd ranks three, so that there are waits
// without any probe; who waits then has the probes that cost most by default, and the waits change sides.
#ifndef TARE_KERNELS_PART_HPP
#define TARE_KERNELS_PART_HPP

#include <cstdint>

namespace tare::kernels {

struct part {
    int begin;
    int end;

    int size() const { return end - begin; }
};

inline int shares_before(int rank) { return rank / 2 * 5 + rank % 2 * 2; }

// Of `count` things in a row, those of a rank.
inline part part_of(int count, int rank, int ranks) {
    const auto edge = [&](int of) {
        return static_cast<int>(std::int64_t{count} * shares_before(of) / shares_before(ranks));
    };
    return {edge(rank), edge(rank + 1)};
}

// The finalizer of SplitMix64 (public domain): numbers that look random, by place alone.
inline std::uint64_t scrambled(std::uint64_t number) {
    std::uint64_t x = (number + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

inline std::uint64_t joined(std::uint64_t hash, std::uint64_t value) { return scrambled(hash * 31 + value); }

}  // namespace tare::kernels

#endif
