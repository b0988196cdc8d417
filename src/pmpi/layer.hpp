// SPDX-License-Identifier: BSD-3-Clause
// The PMPI layer: what every wrapper of an MPI function does around the MPI library's own function.
//
// The library is loaded before libmpi, or into a process without MPI, so it refers to no MPI symbol: the functions
// called PMPI_Xxx are looked up at the first MPI call (binding.cpp). Each wrapper is there as MPI_Xxx and as
// PMPI_Xxx; `real.Xxx` is the MPI library's.
//
// Threads: a wrapper touches its thread's state only. What is shared (the carrier's tables) takes `shared_lock`.
#ifndef TARE_PMPI_LAYER_HPP
#define TARE_PMPI_LAYER_HPP

#include "calls.gen.hpp"
#include "sites.hpp"
#include "tare_env_own.h"
#include "tare_measure.h"
#include "trace_event.h"

#include <atomic>
#include <cstdint>
#include <ctime>
#include <mutex>

namespace tare::pmpi {

struct call_facts {
    const char *region;  // "MPI_Send()"
    const char *symbol;  // "PMPI_Send"
    unsigned end;        // how it ends and what its note finds out, for tare_measure_leave_noted
};

// What a note finds out: each costs time of its own (constants.hpp).
constexpr unsigned noted_send = 1;     // the size of a type, and the class of a message
constexpr unsigned noted_receive = 2;  // the size in a status
constexpr unsigned noted_buffer = 4;   // the size of a type
constexpr unsigned noted_exit = 8;     // when others have left a collective operation
constexpr unsigned noted_all = 15;

extern const call_facts facts[calls];
extern real_calls real;

// --- binding.cpp ---

// Finds the MPI library in this process. False: there is none.
bool bind();
extern std::atomic<bool> bound;
// The MPI library's handle, for whoever looks up other symbols of it.
void *library_handle();
// Whether MPI has been initialized in this process, past this layer or not. Asks the library, of whatever family.
bool is_mpi_initialized();
// For a call from inside another MPI call: is it a user's callback (error handler, attribute function, reduction
// operation) that calls, and not the MPI library itself?
bool is_users_code(const void *caller);
// For a call of one of the functions that Fortran bindings use: is it a binding of another function that calls?
bool is_bindings_own(call c, const void *caller);

// --- layer.cpp ---

// One sentence on stderr, then the process ends. By one rank if `speaks` says so.
[[noreturn]] void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

// What this process does, set in MPI_Init.
struct layer_state {
    const tare_transport_v1_table_t *core = nullptr;
    bool carrier = false;    // TARE_MODE=datatype, message or copy
    bool published = false;  // TARE_CARRIER_FORM=published
    bool concurrent = false; // MPI_THREAD_MULTIPLE
    bool one_node = false;   // all ranks share a node, so a clock
    bool knows_comms = false;    // the same on all their processes (known_comms.hpp), from MPI_Init to MPI_Finalize
    bool traced = false;     // TARE_TRACE=1, from MPI_Init to MPI_Finalize
    bool traces_header = false;  // and messages carry the delay of the thread as it is when a call is entered
    bool numbered = false;       // and say which thread has sent them (tare_origin.h)
    bool carries_origin = false; // what a carrier sends says that
    unsigned records = 0;        // of a trace, what it says more: TARE_RECORD_*
    int rank = 0;
};
extern layer_state state;

inline bool are_sites_recorded() { return (state.records & TARE_RECORD_SITES) != 0; }

// What a carrier sends of its own with each message: a stamp, and in a trace a word behind it.
inline MPI_Count carried_bytes() { return sizeof(tare_wire_t) + (state.carries_origin ? sizeof(std::uint64_t) : 0); }

inline std::int64_t clock_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::int64_t>(t.tv_sec) * 1000000000 + t.tv_nsec;
}

// Somebody here or a peer has declared overhead or a time stamp. Until then every delay is 0.
inline bool is_anybody_measuring() { return __atomic_load_n(&state.core->global->active, __ATOMIC_RELAXED) != 0; }

// Where nothing is carried nobody knows when a message was sent.
inline bool are_messages_stamped()
{
    return state.core != nullptr && state.core->global->mode != TARE_MODE_OFF;
}

inline bool carrier_is_on() { return __builtin_expect(state.carrier, 0); }

// Whether this process leaves a profile.
inline bool is_recorded() { return tare_measure_is_on() && tare_measure_settings()->profile == 1; }

// raw: a call of the MPI library itself, it passes; counted: it is not being measured.
enum class entry { raw, counted, measured };

struct thread_state {
    unsigned depth;  // MPI calls that this thread is in
    call current;
    thread_notes *notes;  // of its calls; nullptr before the first
    // For a trace: the delay when the call was entered; and where a carrier says what messages carry: the next one
    // that the call sends, the next one that it receives, and those of its requests by their place. nullptr: nobody
    // asks.
    std::int64_t carried_delay_ns;
    tare_trace_origin_t *sending, *arriving, *arriving_of;
    std::uint64_t carried_messages;      // that a carrier has sent with an origin
};
extern __thread thread_state self __attribute__((tls_model("initial-exec")));

entry enter_slowly(call c, const void *caller);
void enter_measured(call c);
void leave_measured(call c, unsigned end, tare_measure_note_t note, void *what);
[[noreturn]] void refuse(call c);

// Around every call of the user's.
inline entry enter_user_call(call c)
{
    self.depth++;
    self.current = c;
    const bool measured = tare_measure_is_on();
    if (measured)
        enter_measured(c);
    if (state.carrier && is_anybody_measuring())
        state.core->enter();  // its time stamp, unless the measurement has just given one
    if (__builtin_expect(state.traces_header, 0))
        self.carried_delay_ns = state.core->thread()->delay_ns;
    return measured ? entry::measured : entry::counted;
}

inline entry enter(call c, const void *caller)
{
    if (__builtin_expect(!bound.load(std::memory_order_acquire) || self.depth > 0, 0))
        return enter_slowly(c, caller);
    return enter_user_call(c);
}

// A helper of calls.tab. What a binding calls for its own use is not measured, but a carrier must know of it.
inline entry enter_helper(call c, const void *caller)
{
    if (!bound.load(std::memory_order_acquire) || self.depth > 0 || !is_bindings_own(c, caller))
        return enter(c, caller);
    self.depth++;
    self.current = c;
    return entry::counted;
}

template <typename Bytes, typename Whom, typename Events = no_events>
inline void leave_noted(call c, entry how, unsigned end, const void *caller, bool went_well, const Bytes &bytes,
                        const Whom &whom, const Events &events = {})
{
    if (how == entry::measured) {
        call_to_note<Bytes, Whom, Events> what{caller, c, went_well, &bytes, &whom, state.traced ? &events : nullptr};
        leave_measured(c, end, take_note<Bytes, Whom, Events>, &what);
    }
    self.depth--;
}

inline unsigned end_of(call c) { return facts[static_cast<unsigned>(c)].end; }

// After a call that is not being measured.
inline int leave_counted(int rc)
{
    self.depth--;
    return rc;
}

// After the call, which `caller` has made. What data it has moved, and for whom it has waited, is known if it went well.
template <typename Bytes, typename Whom, typename Events = no_events>
inline void leave(call c, entry how, const void *caller, int rc, const Bytes &bytes, const Whom &whom,
                  const Events &events = {})
{
    leave_noted(c, how, end_of(c), caller, rc == MPI_SUCCESS, bytes, whom, events);
}

// All processes of the job make it.
inline void leave(call c, entry how, const void *caller)
{
    leave_noted(c, how, end_of(c), caller, true, no_bytes{}, waits_for<awaited::all>{});
}

// found: what it looked for is there, if the call went well.
template <typename Whom, typename Events = no_events>
inline void leave_poll(call c, entry how, const void *caller, int rc, bool found, const Whom &whom,
                       const Events &events = {})
{
    const bool failed = rc == MPI_SUCCESS && !found;
    leave_noted(c, how, failed ? TARE_END_FAILED_POLL : TARE_END_RETURNS, caller, rc == MPI_SUCCESS && found,
                no_bytes{}, whom, events);
}

// Guards what the carrier's threads share, its tables and lists, where several of them may be inside MPI.
class shared_lock {
  public:
    shared_lock() : taken_(state.concurrent)
    {
        if (taken_)
            mutex_.lock();
    }
    ~shared_lock()
    {
        if (taken_)
            mutex_.unlock();
    }
    shared_lock(const shared_lock &) = delete;
    shared_lock &operator=(const shared_lock &) = delete;

  private:
    static std::recursive_mutex mutex_;
    const bool taken_;
};

}  // namespace tare::pmpi

#endif
