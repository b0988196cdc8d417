// SPDX-License-Identifier: BSD-3-Clause
// An archive is read: its events come to whoever wants them.
#ifndef TARE_TOOL_TRACE_READ_HPP
#define TARE_TOOL_TRACE_READ_HPP

#include "trace.hpp"

#include <cstddef>
#include <string>

namespace tare::tool {

class trace_visitor {
  public:
    virtual ~trace_visitor() = default;
    // What the archive points to is there until read_trace ends.
    virtual void begin(const tare_archive_t &archive) = 0;
    virtual void events(const tare_archive_event_t *events, std::size_t count) = 0;
    // The last event has come. What is printed is printed here: the archive is still there.
    virtual void end() = 0;
};

// Says what cannot be read, as `command`. Gives back its exit status: exit_failed also if only a part could be read.
int read_trace(const std::string &path, trace_visitor &to, const char *command = "trace");

// "3.0": rank and thread of a location.
std::string place_text(const tare_archive_t &archive, std::uint32_t location);

}  // namespace tare::tool

#endif
