// SPDX-License-Identifier: BSD-3-Clause
// FNV-1a, a hash byte by byte, the same everywhere: http://www.isthe.com/chongo/tech/comp/fnv/ (public domain).
#ifndef TARE_PROFILE_FNV_HPP
#define TARE_PROFILE_FNV_HPP

#include <cstdint>

namespace tare {

constexpr std::uint64_t fnv_start = UINT64_C(14695981039346656037);

constexpr std::uint64_t fnv_step(std::uint64_t hash, char byte) noexcept
{
    return (hash ^ static_cast<unsigned char>(byte)) * UINT64_C(1099511628211);
}

}  // namespace tare

#endif
