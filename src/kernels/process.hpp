// SPDX-License-Identifier: BSD-3-Clause
// One process of a kernel: its pieces of work with a probe behind each, its MPI calls, and what its clocks say.
#ifndef TARE_KERNELS_PROCESS_HPP
#define TARE_KERNELS_PROCESS_HPP

#include <mpi.h>

#include <cstdint>

#include "clocks.hpp"
#include "tool.hpp"

namespace tare::kernels {

struct probing {
    int dilation_pct = 0;  // what probes cost, of the work in front of them; 0: there are none
    bool stamps = true;    // a time stamp before each MPI call, as a tool has one
};

// Of a lap, in ns. Sent between ranks as it is.
struct outcome {
    std::int64_t total;
    std::int64_t total_comp;
    std::int64_t total_lo;  // by the bounds of the delay
    std::int64_t total_hi;
    std::int64_t wait;  // in MPI calls
    std::int64_t wait_comp;
    std::int64_t work;  // the program's own, without its probes: what these do to it no rule takes out
    std::int64_t overhead;
    std::int64_t stolen;
    std::int64_t inversions;
};

// A delay, and what it is at least and at most.
struct bounded {
    std::int64_t value = 0, lo = 0, hi = 0;
};

// MPICH's variable of this name; 0 on a library that has none.
class inversion_count {
  public:
    inversion_count();
    ~inversion_count();
    inversion_count(const inversion_count &) = delete;
    inversion_count &operator=(const inversion_count &) = delete;

    std::int64_t read() const;

  private:
    MPI_T_pvar_session session_;
    MPI_T_pvar_handle handle_;
    bool is_there_ = false;
};

class process {
  public:
    process(const probing &wanted, const tool_calls &tool);

    int rank = 0;
    int ranks = 0;

    // A piece of the program's own work.
    template <typename Piece> void work(Piece piece) {
        const std::int64_t start = now_ns();
        piece();
        const std::int64_t took_ns = now_ns() - start;
        result_.work += took_ns;
        probe(took_ns);
    }

    // One MPI call, which the tool sees.
    template <typename Call> void call(Call what) {
        const std::int64_t start_comp = compensated_ns(), start = now_ns();
        if (stamps_)
            tool_.event_ns(start);
        what();
        result_.wait += now_ns() - start;
        result_.wait_comp += compensated_ns() - start_comp;
    }

    // Once: the pages of queues are there.
    void warm_up();
    // Before each lap, together: nobody is early.
    void meet();
    void begin();
    outcome end();

  private:
    std::int64_t compensated_ns() const { return tool_.now_ns == nullptr ? now_ns() : tool_.now_ns(); }
    bounded delay() const;
    void probe(std::int64_t work_ns);

    const tool_calls tool_;
    const std::int64_t dilation_pct_;
    const bool stamps_;
    core_watch watch_;
    inversion_count inversions_;
    outcome result_ = {};
    std::int64_t start_ns_ = 0;
    std::int64_t start_comp_ns_ = 0;
    std::int64_t start_inversions_ = 0;
    bounded start_delay_;
};

}  // namespace tare::kernels

#endif
