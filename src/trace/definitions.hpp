// SPDX-License-Identifier: BSD-3-Clause
// What an archive defines once for all of its events: of a rank, and of all ranks together.
#ifndef TARE_TRACE_DEFINITIONS_HPP
#define TARE_TRACE_DEFINITIONS_HPP

#include "otf2_calls.hpp"
#include "trace_event.h"

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

// A communicator of one process, or of all that have part in it. Groups by their numbers among those here.
struct communicator {
    std::string name;
    std::uint64_t identity = 0;          // tare_trace_definition
    std::uint32_t group = 0;
    std::uint32_t other_group = TARE_TRACE_NONE;
    std::uint32_t parent = TARE_TRACE_NONE;
    bool is_made = false;
};

// The same of a window of memory. Its communicator by its number among those here.
struct window {
    std::string name;
    std::uint64_t identity = 0;
    std::uint32_t comm = 0;
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

// What one rank knows. Of one that left nothing there is a location without events: groups have it for a member.
struct rank_part {
    int rank = 0;
    std::string host;                    // "": not known
    std::vector<location> locations;
    std::string name;                    // "": "MPI Rank 3"
};

constexpr const char *first_location = "Master thread";

using group = std::vector<std::uint32_t>;        // ranks in MPI_COMM_WORLD

struct definitions {
    std::vector<region> regions;         // by their numbers in the events
    std::vector<rank_part> ranks;
    std::vector<group> groups;
    std::vector<communicator> comms;     // by their numbers in the events
    std::vector<window> windows;         // likewise; with communicators
    std::vector<std::string> texts;      // likewise; the archive's first strings
    std::vector<std::uint64_t> world;    // locations by rank in MPI_COMM_WORLD; with communicators
    std::uint64_t first_ns = UINT64_MAX, last_ns = 0;    // of all time stamps
};

// The texts of several archives, each once.
class joined_texts {
  public:
    // What those of one archive are among `all`, to which they are added.
    std::vector<std::uint32_t> add(const std::vector<std::string> &part, std::vector<std::string> &all);

  private:
    std::map<std::string, std::uint32_t> known_;
};

// What is told of each event, and of messages where it is known.
constexpr OTF2_AttributeRef removed_attribute = 0, delay_attribute = 1, sent_attribute = 2, thread_attribute = 3,
                            sequence_attribute = 4;

// And what TARE_TRACE_RECORDS asks for.
constexpr OTF2_AttributeRef site_attribute = 5, send_address_attribute = 6, send_span_attribute = 7, send_type_attribute = 8,
                            receive_address_attribute = 9, receive_span_attribute = 10, receive_type_attribute = 11,
                            displacement_attribute = 12, data_name_attribute = 13, data_address_attribute = 14,
                            data_span_attribute = 15, data_type_attribute = 16, contents_attribute = 17,
                            first_counter_attribute = 18,        // TARE_COUNTERS of them
                            target_offset_attribute = first_counter_attribute + TARE_COUNTERS,
                            target_span_attribute = target_offset_attribute + 1,
                            target_type_attribute = target_offset_attribute + 2, unit_attribute = target_offset_attribute + 3,
                            send_frame_attribute = unit_attribute + 1, send_frame_offset_attribute = unit_attribute + 2,
                            receive_frame_attribute = unit_attribute + 3,
                            receive_frame_offset_attribute = unit_attribute + 4,
                            number_attribute = unit_attribute + 5, arrivals_attribute = unit_attribute + 6;

// Events between threads: what they do is the parameter, its value the round.
constexpr OTF2_ParameterRef release_parameter = 0, acquire_parameter = 1, begin_parameter = 2, parameters = 3;
static_assert(TARE_TRACE_THREAD_ACQUIRE - TARE_TRACE_THREAD_RELEASE == acquire_parameter &&
              TARE_TRACE_THREAD_BEGIN - TARE_TRACE_THREAD_RELEASE == begin_parameter);
constexpr const char *parameter_names[parameters] = {"thread_release", "thread_acquire", "thread_begin"};

// Groups of the archive: two come before those of the definitions.
constexpr OTF2_GroupRef world_group = 0, self_group = 1, first_group = 2;
constexpr OTF2_GroupRef group_number(std::uint32_t group)
{
    return group == TARE_TRACE_SELF_GROUP ? self_group : first_group + group;
}

// The same of a communicator or a window on all of its processes, as a property of their location groups: "communicator 3".
constexpr const char *identity_property = "communicator ", *window_property = "window ";

// Writes all of it into an archive. Nothing else is defined there yet. with_identities: it is the first rank's own, of which
// others will have communicators, too.
void write(archive_out &to, const definitions &all, bool with_identities);

}  // namespace tare::trace

#endif
