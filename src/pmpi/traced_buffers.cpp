// SPDX-License-Identifier: BSD-3-Clause
#include "traced_buffers.hpp"

#include "handle_hash.hpp"
#include "thread_notes.hpp"
#include "traced.hpp"

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tare::pmpi::traced {
namespace {

constexpr std::uint32_t buffer_parts = 1;

struct recorded_buffer {
    tare_trace_buffer_t memory{};
    std::uint32_t type = TARE_TRACE_NONE;        // a text
    bool is_dense = false;
    std::uint32_t frame = TARE_TRACE_NONE;       // a text
};

struct kept_buffers {
    recorded_buffer sent, received;
    bool is_kept = false;

    bool operator!=(const kept_buffers &other) const { return is_kept != other.is_kept; }
};

struct kept_table {
    std::mutex changing;
    handle_table<MPI_Request, kept_buffers> by_request;
};
kept_table &kept()
{
    static auto *k = new kept_table;
    return *k;
}

// What the call in progress has named: a request that it makes may keep it.
thread_local recorded_buffer named_sent __attribute__((tls_model("initial-exec"))),
    named_received __attribute__((tls_model("initial-exec")));

void look_for_frame(recorded_buffer &b)
{
    if ((state.records & TARE_RECORD_STACK) == 0 || b.memory.span_bytes == 0)
        return;
    thread_notes &n = own_notes();
    if (n.frames == nullptr)
        n.frames = std::make_unique<stack_frames>();
    const stack_place place = n.frames->find(b.memory.address);
    b.frame = place.frame;
    b.memory.displacement = place.offset;
}

void write_frame(const recorded_buffer &b)
{
    tare_trace_record_t record;          // without parts
    record.event = {0, 0, b.frame, TARE_TRACE_STACK_FRAME};
    if (b.frame != TARE_TRACE_NONE)
        tare_measure_trace(&record, TARE_MOMENT_LEAVE);
}

void write_buffer(std::uint32_t kind, const recorded_buffer &b)
{
    if (b.memory.span_bytes == 0)
        return;
    write_frame(b);
    tare_trace_record_t record;          // no more of it than the parts is looked at
    record.event = {0, 0, b.type, kind | TARE_TRACE_PARTS(buffer_parts)};
    static_assert(sizeof record.message == sizeof b.memory);
    std::memcpy(&record.message, &b.memory, sizeof b.memory);
    tare_measure_trace(&record, TARE_MOMENT_LEAVE);
}

// Where they are recorded, and there are any in one piece.
void write_contents(const recorded_buffer &b)
{
    if ((state.records & TARE_RECORD_CONTENTS) == 0 || !b.is_dense || b.memory.span_bytes == 0)
        return;
    tare_trace_record_t record;
    record.event = {0, 0, TARE_TRACE_NONE, TARE_TRACE_CONTENTS | TARE_TRACE_PARTS(buffer_parts)};
    const tare_trace_contents_t contents = {
        XXH3_64bits(reinterpret_cast<const void *>(b.memory.address), b.memory.span_bytes), {0, 0}};
    static_assert(sizeof record.message == sizeof contents);
    std::memcpy(&record.message, &contents, sizeof contents);
    tare_measure_trace(&record, TARE_MOMENT_LEAVE);
}

}  // namespace

void sends_from(const span &memory, std::uint32_t type, bool is_dense)
{
    named_sent = {{memory.address, memory.bytes, 0}, type, is_dense};
    look_for_frame(named_sent);
    write_buffer(TARE_TRACE_SENT_BUFFER, named_sent);
}

void receives_into(const span &memory, std::uint32_t type, std::int64_t unit)
{
    named_received = {{memory.address, memory.bytes, unit}, type, false};
    if (unit == 0)
        look_for_frame(named_received);
    write_buffer(TARE_TRACE_RECEIVED_BUFFER, named_received);
}

void reaches(const span &memory, std::uint32_t type, std::int64_t displacement)
{
    write_buffer(TARE_TRACE_TARGET_BUFFER, {{memory.address, memory.bytes, displacement}, type, false});
}

const tare_trace_buffer_t &receives_where() { return named_received.memory; }

void record_contents() { write_contents(named_sent); }

void keep_buffers(MPI_Request request)
{
    if (!are_buffers_recorded())
        return;
    const std::lock_guard<std::mutex> lock(kept().changing);
    kept().by_request.take(request);
    kept().by_request.put(request, {named_sent, named_received, true});
}

void record_buffers(MPI_Request before, MPI_Request request)
{
    if (!are_buffers_recorded())
        return;
    kept_buffers found;
    {
        const std::lock_guard<std::mutex> lock(kept().changing);
        found = kept().by_request.take(before);
        if (!found.is_kept)
            return;
        kept().by_request.take(request);
        kept().by_request.put(request, found);
    }
    write_buffer(TARE_TRACE_SENT_BUFFER, found.sent);
    write_contents(found.sent);
    write_buffer(TARE_TRACE_RECEIVED_BUFFER, found.received);
}

namespace buffers {

named_anew::named_anew() { named_sent = named_received = {}; }

data data_of(const void *buffer, std::int64_t count, MPI_Datatype type)
{
    if (count <= 0 || type == MPI_DATATYPE_NULL)
        return {};
    const known_type t = type_of(type);
    return {span_of(buffer, count, t), t.text, t.is_dense};
}

// Of several types it is none.
void add(data &to, const data &more)
{
    if (more.memory.bytes == 0)
        return;
    to.type = to.memory.bytes == 0 || to.type == more.type ? more.type : TARE_TRACE_NONE;
    to.is_dense = false;
    to.memory.join(more.memory);
}

}  // namespace buffers

}  // namespace tare::pmpi::traced
