// SPDX-License-Identifier: BSD-3-Clause
// Who a collective operation waits for, by what it does with data.
#ifndef TARE_WAITS_ROOTS_HPP
#define TARE_WAITS_ROOTS_HPP

#include "states.hpp"
#include "trace_event.h"

#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace tare::waits {

// By enum tare_trace_operation, as states.hpp has them.
inline constexpr std::string_view operation_names[] = {
    "barrier",  "bcast",     "gather",    "gatherv",   "scatter", "scatterv",       "allgather", "allgatherv",
    "alltoall", "alltoallv", "alltoallw", "allreduce", "reduce",  "reduce_scatter", "scan",      "exscan",
    "reduce_scatter_block"};
static_assert(operation_names[TARE_TRACE_GATHERV] == "gatherv" && operation_names[TARE_TRACE_EXSCAN] == "exscan" &&
                  operation_names[TARE_TRACE_REDUCE_SCATTER_BLOCK] == "reduce_scatter_block",
              "in the order of the numbers");

constexpr std::array<state, std::size(operation_names)> states_by_operation()
{
    std::array<state, std::size(operation_names)> found{};
    for (std::size_t i = 0; i < found.size(); i++)
        found[i] = call_behind_prefix(operation_names[i]).why;
    return found;
}
inline constexpr auto operation_states = states_by_operation();

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
    const state why = operation < operation_states.size() ? operation_states[operation] : state_count;
    switch (why) {
    case wait_at_barrier:
    case wait_at_nxn: return {who_is_waited_for::all, why};
    case late_broadcast: return {who_is_waited_for::root, why};
    case early_reduce: return {who_is_waited_for::all_by_root, why};
    // A scan waits for lower ranks only, and an archive tells of no rank in a communicator.
    default: return {who_is_waited_for::not_known, why};
    }
}

}  // namespace tare::waits

#endif
