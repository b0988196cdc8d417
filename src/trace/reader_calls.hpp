// SPDX-License-Identifier: BSD-3-Clause
// What OTF2 makes for who reads an archive, and its end.
#ifndef TARE_TRACE_READER_CALLS_HPP
#define TARE_TRACE_READER_CALLS_HPP

#include "otf2_calls.hpp"

#include <memory>

namespace tare::trace {

struct close_reader {
    void operator()(OTF2_Reader *reader) const { OTF2_Reader_Close(reader); }
};
struct delete_callbacks {
    void operator()(OTF2_GlobalDefReaderCallbacks *callbacks) const { OTF2_GlobalDefReaderCallbacks_Delete(callbacks); }
    void operator()(OTF2_EvtReaderCallbacks *callbacks) const { OTF2_EvtReaderCallbacks_Delete(callbacks); }
};

using reader_handle = std::unique_ptr<OTF2_Reader, close_reader>;
using definition_callbacks = std::unique_ptr<OTF2_GlobalDefReaderCallbacks, delete_callbacks>;

// Of the archive whose anchor file this is. Throws error. own: this run has just written it; others are opened in a
// child first, which a damaged anchor file may end.
enum class whose { own, others };
reader_handle open_reader(const std::string &anchor, whose archive = whose::others);

// Hands all global definitions to the callbacks. Throws error.
void read_definitions(OTF2_Reader *reader, const OTF2_GlobalDefReaderCallbacks *callbacks, void *data,
                      const std::string &tried);

// use(reference, type, value) for each of an event's.
template <typename Use> void for_each_attribute(const OTF2_AttributeList *attributes, Use use)
{
    const std::uint32_t count = OTF2_AttributeList_GetNumberOfElements(attributes);
    for (std::uint32_t i = 0; i < count; i++) {
        OTF2_AttributeRef reference = 0;
        OTF2_Type type = OTF2_TYPE_NONE;
        OTF2_AttributeValue value{};
        OTF2_AttributeList_GetAttributeByIndex(attributes, i, &reference, &type, &value);
        use(reference, type, value);
    }
}

// What the numbers in the events of a location are in the archive, which OTF2 keeps. Of the selected locations, between the
// opening and the closing of the files. "", or what is wrong, in OTF2's words.
std::string read_local_definitions(OTF2_Reader *reader, const std::string &anchor, OTF2_LocationRef location);

// "" if the archive has none of this name.
std::string property(OTF2_Reader *reader, const char *name);

}  // namespace tare::trace

#endif
