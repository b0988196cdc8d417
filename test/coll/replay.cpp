// SPDX-License-Identifier: BSD-3-Clause
#include "replay.hpp"

#include <algorithm>
#include <cstdio>
#include <mpi.h>

namespace coll {

namespace {

recording told;
MPI_T_event_registration handles[2];

template <typename Event> void note(std::vector<Event> &all, MPI_T_event_instance instance)
{
    Event e;
    MPI_T_event_copy(instance, &e);
    all.push_back(e);
}

void note_stamp(MPI_T_event_instance i, MPI_T_event_registration, MPI_T_cb_safety, void *) { note(told.stamps, i); }
void note_wait(MPI_T_event_instance i, MPI_T_event_registration, MPI_T_cb_safety, void *) { note(told.waits, i); }

void listen(const char *name, MPI_T_event_registration &handle, MPI_T_event_cb_function callback)
{
    int index = 0;
    if (MPI_T_event_get_index(name, &index) == MPI_SUCCESS &&
        MPI_T_event_handle_alloc(index, nullptr, MPI_INFO_NULL, &handle) == MPI_SUCCESS &&
        MPI_T_event_register_callback(handle, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, nullptr, callback) ==
            MPI_SUCCESS)
        return;
    fprintf(stderr, "coll: the MPI library has no event %s\n", name);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

// The rule again, from what one wait was told: the edge was ready after it was sent, and when the wait ended.
const char *judge_wait(const tare_wait_event_t &w, std::int64_t delay_ns)
{
    if (w.delay_before_ns != delay_ns)
        return "a delay has changed without a wait";
    const std::int64_t own = w.entered_ns - w.delay_before_ns, latest = w.ended_ns - w.edge.delay_ns;
    const std::int64_t earliest = w.edge.sent_ns != 0 ? w.edge.sent_ns - w.edge.delay_ns : own;
    if (w.ended_ns < w.entered_ns || w.delay_ns < w.ended_ns - std::max(own, latest) ||
        w.delay_ns > w.ended_ns - std::max(own, earliest))
        return "a wait's delay is not what its edge gives";
    return nullptr;
}

const char *judge_rank(const part &p)
{
    std::int64_t delay = p.delay_before_ns;
    for (const tare_wait_event_t &w : p.told->waits) {
        if (const char *why = judge_wait(w, delay))
            return why;
        delay = w.delay_ns;
    }
    if (delay != p.delay_ns)
        return "the delay at the end is not that of the last wait";
    for (const tare_stamp_event_t &s : p.told->stamps)
        if (s.sent_ns - s.delay_ns > p.left_ns - p.delay_ns)
            return "an edge that has come was not joined";
    return nullptr;
}

// At the very moment when a wait ends both delays are its: a message may have been sent just before, or just behind.
bool has_delay_at(const part &p, std::int64_t delay_ns, std::int64_t when_ns)
{
    std::int64_t delay = p.delay_before_ns, since = INT64_MIN;
    for (const tare_wait_event_t &w : p.told->waits) {
        if (delay == delay_ns && since <= when_ns && when_ns <= w.ended_ns)
            return true;
        delay = w.delay_ns;
        since = w.ended_ns;
    }
    return delay == delay_ns && since <= when_ns;
}

// Answers and gathered flags have what several gave; cells may have been freed long ago.
bool has_a_thread_s_delay(const tare_stamp_event_t &s, std::int64_t begin_ns)
{
    return s.size_class >= TARE_CLASS_EAGER && s.size_class < TARE_CLASS_DATA && s.sent_ns >= begin_ns;
}

}  // namespace

void begin_recording()
{
    told = {};
    listen("tare_stamp_arrived", handles[0], note_stamp);
    listen("tare_wait_adjusted", handles[1], note_wait);
}

recording end_recording()
{
    for (MPI_T_event_registration &h : handles)
        MPI_T_event_handle_free(h, nullptr, nullptr);
    return told;
}

verdict replay(const std::vector<part> &parts, bool is_by_threads)
{
    verdict v{};
    std::int64_t begin = INT64_MAX;
    for (const part &p : parts)
        begin = std::min(begin, p.entered_ns);
    for (v.rank = 0; v.rank < static_cast<int>(parts.size()); v.rank++) {
        const part &p = parts[static_cast<std::size_t>(v.rank)];
        v.wrong = judge_rank(p);
        for (const tare_stamp_event_t &s : p.told->stamps) {
            if (!is_by_threads || v.wrong != nullptr || !has_a_thread_s_delay(s, begin))
                continue;
            const bool is_true = std::any_of(parts.begin(), parts.end(), [&s](const part &sender) {
                return has_delay_at(sender, s.delay_ns, s.sent_ns);
            });
            v.edges += is_true;
            if (!is_true)
                v.wrong = "an edge has a delay that no rank had when it was sent";
        }
        if (v.wrong != nullptr)
            return v;
    }
    return v;
}

}  // namespace coll
