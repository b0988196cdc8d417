// SPDX-License-Identifier: BSD-3-Clause
// What a trace tells when it is drawn: where each thread is, which messages join which threads, and what was waiting, each
// on both clocks. The events come in the order of time; what a message is paired with, and so what waited for it, is known
// at their end.
#ifndef TARE_TOOL_TRACE_TIMELINE_HPP
#define TARE_TOOL_TRACE_TIMELINE_HPP

#include "matcher.hpp"
#include "trace_read.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tare::tool {

enum trace_clock { clock_compensated, clock_measured, clock_count };
constexpr const char *trace_clock_names[clock_count] = {"compensated", "measured"};

// A point in time, or a length of it, on each clock.
using times = std::array<std::uint64_t, clock_count>;

// Both stamps of each event. An archive of Tare has one and the difference (removed_ns); of others, which have no other
// clock, both are the stamp. The compensated clock of a location stands still where it would go back.
class clocks {
  public:
    explicit clocks(const tare_archive_t &archive);

    times of(const tare_archive_event_t &e);
    // Whether the two may differ.
    bool are_two() const { return has_both_; }

  private:
    bool has_both_, is_measured_;
    std::vector<std::uint64_t> latest_;          // compensated, by location
};

// A message from a thread to a thread.
struct trace_message {
    std::uint32_t from = 0, to = 0;              // locations
    times sent{}, received{};
    std::uint64_t length = 0;
    std::uint32_t tag = 0;
    bool by_sequence = false;                    // joined by what it carried; else by MPI's order
    std::uint64_t send_number = 0, receive_number = 0;   // of all sends, and of all receives, from 0 on
};

// The beginning of a part of a location's time, in a call of MPI: nothing of what is waited for had begun.
struct trace_wait {
    std::uint32_t location = 0;
    std::uint64_t part = 0;                      // of the location, see timeline::part
    times begin{}, until{};
};

// Sends and receives, each pair once: by what they carried where both say it, else by MPI's order.
class trace_messages : private match::pair_listener {
  public:
    explicit trace_messages(const tare_archive_t &archive);

    // In the order of time. of_receive: the part of its thread in which it completes, `until` its own time.
    void add(const tare_archive_event_t &e, const times &at, const trace_wait &of_receive);
    // Once, behind the last event: messages in the order of their receives, and what waited for them is added to `waits`.
    void finish(std::vector<trace_wait> &waits);

    const std::vector<trace_message> &all() const { return messages_; }
    std::size_t by_sequence() const { return by_sequence_; }
    // Sends and receives without a partner.
    std::size_t left() const { return sends_.size() + receives_.size() - 2 * messages_.size(); }

  private:
    struct send {
        times at;
        std::uint64_t length;
        std::uint32_t location, tag;
        bool is_taken;
    };
    struct receive {
        std::uint64_t number;
        trace_wait wait;
        std::uint64_t by_sequence, by_order;     // the send; `none`
    };

    void paired(match::method m, const match::message_end &send, const match::message_end &receive) override;
    void join(const receive &r, std::uint64_t send, bool by_sequence, std::vector<trace_wait> &waits);

    match::matcher matcher_;
    std::vector<send> sends_;
    std::vector<receive> receives_;
    std::vector<trace_message> messages_;
    std::size_t by_sequence_ = 0;
};

// Collective calls on intracommunicators: the how manyth of a communicator a process is in tells who is in it with it.
class trace_collectives {
  public:
    explicit trace_collectives(const tare_archive_t &archive) : archive_(archive) {}

    // entered: when the call began; of_end: the part of its thread in which it ends, `until` its own time.
    void add(const tare_archive_event_t &end, const times &entered, const trace_wait &of_end,
             std::vector<trace_wait> &waits);

  private:
    struct member {
        std::uint32_t process;
        times entered;
        trace_wait wait;
    };
    struct call {
        std::vector<member> members;
        std::uint32_t operation, root;
    };
    // Calls of a communicator that some of its processes have not ended yet.
    struct line {
        std::uint64_t first = 0;
        std::deque<call> open;
        std::unordered_map<std::uint32_t, std::uint64_t> next;   // by process
    };

    static void waits_of(const call &c, std::vector<trace_wait> &waits);

    const tare_archive_t &archive_;
    std::unordered_map<std::uint32_t, line> lines_;
};

class timeline : public trace_visitor {
  public:
    void begin(const tare_archive_t &archive) override;
    void events(const tare_archive_event_t *events, std::size_t count) override;
    void end() override;
    // Whether finish() was called: what could be read was.
    bool has_ended() const { return has_ended_; }

  protected:
    static constexpr std::uint32_t no_region = UINT32_MAX;

    virtual void start() = 0;
    // Each event, before what it changes is told.
    virtual void event(const tare_archive_event_t &, const times &) {}
    // A location is in a region, its innermost one, or in none, for so long. Those of a location follow each other, and are
    // numbered from 0 on.
    virtual void part(std::uint32_t location, std::uint32_t region, const times &from, const times &to) = 0;
    // Behind the last event. The waits are one for each part, in their order, and no longer than the part.
    virtual void finish(const std::vector<trace_wait> &waits) = 0;

    const tare_archive_t &archive() const { return *archive_; }
    const trace_messages &messages() const { return *messages_; }
    bool has_two_clocks() const { return clocks_->are_two(); }
    // The earliest time on each clock.
    const times &first() const { return first_; }
    bool is_mpi(std::uint32_t region) const { return region != no_region && in_mpi_[region]; }

  private:
    struct place {
        std::vector<std::uint32_t> open;         // regions
        times since{}, latest{};
        std::uint64_t part = 0;
        times collective{};
        bool has_begun = false, in_collective = false;
    };

    void one(const tare_archive_event_t &e);
    void change(const tare_archive_event_t &e, const times &at);
    void close_part(std::uint32_t location, const times &at);
    void merge_waits();

    const tare_archive_t *archive_ = nullptr;
    std::unique_ptr<clocks> clocks_;
    std::unique_ptr<trace_messages> messages_;
    std::unique_ptr<trace_collectives> collectives_;
    std::vector<place> places_;
    std::vector<bool> in_mpi_;
    std::vector<trace_wait> waits_;
    times first_ = {UINT64_MAX, UINT64_MAX};
    bool has_ended_ = false;
};

// MPI_Send and so on: of Tare, and of others that write OTF2.
bool is_call_of_mpi(const char *region);

}  // namespace tare::tool

#endif
