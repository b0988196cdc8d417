// SPDX-License-Identifier: BSD-3-Clause
// What a program sends and why: the transfers of a trace with TARE_TRACE_RECORDS=sites,buffers,data, in classes.
// In memory: what is brought where, and messages that are open.
#ifndef TARE_COMMS_COMMUNICATION_HPP
#define TARE_COMMS_COMMUNICATION_HPP

#include "archive_clock.hpp"
#include "classes.hpp"
#include "gatherings.hpp"
#include "layout.hpp"
#include "matcher.hpp"
#include "memory.hpp"
#include "movement.hpp"
#include "region_kind.hpp"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace tare::comms {

// A variable at this value of a module's symbol table: its name, "": there is none, and where it begins and ends.
struct variable {
    std::string name;
    std::uint64_t begin = 0, end = 0;
};
// One on the stack: its name as above, and where it begins and ends from the canonical frame address of its function on.
struct local_variable {
    std::string name;
    std::int64_t begin = 0, end = 0;
};
struct find_variable {
    std::function<variable(const std::string &module, std::uint64_t value)> in_module;
    // The function's text ends in (MODULE+0xVALUE).
    std::function<local_variable(const std::string &function, std::int64_t offset)> on_stack;
};

class communication : private match::pair_listener {
  public:
    explicit communication(const tare_archive_t &archive, clock_change change = clock_change::none, find_variable find = {});
    communication(const communication &) = delete;
    communication &operator=(const communication &) = delete;

    void add(const tare_archive_event_t &event);
    result finish();

  private:
    // Of a location, as far as it has been read.
    struct reader {
        std::vector<std::uint32_t> regions;      // that are open, but for those of MPI
        std::uint32_t depth = 0;                 // of regions since a call of MPI was entered; 0: in none
        std::uint32_t call = unknown;            // its region
        std::int64_t entered_ns = 0, first_ns = 0, latest_ns = 0;
        bool has_begun = false;
        std::vector<end_pointer> begun, timed;   // ends of the call: that begin in it, and whose time its is
    };
    // Of a message that has been sent, until it is received.
    struct open_send {
        end_pointer end;
        sent_part part;
    };
    struct sent_before {
        std::uint64_t contents, bytes;
    };
    struct process_state {
        memory known;
        std::map<std::uint32_t, interval> latest_sent;   // by receiver, since it has last received
        std::map<std::pair<std::uint32_t, std::uint64_t>, sent_before> sent;     // by receiver and place
        // Where persistent operations of neighbourhoods send from and receive into: their starts do not say what they are.
        std::set<std::pair<std::uint64_t, std::uint64_t>> near;
    };
    // A process's part in a collective operation, as it is when that begins.
    struct collective_part {
        end_pointer sender, receiver;
        brought_map brought;             // of what is sent
        gatherings::turn_pointer turn;
        bool is_of_neighbours = false;
    };
    // A process's part of a window.
    struct window_part {
        std::uint64_t base = 0;
        std::int64_t unit = 1;           // of displacements in it, in bytes
    };
    using window_key = std::pair<std::uint32_t, std::uint32_t>;          // process, window
    // An operation on one, and its origin's memory as it is when it begins.
    struct access {
        tare_archive_buffer_t target;
        std::int64_t displacement;
        bool is_known, has_type;         // that, and its type
        bool is_atomic;
        std::uint64_t sent_bytes;
        end_pointer sender, receiver;    // the origin's; nullptr: it does not send, nothing comes back
        sent_part part;                  // that is sent
        transfer_pointer brought;        // that comes back
    };
    using note_call = void (communication::*)(const tare_archive_event_t &, const end_pointer &);
    using request_key = std::pair<std::uint32_t, std::uint64_t>;         // process, request

    std::uint32_t process_at(const tare_archive_event_t &event) const { return places_[event.location].process; }
    const layout &layout_of_type(std::uint32_t text);
    std::vector<interval> pieces_of(const tare_archive_buffer_t &buffer, bool has_type, std::uint64_t most_bytes);
    end_pointer end_of(const tare_archive_event_t &event, bool is_sender, std::uint64_t most_bytes);
    void note_end(const tare_archive_event_t &event, const end_pointer &end);
    void complete(const tare_archive_event_t &event, const end_pointer &end);

    void enter(const tare_archive_event_t &event);
    void leave(const tare_archive_event_t &event);
    void leave_call(reader &r, const tare_archive_event_t &event);
    void declare(const tare_archive_event_t &event);
    void name(const tare_archive_event_t &event);
    std::uint32_t name_at(std::uint32_t process, std::uint64_t address);
    std::uint32_t name_of(const tare_archive_event_t &event, bool is_sender);
    std::uint32_t name_on_stack(memory &known, const tare_archive_buffer_t &buffer);
    const local_variable &local_at(std::uint32_t frame, std::int64_t offset);
    std::uint32_t number_of(const std::string &variable);
    std::pair<std::uint32_t, interval> find_in(std::uint32_t module, const interval &where, std::uint64_t address);

    void send(const tare_archive_event_t &event);
    void note_follows(call_end &e, std::uint32_t to, const interval &memory);
    void compare_contents(const tare_archive_event_t &event, call_end &e);
    void post(const tare_archive_event_t &event);
    void receive(const tare_archive_event_t &event);
    void complete_send(const tare_archive_event_t &event);
    void paired(match::method m, const match::message_end &send, const match::message_end &receive) override;

    void collective(const tare_archive_event_t &event);
    void begin_collective(const tare_archive_event_t &event);
    void complete_collective(const tare_archive_event_t &event);
    collective_part begun(const tare_archive_event_t &event, beginning how);
    bool is_of_neighbours(const tare_archive_event_t &event, beginning how) const;
    void note_persistent(const tare_archive_event_t &event);
    contribution contribution_to(const tare_archive_event_t &event) const;
    void take_part(const tare_archive_event_t &event, const collective_part &part, note_call call);
    void leave_out(const tare_archive_event_t &event, const end_pointer &end, std::int64_t &ns);
    void give_up(const collective_part &part);
    void share_time(const collective_part &part, bool sends, bool receives);
    void move_data(contribution &c, const collective_part &part);

    void create_window(const tare_archive_event_t &event);
    void operate(const tare_archive_event_t &event);
    void complete_operation(const tare_archive_event_t &event);
    end_pointer target_of(const access &a, std::uint32_t process, const window_part &part, bool is_sender);
    void reach(const access &a, std::uint32_t process, const window_part &part);

    const region_kind &call_of(const reader &r) const;
    static sent_part part_of(const std::vector<interval> &pieces, const brought_map &brought);
    transfer_pointer received(std::uint32_t operation, const end_pointer &receiver, const std::vector<interval> &pieces,
                              std::uint64_t bytes);
    void know(const transfer_pointer &t, const end_pointer &sender, const sent_part &part);
    static std::vector<transfer_pointer> *waited_for_by(const transfer &t);
    void settle(transfer_pointer t);
    void classify(const transfer_pointer &t);
    static void count(transfer_class &c, const transfer &t);
    static void count_origin(transfer_class &c, const transfer &t);
    void count_in(std::uint32_t number, call_end &end);
    void add_time(call_end &end, std::int64_t ns);
    void add_unknown_time(const transfer_class &c, const call_end &end, std::int64_t ns);
    std::int64_t classified_ns() const;

    const tare_archive_t &archive_;
    const clock_change change_;
    const std::vector<match::place> places_;
    const find_variable find_variable_;
    std::vector<region_kind> kinds_;                     // by region
    std::map<std::string, std::uint32_t> variables_;     // texts of their own
    std::map<std::pair<std::uint32_t, std::int64_t>, local_variable> locals_;    // by frame and offset
    std::vector<reader> readers_;
    std::vector<process_state> processes_;
    std::vector<std::optional<layout>> layouts_;         // by text
    const layout bytes_ = layout_of("MPI_BYTE");
    match::matcher matcher_;
    std::uint64_t labels_ = 0;
    std::unordered_map<std::uint64_t, open_send> sends_;
    std::unordered_map<std::uint64_t, transfer_pointer> receives_;
    std::map<request_key, end_pointer> requests_;
    std::map<request_key, collective_part> collectives_;
    gatherings gatherings_;
    std::map<window_key, window_part> windows_;
    std::map<window_key, std::vector<access>> early_;    // on windows whose target has not told of them yet
    std::map<request_key, std::vector<end_pointer>> operations_;
    std::deque<transfer_pointer> ready_;
    std::map<const transfer *, transfer_pointer> unsettled_;
    class_table classes_;
    result result_;
};

}  // namespace tare::comms

#endif
