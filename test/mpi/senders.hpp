// SPDX-License-Identifier: BSD-3-Clause
// What senders.cpp plays with: threads that know what they have sent, messages that say whose they are, and the ways to
// send and to receive them.
#ifndef TARE_TEST_SENDERS_HPP
#define TARE_TEST_SENDERS_HPP

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "tare_transport.h"

constexpr int messages = 12, tag = 7;  // of each thread in each scene

extern const tare_transport_v1_table_t *core;
extern int rank;
extern bool numbered;

using buffer = std::vector<char>;

// What a message says of itself.
struct truth {
    std::int32_t rank;
    std::uint32_t thread;
    std::uint64_t sequence;
    std::int64_t delay_ns;
    std::int64_t sent_ns;
};

// Of what messages a rank has received, for the look at all of them in the end.
struct seen {
    std::int32_t rank;
    std::uint32_t thread;
    std::uint64_t sequence;
};

// A thread of the program, with its log.
struct worker {
    std::uint32_t number = 0;
    int failures = 0;
    int at_their_send = 0;  // entries whose send time and delay are those that the message says
    std::vector<seen> all;
    tare_received_t entries[2 * messages];
    tare_received_log_t log{entries, 2 * messages, 0, 0};

    void check(bool good, const char *what);
    // The message that is the thread's next; `ahead`: the next but so many.
    void write(buffer &b, std::uint64_t ahead = 0) const;
    // A send is over that took one number, or so many.
    void sent(std::uint64_t sequence_before, std::uint64_t count = 1);
    // A call has received these messages, by these handles (MPI_REQUEST_NULL: by none that the caller knows).
    void received(const std::vector<buffer> &buffers, const std::vector<MPI_Request> &handles);
    void received(const buffer &b, MPI_Request handle = MPI_REQUEST_NULL);

private:
    void check_entry(const tare_received_t &e, const buffer &b);
};

std::uint64_t last_sequence();

// ---- one thread's messages to a rank ----

using one_send = int (*)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

struct sending {
    std::vector<buffer> buffers;
    std::vector<MPI_Request> requests;
    explicit sending(int bytes) : buffers(messages, buffer(bytes)), requests(messages, MPI_REQUEST_NULL) {}
    void end(bool are_persistent = false);
};

int blocking_send(const void *b, int n, MPI_Datatype t, int dest, int tag_, MPI_Comm c, MPI_Request *);
void send_each(worker &w, sending &s, int dest, MPI_Comm comm, one_send how);
void start_all(worker &w, sending &s, int dest, MPI_Comm comm);

// ---- as many from a rank ----

struct receiving {
    int source, tag_, bytes;
    MPI_Comm comm;
};

std::vector<MPI_Request> post(std::vector<buffer> &buffers, const receiving &r);
void by_recv(worker &w, const receiving &r);
// Half of what is sent, which is twice what it says of itself.
void by_short_recv(worker &w, const receiving &r);
void by_wait(worker &w, const receiving &r);
void by_test(worker &w, const receiving &r);
// Who asks for a status learns of it; MPI_Wait says nothing new.
void by_get_status(worker &w, const receiving &r);
void by_waitall(worker &w, const receiving &r);
void by_waitany(worker &w, const receiving &r);
// In turn by the call that waits and the one that does not.
void by_some(worker &w, const receiving &r);
void by_persistent(worker &w, const receiving &r);
void by_mprobe(worker &w, const receiving &r);

#endif
