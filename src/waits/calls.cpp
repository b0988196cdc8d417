// SPDX-License-Identifier: BSD-3-Clause
#include "calls.hpp"

#include <algorithm>
#include <array>

namespace tare::waits {
namespace {

// Of what these wait for a trace has an event, but for MPI_Init, which is where it begins.
constexpr std::array<std::string_view, 7> seen_if_waiting = {"bsend", "improbe", "init", "iprobe", "request_get_status",
                                                             "rsend", "send"};

bool may_wait_unseen(const waiting_call &call)
{
    return call.why != state_count &&
           std::find(seen_if_waiting.begin(), seen_if_waiting.end(), call.begins) == seen_if_waiting.end();
}

}  // namespace

call_kind call_named(std::string_view region)
{
    const waiting_call call = call_of(region);
    if (is_mpi_call(region))
        return {true, call.why == wait_at_init, may_wait_unseen(call), state_count};
    return {false, false, call.why != state_count, call.why};
}

}  // namespace tare::waits
