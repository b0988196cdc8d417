// SPDX-License-Identifier: BSD-3-Clause
// One of the two ranks of a scene: its work, its injected overhead, its MPI calls, and what its clocks say.
//
// Work is spinning on the clock for an amount of time, never until a time: overhead in between makes it later, as it
// would any program. Amounts are drawn by rank and step, so they are the same in every run of a scene.
#ifndef TARE_TEST_ACCURACY_RANK_HPP
#define TARE_TEST_ACCURACY_RANK_HPP

#include <mpi.h>

#include "clocks.hpp"
#include "tare.h"

#include <cstdint>
#include <vector>

constexpr int64_t us = 1000;
constexpr int64_t ms = 1000 * us;

// Means; a step's work is between a quarter and 7 quarters of it, its overhead between a half and 3 halves.
struct amounts {
    int64_t work_ns;
    int64_t overhead_ns;
};

enum class clocks {
    plain,   // the truth: nothing is injected or declared
    stamps,  // a time stamp before every MPI call, as a tool has one
    own      // none: the transport reads the clock itself
};

// Of the loop, in ns; what is declared and carried is in the second half.
struct outcome {
    int64_t total;
    int64_t wait;
    int64_t stolen;  // somebody else had the core: time without the processor, or gaps in the spins
    int64_t overhead;
    int64_t compensated_total;
    int64_t compensated_wait;
    int64_t least_total;  // by the bounds of the delay
    int64_t greatest_total;
};

using tare::kernels::now_ns;

class rank {
  public:
    rank(int number, int steps, amounts mean, clocks which);

    const int number;
    const int other;
    const int steps;  // in all

    // The work of this step, with its overhead in several pieces in between.
    void compute(int step);
    void work(int64_t ns) const;
    void overhead(int64_t ns);
    int64_t work_ns(int step) const;

    void send_eager(int bytes);  // never waits
    void send(int bytes);
    void receive(int bytes);
    MPI_Request isend(int bytes);
    MPI_Request irecv(int bytes);
    // Of doubles; with 1024 of them MPICH does it in two rounds.
    void allreduce(int count);
    MPI_Request iallreduce(int count);
    void wait(MPI_Request &request);
    void barrier();
    // Into the other's window. Three ways to say when: fence; post, start, complete and wait on both; lock and unlock.
    void put(int bytes);
    void fence();
    void expose();
    void access();
    void complete();
    void wait_for_puts();
    void lock();
    void unlock();
    // One call of MPI_Test; true when it has completed the request.
    bool test(MPI_Request &request);

    // What `call` takes counts as waiting.
    template <typename Call> void waiting(Call call)
    {
        const int64_t start = now_ns(), start_compensated = compensated_ns();
        call();
        result_.compensated_wait += compensated_ns() - start_compensated;
        result_.wait += now_ns() - start;
    }
    // The same of one call of MPI, which the tool sees.
    template <typename Call> void waiting_in(Call call)
    {
        waiting([&] {
            event();
            call();
        });
    }

    // Before the loop: the pages of buffers and queues are there, and nobody is early.
    void meet();
    void begin();
    outcome end();
    // All that the loop needed.
    void leave();

  private:
    void event() const;
    int64_t compensated_ns() const { return clocks_ == clocks::plain ? now_ns() : tare_now_ns(); }

    const amounts mean_;
    const clocks clocks_;
    std::vector<char> sent_, received_;
    MPI_Win window_;
    MPI_Group peer_;
    outcome result_ = {};
    int64_t start_ns_ = 0, start_compensated_ns_ = 0;
};

#endif
