// SPDX-License-Identifier: BSD-3-Clause
// One message after the other, each arriving as asked for; the receiver judges everything that it can see of it.
#include <chrono>
#include <cstdio>

#include "session.hpp"

namespace session {

using layout::kind;

namespace {

constexpr auto settle_time = std::chrono::microseconds(500);

// Every second message has a bit of MPICH's protocol in its tag.
std::uint64_t more_tag(std::uint64_t number)
{
    return number % 2 ? layout::sync_send : 0;
}

bool is_posted_first(const order& o)
{
    return o.how == arrival::posted || o.how == arrival::truncated;
}

// What has been sent has surely arrived.
void settle()
{
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < settle_time)
        fabric::progress();
}

template <kind k>
void send_one(side& s, const order& o, std::uint64_t number)
{
    if (is_posted_first(o))
        s.other.await_signal();
    mark(s.out, o.bytes, number);
    layout::send<k>(s.sent, s.out, o.bytes, layout::carried_by(number), s.rank, more_tag(number));
    if (!is_posted_first(o))
        s.other.signal();
    fabric::wait(s.sent);
    s.other.await_signal();
}

std::size_t room(const order& o)
{
    return o.how == arrival::truncated ? o.bytes / 2 : o.bytes;
}

template <kind k>
const char *probed(fabric::request& r, const order& o, std::uint64_t number)
{
    fabric::probe(r, layout::base_tag, layout::ignored(k), o.how == arrival::claimed ? FI_CLAIM : 0);
    if (r.entry.len != o.bytes + layout::extra_bytes(k))
        return "the length that a probe sees";
    return layout::difference<k>(r.entry, layout::carried_by(number), 0, more_tag(number))
               ? "what a probe sees in completion data or tag"
               : nullptr;
}

template <kind k>
const char *received(const side& s, const order& o, std::uint64_t number)
{
    const fabric::request& r = s.received;
    const layout::carried c = layout::carried_by(number);
    if (r.error != (o.how == arrival::truncated ? FI_ETRUNC : 0))
        return r.error ? fi_strerror(r.error) : "the error of a message that was too long";
    if (o.how != arrival::truncated && r.entry.len != o.bytes + layout::extra_bytes(k))
        return "the length";
    if (const char *wrong = layout::difference<k>(r.entry, c, 0, more_tag(number)))
        return wrong;
    if (const char *wrong = layout::stamp_difference<k>(r, c))
        return wrong;
    return o.how == arrival::truncated || is_filled(s, s.in, o.bytes, number) ? nullptr : "the data";
}

template <kind k>
const char *receive_one(side& s, const order& o, std::uint64_t number)
{
    fabric::request& r = s.received;
    const char *wrong = nullptr;
    std::memset(s.in, 0, o.bytes);
    r.stamp = {};
    if (!is_posted_first(o)) {
        s.other.await_signal();
        settle();
    }
    if (o.how == arrival::probed || o.how == arrival::claimed)
        wrong = probed<k>(r, o, number);
    layout::post<k>(r, s.in, room(o), o.how == arrival::claimed ? FI_CLAIM : 0);
    if (is_posted_first(o))
        s.other.signal();
    fabric::wait(r);
    s.other.signal();
    return wrong ? wrong : received<k>(s, o, number);
}

template <kind k>
verdict run(side& s, const order& o)
{
    verdict v{};
    fill(s.out, o.bytes);
    for (int i = 0; i < o.messages; ++i) {
        const std::uint64_t number = o.number + static_cast<std::uint64_t>(i);
        const char *wrong = nullptr;
        if (s.rank == 0)
            send_one<k>(s, o, number);
        else
            wrong = receive_one<k>(s, o, number);
        if (wrong && !v.difference[0])
            std::snprintf(v.difference, sizeof v.difference, "%s", wrong);
    }
    return v;
}

}  // namespace

verdict check(side& s, const order& o)
{
    verdict v = layout::with(o.layout, [&](auto k) { return run<k>(s, o); });
    if (s.rank == 1)
        s.other.put(&v, sizeof v);
    else
        s.other.get(&v, sizeof v);
    return v;
}

}  // namespace session
