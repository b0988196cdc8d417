// SPDX-License-Identifier: BSD-3-Clause
// An archive is read: its events come to whoever wants them.
#ifndef TARE_TOOL_TRACE_READ_HPP
#define TARE_TOOL_TRACE_READ_HPP

#include "archive_clock.hpp"
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

// --clock and --html of a command that analyses a trace. Give back a status where the text is refused, else -1.
int set_clock(const char *command, const std::string &text, std::string &clock);
int set_page(const char *command, const std::string &text, std::string &file);
// Nothing wished: compensated, if the archive has it; else "".
std::string clock_of(const tare_archive_t &archive, const std::string &wish);
// Throws profile::error if the archive does not say which one it has.
clock_change change_to(const std::string &clock, const tare_archive_t &archive);

// "3.0": rank and thread of a location.
std::string place_text(const tare_archive_t &archive, std::uint32_t location);

}  // namespace tare::tool

#endif
