// SPDX-License-Identifier: BSD-3-Clause
#include "copy_events.hpp"

#include "definitions.hpp"

#include <algorithm>

namespace tare::trace {

// What OTF2 calls for each event. Those that tare trace reads, too, are counted; see tare_trace_kept.
struct copy_calls {
    static location_copy &of(void *data) { return *static_cast<location_copy *>(data); }

    template <typename Write>
    static OTF2_CallbackCode put(void *data, OTF2_TimeStamp time, OTF2_AttributeList *attributes, bool is_counted, Write write)
    {
        location_copy &to = of(data);
        if (to.takes_in_mpi(time, attributes, is_counted))
            to.note(write(to, to.out_, to.copied(attributes)), time);
        return OTF2_CALLBACK_SUCCESS;
    }

    static OTF2_CallbackCode enter(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                   OTF2_AttributeList *attributes, OTF2_RegionRef region)
    {
        location_copy &to = of(data);
        const bool is_taken = to.takes(time, attributes);
        if (to.is_over_)
            return OTF2_CALLBACK_SUCCESS;
        to.open_.push_back(to.region(region));
        if (is_taken)
            to.note(OTF2_EvtWriter_Enter(to.out_, to.copied(attributes), time, to.open_.back()), time);
        return OTF2_CALLBACK_SUCCESS;
    }

    static OTF2_CallbackCode leave(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                   OTF2_AttributeList *attributes, OTF2_RegionRef)
    {
        location_copy &to = of(data);
        if (to.takes(time, attributes) && !to.open_.empty())
            to.note(OTF2_EvtWriter_Leave(to.out_, to.copied(attributes), time, to.open_.back()), time);
        if (!to.open_.empty())
            to.open_.pop_back();
        return OTF2_CALLBACK_SUCCESS;
    }

    template <auto write>
    static OTF2_CallbackCode blocking(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                      OTF2_AttributeList *attributes, std::uint32_t peer, OTF2_CommRef comm,
                                      std::uint32_t tag, std::uint64_t length)
    {
        return put(data, time, attributes, true, [&](location_copy &to, OTF2_EvtWriter *out, OTF2_AttributeList *list) {
            return write(out, list, time, peer, to.comm(comm), tag, length);
        });
    }

    template <auto write>
    static OTF2_CallbackCode nonblocking(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                         OTF2_AttributeList *attributes, std::uint32_t peer, OTF2_CommRef comm,
                                         std::uint32_t tag, std::uint64_t length, std::uint64_t request)
    {
        return put(data, time, attributes, true, [&](location_copy &to, OTF2_EvtWriter *out, OTF2_AttributeList *list) {
            return write(out, list, time, peer, to.comm(comm), tag, length, request);
        });
    }

    template <auto write>
    static OTF2_CallbackCode request(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                     OTF2_AttributeList *attributes, std::uint64_t request)
    {
        return put(data, time, attributes, true, [&](location_copy &, OTF2_EvtWriter *out, OTF2_AttributeList *list) {
            return write(out, list, time, request);
        });
    }

    template <auto write, bool is_counted>
    static OTF2_CallbackCode collective_begin(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                              OTF2_AttributeList *attributes)
    {
        return put(data, time, attributes, is_counted, [&](location_copy &, OTF2_EvtWriter *out, OTF2_AttributeList *list) {
            return write(out, list, time);
        });
    }

    static OTF2_CallbackCode collective_end(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                            OTF2_AttributeList *attributes, OTF2_CollectiveOp operation, OTF2_CommRef comm,
                                            std::uint32_t root, std::uint64_t sent, std::uint64_t received)
    {
        return put(data, time, attributes, true, [&](location_copy &to, OTF2_EvtWriter *out, OTF2_AttributeList *list) {
            return OTF2_EvtWriter_MpiCollectiveEnd(out, list, time, operation, to.comm(comm), root, sent, received);
        });
    }

    static OTF2_CallbackCode collective_complete(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                                 OTF2_AttributeList *attributes, OTF2_CollectiveOp operation,
                                                 OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent,
                                                 std::uint64_t received, std::uint64_t request)
    {
        return put(data, time, attributes, true, [&](location_copy &to, OTF2_EvtWriter *out, OTF2_AttributeList *list) {
            return OTF2_EvtWriter_NonBlockingCollectiveComplete(out, list, time, operation, to.comm(comm), root, sent,
                                                                received, request);
        });
    }

    // Of a communicator or on a window, with what else the event has.
    template <auto write, auto moved, typename... More>
    static OTF2_CallbackCode of_number(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                       OTF2_AttributeList *attributes, std::uint32_t number, More... more)
    {
        return put(data, time, attributes, false, [&](location_copy &to, OTF2_EvtWriter *out, OTF2_AttributeList *list) {
            return write(out, list, time, (to.*moved)(number), more...);
        });
    }

    static OTF2_CallbackCode rma_end(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                     OTF2_AttributeList *attributes, OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level,
                                     OTF2_RmaWinRef window, std::uint32_t root, std::uint64_t sent, std::uint64_t received)
    {
        return put(data, time, attributes, false, [&](location_copy &to, OTF2_EvtWriter *out, OTF2_AttributeList *list) {
            return OTF2_EvtWriter_RmaCollectiveEnd(out, list, time, operation, level, to.window(window), root, sent,
                                                   received);
        });
    }

    static OTF2_CallbackCode group_sync(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                        OTF2_AttributeList *attributes, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,
                                        OTF2_GroupRef group)
    {
        return put(data, time, attributes, false, [&](location_copy &to, OTF2_EvtWriter *out, OTF2_AttributeList *list) {
            return OTF2_EvtWriter_RmaGroupSync(out, list, time, level, to.window(window), to.moved_group(group));
        });
    }

    // Of Tare's own, which have the same numbers in every archive.
    static OTF2_CallbackCode parameter(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                       OTF2_AttributeList *attributes, OTF2_ParameterRef number, std::uint64_t value)
    {
        return put(data, time, attributes, false, [&](location_copy &, OTF2_EvtWriter *out, OTF2_AttributeList *list) {
            return OTF2_EvtWriter_ParameterUnsignedInt(out, list, time, number, value);
        });
    }

    static void set_window_callbacks(OTF2_EvtReaderCallbacks *c)
    {
        OTF2_EvtReaderCallbacks_SetRmaWinCreateCallback(c, of_number<OTF2_EvtWriter_RmaWinCreate, &location_copy::window>);
        OTF2_EvtReaderCallbacks_SetRmaWinDestroyCallback(c, of_number<OTF2_EvtWriter_RmaWinDestroy, &location_copy::window>);
        OTF2_EvtReaderCallbacks_SetRmaCollectiveBeginCallback(c, collective_begin<OTF2_EvtWriter_RmaCollectiveBegin, false>);
        OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(c, rma_end);
        OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(c, group_sync);
        OTF2_EvtReaderCallbacks_SetRmaRequestLockCallback(c, of_number<OTF2_EvtWriter_RmaRequestLock, &location_copy::window>);
        OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(c, of_number<OTF2_EvtWriter_RmaReleaseLock, &location_copy::window>);
        OTF2_EvtReaderCallbacks_SetRmaSyncCallback(c, of_number<OTF2_EvtWriter_RmaSync, &location_copy::window>);
        OTF2_EvtReaderCallbacks_SetRmaPutCallback(c, of_number<OTF2_EvtWriter_RmaPut, &location_copy::window>);
        OTF2_EvtReaderCallbacks_SetRmaGetCallback(c, of_number<OTF2_EvtWriter_RmaGet, &location_copy::window>);
        OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(c, of_number<OTF2_EvtWriter_RmaAtomic, &location_copy::window>);
        OTF2_EvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback(c, of_number<OTF2_EvtWriter_RmaOpCompleteNonBlocking, &location_copy::window>);
        OTF2_EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(c, of_number<OTF2_EvtWriter_RmaOpCompleteRemote, &location_copy::window>);
        OTF2_EvtReaderCallbacks_SetRmaOpTestCallback(c, of_number<OTF2_EvtWriter_RmaOpTest, &location_copy::window>);
    }

    static OTF2_EvtReaderCallbacks *all()
    {
        OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
        set_window_callbacks(c);
        OTF2_EvtReaderCallbacks_SetEnterCallback(c, enter);
        OTF2_EvtReaderCallbacks_SetLeaveCallback(c, leave);
        OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, blocking<OTF2_EvtWriter_MpiSend>);
        OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, blocking<OTF2_EvtWriter_MpiRecv>);
        OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, nonblocking<OTF2_EvtWriter_MpiIsend>);
        OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, nonblocking<OTF2_EvtWriter_MpiIrecv>);
        OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, request<OTF2_EvtWriter_MpiIsendComplete>);
        OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(c, request<OTF2_EvtWriter_MpiIrecvRequest>);
        OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(c, request<OTF2_EvtWriter_MpiRequestTest>);
        OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(c, request<OTF2_EvtWriter_MpiRequestCancelled>);
        OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(c, collective_begin<OTF2_EvtWriter_MpiCollectiveBegin, true>);
        OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, collective_end);
        OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(
            c, request<OTF2_EvtWriter_NonBlockingCollectiveRequest>);
        OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(c, collective_complete);
        OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(c, parameter);
        OTF2_EvtReaderCallbacks_SetCommCreateCallback(c, of_number<OTF2_EvtWriter_CommCreate, &location_copy::comm>);
        OTF2_EvtReaderCallbacks_SetCommDestroyCallback(c, of_number<OTF2_EvtWriter_CommDestroy, &location_copy::comm>);
        return c;
    }
};

location_copy::location_copy(const copied_numbers &numbers, const copied_range &range, archive_out &to, OTF2_EvtWriter *out)
    : numbers_(numbers), range_(range), to_(to), out_(out), list_(OTF2_AttributeList_New())
{
}

std::uint32_t location_copy::region(OTF2_RegionRef number) const
{
    return number < numbers_.regions.size() ? numbers_.regions[number] : OTF2_UNDEFINED_REGION;
}

std::uint32_t location_copy::comm(OTF2_CommRef number) const
{
    return number < numbers_.comms.size() ? numbers_.comms[number] : OTF2_UNDEFINED_COMM;
}

std::uint32_t location_copy::window(OTF2_RmaWinRef number) const
{
    return number < numbers_.windows.size() ? numbers_.windows[number] : OTF2_UNDEFINED_RMA_WIN;
}

OTF2_StringRef location_copy::text(OTF2_StringRef number) const
{
    return number < numbers_.texts.size() ? numbers_.texts[number] : OTF2_UNDEFINED_STRING;
}

OTF2_GroupRef location_copy::moved_group(OTF2_GroupRef number) const
{
    return number < first_group || number == OTF2_UNDEFINED_GROUP ? number : number + numbers_.first_group;
}

OTF2_AttributeList *location_copy::copied(OTF2_AttributeList *attributes)
{
    for_each_attribute(attributes, [this](OTF2_AttributeRef reference, OTF2_Type type, OTF2_AttributeValue value) {
        if (type == OTF2_TYPE_STRING)
            value.stringRef = text(value.stringRef);
        OTF2_AttributeList_AddAttribute(list_.get(), reference, type, value);
    });
    return list_.get();
}

void location_copy::note(OTF2_ErrorCode code, std::uint64_t time_ns)
{
    if (code != OTF2_SUCCESS || has_error())
        failure_ = code != OTF2_SUCCESS ? code : OTF2_ERROR_FILE_INTERACTION;
    written_++;
    first_ns_ = std::min(first_ns_, time_ns);
    last_ns_ = std::max(last_ns_, time_ns);
}

// Whether an event at this time is in the range; the first that is, or is behind it, begins it.
bool location_copy::takes(std::uint64_t time_ns, OTF2_AttributeList *attributes)
{
    const bool is_before = time_ns < range_.from_ns, is_behind = time_ns > range_.to_ns;
    if (!is_before && !has_begun_)
        begin();
    if (is_behind && !is_over_)
        end();
    if (OTF2_AttributeList_TestAttributeByID(attributes, removed_attribute))
        OTF2_AttributeList_GetInt64(attributes, removed_attribute, &removed_ns_);
    latest_ns_ = time_ns;
    return !is_before && !is_over_ && failure_ == OTF2_SUCCESS;
}

bool location_copy::takes_in_mpi(std::uint64_t time_ns, OTF2_AttributeList *attributes, bool is_counted)
{
    const bool is_in_range = takes(time_ns, attributes);
    if (!is_counted)
        return is_in_range;
    const std::uint64_t number = counted_++;
    const bool is_left_out = at_left_out_ < range_.left_out_count && range_.left_out[at_left_out_] == number;
    at_left_out_ += is_left_out ? 1 : 0;
    return is_in_range && !is_left_out;
}

void location_copy::write_boundary(bool is_enter, std::uint64_t time_ns, std::uint32_t region)
{
    if (failure_ != OTF2_SUCCESS)
        return;
    OTF2_AttributeList_AddInt64(list_.get(), removed_attribute, removed_ns_);
    note((is_enter ? OTF2_EvtWriter_Enter : OTF2_EvtWriter_Leave)(out_, list_.get(), time_ns, region), time_ns);
}

void location_copy::begin()
{
    has_begun_ = true;
    for (const std::uint32_t region : open_)
        write_boundary(true, range_.from_ns, region);
}

void location_copy::end()
{
    is_over_ = true;
    const std::uint64_t time_ns = range_.to_ns == UINT64_MAX ? latest_ns_ : range_.to_ns;
    for (; !open_.empty(); open_.pop_back())
        write_boundary(false, time_ns, open_.back());
}

void location_copy::run(OTF2_Reader *reader, OTF2_LocationRef location, std::uint64_t events, const std::string &tried)
{
    if (events == 0)
        return;
    OTF2_EvtReader *in = must_have(OTF2_Reader_GetEvtReader(reader, location), tried);
    const std::unique_ptr<OTF2_EvtReaderCallbacks, delete_callbacks> callbacks(copy_calls::all());
    must(OTF2_Reader_RegisterEvtCallbacks(reader, in, callbacks.get(), this), tried);
    must(OTF2_EvtReader_ApplyMappingTables(in, true), tried);
    std::uint64_t count = 0;
    const OTF2_ErrorCode read = OTF2_Reader_ReadLocalEvents(reader, in, events, &count);
    if (failure_ != OTF2_SUCCESS)
        to_.check(failure_);
    must(read, tried);
    if (count < events)
        throw error(tried + ": " + std::to_string(count) + " of " + std::to_string(events) + " events are there");
    if (has_begun_ && !is_over_)
        end();
    to_.check(failure_);
    OTF2_Reader_CloseEvtReader(reader, in);
}

}  // namespace tare::trace
