// SPDX-License-Identifier: BSD-3-Clause
// The scenes: the model's two-rank cases (doc/model.md, test/sim) as programs. Each takes the same course (the same
// calls, the same matches) with and without overhead; only test_poll polls as often as it takes.
#include "scenes.hpp"

namespace {

constexpr int small_bytes = 1024;

// Rendezvous: 256 KiB to 1 MiB in turn.
int large_bytes(int i) { return (256 << 10) << (i % 3); }

// The producer is far ahead: every message has slack. Few enough that all of them fit the queue.
void early_messages(rank &self, int i)
{
    if (self.number == 0) {
        self.compute(i);
        self.send_eager(small_bytes);
    } else {
        self.receive(small_bytes);
        self.compute(i);
    }
}

// Two stages of equal work. The second returns a credit for every batch, so that the first is never more than a
// window ahead.
void pipeline(rank &self, int i)
{
    constexpr int window = 32, batch = 8;
    if (self.number == 0) {
        self.compute(i);
        if (i >= window && i % batch == 0)
            self.receive(0);
        self.send_eager(small_bytes);
    } else {
        self.receive(small_bytes);
        self.compute(i);
        if ((i + 1) % batch == 0 && i + 1 - batch + window < self.steps)
            self.send_eager(0);
    }
}

void rendezvous(rank &self, int i)
{
    self.compute(i);
    if (self.number == 0)
        self.send(large_bytes(i));
    else
        self.receive(large_bytes(i));
}

// Both ranks exchange a message behind their work.
void irecv_eager(rank &self, int i)
{
    MPI_Request receive = self.irecv(small_bytes);
    self.send_eager(small_bytes);
    self.compute(i);
    self.wait(receive);
}

void isend_eager(rank &self, int i)
{
    MPI_Request send = self.isend(small_bytes);
    self.compute(i);
    self.receive(small_bytes);
    self.wait(send);
}

// The request to send often comes while the receiver computes: it is answered when the receiver waits.
void irecv_rendezvous(rank &self, int i)
{
    if (self.number == 0) {
        self.compute(i);
        self.send(large_bytes(i));
    } else {
        MPI_Request receive = self.irecv(large_bytes(i));
        self.compute(i);
        self.wait(receive);
    }
}

// The answer often comes while the sender computes: the data leave when the sender waits.
void isend_rendezvous(rank &self, int i)
{
    if (self.number == 0) {
        MPI_Request send = self.isend(large_bytes(i));
        self.compute(i);
        self.wait(send);
    } else {
        self.compute(i);
        self.receive(large_bytes(i));
    }
}

void spin_on_test(rank &self, MPI_Request &request)
{
    self.waiting([&] {
        while (!self.test(request)) {
        }
    });
}

void test_spin(rank &self, int i)
{
    if (self.number == 0) {
        self.compute(i);
        self.send_eager(small_bytes);
    } else {
        MPI_Request receive = self.irecv(small_bytes);
        self.compute(i);
        spin_on_test(self, receive);
    }
}

void test_spin_rendezvous(rank &self, int i)
{
    MPI_Request request = self.number == 0 ? self.isend(large_bytes(i)) : self.irecv(large_bytes(i));
    self.compute(i);
    spin_on_test(self, request);
}

// A fixed amount of work with tests in between, then a wait. The receiver is never later than the sender, so a test
// that succeeds would have succeeded without measurement, too.
void test_work(rank &self, int i)
{
    if (self.number == 0) {
        self.compute(i);
        self.send_eager(small_bytes);
        return;
    }
    constexpr int pieces = 8;
    MPI_Request receive = self.irecv(small_bytes);
    bool done = false;
    for (int piece = 0; piece < pieces; piece++) {
        self.work(self.work_ns(i) / pieces);
        done = done || self.test(receive);
    }
    if (!done)
        self.wait(receive);
}

// As much work, in small pieces, as there is time for until the message comes; then the answer.
void test_poll(rank &self, int i)
{
    if (self.number == 0) {
        self.compute(i);
        self.send_eager(small_bytes);
        self.receive(small_bytes);
        return;
    }
    MPI_Request receive = self.irecv(small_bytes);
    self.waiting([&] {
        while (!self.test(receive)) {
            self.work(4 * us);
            self.overhead(3 * us);
        }
    });
    self.compute(i);
    self.send_eager(small_bytes);
}

// Bulk-synchronous: the ranks are late in turn.
void allreduce(rank &self, int i)
{
    self.compute(i);
    self.allreduce(8);
}

// The second round waits for a rank that polls: until it has done its work, and measured it.
void iallreduce(rank &self, int i)
{
    MPI_Request request = self.iallreduce(1024);
    self.compute(i);
    self.wait(request);
}

// Bulk-synchronous: an exchange, then a barrier.
void bulk_synchronous(rank &self, int i)
{
    self.compute(i);
    MPI_Request receive = self.irecv(small_bytes);
    self.send_eager(small_bytes);
    self.wait(receive);
    self.barrier();
}

// Sweeps to and fro: who comes later in a sweep begins the next.
void wavefront(rank &self, int i)
{
    const bool is_first = self.number == i % 2;
    if (!is_first)
        self.receive(small_bytes);
    self.compute(i);
    if (is_first)
        self.send_eager(small_bytes);
}

void halo_fence(rank &self, int i)
{
    if (i == 0)
        self.fence();
    self.compute(i);
    self.put(small_bytes);
    self.fence();
}

// Each may put as soon as the other lets it, and goes on when the other has put.
void halo_post(rank &self, int i)
{
    self.expose();
    self.compute(i);
    self.access();
    self.put(small_bytes);
    self.complete();
    self.wait_for_puts();
}

// Nobody of the two polls while it computes, so that a lock waits for the other's next call: one waits for another.
void halo_lock(rank &self, int i)
{
    self.compute(i);
    self.lock();
    self.put(small_bytes);
    self.unlock();
    self.barrier();
}

}  // namespace

const scene scenes[] = {
    {"early_messages", "producer and consumer, messages early", 48,
     {{500 * us, 50 * us}, {6 * ms, 3600 * us}}, early_messages},
    {"pipeline_first", "pipeline, first stage instrumented", 800,
     {{350 * us, 200 * us}, {350 * us, 10 * us}}, pipeline},
    {"pipeline_last", "pipeline, last stage instrumented", 800,
     {{350 * us, 10 * us}, {350 * us, 200 * us}}, pipeline},
    {"rendezvous_receiver", "rendezvous, slow receiver instrumented", 150,
     {{600 * us, 20 * us}, {2000 * us, 1200 * us}}, rendezvous},
    {"rendezvous_sender", "rendezvous, slow sender instrumented", 150,
     {{2000 * us, 1200 * us}, {600 * us, 20 * us}}, rendezvous},
    {"irecv_eager", "Irecv, work, Wait, both ways", 600,
     {{400 * us, 250 * us}, {400 * us, 80 * us}}, irecv_eager},
    {"irecv_rendezvous", "Irecv, work, Wait; rendezvous", 150,
     {{1600 * us, 30 * us}, {1600 * us, 1100 * us}}, irecv_rendezvous},
    {"isend_eager", "Isend, work, Recv, Wait, both ways", 600,
     {{400 * us, 80 * us}, {400 * us, 250 * us}}, isend_eager},
    {"isend_rendezvous", "Isend, work, Wait; rendezvous", 150,
     {{1600 * us, 1100 * us}, {1600 * us, 30 * us}}, isend_rendezvous},
    {"test_spin", "Irecv, work, only Test", 700,
     {{400 * us, 250 * us}, {300 * us, 5 * us}}, test_spin},
    {"test_spin_rendezvous", "Isend or Irecv, work, only Test; rendezvous", 150,
     {{1600 * us, 1100 * us}, {1600 * us, 30 * us}}, test_spin_rendezvous},
    {"test_work", "Irecv, work with Test in between, Wait", 700,
     {{400 * us, 250 * us}, {300 * us, 0}}, test_work},
    {"test_poll", "Irecv, Test with a little work in between", 400,
     {{350 * us, 20 * us}, {350 * us, 250 * us}}, test_poll},
    {"allreduce", "work, Allreduce", 600,
     {{400 * us, 250 * us}, {400 * us, 10 * us}}, allreduce},
    {"iallreduce", "Iallreduce, work, Wait", 600,
     {{400 * us, 250 * us}, {400 * us, 10 * us}}, iallreduce},
    {"bulk_synchronous", "work, exchange, Barrier; a slow rank", 500,
     {{600 * us, 300 * us}, {300 * us, 10 * us}}, bulk_synchronous},
    {"wavefront", "sweeps to and fro", 400,
     {{350 * us, 200 * us}, {350 * us, 30 * us}}, wavefront},
    {"halo_fence", "work, Put, Fence, both ways", 600,
     {{400 * us, 250 * us}, {400 * us, 10 * us}}, halo_fence},
    {"halo_post", "Post, work, Start, Put, Complete, Wait, both ways", 600,
     {{400 * us, 250 * us}, {400 * us, 10 * us}}, halo_post},
    {"halo_lock", "work, Lock, Put, Unlock, both ways, Barrier", 500,
     {{400 * us, 250 * us}, {400 * us, 10 * us}}, halo_lock},
};
const int scene_count = sizeof scenes / sizeof scenes[0];
