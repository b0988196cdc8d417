// SPDX-License-Identifier: BSD-3-Clause
// What a thread has noted of its calls, as sites.hpp has it for who notes.
#ifndef TARE_PMPI_THREAD_NOTES_HPP
#define TARE_PMPI_THREAD_NOTES_HPP

#include "layer.hpp"
#include "peers.hpp"
#include "stack_frames.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace tare::pmpi {

// Written by one thread.
class counter {
  public:
    counter(std::int64_t v = 0) : value_(v) {}
    std::int64_t value() const { return value_.load(std::memory_order_relaxed); }
    void set(std::int64_t v) { value_.store(v, std::memory_order_relaxed); }
    void add(std::int64_t v) { set(value() + v); }

  private:
    std::atomic<std::int64_t> value_;
};

struct site {
    site(const void *from, call of) : caller(from), which(of) {}

    const void *const caller;
    const call which;
    counter calls, sent_bytes, received_bytes, time_ns, delay_ns, wait_ns, wait_compensated_ns;
    counter least_ns{INT64_MAX}, most_ns{INT64_MIN};
    counter completed, completion_ns, completion_compensated_ns;         // exits.hpp
    const char *function = nullptr, *module = nullptr, *symbol = nullptr;
    std::uint64_t offset = 0, symbol_offset = 0;
    std::uint32_t text = TARE_TRACE_NONE;        // of a trace; NONE: it has not been asked for
    site *older = nullptr;
};

// What one function has waited for one process, or for what is no single one, in one order of messages.
struct waiting {
    waiting(std::int64_t for_whom, call in, tare_measure_order which_order)
        : whom(for_whom), order(which_order), which(in)
    {
    }

    const std::int64_t whom;     // rank in MPI_COMM_WORLD, or of tare_measure_whom
    const std::int64_t order;    // of tare_measure_order
    const call which;
    counter calls, wait_ns, wait_compensated_ns;
    const char *function = nullptr;
    waiting *older = nullptr;
    waiting *in_other_call = nullptr;    // for the same process, or in the same one in another order

    void add(std::int64_t n, std::int64_t as_measured_ns, std::int64_t compensated_ns)
    {
        calls.add(n);
        wait_ns.add(as_measured_ns);
        wait_compensated_ns.add(compensated_ns);
    }
};

// A wait for a message that was sent at a known time, and where it is counted: until a message is received that was sent
// before, it is in the right order.
struct late_message {
    tare_sent_t sent;
    std::int64_t wait_ns, wait_compensated_ns;
    waiting *counted;
};

// The latest of a thread. Waits that are older stay what they were found to be.
struct late_messages {
    static constexpr unsigned most = 8;

    late_message waits[most];
    unsigned count = 0;                  // so far; the oldest is replaced
    std::int64_t latest_ns = INT64_MIN;  // no message of these was sent later
};

struct peer {
    explicit peer(int of) : rank(of) {}

    const std::int64_t rank;     // in MPI_COMM_WORLD; -1: not in there
    counter messages, bytes, least_bytes{INT64_MAX}, most_bytes;
    std::atomic<double> squares{0};
    peer *older = nullptr;
    waiting *waits = nullptr;    // for it

    void add(std::int64_t message)
    {
        if (message < least_bytes.value())
            least_bytes.set(message);
        if (message > most_bytes.value())
            most_bytes.set(message);
        bytes.add(message);
        const auto as_double = static_cast<double>(message);
        squares.store(squares.load(std::memory_order_relaxed) + as_double * as_double, std::memory_order_relaxed);
        messages.add(1);
    }
};

// An open hash table over a list of sites. Only its own thread reads the table, so a larger one replaces it. Notes
// and sites are in the live file as long as that has room: what is there refers to nothing that is not.
struct thread_notes {
    static constexpr std::size_t first_slots = 64;

    std::unique_ptr<site *[]> slots{new site *[first_slots]()};
    std::size_t mask = first_slots - 1;
    std::size_t count = 0;
    std::atomic<site *> newest{nullptr};
    counter messages[TARE_SIZE_CLASSES], bytes[TARE_SIZE_CLASSES];
    thread_notes *older = nullptr;
    std::atomic<site *> newest_kept{nullptr};
    thread_notes *next_kept = nullptr;           // written by libtare
    const char *module = nullptr;                // of the newest site
    std::atomic<peer *> newest_peer{nullptr}, newest_peer_kept{nullptr};
    peer_index peers;
    std::atomic<waiting *> newest_wait{nullptr}, newest_wait_kept{nullptr};
    waiting *waits_for_many[TARE_WHOM_KINDS] = {};       // for what is no single process
    late_messages late;
    std::unique_ptr<stack_frames> frames;        // nullptr: nobody has asked for them

    // The slot of a site, or the empty one where it would go.
    site *&slot_of(const void *caller, call which)
    {
        std::size_t i = hash_handle(caller) >> 32;
        for (;; i++) {
            site *&s = slots[i & mask];
            if (s == nullptr || (s->caller == caller && s->which == which))
                return s;
        }
    }
};

thread_notes *begin_notes();

// The calling thread's.
inline thread_notes &own_notes()
{
    thread_notes *n = self.notes;
    return *(__builtin_expect(n == nullptr, 0) ? begin_notes() : n);
}

// In the live file, as long as that has room.
void *take_note_memory(std::size_t bytes);
// Behind it: a copy of the text, and where the next one goes.
const char *put_text(char *&at, const char *text);

}  // namespace tare::pmpi

#endif
