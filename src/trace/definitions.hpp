// SPDX-License-Identifier: BSD-3-Clause
// What an archive defines once for all of its events: of a rank, and of all ranks together.
#ifndef TARE_TRACE_DEFINITIONS_HPP
#define TARE_TRACE_DEFINITIONS_HPP

#include "otf2_calls.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace tare::trace {

// Two regions of one process may be alike: a function may turn out to have the name of another one.
struct region {
    std::string name;
    std::string group;                   // TARE_GROUP_*, in OTF2 the description
    OTF2_RegionRole role = OTF2_REGION_ROLE_UNKNOWN;
    OTF2_Paradigm paradigm = OTF2_PARADIGM_UNKNOWN;

    bool operator<(const region &other) const
    {
        return std::tie(name, group, role, paradigm) < std::tie(other.name, other.group, other.role, other.paradigm);
    }
};

// A thread of a rank.
struct location {
    std::uint64_t number = 0;            // in the archive: location_number
    std::string name;
    std::uint64_t events = 0;
};

// Unique among all ranks.
constexpr std::uint64_t location_number(int rank, std::uint32_t thread)
{
    return std::uint64_t{thread} << 32 | static_cast<std::uint32_t>(rank);
}

// What one rank knows.
struct rank_part {
    int rank = 0;
    std::string host;
    std::vector<location> locations;
};

struct definitions {
    std::vector<region> regions;         // by their numbers in the events
    std::vector<rank_part> ranks;
    std::uint64_t first_ns = UINT64_MAX, last_ns = 0;    // of all time stamps
};

// What the delay of an event is called: an attribute of each.
constexpr OTF2_AttributeRef removed_attribute = 0;

// Writes all of it into an archive. Nothing else is defined there yet.
void write(const archive_out &to, const definitions &all);

}  // namespace tare::trace

#endif
