// SPDX-License-Identifier: BSD-3-Clause
#include "call_records.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace tare::trace {
namespace {

bool is_sent_with(std::uint32_t kind)
{
    switch (kind) {
    case TARE_TRACE_SEND:
    case TARE_TRACE_ISEND:
    case TARE_TRACE_COLLECTIVE_END:
    case TARE_TRACE_COLLECTIVE_REQUEST:
    case TARE_TRACE_RMA_PUT:
    case TARE_TRACE_RMA_ATOMIC:
    case TARE_TRACE_LEAVE: return true;
    default: return false;
    }
}

bool is_received_with(std::uint32_t kind)
{
    switch (kind) {
    case TARE_TRACE_RECV:
    case TARE_TRACE_IRECV_REQUEST:
    case TARE_TRACE_COLLECTIVE_END:
    case TARE_TRACE_COLLECTIVE_REQUEST:
    case TARE_TRACE_RMA_GET:
    case TARE_TRACE_RMA_ATOMIC:
    case TARE_TRACE_WINDOW_CREATE:
    case TARE_TRACE_LEAVE: return true;
    default: return false;
    }
}

OTF2_ErrorCode add_text(OTF2_AttributeList *list, OTF2_AttributeRef attribute, std::uint32_t text)
{
    return text == TARE_TRACE_NONE ? OTF2_SUCCESS : OTF2_AttributeList_AddStringRef(list, attribute, text);
}

OTF2_ErrorCode first_error(std::initializer_list<OTF2_ErrorCode> codes)
{
    for (const OTF2_ErrorCode code : codes)
        if (code != OTF2_SUCCESS)
            return code;
    return OTF2_SUCCESS;
}

}  // namespace

call_records::buffer &call_records::buffer_of(std::uint32_t kind)
{
    switch (kind) {
    case TARE_TRACE_SENT_BUFFER: return sent_;
    case TARE_TRACE_RECEIVED_BUFFER: return received_;
    case TARE_TRACE_TARGET_BUFFER: return target_;
    default: return data_;
    }
}

std::uint32_t call_records::take(const tare_trace_event_t *event)
{
    const std::uint32_t kind = TARE_TRACE_KIND(event->kind);
    if (kind == TARE_TRACE_SITE) {
        site_ = event->of;
    } else if (kind == TARE_TRACE_DATA_NAME) {
        name_ = event->of;
    } else if (kind == TARE_TRACE_STACK_FRAME) {
        frame_ = event->of;
    } else if (kind == TARE_TRACE_CONTENTS) {
        tare_trace_contents_t contents;
        std::memcpy(&contents, event + 1, sizeof contents);
        contents_ = contents.hash;
        return 0;
    } else if (kind == TARE_TRACE_COUNTERS) {
        tare_trace_counters_t now;
        std::memcpy(&now, event + 1, sizeof now);
        std::copy(std::begin(now.value), std::end(now.value), counters_);
        counted_ |= now.known & ((UINT64_C(1) << TARE_TRACE_COUNTED) - 1);
        return 0;
    } else if (kind == TARE_TRACE_PAGES) {
        tare_trace_pages_t seen;
        std::memcpy(&seen, event + 1, sizeof seen);
        counters_[TARE_COUNTER_TOUCHED] = seen.first_touched;
        counters_[TARE_COUNTER_MIGRATED] = seen.migrated;
        counters_[TARE_COUNTER_FAR] = seen.remote;
        counted_ |= UINT64_C(7) << TARE_COUNTER_TOUCHED;
        return 0;
    } else {
        buffer &b = buffer_of(kind);
        std::memcpy(&b.memory, event + 1, sizeof b.memory);
        b.type = event->of;
        b.frame = frame_;
        b.is_there = true;
        frame_ = TARE_TRACE_NONE;
    }
    return event->of == TARE_TRACE_NONE ? 0 : event->of + 1;
}

OTF2_ErrorCode call_records::add(OTF2_AttributeList *list, buffer &b, OTF2_AttributeRef address, OTF2_AttributeRef span,
                                 OTF2_AttributeRef type)
{
    if (!b.is_there)
        return OTF2_SUCCESS;
    b.is_there = false;
    return first_error({OTF2_AttributeList_AddUint64(list, address, b.memory.address),
                        OTF2_AttributeList_AddUint64(list, span, b.memory.span_bytes), add_text(list, type, b.type)});
}

OTF2_ErrorCode call_records::add_frame(OTF2_AttributeList *list, const buffer &b, OTF2_AttributeRef frame,
                                       OTF2_AttributeRef offset)
{
    if (!b.is_there || b.frame == TARE_TRACE_NONE)
        return OTF2_SUCCESS;
    return first_error({add_text(list, frame, b.frame), OTF2_AttributeList_AddInt64(list, offset, b.memory.displacement)});
}

// Where an operation goes, or what a window counts in.
OTF2_ErrorCode call_records::add_on_window(OTF2_AttributeList *list, std::uint32_t kind)
{
    if (kind == TARE_TRACE_WINDOW_CREATE)
        return received_.is_there ? OTF2_AttributeList_AddInt64(list, unit_attribute, received_.memory.displacement)
                                  : OTF2_SUCCESS;
    if (kind < TARE_TRACE_RMA_PUT || kind > TARE_TRACE_RMA_ATOMIC || !target_.is_there)
        return OTF2_SUCCESS;
    return first_error({OTF2_AttributeList_AddInt64(list, displacement_attribute, target_.memory.displacement),
                        add(list, target_, target_offset_attribute, target_span_attribute, target_type_attribute)});
}

OTF2_ErrorCode call_records::add_to(OTF2_AttributeList *list, std::uint32_t event_kind)
{
    const std::uint32_t kind = TARE_TRACE_KIND(event_kind);
    OTF2_ErrorCode code = add_on_window(list, kind);
    if (is_sent_with(kind))
        code = first_error({code, add_frame(list, sent_, send_frame_attribute, send_frame_offset_attribute),
                            add(list, sent_, send_address_attribute, send_span_attribute, send_type_attribute)});
    if (is_received_with(kind))
        code = first_error(
            {code, add_frame(list, received_, receive_frame_attribute, receive_frame_offset_attribute),
             add(list, received_, receive_address_attribute, receive_span_attribute, receive_type_attribute)});
    if (contents_)
        code = first_error({code, add_contents(list, kind)});
    return kind == TARE_TRACE_LEAVE ? first_error({code, add_to_leave(list)}) : code;
}

// Behind the leave of its call it is nobody's.
OTF2_ErrorCode call_records::add_contents(OTF2_AttributeList *list, std::uint32_t kind)
{
    const bool is_sent = kind == TARE_TRACE_SEND || kind == TARE_TRACE_ISEND || kind == TARE_TRACE_RMA_PUT;
    const std::uint64_t contents = *contents_;
    if (is_sent || kind == TARE_TRACE_LEAVE)
        contents_.reset();
    return is_sent ? OTF2_AttributeList_AddUint64(list, contents_attribute, contents) : OTF2_SUCCESS;
}

OTF2_ErrorCode call_records::add_counters(OTF2_AttributeList *list)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (std::uint32_t i = 0; counted_ >> i != 0; i++)
        if (counted_ >> i & 1)
            code = first_error({code, OTF2_AttributeList_AddUint64(list, first_counter_attribute + i, counters_[i])});
    counted_ = 0;
    return code;
}

OTF2_ErrorCode call_records::add_to_leave(OTF2_AttributeList *list)
{
    const std::uint32_t site = site_, name = data_.is_there ? name_ : TARE_TRACE_NONE;
    site_ = name_ = TARE_TRACE_NONE;
    return first_error({add_text(list, site_attribute, site), add_text(list, data_name_attribute, name),
                        add(list, data_, data_address_attribute, data_span_attribute, data_type_attribute)});
}

}  // namespace tare::trace
