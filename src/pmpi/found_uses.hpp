// SPDX-License-Identifier: BSD-3-Clause
// Who uses what was received, for a trace with TARE_TRACE_RECORDS=uses: until the thread's next call of MPI its pages are
// protected, and the code that touches one first is their user, as if it had told so by tare_uses.
//
// What the kernel is given must not be protected, since its call would fail with EFAULT: before the first system call all
// are free again (prctl(2), PR_SET_SYSCALL_USER_DISPATCH; Linux 5.11, x86-64). That holds for one thread: the one that calls
// MPI_Init, while the program starts no other. The program's own handlers of SIGSEGV and SIGSYS are called for what is theirs.
#ifndef TARE_PMPI_FOUND_USES_HPP
#define TARE_PMPI_FOUND_USES_HPP

#include "layer.hpp"

#include <cstdint>

namespace tare::pmpi {

// At the end of MPI_Init. Where it cannot be done that is said, once.
void prepare_found_uses();

// So many bytes of this have been received by the call in progress. Whole pages of them are protected.
void note_received(const tare_trace_buffer_t &where, std::int64_t bytes);

// Pieces that are noted or protected.
extern int pieces_received;
void protect_received();         // behind the call's last event
void tell_found_uses();          // before the next call of MPI: nothing is protected any more

}  // namespace tare::pmpi

#endif
