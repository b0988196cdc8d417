// SPDX-License-Identifier: BSD-3-Clause
#include "requests.hpp"

#include "handle_hash.hpp"
#include "item_pool.hpp"

namespace tare::pmpi::requests {
namespace {

// Without a trace nobody has told how many threads there are.
std::unique_lock<std::mutex> lock_table()
{
    static std::mutex changing;
    return state.concurrent || !state.traced ? std::unique_lock<std::mutex>(changing) : std::unique_lock<std::mutex>();
}

struct request_table {
    handle_table<MPI_Request, followed_request *> by_handle;
    item_pool<followed_request> pool;
    std::uint64_t numbers = 0;
};
request_table &table()
{
    static auto *t = new request_table;
    return *t;
}

// Only sends and collective calls are complete when they are made, and only their handles have a queue.
bool may_share_handle(const followed_request &r) { return r.sent_bytes >= 0 && !r.persistent; }

void drop_all(request_table &t, followed_request *first)
{
    while (first != nullptr) {
        followed_request *next = first->next;
        t.pool.give_back(first);
        first = next;
    }
}

void enqueue(request_table &t, MPI_Request request, followed_request *r)
{
    r->next = nullptr;
    r->last = r;
    followed_request *first = t.by_handle.put_if_new(request, r);
    if (__builtin_expect(first == nullptr, 1))
        return;
    if (may_share_handle(*first) && may_share_handle(*r)) {
        first->last = first->last->next = r;
        return;
    }
    // Its older owner is over, though nobody has seen that.
    drop_all(t, t.by_handle.take(request));
    t.by_handle.put(request, r);
}

followed_request *dequeue(request_table &t, MPI_Request request)
{
    followed_request *first = t.by_handle.take(request);
    if (__builtin_expect(first != nullptr && first->next != nullptr, 0)) {
        first->next->last = first->last;
        t.by_handle.put(request, first->next);
    }
    return first;
}

}  // namespace

std::uint64_t follow(MPI_Request request, const followed_request &what)
{
    const auto lock = lock_table();
    request_table &t = table();
    followed_request *r = t.pool.take();
    *r = what;
    const std::uint64_t number = r->number = ++t.numbers;
    enqueue(t, request, r);
    return number;
}

std::uint64_t next_number()
{
    const auto lock = lock_table();
    return ++table().numbers;
}

void forget(MPI_Request request)
{
    const auto lock = lock_table();
    request_table &t = table();
    if (followed_request *r = dequeue(t, request); r != nullptr)
        t.pool.give_back(r);
}

followed_request find(MPI_Request request)
{
    const auto lock = lock_table();
    const followed_request *r = table().by_handle.find(request);
    return r == nullptr ? followed_request{} : *r;
}

followed_request start(MPI_Request before, MPI_Request request)
{
    const auto lock = lock_table();
    request_table &t = table();
    followed_request *r = t.by_handle.find(before);
    if (r == nullptr || !r->persistent)
        return {};
    if (request != before)
        enqueue(t, request, dequeue(t, before));
    r->active = true;
    r->cancelled = false;
    r->number = ++t.numbers;
    return *r;
}

void cancel(MPI_Request request)
{
    const auto lock = lock_table();
    if (followed_request *r = table().by_handle.find(request); r != nullptr)
        r->cancelled = true;
}

void describe(MPI_Request request, const followed_request &as)
{
    const auto lock = lock_table();
    followed_request *r = table().by_handle.find(request);
    if (r == nullptr)
        return;
    r->comm = as.comm;
    r->peer = as.peer;
    r->tag = as.tag;
    r->address = as.address;
    r->span_bytes = as.span_bytes;
    r->is_traced = true;
}

void take(int count, const MPI_Request *requests, taken_request *taken)
{
    const auto lock = lock_table();
    request_table &t = table();
    for (int i = 0; i < count; i++) {
        followed_request *r = dequeue(t, requests[i]);
        taken[i] = {r, nullptr};
        if (__builtin_expect(r == nullptr || !r->persistent || r->active, 1))
            continue;
        enqueue(t, requests[i], r);
        taken[i].followed = nullptr;
    }
}

void put_back(int count, const MPI_Request *requests, const taken_request *taken)
{
    const auto lock = lock_table();
    request_table &t = table();
    for (int i = 0; i < count; i++) {
        followed_request *r = taken[i].followed;
        if (r == nullptr)
            continue;
        const bool has_ended = taken[i].ended != nullptr;
        r->active = r->persistent && !has_ended;
        if ((has_ended && !r->persistent) || requests[i] == MPI_REQUEST_NULL)
            t.pool.give_back(r);
        else
            enqueue(t, requests[i], r);
    }
}

}  // namespace tare::pmpi::requests
