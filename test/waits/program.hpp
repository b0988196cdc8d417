// SPDX-License-Identifier: BSD-3-Clause
// Programs whose waits are known: MPI in simulated time, the events that its trace would have, and each wait explained
// by the definition: both paths that led to it are walked back to the last point that they have in common.
#ifndef TARE_TEST_WAITS_PROGRAM_HPP
#define TARE_TEST_WAITS_PROGRAM_HPP

#include "analysis.hpp"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace waiting {

using tare::waits::state;

// What calls take beside waiting.
constexpr std::int64_t send_ns = 3, begin_ns = 2, receive_ns = 5, collective_ns = 7;

enum class message_kind { plain, posted, synchronous, nonblocking };

// Of a step: its region and the call of MPI in it, "" for none.
using step_name = std::pair<std::string, std::string>;
using causes = std::map<step_name, std::int64_t>;

// By the step that waited and why.
using explained = std::map<std::pair<step_name, state>, causes>;

class program {
  public:
    explicit program(std::uint32_t processes);
    // All of them are threads of the first one.
    void make_threads();

    void work(std::uint32_t process, const std::string &region, std::int64_t ns);
    // `work_ns` is what the nonblocking side does meanwhile.
    void message(std::uint32_t from, std::uint32_t to, message_kind kind = message_kind::plain, std::int64_t work_ns = 0);
    void collective(std::uint32_t operation, std::uint32_t root = 0);
    // One event of its own.
    void add(tare_archive_event_t event) { events_.push_back(event); }
    std::uint32_t region(const std::string &name);
    std::int64_t now(std::uint32_t process) const { return now_[process]; }

    const tare_archive_t &archive();
    // In the order of time.
    std::vector<tare_archive_event_t> events() const;

    std::int64_t waiting_ns() const;
    explained by_definition() const;

  private:
    struct segment {
        std::int64_t from, to;
        std::string region, call;
        bool is_wait = false;
        std::uint32_t other = 0;         // which came at `to`
        state why = tare::waits::state_count;
    };
    struct point {
        std::uint32_t process;
        std::int64_t ns;
    };

    tare_archive_event_t event(std::uint32_t kind, std::uint32_t process, std::int64_t ns) const;
    void call(std::uint32_t process, const std::string &name, std::int64_t entered, std::int64_t left,
              const std::vector<tare_archive_event_t> &inside);
    void spend(std::uint32_t process, const std::string &call, std::int64_t until, std::uint32_t other, state why,
               std::int64_t more);
    tare_archive_event_t end_of_message(std::uint32_t kind, std::uint32_t own, std::uint32_t peer, std::int64_t ns,
                                        std::uint64_t request) const;
    void step_back(point &at, const point &other, int sign, causes &found) const;
    causes explain(const segment &wait, std::uint32_t process) const;

    const std::uint32_t processes_;
    std::vector<std::int64_t> now_;
    std::vector<std::vector<segment>> history_;      // by process
    std::vector<tare_archive_event_t> events_;
    std::uint64_t requests_ = 0;
    std::uint32_t tag_ = 0;
    std::vector<std::string> regions_;
    std::vector<const char *> region_names_;
    std::vector<std::string> process_names_;
    std::vector<tare_archive_process_t> all_processes_;
    std::vector<tare_archive_location_t> locations_;
    std::vector<tare_archive_communicator_t> communicators_;
    tare_archive_t archive_ = {};
};

tare::waits::result analyse(program &p, tare::clock_change change = tare::clock_change::none);

// The same of what the analysis has found.
explained of_result(program &p, const tare::waits::result &found);

}  // namespace waiting

#endif
