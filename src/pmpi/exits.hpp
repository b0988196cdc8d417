// SPDX-License-Identifier: BSD-3-Clause
// How much later than the first process a process leaves an operation in which all wait for all (barriers, from all to
// all): its completion, as measured, and without measuring by the processes' own delays.
//
// Who leaves tells the others of its node by memory that they share (exit_board.hpp), and looks once more when it has left
// the next operation on the communicator, since all have told then. Of an operation over several
// nodes the first of the own node counts, so that its completion is that at least. Nothing is known of communicators
// between two groups, with processes that are not in MPI_COMM_WORLD, and of those for which the memory has no room; nor
// with a carrier above MPI, whose own operation behind the program's lets all leave together.
//
// Threads: as MPI has it, one at a time is in such an operation on a communicator.
#ifndef TARE_PMPI_EXITS_HPP
#define TARE_PMPI_EXITS_HPP

#include "layer.hpp"

namespace tare::pmpi {

namespace known {
struct operations;
}
struct site;

// In MPI_Init, by all processes of a node, before begin_comms.
void begin_exits(MPI_Comm node);

// Around such a call. It counts them: also those that are not noted, since the others may note theirs.
class waits_for_all_on {
  public:
    explicit waits_for_all_on(MPI_Comm comm)
    {
        if (__builtin_expect(state.knows_comms, 1))
            begin(comm);
    }
    explicit waits_for_all_on(known::operations &all) { begin(all); }

    awaited operator()() const { return {awaited::all, MPI_PROC_NULL, MPI_COMM_NULL}; }
    // The call has gone well, and is summed up at `at`.
    void note_exit(site &at, const tare_measure_spent_t &spent) const;

  private:
    void begin(MPI_Comm comm);
    void begin(known::operations &all);

    known::operations *all_ = nullptr;
    std::uint64_t operation_ = 0;
    bool is_alone_ = false;              // the first is this one
};

}  // namespace tare::pmpi

#endif
