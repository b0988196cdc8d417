// SPDX-License-Identifier: BSD-3-Clause
#include "analysis.hpp"

#include "roots.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace tare::waits {
namespace {

std::vector<std::uint32_t> processes_of(const tare_archive_t &archive)
{
    std::vector<std::uint32_t> result;
    for (std::size_t i = 0; i < archive.location_count; i++)
        result.push_back(archive.locations[i].process);
    return result;
}

// Who is between two groups has a root that is no rank of its own: who waits for whom is not told.
std::vector<std::uint32_t> sizes_of(const tare_archive_t &archive)
{
    std::vector<std::uint32_t> result;
    for (std::size_t i = 0; i < archive.communicator_count; i++)
        result.push_back(archive.communicators[i].is_inter != 0 ? 0 : archive.communicators[i].size);
    return result;
}

// One more, for events whose region the archive does not define.
std::vector<call_kind> kinds_of(const tare_archive_t &archive)
{
    std::vector<call_kind> result;
    for (std::size_t i = 0; i < archive.region_count; i++)
        result.push_back(call_named(archive.regions[i]));
    result.emplace_back();
    return result;
}

}  // namespace

analysis::analysis(const tare_archive_t &archive, clock_change change, std::size_t most)
    : change_(change), is_measured_(std::string_view(archive.clock) == "measured"), places_(match::places_of(archive)),
      sizes_(sizes_of(archive)), kinds_(kinds_of(archive)), readers_(archive.location_count), latest_call_(archive.process_count, 0),
      replay_(processes_of(archive), archive.process_count, kinds_, most), pairing_(places_, replay_)
{
}

// What a call does has come when it was entered.
std::int64_t analysis::begun_ns(const tare_archive_event_t &event) const
{
    const reader &r = readers_[event.location];
    return r.depth > 0 ? r.entered_ns : ns_of(event);
}

std::shared_ptr<const reading> analysis::counters_of(const tare_archive_event_t &event) const
{
    const std::uint32_t known = event.known / TARE_ARCHIVE_COUNTER(0) & ((std::uint32_t{1} << TARE_COUNTERS) - 1);
    if (known == 0)
        return nullptr;
    reading now;
    now.measured_ns = tare::ns_of(event, is_measured_ ? clock_change::none : clock_change::add_removed);
    now.known = known;
    std::copy(std::begin(event.counters), std::end(event.counters), now.value);
    return std::make_shared<const reading>(now);
}

void analysis::push(const tare_archive_event_t &event, item::kind kind, std::shared_ptr<message_end> end)
{
    const std::uint32_t region = std::min<std::uint32_t>(event.region, static_cast<std::uint32_t>(kinds_.size() - 1));
    const std::uint32_t site = event.known & TARE_ARCHIVE_SITE ? event.site : TARE_ARCHIVE_UNKNOWN;
    replay_.push(event.location, {kind, region, ns_of(event), std::move(end), nullptr, site, counters_of(event)});
}

void analysis::add(const tare_archive_event_t &event)
{
    switch (event.kind) {
    case TARE_ARCHIVE_ENTER:
    case TARE_ARCHIVE_LEAVE: return region(event);
    case TARE_ARCHIVE_SEND:
    case TARE_ARCHIVE_ISEND: return send(event);
    case TARE_ARCHIVE_ISEND_COMPLETE: return complete_send(event);
    case TARE_ARCHIVE_IRECV_REQUEST: return push(event, item::begin_end, pairing_.add(event, begun_ns(event)));
    case TARE_ARCHIVE_RECV:
    case TARE_ARCHIVE_IRECV: return receive(event);
    case TARE_ARCHIVE_COLLECTIVE_END: return collective(event);
    case TARE_ARCHIVE_COLLECTIVE_COMPLETE: return push(event, item::miss_collective);
    case TARE_ARCHIVE_THREAD_RELEASE:
    case TARE_ARCHIVE_THREAD_ACQUIRE:
    case TARE_ARCHIVE_THREAD_BEGIN: return between_threads(event);
    default: pairing_.add(event, begun_ns(event));
    }
}

void analysis::region(const tare_archive_event_t &event)
{
    reader &r = readers_[event.location];
    const bool is_enter = event.kind == TARE_ARCHIVE_ENTER;
    const call_kind kind = is_enter && event.region < kinds_.size() ? kinds_[event.region] : call_kind{};
    if (r.depth == 0 && kind.is_call()) {
        r.entered = event.time_ns;
        r.entered_ns = ns_of(event);
        r.depth = 1;
        if (kind.is_mpi)
            latest_call_[places_[event.location].process] = event.time_ns + 1;
    } else if (is_enter && r.depth > 0) {
        r.depth++;
    } else if (!is_enter && r.depth > 0 && --r.depth == 0) {
        leave_call(r);
    }
    push(event, is_enter ? item::enter : item::leave);
}

// Where the receiver has entered no call since, the receive was posted before, or is not yet: the send has not waited
// for it, and nobody needs to wait for what becomes of the message.
void analysis::leave_call(reader &r)
{
    for (const auto &end : r.sends)
        end->is_certain = latest_call_[end->peer] <= r.entered + 1;
    r.sends.clear();
    for (const auto &end : r.receives)
        order_.received(*end);
    for (const auto &end : r.receives)
        end->why = order_.why(*end);
    r.receives.clear();
}

void analysis::send(const tare_archive_event_t &event)
{
    const std::shared_ptr<message_end> end = pairing_.add(event, begun_ns(event));
    if (!end)
        return;
    end->source = places_[event.location].process;
    end->communicator = event.communicator;
    // By clocks that differ it may have been received.
    if (!end->other)
        order_.sent(end);
    push(event, item::begin_end, end);
    if (event.kind == TARE_ARCHIVE_SEND)
        finish_send(event, end);
}

void analysis::finish_send(const tare_archive_event_t &event, const std::shared_ptr<message_end> &end)
{
    reader &r = readers_[event.location];
    if (r.depth > 0)
        r.sends.push_back(end);
    push(event, item::finish_send, end);
}

void analysis::complete_send(const tare_archive_event_t &event)
{
    const std::shared_ptr<message_end> end = pairing_.add(event, begun_ns(event));
    if (end && end->peer != nobody)
        finish_send(event, end);
}

void analysis::receive(const tare_archive_event_t &event)
{
    const std::shared_ptr<message_end> end = pairing_.add(event, begun_ns(event));
    if (!end)
        return push(event, item::miss_message);
    if (event.kind == TARE_ARCHIVE_RECV)
        push(event, item::begin_end, end);
    reader &r = readers_[event.location];
    if (r.depth > 0)
        r.receives.push_back(end);
    else
        order_.received(*end);
    push(event, item::finish_receive, end);
}

std::shared_ptr<gathering> analysis::gathering_of(const tare_archive_event_t &event)
{
    const std::uint32_t size = event.communicator < sizes_.size() ? sizes_[event.communicator] : 0;
    const who_is_waited_for::whom who = waited_for_in(event.operation).who;
    const bool has_root = who == who_is_waited_for::root || who == who_is_waited_for::all_by_root;
    const std::uint32_t root = has_root ? event.peer : nobody;
    if (size == 0 || (has_root && root == TARE_ARCHIVE_UNKNOWN))
        return nullptr;
    auto made = std::make_shared<gathering>();
    made->operation = event.operation;
    made->size = size;
    made->root = root;
    if (size == 1)
        return made;
    std::shared_ptr<gathering> g = gatherings_.join(event.communicator, places_[event.location].process, size, made);
    g->is_wrong = g->is_wrong || g->operation != made->operation || g->root != made->root;
    return g;
}

void analysis::collective(const tare_archive_event_t &event)
{
    std::shared_ptr<gathering> g = gathering_of(event);
    if (!g)
        return push(event, item::miss_collective);
    replay_.push(event.location, {item::gather, 0, ns_of(event), nullptr, std::move(g), TARE_ARCHIVE_UNKNOWN, nullptr});
}

// A lock is acquired before it is released again, and nobody comes to a barrier but one before all have left it: a few rounds
// are enough, also where two threads tell of them at the same time.
std::shared_ptr<assembly> analysis::assembly_of(const tare_archive_event_t &event)
{
    constexpr std::size_t most_rounds = 8;
    auto &rounds = rounds_[{places_[event.location].process, event.number}];
    for (const auto &[round, all] : rounds)
        if (round == event.sequence)
            return all;
    if (rounds.size() == most_rounds)
        rounds.pop_front();
    return rounds.emplace_back(event.sequence, std::make_shared<assembly>()).second;
}

void analysis::between_threads(const tare_archive_event_t &event)
{
    const std::shared_ptr<assembly> m = event.sequence != 0 ? assembly_of(event) : nullptr;
    const bool is_last = event.sequence == TARE_TRACE_ROUND_END && event.kind != TARE_ARCHIVE_THREAD_RELEASE;
    if (is_last)
        rounds_.erase({places_[event.location].process, event.number});
    if (!m && event.kind != TARE_ARCHIVE_THREAD_ACQUIRE)
        return;
    const item::kind kind = event.kind == TARE_ARCHIVE_THREAD_RELEASE   ? item::release
                            : event.kind == TARE_ARCHIVE_THREAD_ACQUIRE ? item::acquire
                                                                        : item::begin;
    replay_.push(event.location,
                 {kind, 0, ns_of(event), nullptr, nullptr, TARE_ARCHIVE_UNKNOWN, nullptr, m, event.arrivals});
}

result analysis::finish()
{
    pairing_.finish();
    return replay_.finish();
}

}  // namespace tare::waits
