// SPDX-License-Identifier: BSD-3-Clause
// Who a collective operation waits for, by what it does with data.
#ifndef TARE_WAITS_ROOTS_HPP
#define TARE_WAITS_ROOTS_HPP

#include "result.hpp"
#include "trace_event.h"

namespace tare::waits {

struct who_is_waited_for {
    enum whom {
        all,                             // everybody for the last one
        root,                            // the others for the root
        all_by_root,                     // the root for the last one, the others for nobody
        not_known
    } who;
    state why;
};

constexpr who_is_waited_for waited_for_in(std::uint32_t operation)
{
    switch (operation) {
    case TARE_TRACE_BARRIER: return {who_is_waited_for::all, wait_at_barrier};
    case TARE_TRACE_ALLGATHER:
    case TARE_TRACE_ALLGATHERV:
    case TARE_TRACE_ALLTOALL:
    case TARE_TRACE_ALLTOALLV:
    case TARE_TRACE_ALLTOALLW:
    case TARE_TRACE_ALLREDUCE:
    case TARE_TRACE_REDUCE_SCATTER:
    case TARE_TRACE_REDUCE_SCATTER_BLOCK: return {who_is_waited_for::all, wait_at_nxn};
    case TARE_TRACE_BCAST:
    case TARE_TRACE_SCATTER:
    case TARE_TRACE_SCATTERV: return {who_is_waited_for::root, late_broadcast};
    case TARE_TRACE_REDUCE:
    case TARE_TRACE_GATHER:
    case TARE_TRACE_GATHERV: return {who_is_waited_for::all_by_root, early_reduce};
    // A scan waits for lower ranks only, and an archive tells of no rank in a communicator.
    default: return {who_is_waited_for::not_known, state_count};
    }
}

}  // namespace tare::waits

#endif
