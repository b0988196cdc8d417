// SPDX-License-Identifier: BSD-3-Clause
// What is known of a call of MPI by the name of its region, as any tool writes it: MPI_Recv, MPI_Recv().
#ifndef TARE_WAITS_CALLS_HPP
#define TARE_WAITS_CALLS_HPP

#include <string_view>

namespace tare::waits {

struct call_kind {
    bool is_mpi = false;
    bool begins = false;                 // MPI_Init: where it ends all processes begin
    bool may_wait = false;               // even where no event in it says for what
};

call_kind call_named(std::string_view region);

}  // namespace tare::waits

#endif
