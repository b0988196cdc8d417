// SPDX-License-Identifier: BSD-3-Clause
// Each takes the same course with and without overhead: the same calls, and what a wildcard matches is decided by
// gaps that no overhead fills. Where it is not so, the scene says what it is limited by.
#include "scenes.hpp"

namespace {

// --- who is instrumented: never all ranks alike, because equal overhead passes under any rule ---

bool nobody_alike(int rank, int) { return (rank * 7 + 3) % 5 < 3; }
bool first(int rank, int) { return rank == 0; }
bool last(int rank, int size) { return rank == size - 1; }
bool odd(int rank, int) { return rank % 2 == 1; }
bool all_but_first(int rank, int) { return rank != 0; }

// --- who meets before ---

void meet_at(rank &self, int distance, int bytes = rank::small_bytes)
{
    for (int from = 0; from < self.size; from++)
        self.meet(from, (from + distance) % self.size, bytes);
}

void meet_right(rank &self) { meet_at(self, 1); }

void meet_both(rank &self)
{
    meet_at(self, 1);
    meet_at(self, self.size - 1);
}

void meet_root(rank &self)
{
    for (int other = 1; other < self.size; other++) {
        self.meet(0, other);
        self.meet(other, 0);
    }
}

int far_distance(int size, int which)
{
    const int distances[4] = {1, 3, size / 2, size - 1};
    return distances[which];
}

void meet_far(rank &self)
{
    for (int i = 0; i < 4; i++)
        meet_at(self, far_distance(self.size, i));
}

// --- point to point, eager ---

// Everybody sends to the right behind some work: the left one is late, or its message is early.
void ring(rank &self)
{
    for (int i = 0; i < 30; i++) {
        self.work(20 * us, 300 * us);
        self.overhead(200 * us);
        self.send(self.right());
        self.overhead(50 * us);
        self.receive(self.left());
    }
}

void ring_send_receive(rank &self)
{
    for (int i = 0; i < 30; i++) {
        self.work(20 * us, 300 * us);
        self.overhead(200 * us);
        self.send_receive(self.right(), self.left());
    }
}

void ring_replace(rank &self)
{
    for (int i = 0; i < 30; i++) {
        self.work(20 * us, 300 * us);
        self.overhead(200 * us);
        self.replace(self.right(), self.left());
    }
}

void ring_buffered(rank &self)
{
    std::vector<char> buffer(1 << 16);
    MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
    for (int i = 0; i < 30; i++) {
        self.work(20 * us, 300 * us);
        self.overhead(200 * us);
        self.buffered_send(self.right());
        self.receive(self.left());
    }
    void *detached;
    int size;
    MPI_Buffer_detach(&detached, &size);
}

// The sender is in front: its messages lie there, one rank in two has overhead.
void early(rank &self)
{
    for (int i = 0; i < 40; i++) {
        if (self.number % 2 == 0) {
            self.work(10 * us, 60 * us);
            self.send(self.right());
        } else {
            self.work(40 * us, 120 * us);
            self.overhead(100 * us);
            self.receive(self.left());
        }
    }
}

// Two windows of the core's table of latencies pass without a message, then all of them come early.
void silence(rank &self)
{
    early(self);
    simulated::sleep(25 * s);
    early(self);
    ring(self);
}

void pipeline(rank &self)
{
    for (int i = 0; i < 40; i++) {
        if (self.number > 0)
            self.receive(self.left());
        self.work(20 * us, 80 * us);
        self.overhead(90 * us);
        if (self.number < self.size - 1)
            self.send(self.right());
    }
}

// Irecv and Isend to both sides, work between them and the Waitall.
void halo(rank &self)
{
    for (int i = 0; i < 30; i++) {
        std::vector<MPI_Request> requests = {self.irecv(self.left()), self.irecv(self.right())};
        self.work(10 * us, 150 * us);
        self.overhead(120 * us);
        requests.push_back(self.isend(self.right()));
        requests.push_back(self.isend(self.left()));
        self.work(10 * us, 150 * us);
        self.overhead(120 * us);
        self.wait_all(requests);
    }
}

// The same with persistent requests.
void halo_persistent(rank &self)
{
    std::vector<MPI_Request> requests = {self.recv_init(self.left()), self.recv_init(self.right()),
                                         self.send_init(self.right()), self.send_init(self.left())};
    for (int i = 0; i < 30; i++) {
        self.work(10 * us, 150 * us);
        self.overhead(120 * us);
        self.start_all(requests);
        self.work(10 * us, 150 * us);
        self.overhead(120 * us);
        self.wait_all(requests);
    }
    self.free_all(requests);
}

// The same with a Wait for each: the first one waited for may come last.
void halo_one_by_one(rank &self)
{
    for (int i = 0; i < 30; i++) {
        MPI_Request from_left = self.irecv(self.left()), from_right = self.irecv(self.right());
        self.work(10 * us, 300 * us);
        self.overhead(200 * us);
        self.send(self.right());
        self.send(self.left());
        self.wait(from_left);
        self.overhead(30 * us);
        self.wait(from_right);
    }
}

// Every step another partner, the same distance for all.
void partners(rank &self)
{
    for (int i = 0; i < 40; i++) {
        const int distance = far_distance(self.size, static_cast<int>(self.common(0, 3)));
        self.work(10 * us, 200 * us);
        self.overhead(150 * us);
        self.send(self.right(distance));
        self.receive(self.left(distance));
    }
}

// --- wildcards ---

// Two workers have something to do at a time, and the second takes longer than any overhead of the first.
void wildcard(rank &self)
{
    for (int i = 0; i < 30; i++) {
        const int one = static_cast<int>(self.common(1, self.size - 1));
        const int other = one % (self.size - 1) + 1;
        if (self.number == 0) {
            self.send(one);
            self.send(other);
            for (int n = 0; n < 2; n++) {
                self.receive(MPI_ANY_SOURCE);
                self.work(5 * us, 50 * us);
                self.overhead(60 * us);
            }
        } else if (self.number == one || self.number == other) {
            self.receive(0);
            self.work(10 * us, 50 * us);
            if (self.number == other)
                self.work(400 * us, 500 * us);
            self.overhead(100 * us);
            self.send(0);
        }
    }
}

// Who is ready gets the next piece: overhead changes who that is.
void master_and_workers(rank &self)
{
    const int pieces = 4 * (self.size - 1);
    if (self.number == 0) {
        for (int i = 0; i < pieces + self.size - 1; i++) {
            const int ready = self.receive(MPI_ANY_SOURCE);
            self.work(1 * us, 5 * us);
            self.send(ready);
        }
    } else {
        for (int i = 0; i < 5; i++) {
            self.work(20 * us, 400 * us);
            self.overhead(200 * us);
            self.send(0);
            self.receive(0);
        }
    }
}

// --- several requests: the gaps between the senders are longer than any overhead ---

void report_to_root(rank &self)
{
    self.work(0, 100 * us);
    simulated::sleep(self.number * 500 * us);
    self.overhead(150 * us);
    self.send(0);
    self.receive(0);
}

std::vector<MPI_Request> from_everybody(rank &self)
{
    std::vector<MPI_Request> requests;
    for (int other = 1; other < self.size; other++)
        requests.push_back(self.irecv(other));
    return requests;
}

void answer_everybody(rank &self)
{
    for (int other = 1; other < self.size; other++)
        self.send(other);
}

void wait_any(rank &self)
{
    for (int i = 0; i < 4; i++) {
        if (self.number != 0) {
            report_to_root(self);
            continue;
        }
        std::vector<MPI_Request> requests = from_everybody(self);
        for (int n = 1; n < self.size; n++) {
            self.wait_any(requests);
            self.work(0, 60 * us);
            self.overhead(60 * us);
        }
        answer_everybody(self);
    }
}

void wait_some(rank &self)
{
    for (int i = 0; i < 4; i++) {
        if (self.number != 0) {
            report_to_root(self);
            continue;
        }
        std::vector<MPI_Request> requests = from_everybody(self);
        for (int n = 1; n < self.size;) {
            n += static_cast<int>(self.wait_some(requests).size());
            self.work(0, 60 * us);
            self.overhead(60 * us);
        }
        answer_everybody(self);
    }
}

// --- what a carrier above MPI cannot see, or not all of it ---

// No pair has met, and every message comes early.
void strangers(rank &self)
{
    for (int i = 0; i < 20; i++) {
        if (self.number % 2 == 0) {
            self.work(10 * us, 60 * us);
            self.send(self.right(), 4096);
        } else {
            self.work(80 * us, 120 * us);
            self.overhead(100 * us);
            self.receive(self.left(), 4096);
        }
    }
}

void synchronous(rank &self)
{
    for (int i = 0; i < 30; i++) {
        self.work(20 * us, 200 * us);
        self.overhead(150 * us);
        if (self.number % 2 == 0)
            self.ssend(self.right());
        else
            self.receive(self.left());
    }
}

void rendezvous(rank &self)
{
    for (int i = 0; i < 20; i++) {
        self.work(20 * us, 200 * us);
        self.overhead(150 * us);
        if (self.number % 2 == 0)
            self.send(self.right(), rank::large_bytes);
        else
            self.receive(self.left(), rank::large_bytes);
    }
}

void probed(rank &self)
{
    for (int i = 0; i < 30; i++) {
        self.work(20 * us, 300 * us);
        self.overhead(200 * us);
        self.send(self.right());
        self.probe(self.left());
        self.receive(self.left());
    }
}

void tested(rank &self)
{
    for (int i = 0; i < 20; i++) {
        MPI_Request request = self.irecv(self.left());
        self.work(20 * us, 300 * us);
        self.overhead(200 * us);
        self.send(self.right());
        while (!self.test(request))
            simulated::sleep(2 * us);
    }
}

// --- collectives: behind them nobody is alike, so every step has another last one ---

template <void (rank::*call)()> void all_together(rank &self)
{
    for (int i = 0; i < 15; i++) {
        self.work(10 * us, 300 * us);
        self.overhead(250 * us);
        (self.*call)();
    }
}

// The root changes among the first four.
template <void (rank::*call)(int root)> void by_root(rank &self)
{
    for (int i = 0; i < 15; i++) {
        self.work(10 * us, 300 * us);
        self.overhead(250 * us);
        (self.*call)(static_cast<int>(self.common(0, 3)));
    }
}

constexpr const char *collective_limit = "the messages inside a collective are not seen";
// What SimGrid 3.32 cannot do.
constexpr const char *replace_bug = "SMPI unpacks MPI_Sendrecv_replace of a derived type at a wrong address";
constexpr const char *buffer_bug = "SMPI wants room for a derived type's extent, not its size, in MPI_Bsend's buffer";
constexpr const char *persistent_bug = "SMPI sends what a persistent request of a derived type held when it was made";

constexpr const char *poll_limit = "a wait in a loop of polls counts as the program's own time";

}  // namespace

const scene scenes[] = {
    {"ring", nullptr, nullptr, nobody_alike, meet_right, ring},
    {"ring_of_one", nullptr, nullptr, first, meet_right, ring},
    {"send_receive", nullptr, nullptr, nobody_alike, meet_right, ring_send_receive},
    {"replace", nullptr, replace_bug, nobody_alike, meet_right, ring_replace},
    {"buffered", nullptr, buffer_bug, nobody_alike, meet_right, ring_buffered},
    {"early", nullptr, nullptr, odd, meet_right, early},
    {"silence", "across nodes, a latency is forgotten when nobody has waited for 20 s", nullptr, odd, meet_right,
     silence},
    {"pipeline", nullptr, nullptr, nobody_alike, meet_right, pipeline},
    {"pipeline_first", nullptr, nullptr, first, meet_right, pipeline},
    {"pipeline_last", nullptr, nullptr, last, meet_right, pipeline},
    {"halo", nullptr, nullptr, nobody_alike, meet_both, halo},
    {"halo_persistent", nullptr, persistent_bug, nobody_alike, meet_both, halo_persistent},
    {"halo_one_by_one", nullptr, nullptr, nobody_alike, meet_both, halo_one_by_one},
    {"partners", nullptr, nullptr, nobody_alike, meet_far, partners},
    {"wildcard", nullptr, nullptr, nobody_alike, meet_root, wildcard},
    {"wait_any", nullptr, nullptr, nobody_alike, meet_root, wait_any},
    {"wait_some", nullptr, nullptr, all_but_first, meet_root, wait_some},
    {"barrier", collective_limit, nullptr, nobody_alike, nullptr, all_together<&rank::barrier>},
    {"all_reduce", collective_limit, nullptr, nobody_alike, nullptr, all_together<&rank::all_reduce>},
    {"all_gather", collective_limit, nullptr, nobody_alike, nullptr, all_together<&rank::all_gather>},
    {"all_to_all", collective_limit, nullptr, nobody_alike, nullptr, all_together<&rank::all_to_all>},
    {"broadcast", collective_limit, nullptr, nobody_alike, nullptr, by_root<&rank::broadcast>},
    {"scatter", collective_limit, nullptr, nobody_alike, nullptr, by_root<&rank::scatter>},
    {"gather", collective_limit, nullptr, nobody_alike, nullptr, by_root<&rank::gather>},
    {"reduce", collective_limit, nullptr, nobody_alike, nullptr, by_root<&rank::reduce>},
    {"scan", collective_limit, nullptr, nobody_alike, nullptr, all_together<&rank::scan>},
    {"strangers", "no latency is known before a message was waited for", nullptr, odd, nullptr, strangers},
    {"synchronous", "the way back to the sender is not seen", nullptr, nobody_alike, meet_right, synchronous},
    {"rendezvous", "the way back to the sender is not seen", nullptr, nobody_alike, meet_right, rendezvous},
    {"probed", "a wait inside MPI_Probe counts as the program's own time", nullptr, nobody_alike, meet_right, probed},
    {"tested", poll_limit, nullptr, nobody_alike, meet_right, tested},
    {"master_and_workers", "overhead changes what a wildcard matches", nullptr, nobody_alike, meet_root,
     master_and_workers},
};
const unsigned scene_count = sizeof scenes / sizeof scenes[0];
