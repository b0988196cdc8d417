// SPDX-License-Identifier: BSD-3-Clause
#include "rma_events.hpp"

#include "definitions.hpp"

namespace tare::trace {
namespace {

static_assert(OTF2_RMA_ATOMIC_TYPE_ACCUMULATE == static_cast<int>(TARE_TRACE_ACCUMULATE) &&
              OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP == static_cast<int>(TARE_TRACE_COMPARE_AND_SWAP) &&
              OTF2_RMA_ATOMIC_TYPE_SWAP == static_cast<int>(TARE_TRACE_SWAP) &&
              OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD == static_cast<int>(TARE_TRACE_FETCH_AND_ADD) &&
              OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE == static_cast<int>(TARE_TRACE_FETCH_AND_ACCUMULATE));
static_assert(OTF2_RMA_SYNC_LEVEL_PROCESS == static_cast<int>(TARE_TRACE_SYNC_PROCESSES) &&
              OTF2_RMA_SYNC_LEVEL_MEMORY == static_cast<int>(TARE_TRACE_SYNC_MEMORY));
static_assert(OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE == static_cast<int>(TARE_TRACE_CREATE_AND_ALLOCATE) &&
              OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE == static_cast<int>(TARE_TRACE_DESTROY_AND_DEALLOCATE));
static_assert(OTF2_LOCK_SHARED == 1 && OTF2_UNDEFINED_UINT32 == static_cast<std::uint32_t>(TARE_TRACE_ALL_TARGETS));

constexpr std::uint64_t only_lock = 0;           // a window of MPI has one for each process

OTF2_ErrorCode write_operation(OTF2_EvtWriter *out, OTF2_AttributeList *attributes, std::uint64_t ns,
                               const tare_trace_record_t &r)
{
    const tare_trace_message_t &m = r.message;
    const auto target = static_cast<std::uint32_t>(m.peer);
    switch (TARE_TRACE_KIND(r.event.kind)) {
    case TARE_TRACE_RMA_PUT: return OTF2_EvtWriter_RmaPut(out, attributes, ns, r.event.of, target, m.bytes, m.request);
    case TARE_TRACE_RMA_GET: return OTF2_EvtWriter_RmaGet(out, attributes, ns, r.event.of, target, m.bytes, m.request);
    case TARE_TRACE_RMA_ATOMIC:
        return OTF2_EvtWriter_RmaAtomic(out, attributes, ns, r.event.of, target, static_cast<OTF2_RmaAtomicType>(m.tag),
                                        m.bytes, r.more.received.bytes, m.request);
    case TARE_TRACE_RMA_COMPLETE:
        return OTF2_EvtWriter_RmaOpCompleteNonBlocking(out, attributes, ns, r.event.of, m.request);
    case TARE_TRACE_RMA_COMPLETE_REMOTE:
        return OTF2_EvtWriter_RmaOpCompleteRemote(out, attributes, ns, r.event.of, m.request);
    default: return OTF2_EvtWriter_RmaOpTest(out, attributes, ns, r.event.of, m.request);
    }
}

}  // namespace

OTF2_ErrorCode write_rma(OTF2_EvtWriter *out, OTF2_AttributeList *attributes, std::uint64_t ns, const tare_trace_record_t &r)
{
    const tare_trace_message_t &m = r.message;
    const auto peer = static_cast<std::uint32_t>(m.peer);
    const auto level = static_cast<OTF2_RmaSyncLevel>(m.bytes);
    switch (TARE_TRACE_KIND(r.event.kind)) {
    case TARE_TRACE_WINDOW_CREATE: return OTF2_EvtWriter_RmaWinCreate(out, attributes, ns, r.event.of);
    case TARE_TRACE_WINDOW_DESTROY: return OTF2_EvtWriter_RmaWinDestroy(out, attributes, ns, r.event.of);
    case TARE_TRACE_RMA_COLLECTIVE_BEGIN: return OTF2_EvtWriter_RmaCollectiveBegin(out, attributes, ns);
    case TARE_TRACE_RMA_COLLECTIVE_END:
        return OTF2_EvtWriter_RmaCollectiveEnd(out, attributes, ns, static_cast<OTF2_CollectiveOp>(m.tag), level,
                                               r.event.of, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    case TARE_TRACE_RMA_GROUP_SYNC:
        return OTF2_EvtWriter_RmaGroupSync(out, attributes, ns, level, r.event.of, group_number(peer));
    case TARE_TRACE_RMA_REQUEST_LOCK:
        return OTF2_EvtWriter_RmaRequestLock(out, attributes, ns, r.event.of, peer, only_lock,
                                             static_cast<OTF2_LockType>(m.tag));
    case TARE_TRACE_RMA_RELEASE_LOCK:
        return OTF2_EvtWriter_RmaReleaseLock(out, attributes, ns, r.event.of, peer, only_lock);
    case TARE_TRACE_RMA_SYNC:
        return OTF2_EvtWriter_RmaSync(out, attributes, ns, r.event.of, peer, OTF2_RMA_SYNC_TYPE_MEMORY);
    default: return write_operation(out, attributes, ns, r);
    }
}

}  // namespace tare::trace
