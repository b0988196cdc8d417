// SPDX-License-Identifier: BSD-3-Clause
#include "archive_in.hpp"

#include "rank_trace.hpp"
#include "reader_calls.hpp"

#include <cstdlib>

namespace tare::trace {
namespace {

// What the callbacks of OTF2 fill in: strings come before what uses them.
struct collected {
    rank_definitions result;
    std::map<OTF2_StringRef, std::string> texts;

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

OTF2_CallbackCode node_found(void *data, OTF2_SystemTreeNodeRef, OTF2_StringRef name, OTF2_StringRef kind,
                             OTF2_SystemTreeNodeRef)
{
    collected &found = of(data);
    if (found.text(kind) == "node")
        found.result.all.ranks.front().host = found.text(name);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode location_found(void *data, OTF2_LocationRef number, OTF2_StringRef name, OTF2_LocationType,
                                 std::uint64_t events, OTF2_LocationGroupRef)
{
    collected &found = of(data);
    found.result.all.ranks.front().locations.push_back({number, found.text(name), events});
    return OTF2_CALLBACK_SUCCESS;
}

void collect(OTF2_Reader *reader, collected &found, const std::string &tried)
{
    const definition_callbacks callbacks(OTF2_GlobalDefReaderCallbacks_New());
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks.get(), clock_found);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks.get(), text_found);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks.get(), region_found);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(callbacks.get(), node_found);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks.get(), location_found);
    read_definitions(reader, callbacks.get(), &found, tried);
}

}  // namespace

rank_definitions read_rank(const std::string &dir, int rank)
{
    const std::string path = folder_of_rank(dir, rank) + "/" + archive_name + ".otf2";
    const std::string tried = "cannot read " + path;
    const reader_handle reader = open_reader(path);
    collected found;
    found.result.all.ranks = {{rank, "", {}}};
    collect(reader.get(), found, tried);
    found.result.run_id = property(reader.get(), "TARE::RUN_ID");
    found.result.program = property(reader.get(), "TARE::PROGRAM");
    found.result.clock = property(reader.get(), "TARE::CLOCK");
    found.result.ranks = std::atoi(property(reader.get(), "TARE::RANKS").c_str());
    return found.result;
}

}  // namespace tare::trace
