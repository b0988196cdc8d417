// SPDX-License-Identifier: BSD-3-Clause
#include "reader_calls.hpp"

#include <cstdlib>

namespace tare::trace {

reader_handle open_reader(const std::string &anchor)
{
    const std::string tried = "cannot read " + anchor;
    reader_handle reader(must_have(OTF2_Reader_Open(anchor.c_str()), tried));
    must(OTF2_Reader_SetSerialCollectiveCallbacks(reader.get()), tried);
    return reader;
}

void read_definitions(OTF2_Reader *reader, const OTF2_GlobalDefReaderCallbacks *callbacks, void *data,
                      const std::string &tried)
{
    OTF2_GlobalDefReader *definitions = must_have(OTF2_Reader_GetGlobalDefReader(reader), tried);
    must(OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, data), tried);
    std::uint64_t count = 0;
    must(OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count), tried);
}

std::string property(OTF2_Reader *reader, const char *name)
{
    char *value = nullptr;
    if (OTF2_Reader_GetProperty(reader, name, &value) != OTF2_SUCCESS || value == nullptr)
        return "";
    const std::unique_ptr<char, decltype(&std::free)> owned(value, std::free);
    return value;
}

}  // namespace tare::trace
