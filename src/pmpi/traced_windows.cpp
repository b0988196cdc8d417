// SPDX-License-Identifier: BSD-3-Clause
#include "traced_windows.hpp"

#include "handle_hash.hpp"
#include "known_comms.hpp"
#include "peers.hpp"
#include "requests.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace tare::pmpi::traced {
namespace {

constexpr std::uint32_t message_parts = 1, atomic_parts = 2;

// Not complete everywhere.
struct open_operation {
    std::uint64_t number;
    int target;
    bool brings_back;
    bool is_at_origin;
    bool is_over;                        // and stays until there are many
};

struct known_window {
    window_summary summary;
    std::vector<open_operation> open;    // by number
    std::size_t over = 0;                // of those
};

struct window_tables {
    std::mutex changing;
    handle_table<MPI_Win, known_window *> by_handle;
    std::vector<std::unique_ptr<known_window>> by_number;        // nullptr: it was freed
    std::uint64_t operations = 0;
};
window_tables &windows()
{
    static auto *w = new window_tables;
    return *w;
}

tare_trace_record_t record_of(std::uint32_t kind, std::uint32_t window, const tare_trace_message_t &message)
{
    tare_trace_record_t record{};
    record.event.of = window;
    record.event.kind = kind;
    record.message = message;
    return record;
}

// --- with the lock held ---

void end_at_origin(const known_window &w, open_operation &o)
{
    if (!o.is_at_origin)
        write_on_window(TARE_TRACE_RMA_COMPLETE, w.summary.number, {0, o.number, 0, 0}, TARE_MOMENT_LEAVE);
    o.is_at_origin = true;
}

void end_everywhere(known_window &w, open_operation &o)
{
    end_at_origin(w, o);
    write_on_window(TARE_TRACE_RMA_COMPLETE_REMOTE, w.summary.number, {0, o.number, 0, 0}, TARE_MOMENT_LEAVE);
    o.is_over = true;
    w.over++;
}

void end(known_window &w, open_operation &o, completed how)
{
    if (how == completed::everywhere || o.brings_back)
        return end_everywhere(w, o);
    end_at_origin(w, o);
    o.is_over = how == completed::at_origin_for_good;
    w.over += o.is_over;
}

void drop_those_over(known_window &w)
{
    if (2 * w.over < w.open.size())
        return;
    w.open.erase(std::remove_if(w.open.begin(), w.open.end(), [](const open_operation &o) { return o.is_over; }),
                 w.open.end());
    w.over = 0;
}

known_window *numbered(std::uint32_t number)
{
    return number < windows().by_number.size() ? windows().by_number[number].get() : nullptr;
}

void define(MPI_Win win, const window_summary &s)
{
    auto &all = windows().by_number;
    if (all.size() <= s.number)
        all.resize(std::size_t{s.number} + 1);
    all[s.number] = std::make_unique<known_window>();
    all[s.number]->summary = s;
    windows().by_handle.take(win);       // of one that another thread is freeing
    windows().by_handle.put(win, all[s.number].get());
}

std::uint32_t group_number(MPI_Group group)
{
    std::vector<std::uint32_t> ranks;
    return world_ranks_of(group, ranks) ? tare_measure_trace_group(ranks.data(), static_cast<std::uint32_t>(ranks.size()))
                                        : TARE_TRACE_NONE;
}

void set_group(MPI_Win win, MPI_Group group, std::uint32_t window_summary::*which)
{
    const std::uint32_t number = group_number(group);
    const std::lock_guard<std::mutex> lock(windows().changing);
    if (known_window *w = windows().by_handle.find(win); w != nullptr)
        w->summary.*which = number;
}

}  // namespace

void write_on_window(std::uint32_t kind, std::uint32_t window, const tare_trace_message_t &message,
                     enum tare_measure_moment when)
{
    const tare_trace_record_t record = record_of(kind | TARE_TRACE_PARTS(message_parts), window, message);
    tare_measure_trace(&record, when);
}

window_summary summary_of_window(MPI_Win win)
{
    const std::lock_guard<std::mutex> lock(windows().changing);
    const known_window *w = windows().by_handle.find(win);
    return w == nullptr ? window_summary{} : w->summary;
}

void window_made(MPI_Comm comm, MPI_Win win, bool is_allocated)
{
    std::uint64_t identity;
    const known::comm_summary on = known::summary_of(comm);
    if (!known::identity_of_window_on(comm, identity))
        return;
    const tare_trace_definition_t definition = {TARE_TRACE_WINDOW, 0, nullptr, identity, on.number, TARE_TRACE_NONE,
                                                TARE_TRACE_NONE, 1, ""};
    window_summary s;
    s.number = tare_measure_trace_define(&definition);
    s.rank = on.rank;
    s.is_allocated = is_allocated;
    const std::lock_guard<std::mutex> lock(windows().changing);
    if (s.number != TARE_TRACE_NONE)
        define(win, s);
}

void window_named(MPI_Win win, const char *name)
{
    if (const std::uint32_t number = summary_of_window(win).number; number != TARE_TRACE_NONE)
        tare_measure_trace_name(TARE_TRACE_WINDOW, number, name);
}

void window_freed(MPI_Win win, std::uint32_t number)
{
    const std::lock_guard<std::mutex> lock(windows().changing);
    known_window *w = numbered(number);
    if (w == nullptr)
        return;
    if (windows().by_handle.find(win) == w)
        windows().by_handle.take(win);
    windows().by_number[number].reset();
}

void window_started(MPI_Win win, MPI_Group group) { set_group(win, group, &window_summary::access); }
void window_posted(MPI_Win win, MPI_Group group) { set_group(win, group, &window_summary::exposure); }

void begin_operation(MPI_Win win, const window_operation &operation, const MPI_Request *request)
{
    std::uint32_t window;
    std::uint64_t number;
    {
        const std::lock_guard<std::mutex> lock(windows().changing);
        known_window *w = windows().by_handle.find(win);
        if (w == nullptr)
            return;
        window = w->summary.number;
        number = ++windows().operations;
        w->open.push_back({number, operation.target, operation.brings_back(), false, false});
    }
    const bool is_get = operation.kind == TARE_TRACE_RMA_GET;
    const auto bytes = static_cast<std::uint64_t>(is_get ? operation.received : operation.sent);
    tare_trace_record_t record = record_of(operation.kind, window, {bytes, number, operation.target, operation.atomic});
    record.more.received.bytes = static_cast<std::uint64_t>(operation.received);
    record.event.kind |= TARE_TRACE_PARTS(operation.kind == TARE_TRACE_RMA_ATOMIC ? atomic_parts : message_parts);
    tare_measure_trace(&record, TARE_MOMENT_ENTER);
    if (request == nullptr)
        return;
    followed_request r;
    r.sent_bytes = operation.sent;
    r.window = window;
    r.operation = number;
    r.is_traced = true;
    requests::follow(*request, r);
}

void complete_operations(MPI_Win win, int target, completed how)
{
    const std::lock_guard<std::mutex> lock(windows().changing);
    known_window *w = windows().by_handle.find(win);
    if (w == nullptr)
        return;
    for (open_operation &o : w->open)
        if (!o.is_over && (target == all_targets || target == o.target))
            end(*w, o, how);
    drop_those_over(*w);
}

void complete_operation(std::uint32_t window, std::uint64_t number)
{
    const std::lock_guard<std::mutex> lock(windows().changing);
    known_window *w = numbered(window);
    if (w == nullptr)
        return;
    const auto o = std::lower_bound(w->open.begin(), w->open.end(), number,
                                    [](const open_operation &a, std::uint64_t wanted) { return a.number < wanted; });
    if (o == w->open.end() || o->number != number || o->is_over)
        return;
    end(*w, *o, completed::at_origin);
    drop_those_over(*w);
}

void test_operation(std::uint32_t window, std::uint64_t number)
{
    write_on_window(TARE_TRACE_RMA_TEST, window, {0, number, 0, 0}, TARE_MOMENT_LEAVE);
}

}  // namespace tare::pmpi::traced
