// SPDX-License-Identifier: BSD-3-Clause
// What TARE_TRACE_RECORDS has recorded of a thread's call, until the event comes that it is told with, as attributes.
#ifndef TARE_TRACE_CALL_RECORDS_HPP
#define TARE_TRACE_CALL_RECORDS_HPP

#include "definitions.hpp"

#include <initializer_list>
#include <optional>

namespace tare::trace {

constexpr bool is_call_record(std::uint32_t kind)
{
    const std::uint32_t number = TARE_TRACE_KIND(kind);
    return number >= TARE_TRACE_SITE && number <= TARE_TRACE_STACK_FRAME;
}

class call_records {
  public:
    // With the part that follows it. The number of texts that must be there for it.
    std::uint32_t take(const tare_trace_event_t *event);
    // Those that belong to an event of this kind, not ENTER.
    OTF2_ErrorCode add_to(OTF2_AttributeList *list, std::uint32_t kind);
    // Those of an enter or leave.
    OTF2_ErrorCode add_counters(OTF2_AttributeList *list);

  private:
    struct buffer {
        tare_trace_buffer_t memory;
        std::uint32_t type;
        std::uint32_t frame;             // NONE: it is not on a stack
        bool is_there;
    };

    OTF2_ErrorCode add(OTF2_AttributeList *list, buffer &b, OTF2_AttributeRef address, OTF2_AttributeRef span,
                       OTF2_AttributeRef type);
    // Before that, which forgets it.
    static OTF2_ErrorCode add_frame(OTF2_AttributeList *list, const buffer &b, OTF2_AttributeRef frame, OTF2_AttributeRef offset);

    OTF2_ErrorCode add_on_window(OTF2_AttributeList *list, std::uint32_t kind);
    OTF2_ErrorCode add_to_leave(OTF2_AttributeList *list);
    OTF2_ErrorCode add_contents(OTF2_AttributeList *list, std::uint32_t kind);
    buffer &buffer_of(std::uint32_t kind);

    std::uint32_t site_ = TARE_TRACE_NONE, name_ = TARE_TRACE_NONE, frame_ = TARE_TRACE_NONE;
    buffer sent_{}, received_{}, target_{}, data_{};
    std::optional<std::uint64_t> contents_;
    std::uint64_t counters_[TARE_COUNTERS];
    std::uint64_t counted_ = 0;          // a bit for each
};

}  // namespace tare::trace

#endif
