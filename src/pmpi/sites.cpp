// SPDX-License-Identifier: BSD-3-Clause
#include "loaded_place.hpp"
#include "site_name.hpp"
#include "thread_notes.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

namespace tare::pmpi {
namespace {

std::atomic<thread_notes *> newest_thread{nullptr};

void collect(void *to);

constexpr tare_measure_notes_layout_t describe()
{
    tare_measure_notes_layout_t l{};
    l.size = sizeof(thread_notes);
    l.messages = offsetof(thread_notes, messages);
    l.bytes = offsetof(thread_notes, bytes);
    l.sites = offsetof(thread_notes, newest_kept);
    l.next = offsetof(thread_notes, next_kept);
    l.site_size = sizeof(site);
    l.site_next = offsetof(site, older);
    l.function = offsetof(site, function);
    l.module = offsetof(site, module);
    l.symbol = offsetof(site, symbol);
    l.offset = offsetof(site, offset);
    l.symbol_offset = offsetof(site, symbol_offset);
    l.calls = offsetof(site, calls);
    l.sent_bytes = offsetof(site, sent_bytes);
    l.received_bytes = offsetof(site, received_bytes);
    l.time = offsetof(site, time_ns);
    l.least = offsetof(site, least_ns);
    l.most = offsetof(site, most_ns);
    l.delay = offsetof(site, delay_ns);
    l.wait = offsetof(site, wait_ns);
    l.wait_compensated = offsetof(site, wait_compensated_ns);
    l.completed = offsetof(site, completed);
    l.completion = offsetof(site, completion_ns);
    l.completion_compensated = offsetof(site, completion_compensated_ns);
    l.peers = offsetof(thread_notes, newest_peer_kept);
    l.peer_size = sizeof(peer);
    l.peer_next = offsetof(peer, older);
    l.peer_rank = offsetof(peer, rank);
    l.peer_messages = offsetof(peer, messages);
    l.peer_bytes = offsetof(peer, bytes);
    l.peer_least = offsetof(peer, least_bytes);
    l.peer_most = offsetof(peer, most_bytes);
    l.peer_squares = offsetof(peer, squares);
    l.waits = offsetof(thread_notes, newest_wait_kept);
    l.wait_size = sizeof(waiting);
    l.wait_next = offsetof(waiting, older);
    l.wait_whom = offsetof(waiting, whom);
    l.wait_order = offsetof(waiting, order);
    l.wait_function = offsetof(waiting, function);
    l.wait_calls = offsetof(waiting, calls);
    l.wait_measured = offsetof(waiting, wait_ns);
    l.wait_without_delay = offsetof(waiting, wait_compensated_ns);
    return l;
}

constexpr tare_measure_notes_layout_t layout = describe();

}  // namespace

void *take_note_memory(std::size_t bytes)
{
    void *memory = tare_measure_note_memory(bytes);
    if (memory == nullptr)
        std::abort();
    return memory;
}

const char *put_text(char *&at, const char *text)
{
    const char *copy = std::strcpy(at, text);
    at += std::strlen(text) + 1;
    return copy;
}

// Notes outlive their thread: they belong to the profile of the process.
__attribute__((noinline, cold)) thread_notes *begin_notes()
{
    const int saved_errno = errno;
    auto *n = new (take_note_memory(sizeof(thread_notes))) thread_notes;
    tare_measure_show_notes(n, &layout);
    n->older = newest_thread.load(std::memory_order_relaxed);
    while (!newest_thread.compare_exchange_weak(n->older, n, std::memory_order_release, std::memory_order_relaxed)) {
    }
    self.notes = n;
    tare_measure_notes_from(collect);
    errno = saved_errno;
    return n;
}

namespace {

void grow(thread_notes &n)
{
    n.mask = 2 * n.mask + 1;
    n.slots.reset(new site *[n.mask + 1]());
    for (site *s = n.newest.load(std::memory_order_relaxed); s != nullptr; s = s->older)
        n.slot_of(s->caller, s->which) = s;
}

// Calls from one module come one after the other.
const char *module_text(thread_notes &n, const std::string &module)
{
    if (n.module == nullptr || module != n.module)
        n.module = std::strcpy(static_cast<char *>(take_note_memory(module.size() + 1)), module.c_str());
    return n.module;
}

// The other texts are behind the site.
site *make_site(thread_notes &n, const void *caller, call which)
{
    const symbols::loaded_place place = symbols::place_of_return(caller);
    const char *function = facts[static_cast<unsigned>(which)].region;
    const char *module = module_text(n, place.module);
    void *memory = take_note_memory(sizeof(site) + std::strlen(function) + place.symbol.size() + 2);
    auto *s = new (memory) site(caller, which);
    char *at = reinterpret_cast<char *>(s + 1);
    s->function = put_text(at, function);
    s->symbol = put_text(at, place.symbol.c_str());
    s->module = module;
    s->offset = place.offset;
    s->symbol_offset = place.symbol_offset;
    return s;
}

__attribute__((noinline, cold)) site *begin_site(thread_notes &n, const void *caller, call which)
{
    const int saved_errno = errno;
    if (2 * (n.count + 1) > n.mask)
        grow(n);
    site *s = make_site(n, caller, which);
    n.slot_of(caller, which) = s;
    n.count++;
    s->older = n.newest.load(std::memory_order_relaxed);
    n.newest.store(s, std::memory_order_release);
    if (tare_measure_is_kept(s))
        n.newest_kept.store(s, std::memory_order_release);
    errno = saved_errno;
    return s;
}

// A process is one peer, by whichever communicators its messages go.
peer *begin_peer(thread_notes &n, int rank)
{
    auto *p = new (take_note_memory(sizeof(peer))) peer(rank);
    p->older = n.newest_peer.load(std::memory_order_relaxed);
    n.newest_peer.store(p, std::memory_order_release);
    if (tare_measure_is_kept(p))
        n.newest_peer_kept.store(p, std::memory_order_release);
    return p;
}

peer *find_peer(const thread_notes &n, int rank)
{
    peer *p = n.newest_peer.load(std::memory_order_relaxed);
    while (p != nullptr && p->rank != rank)
        p = p->older;
    return p;
}

__attribute__((noinline, cold)) peer &learn_peer_in_world(thread_notes &n, int rank)
{
    const int saved_errno = errno;
    peer *p = find_peer(n, rank);
    if (p == nullptr)
        p = begin_peer(n, rank);
    n.peers.put(MPI_COMM_NULL, rank, p);
    errno = saved_errno;
    return *p;
}

peer &in_world(thread_notes &n, int rank)
{
    peer *p = n.peers.find(MPI_COMM_NULL, rank);
    return __builtin_expect(p == nullptr, 0) ? learn_peer_in_world(n, rank) : *p;
}

__attribute__((noinline, cold)) peer &learn_peer(thread_notes &n, MPI_Comm comm, int rank)
{
    peer &p = in_world(n, world_rank_of(comm, rank));
    n.peers.put(comm, rank, &p);
    return p;
}

// 0 for no data, else one more than the power of two below.
int size_class_of(std::int64_t bytes)
{
    return bytes <= 0 ? 0 : 64 - __builtin_clzll(static_cast<unsigned long long>(bytes));
}

void add_site(void *to, const site &s)
{
    tare_measure_site_t t{};
    t.function = s.function;
    t.module = s.module;
    t.offset = s.offset;
    t.symbol = s.symbol;
    t.symbol_offset = s.symbol_offset;
    t.calls = s.calls.value();
    t.sent_bytes = s.sent_bytes.value();
    t.received_bytes = s.received_bytes.value();
    t.least_ns = s.least_ns.value();
    t.most_ns = std::max(t.least_ns, s.most_ns.value());
    t.sum = {s.time_ns.value(), s.delay_ns.value(), s.wait_ns.value(), s.wait_compensated_ns.value(), 0, 0};
    t.completed = s.completed.value();
    t.completion_ns = s.completion_ns.value();
    t.completion_compensated_ns = s.completion_compensated_ns.value();
    if (t.calls > 0)
        tare_measure_add_site(to, &t);
}

// While its thread runs, the mean may be of one message more or less.
void add_peer(void *to, const peer &p)
{
    tare_measure_peer_t t{};
    t.rank = static_cast<int>(p.rank);
    t.messages = p.messages.value();
    if (t.messages == 0)
        return;
    t.bytes = p.bytes.value();
    t.least_bytes = std::min(p.least_bytes.value(), t.bytes / t.messages);
    t.most_bytes = std::max(p.most_bytes.value(), (t.bytes + t.messages - 1) / t.messages);
    t.squares = p.squares.load(std::memory_order_relaxed);
    tare_measure_add_peer(to, &t);
}

std::uint32_t define_text(const site &s)
{
    return tare_measure_trace_text(symbols::text_of_site({s.module, s.offset, s.symbol, s.symbol_offset}).c_str());
}

void add_waiting(void *to, const waiting &w)
{
    tare_measure_waiting_t t{};
    t.whom = static_cast<int>(w.whom);
    t.order = static_cast<int>(w.order);
    t.function = w.function;
    t.calls = w.calls.value();
    t.wait_ns = w.wait_ns.value();
    t.wait_compensated_ns = w.wait_compensated_ns.value();
    if (t.calls > 0)
        tare_measure_add_waiting(to, &t);
}

void collect(void *to)
{
    for (thread_notes *n = newest_thread.load(std::memory_order_acquire); n != nullptr; n = n->older) {
        for (site *s = n->newest.load(std::memory_order_acquire); s != nullptr; s = s->older)
            add_site(to, *s);
        for (int i = 0; i < TARE_SIZE_CLASSES; i++)
            tare_measure_add_messages(to, i, n->messages[i].value(), n->bytes[i].value());
        for (peer *p = n->newest_peer.load(std::memory_order_acquire); p != nullptr; p = p->older)
            add_peer(to, *p);
        for (waiting *w = n->newest_wait.load(std::memory_order_acquire); w != nullptr; w = w->older)
            add_waiting(to, *w);
    }
}

}  // namespace

site &note_call(const void *caller, call which, const tare_measure_spent_t &spent, const moved_bytes &moved)
{
    thread_notes &n = own_notes();
    site *s = n.slot_of(caller, which);
    if (__builtin_expect(s == nullptr, 0))
        s = begin_site(n, caller, which);
    if (spent.time_ns < s->least_ns.value())
        s->least_ns.set(spent.time_ns);
    if (spent.time_ns > s->most_ns.value())
        s->most_ns.set(spent.time_ns);
    s->sent_bytes.add(moved.sent);
    s->received_bytes.add(moved.received);
    s->time_ns.add(spent.time_ns);
    s->delay_ns.add(spent.delay_ns);
    s->wait_ns.add(spent.wait_ns);
    s->wait_compensated_ns.add(spent.wait_compensated_ns);
    s->calls.add(1);
    return *s;
}

void record_site(const void *caller, call which)
{
    site &s = *own_notes().slot_of(caller, which);
    if (s.text == TARE_TRACE_NONE)
        s.text = define_text(s);
    tare_trace_record_t record;          // without parts
    record.event = {0, 0, s.text, TARE_TRACE_SITE};
    if (s.text != TARE_TRACE_NONE)
        tare_measure_trace(&record, TARE_MOMENT_LEAVE);
}

void note_message(peer &to, std::int64_t bytes)
{
    thread_notes &n = own_notes();
    const int i = size_class_of(bytes);
    n.messages[i].add(1);
    n.bytes[i].add(bytes);
    to.add(bytes);
}

peer &peer_of(MPI_Comm comm, int rank)
{
    thread_notes &n = own_notes();
    peer *p = n.peers.find(comm, rank);
    return __builtin_expect(p == nullptr, 0) ? learn_peer(n, comm, rank) : *p;
}

peer &peer_in_world(int rank) { return in_world(own_notes(), rank); }

aside_notes::aside_notes() : own_(self.notes)
{
    static thread_notes *const aside = new thread_notes;
    self.notes = aside;
}

aside_notes::~aside_notes() { self.notes = own_; }

}  // namespace tare::pmpi
