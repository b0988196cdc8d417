// SPDX-License-Identifier: BSD-3-Clause
#include "archive_definitions.hpp"

#include "counter_names.hpp"
#include "definitions.hpp"

#include <algorithm>
#include <cstring>

namespace tare::trace {

std::uint32_t numbering::add(std::uint64_t reference)
{
    constexpr std::uint64_t near = 1 << 20;
    if (const std::uint32_t known = find(reference); known != TARE_ARCHIVE_UNKNOWN)
        return known;
    if (reference >= near)
        return far_[reference] = count_++;
    if (reference >= near_.size())
        near_.resize(reference + 1, TARE_ARCHIVE_UNKNOWN);
    return near_[reference] = count_++;
}

namespace {

struct known_attribute {
    const char *name;
    std::uint64_t meaning;
    OTF2_Type type;
};
constexpr known_attribute known_attributes[] = {
    {"removed_ns", TARE_ARCHIVE_REMOVED_NS, OTF2_TYPE_INT64},
    {"delay_ns", TARE_ARCHIVE_DELAY_NS, OTF2_TYPE_INT64},
    {"sent_ns", TARE_ARCHIVE_SENT_NS, OTF2_TYPE_UINT64},
    {"peer_thread", TARE_ARCHIVE_PEER_THREAD, OTF2_TYPE_UINT32},
    {"sequence", TARE_ARCHIVE_SEQUENCE, OTF2_TYPE_UINT64},
    {"call_site", TARE_ARCHIVE_SITE, OTF2_TYPE_STRING},
    {"send_address", TARE_ARCHIVE_SEND_ADDRESS, OTF2_TYPE_UINT64},
    {"send_span", TARE_ARCHIVE_SEND_SPAN, OTF2_TYPE_UINT64},
    {"send_type", TARE_ARCHIVE_SEND_TYPE, OTF2_TYPE_STRING},
    {"receive_address", TARE_ARCHIVE_RECEIVE_ADDRESS, OTF2_TYPE_UINT64},
    {"receive_span", TARE_ARCHIVE_RECEIVE_SPAN, OTF2_TYPE_UINT64},
    {"receive_type", TARE_ARCHIVE_RECEIVE_TYPE, OTF2_TYPE_STRING},
    {"data_name", TARE_ARCHIVE_DATA_NAME, OTF2_TYPE_STRING},
    {"data_address", TARE_ARCHIVE_DATA_ADDRESS, OTF2_TYPE_UINT64},
    {"data_span", TARE_ARCHIVE_DATA_SPAN, OTF2_TYPE_UINT64},
    {"data_type", TARE_ARCHIVE_DATA_TYPE, OTF2_TYPE_STRING},
    {"contents", TARE_ARCHIVE_CONTENTS, OTF2_TYPE_UINT64},
    {"displacement", TARE_ARCHIVE_DISPLACEMENT, OTF2_TYPE_INT64},
    {"target_offset", TARE_ARCHIVE_TARGET_OFFSET, OTF2_TYPE_UINT64},
    {"target_span", TARE_ARCHIVE_TARGET_SPAN, OTF2_TYPE_UINT64},
    {"target_type", TARE_ARCHIVE_TARGET_TYPE, OTF2_TYPE_STRING},
    {"displacement_unit", TARE_ARCHIVE_DISPLACEMENT_UNIT, OTF2_TYPE_INT64},
    {"send_frame", TARE_ARCHIVE_SEND_FRAME, OTF2_TYPE_STRING},
    {"send_frame_offset", TARE_ARCHIVE_SEND_FRAME_OFFSET, OTF2_TYPE_INT64},
    {"receive_frame", TARE_ARCHIVE_RECEIVE_FRAME, OTF2_TYPE_STRING},
    {"receive_frame_offset", TARE_ARCHIVE_RECEIVE_FRAME_OFFSET, OTF2_TYPE_INT64},
    {"meeting", TARE_ARCHIVE_NUMBER, OTF2_TYPE_UINT32},
    {"arrivals", TARE_ARCHIVE_ARRIVALS, OTF2_TYPE_UINT32},
};

// "MPI Rank 12": 12. Unknown if the name is another.
std::uint32_t number_behind(const char *name, const char *prefix)
{
    const std::size_t length = std::strlen(prefix);
    constexpr std::size_t most_digits = 9;
    if (std::strncmp(name, prefix, length) != 0)
        return TARE_ARCHIVE_UNKNOWN;
    const std::string digits = name + length;
    if (digits.empty() || digits.size() > most_digits || digits.find_first_not_of("0123456789") != std::string::npos)
        return TARE_ARCHIVE_UNKNOWN;
    return static_cast<std::uint32_t>(std::stoul(digits));
}

std::uint32_t thread_named(const char *name)
{
    return std::strcmp(name, "Master thread") == 0 ? 0 : number_behind(name, "Thread ");
}

}  // namespace

// What OTF2 calls for each definition. What uses a string comes behind it; groups and locations in any order.
struct definition_events {
    static archive_definitions &of(void *data) { return *static_cast<archive_definitions *>(data); }

    static OTF2_CallbackCode clock(void *data, std::uint64_t resolution, std::uint64_t first, std::uint64_t length,
                                   std::uint64_t)
    {
        archive_definitions &all = of(data);
        all.ticks_per_second_ = resolution;
        all.first_tick_ = first;
        all.length_ = length;
        return OTF2_CALLBACK_SUCCESS;
    }

    static OTF2_CallbackCode text(void *data, OTF2_StringRef self, const char *value)
    {
        of(data).texts_[self] = value;
        return OTF2_CALLBACK_SUCCESS;
    }

    static_assert(TARE_ARCHIVE_COUNTERS == static_cast<int>(TARE_COUNTERS));

    static OTF2_CallbackCode attribute(void *data, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef,
                                       OTF2_Type type)
    {
        archive_definitions &all = of(data);
        constexpr OTF2_AttributeRef most = 1 << 16;
        const auto may_be = [&](const known_attribute &known) {
            if (self >= most || type != known.type || all.text(name) != known.name)
                return;
            all.attributes_.resize(std::max<std::size_t>(all.attributes_.size(), self + 1));
            all.attributes_[self] = {known.meaning, type};
        };
        for (const known_attribute &known : known_attributes)
            may_be(known);
        for (std::uint32_t i = 0; i < TARE_COUNTERS; i++)
            may_be({counter_names[i], TARE_ARCHIVE_COUNTER(i), OTF2_TYPE_UINT64});
        return OTF2_CALLBACK_SUCCESS;
    }

    static OTF2_CallbackCode parameter(void *data, OTF2_ParameterRef self, OTF2_StringRef name, OTF2_ParameterType type)
    {
        archive_definitions &all = of(data);
        for (std::uint32_t i = 0; i < parameters; i++)
            if (type == OTF2_PARAMETER_TYPE_UINT64 && all.text(name) == parameter_names[i])
                all.parameters_[self] = TARE_ARCHIVE_THREAD_RELEASE + i;
        return OTF2_CALLBACK_SUCCESS;
    }

    static OTF2_CallbackCode region(void *data, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef, OTF2_StringRef,
                                    OTF2_RegionRole, OTF2_Paradigm, OTF2_RegionFlag, OTF2_StringRef, std::uint32_t,
                                    std::uint32_t)
    {
        archive_definitions &all = of(data);
        if (all.region_numbers_.add(self) == all.regions_.size())
            all.regions_.push_back(all.keep(all.text(name)));
        return OTF2_CALLBACK_SUCCESS;
    }

    static OTF2_CallbackCode process(void *data, OTF2_LocationGroupRef self, OTF2_StringRef name, OTF2_LocationGroupType,
                                     OTF2_SystemTreeNodeRef, OTF2_LocationGroupRef)
    {
        archive_definitions &all = of(data);
        all.processes_[all.process_of(self)].name = all.keep(all.text(name));
        return OTF2_CALLBACK_SUCCESS;
    }

    static OTF2_CallbackCode location(void *data, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType,
                                      std::uint64_t events, OTF2_LocationGroupRef process)
    {
        archive_definitions &all = of(data);
        if (all.location_numbers_.add(self) != all.locations_.size())
            return OTF2_CALLBACK_SUCCESS;
        all.locations_.push_back({all.keep(all.text(name)), all.process_of(process), TARE_ARCHIVE_UNKNOWN, self});
        all.events_.push_back(events);
        return OTF2_CALLBACK_SUCCESS;
    }

    static OTF2_CallbackCode group(void *data, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type,
                                   OTF2_Paradigm paradigm, OTF2_GroupFlag, std::uint32_t count,
                                   const std::uint64_t *members)
    {
        archive_definitions &all = of(data);
        if (paradigm == OTF2_PARADIGM_MPI)
            all.groups_[self] = {type, {members, members + count}};
        if (paradigm == OTF2_PARADIGM_MPI && type == OTF2_GROUP_TYPE_COMM_LOCATIONS)
            all.world_groups_.push_back(self);
        return OTF2_CALLBACK_SUCCESS;
    }

    static void add(archive_definitions &all, OTF2_CommRef self, const archive_definitions::communicator_kind &kind)
    {
        if (all.communicator_numbers_.add(self) == all.communicator_kinds_.size())
            all.communicator_kinds_.push_back(kind);
    }

    static OTF2_CallbackCode comm(void *data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group, OTF2_CommRef,
                                  OTF2_CommFlag)
    {
        add(of(data), self, {name, group, group, false});
        return OTF2_CALLBACK_SUCCESS;
    }

    static OTF2_CallbackCode inter_comm(void *data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef first,
                                        OTF2_GroupRef second, OTF2_CommRef, OTF2_CommFlag)
    {
        add(of(data), self, {name, first, second, true});
        return OTF2_CALLBACK_SUCCESS;
    }

    static OTF2_CallbackCode window(void *data, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef communicator,
                                    OTF2_RmaWinFlag)
    {
        archive_definitions &all = of(data);
        if (all.window_numbers_.add(self) == all.window_kinds_.size())
            all.window_kinds_.emplace_back(name, communicator);
        return OTF2_CALLBACK_SUCCESS;
    }

    static definition_callbacks all()
    {
        definition_callbacks callbacks(OTF2_GlobalDefReaderCallbacks_New());
        OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks.get(), clock);
        OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks.get(), text);
        OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks.get(), attribute);
        OTF2_GlobalDefReaderCallbacks_SetParameterCallback(callbacks.get(), parameter);
        OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks.get(), region);
        OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks.get(), process);
        OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks.get(), location);
        OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks.get(), group);
        OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks.get(), comm);
        OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(callbacks.get(), window);
        OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks.get(), inter_comm);
        return callbacks;
    }
};

archive_definitions::archive_definitions(OTF2_Reader *reader, const std::string &anchor)
    : clock_(property(reader, "TARE::CLOCK"))
{
    read_definitions(reader, definition_events::all().get(), this, "cannot read what " + anchor + " defines");
    if (ticks_per_second_ == 0)
        throw error("cannot read " + anchor + ": it does not say how long a tick of its clock is");
    resolve();
    name_processes();
    number_threads();
    fill_table(anchor);
}

const char *archive_definitions::keep(std::string text) { return kept_.emplace_back(std::move(text)).c_str(); }

std::string archive_definitions::text(OTF2_StringRef reference) const
{
    const auto found = texts_.find(reference);
    return found == texts_.end() ? std::string() : found->second;
}

// A location may come before its process, or without it.
std::uint32_t archive_definitions::process_of(OTF2_LocationGroupRef reference)
{
    const std::uint32_t number = process_numbers_.add(reference);
    if (number == processes_.size())
        processes_.push_back({keep("location group " + std::to_string(reference)), TARE_ARCHIVE_UNKNOWN});
    return number;
}

archive_definitions::processes archive_definitions::world() const
{
    processes result;
    if (!world_groups_.empty())
        for (const std::uint64_t member : groups_.at(world_groups_.front()).members) {
            const std::uint32_t location = location_numbers_.find(member);
            result.push_back(location < locations_.size() ? locations_[location].process : TARE_ARCHIVE_UNKNOWN);
        }
    return result;
}

archive_definitions::processes archive_definitions::members_of(OTF2_GroupRef reference, const processes &world,
                                                               bool *is_self) const
{
    const auto found = groups_.find(reference);
    if (found == groups_.end())
        return {};
    if (found->second.type == OTF2_GROUP_TYPE_COMM_LOCATIONS)
        return world;
    *is_self = found->second.type == OTF2_GROUP_TYPE_COMM_SELF;
    processes result;
    for (const std::uint64_t member : found->second.members)
        result.push_back(member < world.size() ? world[member] : TARE_ARCHIVE_UNKNOWN);
    return result;
}

void archive_definitions::resolve()
{
    const processes all = world();
    for (const communicator_kind &kind : communicator_kinds_) {
        members m;
        bool is_second_self = false;
        m.first = members_of(kind.first, all, &m.is_self);
        if (kind.is_inter) {
            m.second = members_of(kind.second, all, &is_second_self);
            m.first_sorted = m.first;
            std::sort(m.first_sorted.begin(), m.first_sorted.end());
        }
        communicators_.push_back({keep(text(kind.name)), static_cast<std::uint32_t>(m.first.size() + m.second.size()),
                                  kind.is_inter ? 1 : 0, nullptr});
        members_.push_back(std::move(m));
        if (!kind.is_inter && !members_.back().is_self)
            communicators_.back().members = members_.back().first.data();
    }
    for (const auto &[name, reference] : window_kinds_)
        windows_.push_back({keep(text(name)), communicator(reference)});
}

std::uint32_t archive_definitions::peer(std::uint32_t process, std::uint32_t communicator, std::uint32_t rank) const
{
    if (communicator >= members_.size())
        return TARE_ARCHIVE_UNKNOWN;
    const members &m = members_[communicator];
    if (m.is_self)
        return process;
    const bool is_first = communicator_kinds_[communicator].is_inter &&
                          std::binary_search(m.first_sorted.begin(), m.first_sorted.end(), process);
    const processes &others = is_first ? m.second : m.first;
    return rank < others.size() ? others[rank] : TARE_ARCHIVE_UNKNOWN;
}

void archive_definitions::name_processes()
{
    const processes all = world();
    for (std::uint32_t i = 0; i < processes_.size(); i++) {
        std::uint32_t &rank = processes_[i].rank;
        rank = number_behind(processes_[i].name, "MPI Rank ");
        if (rank != TARE_ARCHIVE_UNKNOWN)
            continue;
        const auto found = std::find(all.begin(), all.end(), i);
        rank = found == all.end() ? i : static_cast<std::uint32_t>(found - all.begin());
    }
}

void archive_definitions::number_threads()
{
    std::vector<std::uint32_t> so_far(processes_.size(), 0);
    for (tare_archive_location_t &l : locations_) {
        const std::uint32_t order = so_far[l.process]++;
        l.thread = thread_named(l.name);
        if (l.thread == TARE_ARCHIVE_UNKNOWN)
            l.thread = order;
    }
}

void archive_definitions::fill_table(const std::string &anchor)
{
    for (const auto &[reference, text] : texts_)
        if (text_numbers_.add(reference) == text_table_.size())
            text_table_.push_back(text.c_str());
    table_ = {keep(anchor), regions_.data(), regions_.size(), processes_.data(), processes_.size(), locations_.data(),
              locations_.size(), communicators_.data(), communicators_.size(), windows_.data(),
              windows_.size(), ns_of(first_tick_), ns_of(first_tick_ + length_), clock_.c_str(), text_table_.data(),
              text_table_.size()};
}

}  // namespace tare::trace
