// SPDX-License-Identifier: BSD-3-Clause
// What is known of a call by the name of its region: of MPI as any tool writes it, MPI_Recv, MPI_Recv(), and of threads.
#ifndef TARE_WAITS_CALLS_HPP
#define TARE_WAITS_CALLS_HPP

#include "states.hpp"

#include <string_view>

namespace tare::waits {

struct call_kind {
    bool is_mpi = false;
    bool begins = false;                 // MPI_Init: where it ends all processes begin
    bool may_wait = false;               // even where no event in it says for what
    state why = state_count;             // of one that waits for another thread (src/threads)

    bool is_of_threads() const { return why != state_count; }
    bool is_call() const { return is_mpi || is_of_threads(); }
};

call_kind call_named(std::string_view region);

}  // namespace tare::waits

#endif
