// SPDX-License-Identifier: BSD-3-Clause
#include "archive_in.hpp"

#include "rank_trace.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tare::trace {
namespace {

// What the callbacks of OTF2 fill in: strings come before what uses them.
struct collected {
    rank_definitions result;
    std::map<OTF2_StringRef, std::string> texts;
    std::map<OTF2_SystemTreeNodeRef, std::string> hosts;

    std::string text(OTF2_StringRef number) const
    {
        const auto found = texts.find(number);
        return found == texts.end() ? std::string() : found->second;
    }
};

collected &of(void *data) { return *static_cast<collected *>(data); }

OTF2_CallbackCode clock_found(void *data, std::uint64_t, std::uint64_t first, std::uint64_t length, std::uint64_t)
{
    definitions &all = of(data).result.all;
    all.first_ns = first;
    all.last_ns = first + length - 1;
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode text_found(void *data, OTF2_StringRef number, const char *text)
{
    of(data).texts[number] = text;
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode region_found(void *data, OTF2_RegionRef number, OTF2_StringRef name, OTF2_StringRef,
                               OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag,
                               OTF2_StringRef, std::uint32_t, std::uint32_t)
{
    collected &found = of(data);
    if (number != found.result.all.regions.size())
        return OTF2_CALLBACK_INTERRUPT;
    found.result.all.regions.push_back({found.text(name), found.text(description), role, paradigm});
    return OTF2_CALLBACK_SUCCESS;
}

// Its own numbers of groups are two less.
OTF2_CallbackCode group_found(void *data, OTF2_GroupRef number, OTF2_StringRef, OTF2_GroupType type, OTF2_Paradigm,
                              OTF2_GroupFlag, std::uint32_t count, const std::uint64_t *members)
{
    std::vector<group> &groups = of(data).result.all.groups;
    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS)
        of(data).result.all.world.assign(members, members + count);
    if (type != OTF2_GROUP_TYPE_COMM_GROUP)
        return OTF2_CALLBACK_SUCCESS;
    if (number != group_number(static_cast<std::uint32_t>(groups.size())))
        return OTF2_CALLBACK_INTERRUPT;
    groups.emplace_back(members, members + count);
    return OTF2_CALLBACK_SUCCESS;
}

std::uint32_t own_number(OTF2_GroupRef number)
{
    return number == self_group ? TARE_TRACE_SELF_GROUP : number - first_group;
}

OTF2_CallbackCode add_comm(collected &found, OTF2_CommRef number, communicator c)
{
    definitions &all = found.result.all;
    const auto is_known = [&all](std::uint32_t group) {
        return group < all.groups.size() || group == TARE_TRACE_SELF_GROUP;
    };
    if (number != all.comms.size() || !is_known(c.group) || (c.other_group != TARE_TRACE_NONE && !is_known(c.other_group)))
        return OTF2_CALLBACK_INTERRUPT;
    all.comms.push_back(std::move(c));
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode comm_found(void *data, OTF2_CommRef number, OTF2_StringRef name, OTF2_GroupRef group, OTF2_CommRef parent,
                             OTF2_CommFlag flags)
{
    collected &found = of(data);
    return add_comm(found, number, {found.text(name), 0, own_number(group), TARE_TRACE_NONE, parent,
                                    flags == OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS});
}

OTF2_CallbackCode intercomm_found(void *data, OTF2_CommRef number, OTF2_StringRef name, OTF2_GroupRef group,
                                  OTF2_GroupRef other_group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
    collected &found = of(data);
    return add_comm(found, number, {found.text(name), 0, own_number(group), own_number(other_group), parent,
                                    flags == OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS});
}

OTF2_CallbackCode window_found(void *data, OTF2_RmaWinRef number, OTF2_StringRef name, OTF2_CommRef comm, OTF2_RmaWinFlag)
{
    collected &found = of(data);
    definitions &all = found.result.all;
    if (number != all.windows.size() || comm >= all.comms.size())
        return OTF2_CALLBACK_INTERRUPT;
    all.windows.push_back({found.text(name), 0, comm});
    return OTF2_CALLBACK_SUCCESS;
}

template <typename Defined>
void identify(std::vector<Defined> &all, const std::string &prefix, const std::string &text, std::uint64_t identity)
{
    if (text.rfind(prefix, 0) != 0)
        return;
    const std::size_t number = std::strtoul(text.c_str() + prefix.size(), nullptr, 10);
    if (number < all.size())
        all[number].identity = identity;
}

OTF2_CallbackCode property_found(void *data, OTF2_LocationGroupRef, OTF2_StringRef name, OTF2_Type, OTF2_AttributeValue value)
{
    collected &found = of(data);
    identify(found.result.all.comms, identity_property, found.text(name), value.uint64);
    identify(found.result.all.windows, window_property, found.text(name), value.uint64);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode node_found(void *data, OTF2_SystemTreeNodeRef number, OTF2_StringRef name, OTF2_StringRef kind,
                             OTF2_SystemTreeNodeRef)
{
    collected &found = of(data);
    if (found.text(kind) == "node")
        found.hosts[number] = found.text(name);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode rank_found(void *data, OTF2_LocationGroupRef number, OTF2_StringRef name, OTF2_LocationGroupType,
                             OTF2_SystemTreeNodeRef node, OTF2_LocationGroupRef)
{
    collected &found = of(data);
    const auto host = found.hosts.find(node);
    const std::string text = found.text(name);
    if (number > static_cast<OTF2_LocationGroupRef>(INT32_MAX))
        return OTF2_CALLBACK_INTERRUPT;
    found.result.all.ranks.push_back({static_cast<int>(number), host == found.hosts.end() ? "" : host->second, {},
                                      text == "MPI Rank " + std::to_string(number) ? "" : text});
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode location_found(void *data, OTF2_LocationRef number, OTF2_StringRef name, OTF2_LocationType,
                                 std::uint64_t events, OTF2_LocationGroupRef rank)
{
    collected &found = of(data);
    std::vector<rank_part> &ranks = found.result.all.ranks;
    const auto own = std::find_if(ranks.begin(), ranks.end(), [rank](const rank_part &r) {
        return static_cast<OTF2_LocationGroupRef>(r.rank) == rank;
    });
    if (own == ranks.end())
        return OTF2_CALLBACK_INTERRUPT;
    own->locations.push_back({number, found.text(name), events});
    return OTF2_CALLBACK_SUCCESS;
}

void collect(OTF2_Reader *reader, collected &found, const std::string &tried)
{
    const definition_callbacks callbacks(OTF2_GlobalDefReaderCallbacks_New());
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks.get(), clock_found);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks.get(), text_found);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks.get(), region_found);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(callbacks.get(), node_found);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks.get(), rank_found);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks.get(), location_found);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks.get(), group_found);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks.get(), comm_found);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks.get(), intercomm_found);
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(callbacks.get(), window_found);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(callbacks.get(), property_found);
    read_definitions(reader, callbacks.get(), &found, tried);
}

// The first strings, so many as the archive says.
std::vector<std::string> texts_of(const collected &found, const std::string &count)
{
    std::vector<std::string> texts;
    const std::size_t wanted = std::strtoul(count.c_str(), nullptr, 10);
    for (auto t = found.texts.begin(); t != found.texts.end() && texts.size() < wanted && t->first == texts.size(); ++t)
        texts.push_back(t->second);
    return texts;
}

// Of the reader's archive: all of it.
rank_definitions read_all(OTF2_Reader *reader, const std::string &tried)
{
    collected found;
    collect(reader, found, tried);
    found.result.run_id = property(reader, "TARE::RUN_ID");
    found.result.program = property(reader, "TARE::PROGRAM");
    found.result.clock = property(reader, "TARE::CLOCK");
    found.result.ranks = std::atoi(property(reader, "TARE::RANKS").c_str());
    found.result.all.texts = texts_of(found, property(reader, "TARE::TEXTS"));
    return std::move(found.result);
}

}  // namespace

rank_definitions read_rank(const std::string &dir, int rank, whose archive)
{
    const std::string path = folder_of_rank(dir, rank) + "/" + archive_name + ".otf2";
    const reader_handle reader = open_reader(path, archive);
    rank_definitions result = read_all(reader.get(), "cannot read " + path);
    // The members of its communicators are no business of a rank's own archive.
    result.all.world.clear();
    std::vector<rank_part> &ranks = result.all.ranks;
    ranks.erase(std::remove_if(ranks.begin(), ranks.end(), [rank](const rank_part &r) { return r.rank != rank; }),
                ranks.end());
    if (ranks.empty())
        throw error("cannot read " + path + ": it has no rank " + std::to_string(rank));
    return result;
}

rank_definitions read_whole(OTF2_Reader *reader, const std::string &anchor)
{
    if (property(reader, "TARE::CLOCK").empty())
        throw error(anchor + " was not written by Tare, and cannot be cut or merged");
    return read_all(reader, "cannot read what " + anchor + " defines");
}

}  // namespace tare::trace
