// SPDX-License-Identifier: BSD-3-Clause
// Events of one-sided communication, as OTF2 has them.
#ifndef TARE_TRACE_RMA_EVENTS_HPP
#define TARE_TRACE_RMA_EVENTS_HPP

#include "otf2_calls.hpp"
#include "trace_event.h"

#include <cstdint>

namespace tare::trace {

inline bool is_rma(std::uint32_t kind)
{
    return TARE_TRACE_KIND(kind) >= TARE_TRACE_RMA_PUT && TARE_TRACE_KIND(kind) <= TARE_TRACE_WINDOW_DESTROY;
}

// With the stamp and the attributes that it has been given.
OTF2_ErrorCode write_rma(OTF2_EvtWriter *out, OTF2_AttributeList *attributes, std::uint64_t ns,
                         const tare_trace_record_t &r);

}  // namespace tare::trace

#endif
