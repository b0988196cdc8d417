// SPDX-License-Identifier: BSD-3-Clause
// Where in the program MPI was called, for whom the calls have waited and how large the messages were: a file for each
// rank beside the profile, tare-calls.RANK, which belongs to the run that it names.
//
//   tare calls 4                                       this and the next five in this order
//   run ID
//   rank N
//   ranks N
//   mode MODE
//   rule RULE
//   site CALLS SENT RECEIVED TIME LEAST MOST COMPENSATED WAIT COMPENSATED-WAIT FUNCTION SITE
//   completion CALLS TIME COMPENSATED                  behind its site, if it is known of any call
//   wait WHOM CALLS WAIT COMPENSATED-WAIT FUNCTION [ORDER]
//                                                      WHOM: a rank, or another_job, several, all, unknown
//                                                      ORDER: wrong_same, wrong_different (waiting.hpp)
//   size CLASS MESSAGES BYTES                          by class, smallest first
//   end
//
// Times are in ns. SITE is the rest of its line. The waits of a function add up to those of its sites; calls that have
// not waited are none of them. A completion is what calls took behind the first process that left them. Files of
// version 3 have none, those of version 2 no ORDER, those of version 1 no line `wait`. Errors and threads: as profile.hpp.
#ifndef TARE_PROFILE_MPI_CALLS_HPP
#define TARE_PROFILE_MPI_CALLS_HPP

#include "profile.hpp"
#include "waiting.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tare::profile {

// One place in the program that calls one MPI function, all threads of a rank together.
struct call_site {
    std::string function;                // "MPI_Send()"
    std::string site;                    // "exchange+0x5c"
    std::int64_t calls = 0;
    std::int64_t sent_bytes = 0;
    std::int64_t received_bytes = 0;
    std::int64_t time_ns = 0;            // of all calls, measured
    std::int64_t least_ns = 0;           // of one call
    std::int64_t most_ns = 0;
    std::int64_t comp_ns = 0;            // of all calls, compensated
    std::int64_t wait_ns = 0;
    std::int64_t wait_comp_ns = 0;
    std::int64_t completed = 0;          // calls of which it is known when the first process has left them
    std::int64_t completion_ns = 0;      // what those took behind that, measured
    std::int64_t completion_comp_ns = 0; // and compensated
};

// Sums up: calls of one function from one place. `b` has at least one call.
void add(call_site &a, const call_site &b);

// What has one function and one name is one site.
class site_sums {
  public:
    const call_site &add(const call_site &s);            // the sum so far
    std::vector<call_site> list() const;                 // by function, then name

  private:
    std::map<std::pair<std::string, std::string>, call_site> sums_;
};

// Messages sent. Class 0 are those without data; class c holds those of 2^(c-1) bytes up to less than 2^c.
constexpr int size_classes = 64;
struct message_class {
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
};

struct rank_calls {
    int rank = 0;
    int ranks = 1;
    std::string run_id;
    std::string mode;
    std::string rule;
    std::vector<call_site> sites;
    bool knows_waits = true;             // false: a file of version 1
    std::vector<waiting> waits;
    std::vector<message_class> sizes = std::vector<message_class>(size_classes);
};

// By rank, with what ranks that did not end well have left in their live files; ranks that have left nothing are not
// there. All files belong to one run.
std::vector<rank_calls> read_calls(const std::string &directory);

// First under another name, then moved into place.
void write_calls(const std::string &directory, const rank_calls &calls);

bool holds_calls(const std::string &directory);

// As check_place and remove_older for the profile.
void check_calls_place(const std::string &directory);
void remove_older_calls(const std::string &directory, int rank, int ranks);

}  // namespace tare::profile

#endif
