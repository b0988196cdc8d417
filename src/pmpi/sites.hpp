// SPDX-License-Identifier: BSD-3-Clause
// What a call of MPI is noted under: the place in the program that makes it; and of the messages sent, their sizes and
// to whom. A place is where the call returns to. In Fortran that is inside the MPI library's own binding: one place a function.
//
// Notes are in memory of the live file, which a killed process leaves (tare_measure_note_memory).
//
// Threads: each has notes of its own and is the only one that writes them. Who collects them for the profile reads
// single numbers that may be a call apart while the thread runs.
#ifndef TARE_PMPI_SITES_HPP
#define TARE_PMPI_SITES_HPP

#include "calls.gen.hpp"
#include "tare_measure.h"

#include <cstdint>
#include <type_traits>

namespace tare::pmpi {

// Data that one call has moved.
struct moved_bytes {
    std::int64_t sent = 0;
    std::int64_t received = 0;
};

// Whom one call has waited for. A root that waits itself waits for the others.
struct awaited {
    enum kind { unknown, one, root, several, all } who = unknown;
    int rank = MPI_PROC_NULL;            // of one and root: in the communicator, or its remote group
    MPI_Comm comm = MPI_COMM_NULL;
};

struct thread_notes;
struct site;
struct peer;                     // who gets messages of a thread's

// libtare calls these where what they cost is overhead (tare_measure_leave_noted).
site &note_call(const void *caller, call which, const tare_measure_spent_t &spent, const moved_bytes &moved);
void note_message(peer &to, std::int64_t bytes);
void note_wait(call which, const tare_measure_spent_t &spent, const awaited &whom, const tare_sent_t &sent);
// What this call has received may show that an earlier one waited in the wrong order.
void note_order(const tare_sent_t &first);
// For a trace, where the call that was noted last is made.
void record_site(const void *caller, call which);
inline bool are_sites_recorded();        // layer.hpp

// For note_message: rank `rank` of a communicator, or of its remote group; and a process by its rank in MPI_COMM_WORLD.
peer &peer_of(MPI_Comm comm, int rank);
peer &peer_in_world(int rank);

// The notes that calibration takes are none of the program's: they go elsewhere while this is there.
class aside_notes {
  public:
    aside_notes();
    ~aside_notes();
    aside_notes(const aside_notes &) = delete;
    aside_notes &operator=(const aside_notes &) = delete;

  private:
    thread_notes *const own_;
};

// What a wrapper hands over: `bytes()` is asked for only when the call is noted, and went well; `whom()`, whom it has
// waited for, if it has waited, too; `events(moved)` writes those of a trace. nullptr: there is none.
template <typename Bytes, typename Whom, typename Events> struct call_to_note {
    const void *caller;
    call which;
    bool went_well;
    const Bytes *bytes;
    const Whom *whom;
    const Events *events;
};

// A message that would have been waited for without measuring is late, too.
inline bool has_waited(const tare_measure_spent_t &spent) { return (spent.wait_ns | spent.wait_compensated_ns) != 0; }

// Some need to know which message was waited for last.
template <typename Whom> awaited ask_whom(const Whom &whom, const tare_sent_t &last)
{
    if constexpr (std::is_invocable_v<const Whom &, const tare_sent_t &>)
        return whom(last);
    else
        return whom();
}

// Whether it has something to say of how the call was left, too.
template <typename Whom, typename = void> struct tells_exit : std::false_type {};
template <typename Whom> struct tells_exit<Whom, std::void_t<decltype(&Whom::note_exit)>> : std::true_type {};

template <typename Bytes, typename Whom, typename Events>
void take_note(void *what, const tare_measure_spent_t *spent, tare_thread_t *thread)
{
    const auto &c = *static_cast<const call_to_note<Bytes, Whom, Events> *>(what);
    const moved_bytes moved = c.went_well ? (*c.bytes)() : moved_bytes{};
    site &at = note_call(c.caller, c.which, *spent, moved);
    if constexpr (tells_exit<Whom>::value)
        if (c.went_well)
            c.whom->note_exit(at, *spent);
    if (thread->sent_first.sent_ns != TARE_SENT_NONE)
        note_order(thread->sent_first);
    if (has_waited(*spent))
        note_wait(c.which, *spent, c.went_well ? ask_whom(*c.whom, thread->sent_awaited) : awaited{},
                  thread->sent_awaited);
    thread->sent_first.sent_ns = thread->sent_awaited.sent_ns = TARE_SENT_NONE;
    if (__builtin_expect(c.events == nullptr, 1))
        return;
    if (are_sites_recorded())
        record_site(c.caller, c.which);
    (*c.events)(moved);
}

struct no_events {
    void operator()(const moved_bytes &) const {}
};

struct no_bytes {
    moved_bytes operator()() const { return {}; }
};

template <awaited::kind who> struct waits_for {
    awaited operator()() const { return {who, MPI_PROC_NULL, MPI_COMM_NULL}; }
};

}  // namespace tare::pmpi

#endif
