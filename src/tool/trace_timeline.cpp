// SPDX-License-Identifier: BSD-3-Clause
#include "trace_timeline.hpp"

#include "roots.hpp"

#include <cstring>
#include <tuple>

namespace tare::tool {
namespace {

constexpr std::uint64_t none = UINT64_MAX;

times earlier(const times &a, const times &b) {
    return {std::min(a[0], b[0]), std::min(a[1], b[1])};
}

times later(const times &a, const times &b) {
    return {std::max(a[0], b[0]), std::max(a[1], b[1])};
}

// Whether anything is left of a wait behind its beginning.
bool is_some(const trace_wait &w) {
    return w.until[clock_compensated] > w.begin[clock_compensated] || w.until[clock_measured] > w.begin[clock_measured];
}

}  // namespace

bool is_call_of_mpi(const char *region) { return std::strncmp(region, "MPI_", 4) == 0; }

clocks::clocks(const tare_archive_t &archive)
    : has_both_(archive.clock[0] != '\0'), is_measured_(std::strcmp(archive.clock, "measured") == 0),
      latest_(archive.location_count, 0) {}

times clocks::of(const tare_archive_event_t &e) {
    const std::int64_t removed = has_both_ && (e.known & TARE_ARCHIVE_REMOVED_NS) ? e.removed_ns : 0;
    const auto stamp = static_cast<std::int64_t>(e.time_ns);
    const std::int64_t measured = is_measured_ ? stamp : stamp + removed;
    const std::int64_t compensated = is_measured_ ? stamp - removed : stamp;
    std::uint64_t &latest = latest_[e.location];
    latest = std::max(latest, static_cast<std::uint64_t>(std::max<std::int64_t>(compensated, 0)));
    return {latest, static_cast<std::uint64_t>(std::max<std::int64_t>(measured, 0))};
}

// --- messages ---

trace_messages::trace_messages(const tare_archive_t &archive) : matcher_(match::places_of(archive), false) {
    matcher_.listen(this);
}

void trace_messages::add(const tare_archive_event_t &e, const times &at, const trace_wait &of_receive) {
    std::uint64_t label = 0;
    if (match::is_send(e.kind)) {
        label = sends_.size();
        sends_.push_back({at, e.length, e.location, e.tag, false});
    } else if (match::is_receive(e.kind)) {
        label = receives_.size();
        receives_.push_back({label, of_receive, none, none});
    }
    matcher_.add(e, label);
}

void trace_messages::paired(match::method m, const match::message_end &send, const match::message_end &receive) {
    if (m == match::method_sequence)
        receives_[receive.label].by_sequence = send.label;
    else if (m == match::method_fifo)
        receives_[receive.label].by_order = send.label;
}

void trace_messages::join(const receive &r, std::uint64_t number, bool by_sequence, std::vector<trace_wait> &waits) {
    send &s = sends_[number];
    s.is_taken = true;
    messages_.push_back({s.location, r.wait.location, s.at, r.wait.until, s.length, s.tag, by_sequence,
                         number, r.number});
    trace_wait w = r.wait;
    w.until = earlier(later(s.at, w.begin), w.until);
    if (is_some(w))
        waits.push_back(w);
}

// What was carried comes first: a send that has its receive by that is nobody else's.
void trace_messages::finish(std::vector<trace_wait> &waits) {
    matcher_.finish();
    for (const receive &r : receives_)
        if (r.by_sequence != none)
            join(r, r.by_sequence, true, waits);
    by_sequence_ = messages_.size();
    for (const receive &r : receives_)
        if (r.by_sequence == none && r.by_order != none && !sends_[r.by_order].is_taken)
            join(r, r.by_order, false, waits);
    std::stable_sort(messages_.begin(), messages_.end(),
                     [](const trace_message &a, const trace_message &b) { return a.received < b.received; });
}

// --- collective calls ---

void trace_collectives::add(const tare_archive_event_t &end, const times &entered, const trace_wait &of_end,
                            std::vector<trace_wait> &waits) {
    if (end.communicator == TARE_ARCHIVE_UNKNOWN)
        return;
    const tare_archive_communicator_t &where = archive_.communicators[end.communicator];
    if (where.is_inter || where.size < 2)
        return;
    const std::uint32_t process = archive_.locations[end.location].process;
    line &l = lines_[end.communicator];
    const std::uint64_t number = l.next[process]++;
    while (number - l.first >= l.open.size())
        l.open.push_back({});
    call &c = l.open[number - l.first];
    c.members.push_back({process, entered, of_end});
    c.operation = end.operation;
    c.root = end.peer;
    if (c.members.size() == where.size)
        waits_of(c, waits);
    for (; !l.open.empty() && l.open.front().members.size() >= where.size; ++l.first)
        l.open.pop_front();
}

void trace_collectives::waits_of(const call &c, std::vector<trace_wait> &waits) {
    times last{}, root{};
    for (const member &m : c.members) {
        last = later(last, m.entered);
        if (m.process == c.root)
            root = m.entered;
    }
    using whom = waits::who_is_waited_for;
    const whom::whom who = waits::waited_for_in(c.operation).who;
    for (const member &m : c.members) {
        const bool is_root = m.process == c.root;
        const bool for_all = who == whom::all || (who == whom::all_by_root && is_root);
        if (!for_all && !(who == whom::root && !is_root))
            continue;
        trace_wait w = m.wait;
        w.until = earlier(later(for_all ? last : root, w.begin), w.until);
        if (is_some(w))
            waits.push_back(w);
    }
}

// --- all of it ---

void timeline::begin(const tare_archive_t &archive) {
    archive_ = &archive;
    clocks_ = std::make_unique<clocks>(archive);
    messages_ = std::make_unique<trace_messages>(archive);
    collectives_ = std::make_unique<trace_collectives>(archive);
    places_.resize(archive.location_count);
    for (std::size_t i = 0; i < archive.region_count; ++i)
        in_mpi_.push_back(is_call_of_mpi(archive.regions[i]));
    start();
}

void timeline::events(const tare_archive_event_t *events, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        one(events[i]);
}

void timeline::one(const tare_archive_event_t &e) {
    const times at = clocks_->of(e);
    first_ = earlier(first_, at);
    place &p = places_[e.location];
    if (!p.has_begun)
        p.since = at;
    p.has_begun = true;
    p.latest = at;
    event(e, at);
    const trace_wait here = {e.location, p.part, p.since, at};
    messages_->add(e, at, here);
    if (e.kind == TARE_ARCHIVE_COLLECTIVE_BEGIN) {
        p.collective = at;
        p.in_collective = true;
    } else if (e.kind == TARE_ARCHIVE_COLLECTIVE_END && p.in_collective) {
        collectives_->add(e, p.collective, here, waits_);
        p.in_collective = false;
    } else {
        change(e, at);
    }
}

// A region that the archive does not define is one nevertheless; a leave without an enter is none.
void timeline::change(const tare_archive_event_t &e, const times &at) {
    std::vector<std::uint32_t> &open = places_[e.location].open;
    const bool is_leave = e.kind == TARE_ARCHIVE_LEAVE && !open.empty();
    if (e.kind != TARE_ARCHIVE_ENTER && !is_leave)
        return;
    close_part(e.location, at);
    if (is_leave)
        open.pop_back();
    else
        open.push_back(e.region < archive_->region_count ? e.region : no_region);
}

void timeline::close_part(std::uint32_t location, const times &at) {
    place &p = places_[location];
    if (at[clock_measured] == p.since[clock_measured] && at[clock_compensated] == p.since[clock_compensated])
        return;
    part(location, p.open.empty() ? no_region : p.open.back(), p.since, at);
    p.since = at;
    ++p.part;
}

// Of several that end in one part, the longest.
void timeline::merge_waits() {
    std::stable_sort(waits_.begin(), waits_.end(), [](const trace_wait &a, const trace_wait &b) {
        return std::tie(a.location, a.part) < std::tie(b.location, b.part);
    });
    std::size_t kept = 0;
    for (const trace_wait &w : waits_) {
        trace_wait *before = kept == 0 ? nullptr : &waits_[kept - 1];
        if (before != nullptr && before->location == w.location && before->part == w.part)
            before->until = later(before->until, w.until);
        else
            waits_[kept++] = w;
    }
    waits_.resize(kept);
}

void timeline::end() {
    for (std::uint32_t i = 0; i < places_.size(); ++i)
        if (places_[i].has_begun)
            close_part(i, places_[i].latest);
    messages_->finish(waits_);
    merge_waits();
    finish(waits_);
    has_ended_ = true;
}

}  // namespace tare::tool
