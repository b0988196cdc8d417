// SPDX-License-Identifier: BSD-3-Clause
// What any archive defines, numbered as archive.h has it: Tare's own, or another tool's.
#ifndef TARE_TRACE_ARCHIVE_DEFINITIONS_HPP
#define TARE_TRACE_ARCHIVE_DEFINITIONS_HPP

#include "archive.h"
#include "reader_calls.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace tare::trace {

// Numbers from 0 on for references of OTF2, which may be any.
class numbering {
  public:
    std::uint32_t add(std::uint64_t reference);
    std::uint32_t find(std::uint64_t reference) const
    {
        if (reference < near_.size())
            return near_[reference];
        const auto found = far_.find(reference);
        return found == far_.end() ? TARE_ARCHIVE_UNKNOWN : found->second;
    }

  private:
    std::vector<std::uint32_t> near_;
    std::unordered_map<std::uint64_t, std::uint32_t> far_;
    std::uint32_t count_ = 0;
};

class archive_definitions {
  public:
    // Throws error.
    archive_definitions(OTF2_Reader *reader, const std::string &anchor);
    archive_definitions(const archive_definitions &) = delete;
    archive_definitions &operator=(const archive_definitions &) = delete;

    const tare_archive_t &table() const { return table_; }
    const std::vector<tare_archive_location_t> &locations() const { return locations_; }
    std::uint64_t events_of(std::size_t location) const { return events_[location]; }
    std::uint32_t region(OTF2_RegionRef reference) const { return region_numbers_.find(reference); }
    std::uint32_t text_number(OTF2_StringRef reference) const { return text_numbers_.find(reference); }
    std::uint32_t communicator(OTF2_CommRef reference) const { return communicator_numbers_.find(reference); }
    std::uint32_t window(OTF2_RmaWinRef reference) const { return window_numbers_.find(reference); }

    // Who has this rank for a process: in an intercommunicator it is one of the other group.
    std::uint32_t peer(std::uint32_t process, std::uint32_t communicator, std::uint32_t rank) const;

    // TARE_ARCHIVE_REMOVED_NS and so on, if the attribute is one of those and of its type; else 0.
    std::uint64_t attribute(OTF2_AttributeRef reference, OTF2_Type type) const
    {
        const bool is_one = reference < attributes_.size() && attributes_[reference].type == type;
        return is_one ? attributes_[reference].meaning : 0;
    }

    // TARE_ARCHIVE_THREAD_RELEASE and so on; unknown: the parameter is none of these.
    std::uint32_t parameter(OTF2_ParameterRef reference) const
    {
        const auto found = parameters_.find(reference);
        return found == parameters_.end() ? TARE_ARCHIVE_UNKNOWN : found->second;
    }

    std::uint64_t ns_of(OTF2_TimeStamp ticks) const
    {
        constexpr std::uint64_t second = 1'000'000'000;
        if (ticks_per_second_ == second)
            return ticks;
        return static_cast<std::uint64_t>(static_cast<unsigned __int128>(ticks) * second / ticks_per_second_);
    }

  private:
    using processes = std::vector<std::uint32_t>;
    struct attribute_kind {
        std::uint64_t meaning = 0;
        OTF2_Type type = OTF2_TYPE_NONE;
    };
    struct group {
        OTF2_GroupType type;
        std::vector<std::uint64_t> members;
    };
    struct communicator_kind {
        OTF2_StringRef name;
        OTF2_GroupRef first, second;
        bool is_inter;
    };
    struct members {
        bool is_self = false;            // each process alone
        processes first, second;         // by rank; second: of an intercommunicator
        processes first_sorted;
    };
    friend struct definition_events;

    std::uint32_t process_of(OTF2_LocationGroupRef reference);
    void name_processes();
    void number_threads();
    void resolve();
    processes world() const;
    processes members_of(OTF2_GroupRef reference, const processes &world, bool *is_self) const;
    const char *keep(std::string text);
    std::string text(OTF2_StringRef reference) const;
    void fill_table(const std::string &anchor);

    std::map<OTF2_StringRef, std::string> texts_;
    std::deque<std::string> kept_;       // what the table points to
    std::vector<const char *> text_table_;
    numbering text_numbers_, region_numbers_, process_numbers_, communicator_numbers_, window_numbers_, location_numbers_;
    std::vector<const char *> regions_;
    std::vector<tare_archive_process_t> processes_;
    std::vector<tare_archive_location_t> locations_;
    std::vector<std::uint64_t> events_;  // by location
    std::vector<attribute_kind> attributes_;
    std::map<OTF2_ParameterRef, std::uint32_t> parameters_;
    std::map<OTF2_GroupRef, group> groups_;
    std::vector<OTF2_GroupRef> world_groups_;
    std::vector<communicator_kind> communicator_kinds_;
    std::vector<members> members_;
    std::vector<tare_archive_communicator_t> communicators_;
    std::vector<std::pair<OTF2_StringRef, OTF2_CommRef>> window_kinds_;
    std::vector<tare_archive_window_t> windows_;
    std::uint64_t ticks_per_second_ = 0, first_tick_ = 0, length_ = 0;
    std::string clock_;
    tare_archive_t table_ = {};
};

}  // namespace tare::trace

#endif
