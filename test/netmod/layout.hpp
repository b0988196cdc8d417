// SPDX-License-Identifier: BSD-3-Clause
// The ways to carry a delay with a tagged message. Each is known when compiled, as it would be in libmpi.
//
//   completion data    62            22 21     20 19       0
//                     +----------------+---------+----------+    plain: no delay; with bit 63 sends above 4 KiB hung
//                     |   delay_ns     |  error  |   rank   |    on libfabric 1.17's shm provider
//                     +----------------+---------+----------+
//   tag                62       55 54      51 50      31 30      0
//                     +-----------+----------+----------+---------+
//                     | delay_ns  | protocol | context  |   tag   |    cq_data_tag only: the upper 8 bits of 49;
//                     +-----------+----------+----------+---------+    the provider net keeps bit 63 for itself
//   prefix             16 bytes before the data
#pragma once

#include <cstring>
#include <type_traits>

#include "fabric.hpp"

namespace layout {

enum class kind { plain, cq_data, cq_data_tag, prefix, prefix_iov };
constexpr int kinds = 5;
constexpr const char *names[kinds] = {"plain", "cq_data", "cq_data_tag", "prefix", "prefix_iov"};

constexpr int delay_shift = 22;
constexpr int tag_delay_shift = 55;
constexpr int cq_delay_bits = 63 - delay_shift;
constexpr std::uint64_t base_tag = UINT64_C(0x5a5a5) << 31 | 0x2345678;
constexpr std::uint64_t protocol = UINT64_C(7) << 52;   // not compared by a receive
constexpr std::uint64_t sync_send = UINT64_C(1) << 52;  // one of the protocol's bits
constexpr int tag_delay_bits = 8;
constexpr std::uint64_t tag_delay = UINT64_C(0xff) << tag_delay_shift;
constexpr std::size_t largest_copy = 2048;  // of a prefixed message into a buffer on the stack

constexpr bool has_prefix(kind k) { return k == kind::prefix || k == kind::prefix_iov; }
constexpr std::size_t extra_bytes(kind k) { return has_prefix(k) ? sizeof(fabric::prefix) : 0; }
constexpr std::uint64_t ignored(kind k) { return protocol | (k == kind::cq_data_tag ? tag_delay : 0); }

// What a message carries: other bits in each.
struct carried {
    std::int64_t delay_ns;
    std::uint64_t time_ns;
};

inline carried carried_by(std::uint64_t number)
{
    const std::uint64_t mixed = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return {static_cast<std::int64_t>(mixed ^ mixed >> 29), mixed * 3};
}

// Low bits of a number with a sign.
constexpr std::int64_t low(std::int64_t value, int bits)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << (64 - bits)) >> (64 - bits);
}

template <kind k>
std::uint64_t cq_data(const carried& c, int rank)
{
    const std::uint64_t source = static_cast<std::uint64_t>(rank);
    if constexpr (k == kind::cq_data || k == kind::cq_data_tag)
        return source | static_cast<std::uint64_t>(c.delay_ns) << delay_shift << 1 >> 1;
    return source;
}

template <kind k>
std::uint64_t tag(const carried& c)
{
    if constexpr (k == kind::cq_data_tag)
        return base_tag | (static_cast<std::uint64_t>(c.delay_ns) >> cq_delay_bits << tag_delay_shift & tag_delay);
    (void)c;
    return base_tag;
}

// --- sending ---

inline void inject(const void *data, std::size_t bytes, std::uint64_t cq, std::uint64_t tag)
{
    using fabric::self;
    fabric::retry("fi_tinjectdata", [&] { return fi_tinjectdata(self.ep, data, bytes, cq, self.peer, tag); });
}

inline void send_later(fabric::request& r, const void *data, std::size_t bytes, std::uint64_t cq, std::uint64_t tag)
{
    using fabric::self;
    fabric::retry("fi_tsenddata", [&] {
        return fi_tsenddata(self.ep, data, bytes, nullptr, cq, self.peer, tag, &r.context);
    });
}

inline void send_iov(fabric::request& r, const void *data, std::size_t bytes, std::uint64_t cq, std::uint64_t tag)
{
    using fabric::self;
    r.iov[0] = {&r.stamp, sizeof r.stamp};
    r.iov[1] = {const_cast<void *>(data), bytes};
    const fi_msg_tagged message = {r.iov, nullptr, bytes > 0 ? 2u : 1u, self.peer, tag, 0, &r.context, cq};
    r.done = sizeof r.stamp + bytes <= self.info->tx_attr->inject_size;
    const std::uint64_t how = r.done ? FI_INJECT : self.info->tx_attr->op_flags;
    fabric::retry("fi_tsendmsg", [&] { return fi_tsendmsg(self.ep, &message, FI_REMOTE_CQ_DATA | how); });
}

inline void inject_copy(const fabric::request& r, const void *data, std::size_t bytes, std::uint64_t cq,
                        std::uint64_t tag)
{
    char copy[largest_copy];
    std::memcpy(copy, &r.stamp, sizeof r.stamp);
    std::memcpy(copy + sizeof r.stamp, data, bytes);
    inject(copy, sizeof r.stamp + bytes, cq, tag);
}

template <kind k>
void send(fabric::request& r, const void *data, std::size_t bytes, const carried& c, int rank,
          std::uint64_t more_tag = 0)
{
    const std::uint64_t cq = cq_data<k>(c, rank), bits = tag<k>(c) | more_tag;
    const std::size_t injected = fabric::self.info->tx_attr->inject_size, all = bytes + extra_bytes(k);
    if constexpr (has_prefix(k))
        r.stamp = {{static_cast<std::uint64_t>(c.delay_ns), c.time_ns}};
    if (k != kind::prefix_iov && all <= injected && (k != kind::prefix || all <= largest_copy)) {
        r.done = true;
        return has_prefix(k) ? inject_copy(r, data, bytes, cq, bits) : inject(data, bytes, cq, bits);
    }
    r.done = false;
    r.error = 0;
    return has_prefix(k) ? send_iov(r, data, bytes, cq, bits) : send_later(r, data, bytes, cq, bits);
}

// --- receiving ---

// flags: FI_CLAIM, or nothing; then MPICH receives one buffer without a message structure.
template <kind k>
void post(fabric::request& r, void *data, std::size_t bytes, std::uint64_t flags = 0)
{
    using fabric::self;
    r.done = false;
    r.error = 0;
    if (!has_prefix(k) && flags == 0) {
        return fabric::retry("fi_trecv", [&] {
            return fi_trecv(self.ep, data, bytes, nullptr, self.peer, base_tag, ignored(k), &r.context);
        });
    }
    r.iov[0] = {&r.stamp, sizeof r.stamp};
    r.iov[1] = {data, bytes};
    iovec *first = has_prefix(k) ? r.iov : r.iov + 1;
    const std::size_t parts = has_prefix(k) && bytes > 0 ? 2 : 1;
    const fi_msg_tagged message = {first, nullptr, parts, self.peer, base_tag, ignored(k), &r.context, 0};
    fabric::retry("fi_trecvmsg", [&] { return fi_trecvmsg(self.ep, &message, FI_COMPLETION | flags); });
}

// What the receiver reads out is what was sent. Null, or what differs.
template <kind k>
const char *difference(const fi_cq_tagged_entry& e, const carried& c, int rank, std::uint64_t more_tag = 0)
{
    if ((e.data & 0xfffff) != static_cast<std::uint64_t>(rank))
        return "the rank in the completion data";
    if ((e.tag & ~tag_delay) != (base_tag | more_tag))
        return "the tag";
    if constexpr (k == kind::cq_data) {
        if (low(static_cast<std::int64_t>(e.data >> delay_shift), cq_delay_bits) != low(c.delay_ns, cq_delay_bits))
            return "the delay in the completion data";
    }
    if constexpr (k == kind::cq_data_tag) {
        const std::uint64_t upper = e.tag & tag_delay, lower = e.data >> delay_shift;
        const int bits = cq_delay_bits + tag_delay_bits;
        const std::uint64_t both = (upper >> tag_delay_shift) << cq_delay_bits | lower;
        if (low(static_cast<std::int64_t>(both), bits) != low(c.delay_ns, bits))
            return "the delay in completion data and tag";
    } else if ((e.tag & tag_delay) != 0) {
        return "the unused bits of the tag";
    }
    return nullptr;
}

template <kind k>
const char *stamp_difference(const fabric::request& r, const carried& c)
{
    if (has_prefix(k) && (r.stamp.word[0] != static_cast<std::uint64_t>(c.delay_ns) || r.stamp.word[1] != c.time_ns))
        return "the prefix";
    return nullptr;
}

// Calls f with the kind as a constant.
template <class function>
auto with(kind k, const function& f)
{
    switch (k) {
    case kind::cq_data: return f(std::integral_constant<kind, kind::cq_data>());
    case kind::cq_data_tag: return f(std::integral_constant<kind, kind::cq_data_tag>());
    case kind::prefix: return f(std::integral_constant<kind, kind::prefix>());
    case kind::prefix_iov: return f(std::integral_constant<kind, kind::prefix_iov>());
    default: return f(std::integral_constant<kind, kind::plain>());
    }
}

}  // namespace layout
