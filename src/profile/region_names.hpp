// SPDX-License-Identifier: BSD-3-Clause
// Calls of MPI by the names of their regions, as any tool writes them: MPI_Recv, MPI_Recv(), mpi_recv_.
#ifndef TARE_PROFILE_REGION_NAMES_HPP
#define TARE_PROFILE_REGION_NAMES_HPP

#include <cstddef>
#include <string_view>

namespace tare {

constexpr std::string_view mpi_prefix = "mpi_";

// wanted: in small letters.
constexpr bool begins_small(std::string_view name, std::string_view wanted)
{
    if (name.size() < wanted.size())
        return false;
    for (std::size_t i = 0; i < wanted.size(); i++) {
        const char c = name[i];
        if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != wanted[i])
            return false;
    }
    return true;
}

constexpr bool holds_small(std::string_view name, std::string_view wanted)
{
    for (std::size_t i = 0; i < name.size(); i++)
        if (begins_small(name.substr(i), wanted))
            return true;
    return false;
}

constexpr bool is_mpi_call(std::string_view region) { return begins_small(region, mpi_prefix); }

}  // namespace tare

#endif
