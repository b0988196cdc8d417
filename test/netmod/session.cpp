// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace session {

using layout::kind;

namespace {

char pattern(std::size_t at)
{
    return static_cast<char>(at * 7 + (at >> 8) * 13 + 1);
}

}  // namespace

void fill(char *data, std::size_t bytes)
{
    for (std::size_t i = 0; i < bytes; ++i)
        data[i] = pattern(i);
}

bool is_filled(const side& s, const char *data, std::size_t bytes, std::uint64_t number)
{
    const std::size_t ends = bytes >= 2 * sizeof number ? sizeof number : bytes;
    return is_marked(data, bytes, number) &&
           (bytes < 2 * sizeof number || std::memcmp(data + ends, s.out + ends, bytes - 2 * ends) == 0);
}

namespace {

// Worked out for every layout, also where it is not sent, so that only what a layout does with it differs.
layout::carried at_hand(std::uint64_t number)
{
    layout::carried c = layout::carried_by(number);
    asm volatile("" : "+r"(c.delay_ns), "+r"(c.time_ns));
    return c;
}

// A wrong message ends the run: no time of it is printed.
template <kind k>
void expect(const side& s, const fabric::request& r, const char *data, const order& o, std::uint64_t number)
{
    const layout::carried c = at_hand(number);
    const char *wrong = layout::difference<k>(r.entry, c, 1 - s.rank);
    if (!wrong)
        wrong = layout::stamp_difference<k>(r, c);
    if (!wrong && (r.error != 0 || r.entry.len != o.bytes + layout::extra_bytes(k)))
        wrong = "the length";
    if (!wrong && !is_marked(data, o.bytes, number))
        wrong = "the data";
    if (__builtin_expect(wrong != nullptr, 0))
        fabric::die("%s of a message of %zu bytes (%s) did not arrive as sent", wrong, o.bytes,
                    layout::names[static_cast<int>(k)]);
}

void expect_all_data(const side& s, const char *data, const order& o, std::uint64_t number)
{
    if (!is_filled(s, data, o.bytes, number))
        fabric::die("the data of a message of %zu bytes did not arrive as sent", o.bytes);
}

template <kind k>
void send_number(side& s, fabric::request& r, char *data, std::size_t bytes, std::uint64_t number)
{
    mark(data, bytes, number);
    layout::send<k>(r, data, bytes, at_hand(number), s.rank);
}

template <kind k>
void send_blocking(side& s, const order& o, std::uint64_t number)
{
    send_number<k>(s, s.sent, s.out, o.bytes, number);
    fabric::wait(s.sent);
}

template <kind k>
void receive_blocking(side& s, const order& o, std::uint64_t number)
{
    layout::post<k>(s.received, s.in, o.bytes);
    fabric::wait(s.received);
    expect<k>(s, s.received, s.in, o, number);
}

template <kind k>
void round_trips(side& s, const order& o, std::uint64_t number, int count)
{
    for (int i = 0; i < count; ++i, ++number) {
        if (s.rank == 0)
            send_blocking<k>(s, o, number);
        receive_blocking<k>(s, o, number);
        if (s.rank == 1)
            send_blocking<k>(s, o, number);
    }
}

// Both have prepared their memory, and are awake.
void meet(side& s)
{
    round_trips<kind::plain>(s, {task::ping_pong, kind::plain, arrival::posted, 0, 0, 0}, 0, 3);
}

class stopwatch {
public:
    double seconds() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// --- windows ---

std::size_t slot(const order& o, int i)
{
    return static_cast<std::size_t>(i) * ((o.bytes + 63) & ~std::size_t{63});
}

template <kind k>
void send_window(side& s, const order& o, std::uint64_t number)
{
    for (int i = 0; i < in_flight(o.bytes); ++i)
        send_number<k>(s, s.requests[i], s.out + slot(o, i), o.bytes, number + static_cast<std::uint64_t>(i));
    for (int i = 0; i < in_flight(o.bytes); ++i)
        fabric::wait(s.requests[i]);
}

template <kind k>
void post_window(side& s, const order& o)
{
    for (int i = 0; i < in_flight(o.bytes); ++i)
        layout::post<k>(s.requests[i], s.in + slot(o, i), o.bytes);
}

template <kind k>
void expect_window(side& s, const order& o, std::uint64_t number)
{
    for (int i = 0; i < in_flight(o.bytes); ++i) {
        fabric::wait(s.requests[i]);
        expect<k>(s, s.requests[i], s.in + slot(o, i), o, number + static_cast<std::uint64_t>(i));
    }
}

template <kind k>
void answer(side& s, std::uint64_t number)
{
    const order nothing = {task::ping_pong, k, arrival::posted, 0, 0, 0};
    if (s.rank == 1)
        send_blocking<k>(s, nothing, number);
    else
        receive_blocking<k>(s, nothing, number);
}

template <kind k>
void windows(side& s, const order& o)
{
    std::uint64_t number = o.number;
    for (int left = o.messages; left > 0; --left, number += most_in_flight) {
        if (s.rank == 0) {
            send_window<k>(s, o, number);
        } else {
            expect_window<k>(s, o, number);
            if (left > 1)
                post_window<k>(s, o);
        }
        answer<k>(s, number);
    }
}

}  // namespace

double ping_pong(side& s, const order& o)
{
    fill(s.out, o.bytes);
    std::memset(s.in, 0, o.bytes);
    meet(s);
    const stopwatch watch;
    layout::with(o.layout, [&](auto k) { round_trips<k>(s, o, o.number, o.messages); });
    const double seconds = watch.seconds();
    expect_all_data(s, s.in, o, o.number + static_cast<std::uint64_t>(o.messages) - 1);
    return seconds / o.messages / 2;
}

double window(side& s, const order& o)
{
    const int last = in_flight(o.bytes) - 1;
    for (int i = 0; i <= last; ++i)
        fill(s.out + slot(o, i), o.bytes);
    std::memset(s.in, 0, slot(o, last + 1));
    meet(s);
    if (s.rank == 1)
        layout::with(o.layout, [&](auto k) { post_window<k>(s, o); });
    s.rank == 1 ? s.other.signal() : s.other.await_signal();
    const stopwatch watch;
    layout::with(o.layout, [&](auto k) { windows<k>(s, o); });
    const double seconds = watch.seconds();
    const std::uint64_t first = o.number + static_cast<std::uint64_t>(o.messages - 1) * most_in_flight;
    for (int i = 0; i <= last && s.rank == 1; ++i)
        expect_all_data(s, s.in + slot(o, i), o, first + static_cast<std::uint64_t>(i));
    return seconds / o.messages / (last + 1);
}

// --- who says what comes next ---

namespace {

double run(side& s, const order& o)
{
    alarm(order_limit_s);
    return o.what == task::window ? window(s, o) : ping_pong(s, o);
}

}  // namespace

double lead(side& s, const order& o)
{
    s.other.put(&o, sizeof o);
    return o.what == task::end ? 0 : run(s, o);
}

verdict lead_check(side& s, const order& o)
{
    alarm(order_limit_s);
    s.other.put(&o, sizeof o);
    return check(s, o);
}

void follow(side& s)
{
    for (;;) {
        order o;
        alarm(0);
        s.other.get(&o, sizeof o);
        alarm(order_limit_s);
        if (o.what == task::end)
            return;
        if (o.what == task::check)
            check(s, o);
        else
            run(s, o);
    }
}

}  // namespace session
