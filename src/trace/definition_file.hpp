// SPDX-License-Identifier: BSD-3-Clause
// A file of definitions before OTF2 reads it, which believes how many numbers a record says it has: it asks for memory for
// so many, reads on behind the record, and may write behind what it has.
#ifndef TARE_TRACE_DEFINITION_FILE_HPP
#define TARE_TRACE_DEFINITION_FILE_HPP

#include <cstdint>
#include <string>

namespace tare::trace {

enum class definitions_of { all, location };

// Whether a group, or a location's table of numbers, says that it has more than there is room for in its record, or is not
// whole up to where it says how many. Of a file that is not there: no.
bool has_false_counts(const std::string &file, definitions_of what, std::uint64_t chunk_bytes);

// Those of an archive and of a location, beside this anchor file.
std::string definition_file(const std::string &anchor);
std::string definition_file(const std::string &anchor, std::uint64_t location);

}  // namespace tare::trace

#endif
