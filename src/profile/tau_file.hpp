// SPDX-License-Identifier: BSD-3-Clause
// One file of a TAU profile, profile.N.C.T: text to data and back, and nothing about what the numbers mean.
//
//   N templated_functions_MULTI_<METRIC>
//   # Name Calls Subrs Excl Incl ProfileCalls # <metadata>...</metadata>
//   "NAME" CALLS SUBRS EXCL INCL 0 GROUP="G1|G2"                                        N times
//   0 aggregates
//   K userevents
//   # eventname numevents max min mean sumsqr
//   "NAME" N MAX MIN MEAN SUMSQR                                                         K times
//
// The part from "K userevents" on is left out if there are none. Times are in usec, in as many digits as they have;
// events whose name begins with "Message size sent to " count messages, and their values are bytes.
#ifndef TARE_PROFILE_TAU_FILE_HPP
#define TARE_PROFILE_TAU_FILE_HPP

#include "profile.hpp"
#include "text_file.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tare::profile {

// What the lines of a row have in common, put together once for all metrics.
class row_text {
  public:
    void set(const row_view &r, std::string_view group_prefix);
    // Only the name, for events.
    void set_name(std::string_view region);

    std::string_view name() const { return name_; }
    std::string_view head() const { return head_; }      // "NAME" CALLS SUBRS, with a blank
    std::string_view tail() const { return tail_; }      // what follows the times

  private:
    char *set_name(std::string_view region, std::size_t more);

    std::vector<char> text_;             // with room behind, for fast copies
    std::string_view name_, head_, tail_;
};

// Writes one such file, in the order of these functions. Time matters: a rank with 10,000 regions writes 50,000 lines
// while the others wait for it in MPI_Finalize.
class tau_writer {
  public:
    explicit tau_writer(text_file &out) : out_(out) {}
    void begin(std::size_t functions, std::string_view metric, const attributes &metadata);
    void function(const row_text &text, std::int64_t excl_ns, std::int64_t incl_ns);
    void begin_events(std::size_t events);
    void event(std::string_view prefix, const row_text &text, std::int64_t value_ns);
    void event_of_sizes(const std::string &name, const sent_messages &sizes);

  private:
    text_file &out_;
};

// What a file holds. The names point into the text: a run of many regions has millions of lines.
struct read_function {
    std::string_view name;
    std::string_view group;
    std::int64_t calls = 0;
    std::int64_t subrs = 0;
    std::int64_t excl_ns = 0;
    std::int64_t incl_ns = 0;
};

// An event that happened once, whose value is a time.
struct read_event {
    std::string_view name;
    std::int64_t value_ns = 0;
};

// An event of which each message was one, whose values are bytes. `to` is not set: the name tells.
struct read_sizes {
    std::string_view name;
    sent_messages sizes;
};

struct read_file {
    std::string metric;
    attributes metadata;
    std::vector<read_function> functions;
    std::vector<read_event> events;
    std::vector<read_sizes> sizes;
};

// `where` names the file in sentences about its content. The text must outlive what is given back.
read_file parse(std::string_view text, const std::string &where);

// The beginning of a file, as much as `tells_tare` wants, tells whether Tare wrote it.
constexpr std::size_t telling_bytes = 1024;
bool tells_tare(std::string_view beginning);

}  // namespace tare::profile

#endif
