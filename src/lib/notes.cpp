// SPDX-License-Identifier: BSD-3-Clause
// What the PMPI layer has noted of its calls, on its way to the file beside the profile: places get their names, and
// what has one name is summed up. Until then it lies in the live file.
#include "arena.hpp"
#include "mpi_calls.hpp"
#include "process.hpp"
#include "site_name.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <utility>

namespace tare {
namespace {

std::atomic<tare_measure_collect_t> collector{nullptr};

static_assert(profile::elsewhere == TARE_WHOM_ELSEWHERE && profile::several == TARE_WHOM_SEVERAL &&
              profile::all_others == TARE_WHOM_ALL && profile::unknown == TARE_WHOM_UNKNOWN);

struct collection {
    profile::site_sums sites;
    profile::wait_sums waits;
    profile::rank_calls calls;
    std::map<int, profile::sent_messages> sent;
};

profile::call_site to_call_site(const tare_measure_site_t &s)
{
    profile::call_site c;
    c.function = s.function;
    c.site = symbols::name_of_site({s.module, s.offset, s.symbol, s.symbol_offset});
    c.calls = s.calls;
    c.sent_bytes = s.sent_bytes;
    c.received_bytes = s.received_bytes;
    c.time_ns = s.sum.time_ns;
    c.least_ns = s.least_ns;
    c.most_ns = s.most_ns;
    c.comp_ns = s.sum.time_ns - s.sum.delay_ns;
    c.wait_ns = s.sum.wait_ns;
    c.wait_comp_ns = s.sum.wait_compensated_ns;
    c.completed = s.completed;
    c.completion_ns = s.completion_ns;
    c.completion_comp_ns = s.completion_compensated_ns;
    return c;
}

static_assert(profile::orders == TARE_ORDERS &&
                  static_cast<int>(profile::message_order::wrong_same) == TARE_ORDER_WRONG_SAME &&
                  static_cast<int>(profile::message_order::wrong_different) == TARE_ORDER_WRONG_DIFFERENT,
              "one numbering of orders");

void waits_to_live(const tare_measure_notes_layout_t &l, live_notes_layout &r)
{
    r.waits = l.waits;
    r.wait_size = l.wait_size;
    r.wait_next = l.wait_next;
    r.wait_function = l.wait_function;
    r.wait_whom = l.wait_whom;
    r.wait_order = l.wait_order;
    r.wait_calls = l.wait_calls;
    r.wait_measured = l.wait_measured;
    r.wait_without_delay = l.wait_without_delay;
}

live_notes_layout to_live(const tare_measure_notes_layout_t &l)
{
    live_notes_layout r{};
    r.size = l.size;
    r.messages = l.messages;
    r.bytes = l.bytes;
    r.classes = TARE_SIZE_CLASSES;
    r.sites = l.sites;
    r.next = l.next;
    r.site_size = l.site_size;
    r.site_next = l.site_next;
    r.function = l.function;
    r.module = l.module;
    r.symbol = l.symbol;
    r.offset = l.offset;
    r.symbol_offset = l.symbol_offset;
    r.calls = l.calls;
    r.sent_bytes = l.sent_bytes;
    r.received_bytes = l.received_bytes;
    r.time = l.time;
    r.least = l.least;
    r.most = l.most;
    r.delay = l.delay;
    r.wait = l.wait;
    r.wait_compensated = l.wait_compensated;
    r.completed = l.completed;
    r.completion = l.completion;
    r.completion_compensated = l.completion_compensated;
    r.peers = l.peers;
    r.peer_size = l.peer_size;
    r.peer_next = l.peer_next;
    r.peer_rank = l.peer_rank;
    r.peer_messages = l.peer_messages;
    r.peer_bytes = l.peer_bytes;
    r.peer_least = l.peer_least;
    r.peer_most = l.peer_most;
    r.peer_squares = l.peer_squares;
    waits_to_live(l, r);
    return r;
}

// The list's head is stored last. All threads' notes have one layout.
void put_in_front(void *notes, const tare_measure_notes_layout_t &layout)
{
    static std::mutex showing;
    const std::lock_guard<std::mutex> lock(showing);
    live_header &h = *arena_header();
    h.notes_layout = to_live(layout);
    std::memcpy(static_cast<char *>(notes) + layout.next, &h.notes, sizeof h.notes);
    __atomic_store_n(&h.notes, address_of(notes), __ATOMIC_RELEASE);
}

}  // namespace

notes collect_notes(process &p)
{
    const tare_measure_collect_t collect = collector.load(std::memory_order_acquire);
    if (collect == nullptr)
        return {};
    profile::thread described;
    described.metadata = describe(p);
    collection all;
    all.calls.rank = p.rank;
    all.calls.ranks = p.ranks;
    all.calls.run_id = p.run_id;
    all.calls.mode = described.attribute(profile::key::mode);
    all.calls.rule = described.attribute(profile::key::rule);
    collect(&all);
    all.calls.sites = all.sites.list();
    all.calls.waits = all.waits.list();
    notes found{std::move(all.calls), {}};
    for (const auto &[to, messages] : all.sent)
        found.sent.push_back(messages);
    return found;
}

}  // namespace tare

using namespace tare;

extern "C" {

void tare_measure_notes_from(tare_measure_collect_t collect) { collector.store(collect, std::memory_order_release); }

void tare_measure_add_site(void *to, const tare_measure_site_t *site)
{
    static_cast<collection *>(to)->sites.add(to_call_site(*site));
}

void tare_measure_add_peer(void *to, const tare_measure_peer_t *peer)
{
    profile::sent_messages &sum = static_cast<collection *>(to)->sent[peer->rank];
    sum.to = peer->rank;
    profile::add(sum, {peer->rank, peer->messages, peer->bytes, peer->least_bytes, peer->most_bytes, peer->squares});
}

void tare_measure_add_waiting(void *to, const tare_measure_waiting_t *waiting)
{
    profile::waiting w;
    w.whom = waiting->whom;
    w.order = static_cast<profile::message_order>(waiting->order);
    w.function = waiting->function;
    w.calls = waiting->calls;
    w.wait_ns = waiting->wait_ns;
    w.wait_comp_ns = waiting->wait_compensated_ns;
    static_cast<collection *>(to)->waits.add(w);
}

void *tare_measure_note_memory(size_t bytes) { return arena_take(bytes); }

int tare_measure_is_kept(const void *memory) { return arena_keeps(memory); }

void tare_measure_show_notes(void *notes, const tare_measure_notes_layout_t *layout)
{
    if (arena_keeps(notes))
        put_in_front(notes, *layout);
}

void tare_measure_add_messages(void *to, int size_class, int64_t messages, int64_t bytes)
{
    profile::message_class &c = static_cast<collection *>(to)->calls.sizes[static_cast<std::size_t>(size_class)];
    c.messages += messages;
    c.bytes += bytes;
}

}  // extern "C"
