// SPDX-License-Identifier: BSD-3-Clause
#include "awaited.hpp"

#include "thread_notes.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>

namespace tare::pmpi {
namespace awaits {
namespace {

// Threads may write one slot at the same time: what does not fit together then is not known. Nor is what stands there
// since before a communicator was freed, because its handle may be another one's.
class slot {
  public:
    void put(std::uint64_t request, std::uint64_t comm, std::uint64_t who)
    {
        comm_.store(comm, std::memory_order_relaxed);
        who_.store(who, std::memory_order_relaxed);
        check_.store(check_of(request, comm, who), std::memory_order_relaxed);
    }
    bool get(std::uint64_t request, std::uint64_t &comm, std::uint64_t &who) const
    {
        comm = comm_.load(std::memory_order_relaxed);
        who = who_.load(std::memory_order_relaxed);
        return check_.load(std::memory_order_relaxed) == check_of(request, comm, who);
    }

  private:
    // Not 0 for what has never been put.
    static std::uint64_t check_of(std::uint64_t request, std::uint64_t comm, std::uint64_t who)
    {
        return ((((comm + peer_index::freed()) * hash_factor) ^ who) * hash_factor ^ request) + 1;
    }

    std::atomic<std::uint64_t> comm_{0}, who_{0}, check_{0};
};

constexpr unsigned index_bits = 10;
slot slots[1 << index_bits];

slot &slot_of(std::uint64_t request) { return slots[request * hash_factor >> (64 - index_bits)]; }

}  // namespace

void remember_bits(std::uint64_t request, const awaited &whom)
{
    const std::uint64_t rank = static_cast<std::uint32_t>(whom.rank);
    slot_of(request).put(request, handle_bits(whom.comm), rank << 32 | whom.who);
}

awaited find_bits(std::uint64_t request)
{
    std::uint64_t comm, who;
    awaited found;
    if (!slot_of(request).get(request, comm, who))
        return found;
    found.who = static_cast<awaited::kind>(static_cast<std::uint32_t>(who));
    found.rank = static_cast<int>(who >> 32);
    std::memcpy(&found.comm, &comm, sizeof found.comm);
    return found;
}

// A sender is known by its rank in a communicator, and the core and MPI have other numbers for that: where requests of two
// communicators name the rank it may be either.
awaited waitall::operator()(const tare_sent_t &last) const
{
    const awaited several{awaited::several, MPI_PROC_NULL, MPI_COMM_NULL};
    if (last.sent_ns == TARE_SENT_NONE || !has_all_)
        return several;
    const auto sender = static_cast<int>(last.peer & UINT32_MAX);
    awaited found = several;
    for (int i = 0; i < requests_.count(); i++) {
        awaited one = find_bits(handle_bits(requests_[i]));
        if (one.rank == MPI_ANY_SOURCE && statuses_ == MPI_STATUSES_IGNORE)
            return several;
        if (one.rank == MPI_ANY_SOURCE)
            one.rank = statuses_[i].MPI_SOURCE;
        if (one.who != awaited::one || one.rank != sender)
            continue;
        if (found.who == awaited::one && found.comm != one.comm)
            return several;
        found = one;
    }
    return found;
}

}  // namespace awaits

namespace {

// One rank in MPI_COMM_WORLD, or of tare_measure_whom; and the beginning of the list of waits for it.
struct who_and_waits {
    std::int64_t whom;
    waiting *&waits;
};

who_and_waits for_many(thread_notes &n, std::int64_t whom)
{
    return {whom, n.waits_for_many[TARE_WHOM_SEVERAL - whom]};
}

// Nobody is waited for by a message to or from MPI_PROC_NULL.
who_and_waits resolve(thread_notes &n, const awaited &whom)
{
    if (whom.who == awaited::all || whom.who == awaited::several)
        return for_many(n, whom.who == awaited::all ? TARE_WHOM_ALL : TARE_WHOM_SEVERAL);
    if (whom.who == awaited::unknown || whom.rank < 0)
        return for_many(n, TARE_WHOM_UNKNOWN);
    peer &p = peer_of(whom.comm, whom.rank);
    if (whom.who == awaited::root && p.rank == state.rank)
        return for_many(n, TARE_WHOM_ALL);
    return {p.rank, p.waits};
}

__attribute__((noinline, cold)) waiting &begin_waiting(thread_notes &n, const who_and_waits &who, call which,
                                                       tare_measure_order order)
{
    const int saved_errno = errno;
    const char *function = facts[static_cast<unsigned>(which)].region;
    auto *w = new (take_note_memory(sizeof(waiting) + std::strlen(function) + 1)) waiting(who.whom, which, order);
    char *at = reinterpret_cast<char *>(w + 1);
    w->function = put_text(at, function);
    w->in_other_call = who.waits;
    who.waits = w;
    w->older = n.newest_wait.load(std::memory_order_relaxed);
    n.newest_wait.store(w, std::memory_order_release);
    if (tare_measure_is_kept(w))
        n.newest_wait_kept.store(w, std::memory_order_release);
    errno = saved_errno;
    return *w;
}

waiting &find_waiting(thread_notes &n, const who_and_waits &who, call which,
                      tare_measure_order order = TARE_ORDER_KEPT)
{
    for (waiting *w = who.waits; w != nullptr; w = w->in_other_call)
        if (w->which == which && w->order == order)
            return *w;
    return begin_waiting(n, who, which, order);
}

// --- the order of messages ---

std::uint64_t context_of(const tare_sent_t &sent) { return sent.peer >> 32; }

void remember_late(late_messages &late, const tare_sent_t &sent, const tare_measure_spent_t &spent, waiting &counted)
{
    late.waits[late.count++ % late_messages::most] = {sent, spent.wait_ns, spent.wait_compensated_ns, &counted};
    late.latest_ns = std::max(late.latest_ns, sent.sent_ns);
}

// The list of waits that this one is in.
who_and_waits whom_of(thread_notes &n, const waiting &w)
{
    return w.whom <= TARE_WHOM_SEVERAL ? for_many(n, w.whom)
                                       : who_and_waits{w.whom, peer_in_world(static_cast<int>(w.whom)).waits};
}

void count_elsewhere(thread_notes &n, late_message &late, tare_measure_order order)
{
    waiting &before = *late.counted, &now = find_waiting(n, whom_of(n, before), before.which, order);
    before.add(-1, -late.wait_ns, -late.wait_compensated_ns);
    now.add(1, late.wait_ns, late.wait_compensated_ns);
    late.counted = &now;
}

// A message that the same process has sent says more than one that another has.
void look_at_order(thread_notes &n, late_message &late, const tare_sent_t &first)
{
    if (first.sent_ns >= late.sent.sent_ns || context_of(first) != context_of(late.sent))
        return;
    const tare_measure_order order = first.peer == late.sent.peer ? TARE_ORDER_WRONG_SAME : TARE_ORDER_WRONG_DIFFERENT;
    if (late.counted->order == TARE_ORDER_KEPT || (late.counted->order != order && order == TARE_ORDER_WRONG_SAME))
        count_elsewhere(n, late, order);
}

}  // namespace

void note_wait(call which, const tare_measure_spent_t &spent, const awaited &whom, const tare_sent_t &sent)
{
    thread_notes &n = own_notes();
    waiting &w = find_waiting(n, resolve(n, whom), which);
    w.add(1, spent.wait_ns, spent.wait_compensated_ns);
    if (sent.sent_ns != TARE_SENT_NONE)
        remember_late(n.late, sent, spent, w);
}

void note_order(const tare_sent_t &first)
{
    thread_notes &n = own_notes();
    if (__builtin_expect(first.sent_ns >= n.late.latest_ns, 1))
        return;
    for (unsigned i = 0; i < std::min(n.late.count, late_messages::most); i++)
        look_at_order(n, n.late.waits[i], first);
}

}  // namespace tare::pmpi
