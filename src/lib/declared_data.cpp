// SPDX-License-Identifier: BSD-3-Clause
// What the program says of its data, for a trace with TARE_TRACE_RECORDS=data: each is a region of its own, whose leave has
// the record; and for one with TARE_TRACE_RECORDS=pages.
#include "process.hpp"
#include "profile.hpp"
#include "region.hpp"
#include "state.hpp"
#include "tare_env_own.h"
#include "trace.hpp"
#include "used_pages.hpp"

#include <cstring>

namespace {

using namespace tare;

bool is_recorded(unsigned record)
{
    static const unsigned wished = tare_env_trace_records();
    return (wished & record) != 0 && is_traced() && switches.recording &&
           !switches.paused.load(std::memory_order_relaxed);
}

std::uint32_t number_of(const char *text)
{
    return text == nullptr || text[0] == '\0' ? TARE_TRACE_NONE : tare_measure_trace_text(text);
}

void record(std::uint32_t kind, std::uint32_t text, const tare_trace_buffer_t &memory)
{
    const thread_state *t = self.state;
    if (t == nullptr || t->trace == nullptr)
        return;
    tare_trace_record_t record{};
    record.event.of = text;
    record.event.kind = kind | TARE_TRACE_PARTS(kind == TARE_TRACE_DATA_NAME ? 0 : 1);
    std::memcpy(&record.message, &memory, sizeof memory);
    t->trace->add(record);
}

tare_trace_buffer_t memory_at(const void *start, std::size_t bytes)
{
    return {reinterpret_cast<std::uint64_t>(start), bytes, 0};
}

void record_named(tare_region_t *region, const char *name, const tare_trace_buffer_t &memory, const char *type)
{
    tare_enter(region);
    record(TARE_TRACE_DATA_NAME, number_of(name), {});
    record(TARE_TRACE_DATA, number_of(type), memory);
    tare_leave(region);
}

}  // namespace

extern "C" {

void tare_data(const char *name, const void *start, size_t bytes, const char *type)
{
    if (!is_recorded(TARE_RECORD_DATA) || name == nullptr)
        return;
    static tare_region_t *const region = find_or_make_region(profile::data_region, TARE_GROUP_USER);
    record_named(region, name, memory_at(start, bytes), type);
}

void tare_uses(const char *region, const void *start, size_t bytes)
{
    if (region == nullptr || bytes == 0)
        return;
    if (is_recorded(TARE_RECORD_PAGES))
        use_pages(region, start, bytes);
    if (!is_recorded(TARE_RECORD_DATA))
        return;
    static tare_region_t *const own_region = find_or_make_region(profile::uses_region, TARE_GROUP_USER);
    record_named(own_region, region, memory_at(start, bytes), nullptr);
}

void tare_copied(const void *to, const void *from, size_t bytes)
{
    if (!is_recorded(TARE_RECORD_DATA) || bytes == 0)
        return;
    static tare_region_t *const region = find_or_make_region(profile::copied_region, TARE_GROUP_USER);
    tare_enter(region);
    record(TARE_TRACE_SENT_BUFFER, TARE_TRACE_NONE, memory_at(from, bytes));
    record(TARE_TRACE_RECEIVED_BUFFER, TARE_TRACE_NONE, memory_at(to, bytes));
    tare_leave(region);
}

}  // extern "C"
