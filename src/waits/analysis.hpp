// SPDX-License-Identifier: BSD-3-Clause
// Why processes wait: each wait is the difference of two paths, of who was waited for and of who waited, in which waits
// are replaced by what explains them. doc/results/why-they-wait.md has the reasoning.
#ifndef TARE_WAITS_ANALYSIS_HPP
#define TARE_WAITS_ANALYSIS_HPP

#include "archive_clock.hpp"
#include "meetings.hpp"
#include "order.hpp"
#include "pairing.hpp"
#include "replay.hpp"
#include "result.hpp"

#include <deque>
#include <map>

namespace tare::waits {

class analysis {
  public:
    // Events in memory at once, of locations that wait for another's: then the first of them goes on without.
    static constexpr std::size_t most_queued = 1 << 22;

    explicit analysis(const tare_archive_t &archive, clock_change change = clock_change::none,
                      std::size_t most = most_queued);

    void add(const tare_archive_event_t &event);
    result finish();

  private:
    // Of a location, as far as it has been read.
    struct reader {
        std::uint32_t depth = 0;         // of regions since a call of MPI was entered; 0: in none
        std::uint64_t entered = 0;       // by the archive's clock
        std::int64_t entered_ns = 0;     // by the clock that is asked for
        std::vector<std::shared_ptr<message_end>> sends;     // whose call may have lasted until they were received
        std::vector<std::shared_ptr<message_end>> receives;  // of the call
    };

    std::int64_t ns_of(const tare_archive_event_t &event) const { return tare::ns_of(event, change_); }
    std::int64_t begun_ns(const tare_archive_event_t &event) const;
    std::shared_ptr<const reading> counters_of(const tare_archive_event_t &event) const;
    void push(const tare_archive_event_t &event, item::kind kind, std::shared_ptr<message_end> end = nullptr);
    void region(const tare_archive_event_t &event);
    void leave_call(reader &r);
    void send(const tare_archive_event_t &event);
    void finish_send(const tare_archive_event_t &event, const std::shared_ptr<message_end> &end);
    void complete_send(const tare_archive_event_t &event);
    void receive(const tare_archive_event_t &event);
    void collective(const tare_archive_event_t &event);
    void between_threads(const tare_archive_event_t &event);
    std::shared_ptr<assembly> assembly_of(const tare_archive_event_t &event);
    std::shared_ptr<gathering> gathering_of(const tare_archive_event_t &event);

    const clock_change change_;
    const bool is_measured_;                         // by the archive's time stamps
    std::vector<match::place> places_;
    std::vector<std::uint32_t> sizes_;               // of communicators; 0: not known
    std::vector<call_kind> kinds_;                   // by region
    std::vector<reader> readers_;                    // by location
    std::vector<std::uint64_t> latest_call_;         // by process: when it last entered a call of MPI, and one more
    match::meetings<gathering> gatherings_;
    // By process and number: the latest rounds, for those that have not said yet that they have waited for them.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<std::pair<std::uint64_t, std::shared_ptr<assembly>>>> rounds_;
    replay replay_;
    pairing pairing_;
    order order_;
};

}  // namespace tare::waits

#endif
