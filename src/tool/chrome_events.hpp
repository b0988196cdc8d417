// SPDX-License-Identifier: BSD-3-Clause
// Chrome's trace events, one after the other, in the array of a JSON object: what `tare convert` and `tare trace chrome`
// write.
#ifndef TARE_TOOL_CHROME_EVENTS_HPP
#define TARE_TOOL_CHROME_EVENTS_HPP

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace tare::tool {

// Who has written a time line; a profile has convert.hpp's.
constexpr std::string_view timeline_writer = "tare trace chrome ";

// Times are microseconds in there.
std::string usec_text(std::int64_t ns);

class chrome_events {
  public:
    // Begins the object and its array. writer: with a blank at its end. about: members of otherData behind it.
    chrome_events(std::FILE *to, std::string_view writer, const std::string &about);

    // name: in quotes. What follows a begun event are its further members, with a comma before each, and "}".
    void begin(const char *phase, const std::string &name, std::int64_t pid, std::int64_t tid);
    void put(const std::string &text) { std::fwrite(text.data(), 1, text.size(), to_); }

    // args: the members of the object.
    void meta(const char *name, std::int64_t pid, std::int64_t tid, const std::string &args);
    void name_process(std::int64_t pid, const std::string &name, std::int64_t sort_index);
    void name_thread(std::int64_t pid, std::int64_t tid, const std::string &name);
    void sort_thread(std::int64_t pid, std::int64_t tid);

    void end();

  private:
    std::FILE *to_;
    bool has_events_ = false;
};

}  // namespace tare::tool

#endif
