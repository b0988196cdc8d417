// SPDX-License-Identifier: BSD-3-Clause
// The window of one-sided benchmarks between two ranks, and what stands around their operations.
#ifndef TARE_BENCH_WINDOW_HPP
#define TARE_BENCH_WINDOW_HPP

#include "engine.hpp"

namespace tare::bench {

// Each rank shows `self.bytes` to the other.
class window {
  public:
    // Ranks that are origins call operations, those that are targets are called; a rank can be both.
    window(const side &self, bool is_origin, bool is_target);
    ~window();
    window(const window &) = delete;
    window &operator=(const window &) = delete;

    // Around the operations of one iteration, by both ranks.
    void open();
    void close();
    // By both ranks: what close() has left under way is there.
    void settle();

    MPI_Win handle() const { return handle_; }
    char *memory() const { return memory_; }
    // Where the other's memory begins.
    MPI_Aint target_place() const { return target_place_; }
    int target() const { return 1 - self_.rank; }

  private:
    const side &self_;
    const bool is_origin_;
    const bool is_target_;
    const epoch sync_;
    char *memory_;
    MPI_Win handle_ = MPI_WIN_NULL;
    MPI_Group others_ = MPI_GROUP_NULL;
    MPI_Aint target_place_ = 0;

    void make();
    void open_passive();
    void close_passive();
    bool has_lasting_lock() const;
};

}  // namespace tare::bench

#endif
