// SPDX-License-Identifier: BSD-3-Clause
#include "scale_world.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fake_clock.hpp"
#include "scale_draw.hpp"

namespace scale {

namespace {

constexpr std::int64_t clock_origin_ns = INT64_C(1'000'000'000'000);

// What a job of this size gets over libfabric (netmod/ofi, doc/wire.md); more ranks than that have no short form.
struct short_form {
    std::int64_t ranks;
    tare_short_layout_t bits;
};
constexpr short_form short_forms[] = {{1 << 6, {42, 18, 10}}, {1 << 10, {42, 14, 11}}, {1 << 14, {42, 10, 12}},
                                      {most_short_ranks, {40, 8, 13}}};

tare_short_layout_t short_form_for(std::int64_t ranks)
{
    for (const short_form &f : short_forms) {
        if (ranks <= f.ranks)
            return f.bits;
    }
    throw std::runtime_error("there is no short form for so many ranks");
}

// The core of a process that has declared nothing yet, and is going to.
void start_core(const experiment &x)
{
    tare_self = tare_thread_t{};
    tare_global = tare_global_t{};
    tare_clock = tare_clock_t{};
    tare_short_layout = x.stamp == of(stamps::brief) ? short_form_for(x.processes) : tare_short_layout_t{};
    tare_core_configure(TARE_MODE_HEADER, static_cast<int>(x.rule), 1);
    tare_global.account_waits = x.waits != 0;
    fake_clock::now_ns = clock_origin_ns;
    tare_core_overhead_add(0, 0);
}

std::int64_t whole(double ns) { return static_cast<std::int64_t>(std::llround(ns)); }

// Which draw of the generator is whose: no two purposes share one.
enum purpose : std::uint64_t { bias, work, probes, noise, jitter, poll, offset, drift, sync };

}  // namespace

world::world(const experiment &x, const std::vector<std::uint32_t> &peers)
    : x_(x), processes_(peers.size()), hosts_((peers.size() - 1) / static_cast<std::size_t>(x.per_host) + 1),
      bias_(peers.size()), tables_(peers)
{
    start_core(x_);
    for (std::size_t p = 0; p < processes_.size(); ++p) {
        processes_[p] = {tare_self, program_start_ns, program_start_ns, program_start_ns, 0, 0, 0};
        bias_[p] = (x_.calibration + x_.spread * draw(x_.seed, bias, p).normal()) / 100;
    }
    for (std::size_t h = 1; x_.clock != of(clocks::common) && h < hosts_.size(); ++h) {
        hosts_[h].offset_ns = whole(1e3 * x_.offset_us * draw(x_.seed, offset, h).either_way());
        hosts_[h].drift = 1e-6 * x_.drift_ppm * draw(x_.seed, drift, h).either_way();
    }
    if (x_.clock == of(clocks::synced))
        compare_clocks();
}

// As mpir_tare_clock.c: each host asks the one whose number is its own without the lowest bit, and what half a round
// trip may be wrong adds up along that tree.
void world::compare_clocks()
{
    std::vector<double> wrong_ns(hosts_.size());
    std::int64_t deepest = 0;
    for (std::size_t h = 1; h < hosts_.size(); ++h) {
        wrong_ns[h] = wrong_ns[h & (h - 1)] + x_.sync_ns * draw(x_.seed, sync, h).either_way();
        deepest = std::max<std::int64_t>(deepest, __builtin_popcountll(h));
    }
    for (std::size_t h = 0; h < hosts_.size(); ++h) {
        tare_clock_t &c = hosts_[h].clock;
        c.measured_ns = local_ns(hosts_[h], 0);
        c.to_job_ns = whole(wrong_ns[h]) - hosts_[h].offset_ns;
        c.error_ns = 2 * deepest * whole(x_.sync_ns);
    }
}

std::int64_t world::local_ns(const host &h, std::int64_t true_ns) const
{
    return clock_origin_ns + true_ns + h.offset_ns + whole(h.drift * static_cast<double>(true_ns));
}

void world::look_at_clock(std::int32_t p, std::int64_t true_ns) const
{
    fake_clock::now_ns = local_ns(host_of(p), true_ns);
}

std::int64_t world::latency_ns(std::int32_t p, std::int32_t q) const
{
    return whole(is_near(p, q) ? x_.latency_ns / 10 : x_.latency_ns);
}

// What the network makes of a stamp.
tare_wire_t world::on_the_way(tare_wire_t wire, bool is_near, bool &is_brief) const
{
    is_brief = !is_near && x_.stamp == of(stamps::brief);
    if (is_near)
        return wire;
    if (x_.clock == of(clocks::synced))
        tare_to_job_clock(&wire);
    if (is_brief)
        return tare_short_unpack(tare_core_shorten(wire), tare_short_layout);
    if (x_.stamp == of(stamps::timeless))
        wire.w1 &= ~(static_cast<std::uint64_t>(TARE_WIRE_TIME_VALID) << TARE_WIRE_FIELD_BITS | TARE_WIRE_FIELD_MASK);
    return wire;
}

// What the receiver knows of the sender's clock.
std::uint32_t world::clock_flags(bool is_near) const
{
    if (is_near || x_.clock == of(clocks::common))
        return TARE_EDGE_SAME_CLOCK;
    return x_.clock == of(clocks::synced) ? TARE_EDGE_SYNCED : 0;
}

// Its edge, in the hands of the receiver. What an earlier poll has found was not watched for.
tare_edge_t world::arrived(const process &own, std::int32_t p, const incoming &in) const
{
    const message &m = *in.what;
    const bool has_come = m.arrives_ns <= own.polled_ns, is_local = is_near(p, m.from);
    tare_wire_t wire = m.wire;
    if (!is_local && x_.clock == of(clocks::synced))
        tare_from_job_clock(&wire);
    tare_edge_t edge{};
    const std::uint32_t watching = tare_self.watching;
    tare_self.watching = has_come ? 0 : watching;
    tare_core_arrive(&edge, wire, peer_key(in.peer), message_class,
                     clock_flags(is_local) | (m.is_brief ? TARE_EDGE_SHORT : 0));
    tare_self.watching = watching;
    edge.flags |= has_come ? TARE_EDGE_EARLY : 0;
    return edge;
}

// What `from` sent, 5 ms after the beginning of time.
message world::lesson(std::int32_t from, std::int32_t to)
{
    constexpr std::int64_t sent_ns = 5'000'000;
    tare_self = at(from).thread;
    tare_clock = host_of(from).clock;
    look_at_clock(from, sent_ns);
    tare_core_event(fake_clock::now_ns);
    message m{};
    m.wire = on_the_way(tare_core_stamp(), is_near(from, to), m.is_brief);
    m.from = from;
    m.arrives_ns = sent_ns + latency_ns(from, to);
    return m;
}

void world::teach(std::int32_t p, std::uint32_t peer, std::int32_t from)
{
    constexpr std::int64_t long_before_ns = 1'000'000;
    const message m = lesson(from, p);
    process pupil{};
    tare_self = at(p).thread;
    tare_clock = host_of(p).clock;
    look_at_clock(p, m.arrives_ns - long_before_ns);
    tare_core_event(fake_clock::now_ns);
    tables_.load(p, peer);
    look_at_clock(p, m.arrives_ns);
    tare_edge_t edge = arrived(pupil, p, {&m, peer});
    // Where the delays are equal and nobody reads waits, a join asks for no time, and so learns nothing.
    tare_global.account_waits = 1;
    tare_core_join(&edge);
    tare_global.account_waits = x_.waits != 0;
    tables_.save(p, peer);
}

double world::probes_of(std::int32_t p, std::uint32_t step) const
{
    switch (static_cast<who>(x_.who)) {
    case who::all: return x_.probes;
    case who::some:
        return x_.probes * static_cast<double>(draw(x_.seed, probes, static_cast<std::size_t>(p), step).below(3));
    case who::odd: return p % 2 == 1 ? x_.probes : 0;
    case who::one: return p == 0 ? x_.probes : 0;
    }
    return 0;
}

// What they cost and what is declared of it are two things.
void world::spend_on_probes(process &own, std::int32_t p, double count)
{
    const double noisy = x_.noise == 0 ? 0 : x_.noise / 100 * draw(x_.seed, noise, ++drawn_).normal();
    const double real_ns = count * x_.probe_ns * (1 + noisy) + own.spare_ns;
    const auto whole_ns = static_cast<std::int64_t>(std::floor(real_ns));
    own.spare_ns = real_ns - static_cast<double>(whole_ns);
    const double declared_ns = count * x_.probe_ns * (1 - bias_[static_cast<std::size_t>(p)]);
    const double below = std::floor(declared_ns);
    own.now_ns += whole_ns;
    look_at_clock(p, own.now_ns);
    tare_core_overhead_add(static_cast<std::int64_t>(below),
                           static_cast<std::uint32_t>((declared_ns - below) * 4294967296.0));
}

void world::compute(std::int32_t p)
{
    process &own = processes_[static_cast<std::size_t>(p)];
    const double more_us = x_.spread_us * draw(x_.seed, work, static_cast<std::size_t>(p), own.step).exponential();
    const std::int64_t work_ns = whole(1e3 * (x_.work_us + more_us));
    own.now_ns += work_ns;
    own.plain_ns += work_ns;
    const double count = probes_of(p, own.step++);
    if (count <= 0)
        return;
    tare_self = own.thread;
    spend_on_probes(own, p, count);
    own.thread = tare_self;
}

bool world::has_tool(std::int32_t p) const
{
    switch (static_cast<who>(x_.who)) {
    case who::odd: return x_.probes > 0 && p % 2 == 1;
    case who::one: return x_.probes > 0 && p == 0;
    default: return x_.probes > 0;
    }
}

// Whoever is instrumented has a probe in each call, and says when it begins; else the transport finds out.
void world::enter(process &own, std::int32_t p)
{
    tare_self = own.thread;
    tare_clock = host_of(p).clock;
    if (!has_tool(p)) {
        look_at_clock(p, own.now_ns);
        tare_core_enter();
        return;
    }
    spend_on_probes(own, p, 1);
    tare_core_event(fake_clock::now_ns);
}

message world::send(std::int32_t p, std::int32_t to)
{
    process &own = processes_[static_cast<std::size_t>(p)];
    enter(own, p);
    message m{};
    m.from = p;
    m.wire = on_the_way(tare_core_stamp(), is_near(p, to), m.is_brief);
    ++drawn_;
    const double more_ns = x_.jitter_ns * draw(x_.seed, jitter, drawn_).exponential();
    const std::int64_t on_the_way_ns = latency_ns(p, to) + whole(more_ns);
    m.late_ns = whole(x_.poll_ns * draw(x_.seed, poll, drawn_).uniform());
    m.arrives_ns = own.now_ns + on_the_way_ns;
    m.plain_arrives_ns = own.plain_ns + on_the_way_ns;
    own.now_ns += whole(x_.call_ns);
    own.plain_ns += whole(x_.call_ns);
    own.thread = tare_self;
    return m;
}

// What a wait sees, and when: in the program with probes and in the plain one.
std::int64_t message::seen_ns(std::int64_t entry_ns) const
{
    return arrives_ns <= entry_ns ? entry_ns : arrives_ns + late_ns;
}

std::int64_t message::plain_seen_ns(std::int64_t entry_ns) const
{
    return plain_arrives_ns <= entry_ns ? entry_ns : plain_arrives_ns + late_ns;
}

void world::receive_plainly(process &own, const incoming *in, std::size_t count) const
{
    const std::int64_t entry_ns = own.plain_ns;
    for (std::size_t i = 0; i < count; ++i)
        own.plain_ns = std::max(own.plain_ns, in[i].what->plain_seen_ns(entry_ns));
    own.plain_wait_ns += own.plain_ns - entry_ns;
    own.plain_ns += whole(x_.call_ns);
}

namespace {

// The numbers of what is received, as a wait that was entered then sees it. There are very few of them.
void put_in_order(const incoming *in, std::size_t count, std::int64_t entry_ns, std::size_t *order)
{
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t at = i;
        for (; at > 0 && in[order[at - 1]].what->seen_ns(entry_ns) > in[i].what->seen_ns(entry_ns); --at)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

}  // namespace

// All that a wait for several asks for, as it comes; the edges in the order in which they were asked for.
void world::watch(process &own, std::int32_t p, const incoming *in, tare_edge_t *edges, std::size_t count)
{
    std::size_t order[most_incoming];
    const std::int64_t entry_ns = own.now_ns;
    put_in_order(in, count, entry_ns, order);
    tare_self.watching = count > 1;
    for (std::size_t i = 0; i < count; ++i) {
        own.now_ns = std::max(own.now_ns, in[order[i]].what->seen_ns(entry_ns));
        look_at_clock(p, own.now_ns);
        edges[order[i]] = arrived(own, p, in[order[i]]);
    }
    tare_self.watching = 0;
}

void world::join_all(std::int32_t p, tare_edge_t *edges, const incoming *in, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i) {
        tare_core_join(&edges[i]);
        if (x_.learned == of(lessons::never))
            tables_.forget(p, in[i].peer);
        else
            tables_.save(p, in[i].peer);
    }
}

// One message is received, several are waited for together (MPI_Waitall), as the patches of MPICH do it.
void world::receive(std::int32_t p, const incoming *in, std::size_t count)
{
    process &own = processes_[static_cast<std::size_t>(p)];
    tare_edge_t edges[most_incoming];
    enter(own, p);
    for (std::size_t i = 0; i < count; ++i)
        tables_.load(p, in[i].peer);
    watch(own, p, in, edges, count);
    join_all(p, edges, in, count);
    own.thread = tare_self;
    own.polled_ns = own.now_ns;
    own.now_ns += whole(x_.call_ns);
    receive_plainly(own, in, count);
}

}  // namespace scale
