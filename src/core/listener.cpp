// SPDX-License-Identifier: BSD-3-Clause
#include "listener.hpp"

#include "arrival.hpp"

namespace {

const tare_listener_t *listener;

const tare_listener_t *who_listens() noexcept
{
    return tare::is_anybody_told() ? __atomic_load_n(&listener, __ATOMIC_ACQUIRE) : nullptr;
}

// On this process's clock, as it came.
bool has_time_here(const tare_edge_t &e) noexcept
{
    return (tare_wire_flags(e.wire) & TARE_WIRE_TIME_VALID) && !(e.flags & TARE_EDGE_SHORT) &&
           (tare::is_on_common_clock(e) || (e.flags & TARE_EDGE_OWN));
}

tare_stamp_event_t event_of(const tare_edge_t &e) noexcept
{
    const std::int64_t sent_ns = has_time_here(e) ? tare_wire_time_near_ns(e.wire, tare::clock_ns()) : 0;
    return {tare_wire_delay_ns(e.wire), sent_ns, e.peer, e.size_class};
}

}  // namespace

void tare::tell_of_stamp(const tare_edge_t &e) noexcept
{
    const tare_listener_t *l = who_listens();
    if (l == nullptr || l->stamp == nullptr || !tare_is_active(&e.wire))
        return;
    const tare_stamp_event_t event = event_of(e);
    tare_self.muted++;
    l->stamp(&event);
    tare_self.muted--;
}

void tare::tell_of_wait(const tare_thread_t &th, const tare_edge_t &edge, std::int64_t entered_ns,
                        std::int64_t ended_ns, std::int64_t delay_before_ns) noexcept
{
    const tare_listener_t *l = who_listens();
    if (l == nullptr || l->wait == nullptr || th.delay_ns == delay_before_ns)
        return;
    const tare_wait_event_t event{entered_ns,     ended_ns,       delay_before_ns, th.delay_ns,
                                  th.delay_lo_ns, th.delay_hi_ns, event_of(edge)};
    tare_self.muted++;
    l->wait(&event);
    tare_self.muted--;
}

// A process may become active at the same time (set_active): who comes second sees what the first has written.
void tare_core_listen(const tare_listener_t *l)
{
    __atomic_store_n(&listener, l, __ATOMIC_RELEASE);
    if (l == nullptr) {
        __atomic_and_fetch(&tare_global.account_waits, ~TARE_LISTENED, __ATOMIC_SEQ_CST);
        __atomic_and_fetch(&tare_global.active, ~TARE_LISTENED, __ATOMIC_SEQ_CST);
        return;
    }
    __atomic_or_fetch(&tare_global.account_waits, TARE_LISTENED, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&tare_global.active, __ATOMIC_SEQ_CST) != 0)
        __atomic_or_fetch(&tare_global.active, TARE_LISTENED, __ATOMIC_SEQ_CST);
}
