// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include "trace_event.h"

#include <algorithm>

namespace waiting {

using tare::waits::late_receiver;
using tare::waits::late_sender;
using tare::waits::state_count;

program::program(std::uint32_t processes) : processes_(processes), now_(processes, 0), history_(processes)
{
    for (std::uint32_t i = 0; i < processes; i++)
        process_names_.push_back("MPI Rank " + std::to_string(i));
    for (std::uint32_t i = 0; i < processes; i++) {
        all_processes_.push_back({process_names_[i].c_str(), i});
        locations_.push_back({"Master thread", i, 0, i});
        tare_archive_event_t begin = event(TARE_ARCHIVE_ENTER, i, 0);
        begin.region = region("main");
        events_.push_back(begin);
    }
    communicators_.push_back({"MPI_COMM_WORLD", processes, 0, nullptr});
}

void program::make_threads()
{
    for (std::uint32_t i = 0; i < processes_; i++)
        locations_[i] = {"Thread", 0, i, i};
}

std::uint32_t program::region(const std::string &name)
{
    const auto found = std::find(regions_.begin(), regions_.end(), name);
    if (found != regions_.end())
        return static_cast<std::uint32_t>(found - regions_.begin());
    regions_.push_back(name);
    return static_cast<std::uint32_t>(regions_.size() - 1);
}

tare_archive_event_t program::event(std::uint32_t kind, std::uint32_t process, std::int64_t ns) const
{
    tare_archive_event_t e{};
    e.kind = kind;
    e.location = process;
    e.time_ns = static_cast<std::uint64_t>(ns);
    return e;
}

void program::work(std::uint32_t process, const std::string &name, std::int64_t ns)
{
    call(process, name, now_[process], now_[process] + ns, {});
    history_[process].push_back({now_[process], now_[process] + ns, name, "", false, 0, state_count});
    now_[process] += ns;
}

void program::call(std::uint32_t process, const std::string &name, std::int64_t entered, std::int64_t left,
                   const std::vector<tare_archive_event_t> &inside)
{
    tare_archive_event_t enter = event(TARE_ARCHIVE_ENTER, process, entered);
    tare_archive_event_t leave = event(TARE_ARCHIVE_LEAVE, process, left);
    enter.region = leave.region = region(name);
    events_.push_back(enter);
    events_.insert(events_.end(), inside.begin(), inside.end());
    events_.push_back(leave);
}

// In a call that has been entered now: waits until `other` comes, and takes some more time then.
void program::spend(std::uint32_t process, const std::string &call, std::int64_t until, std::uint32_t other, state why,
                    std::int64_t more)
{
    std::int64_t &now = now_[process];
    if (until > now) {
        history_[process].push_back({now, until, "main", call, true, other, why});
        now = until;
    }
    history_[process].push_back({now, now + more, "main", call, false, 0, state_count});
    now += more;
}

tare_archive_event_t program::end_of_message(std::uint32_t kind, std::uint32_t own, std::uint32_t peer, std::int64_t ns,
                                             std::uint64_t request) const
{
    tare_archive_event_t e = event(kind, own, ns);
    e.peer = e.peer_rank = peer;
    e.tag = tag_;
    e.length = 1;
    e.request = request;
    return e;
}

void program::message(std::uint32_t from, std::uint32_t to, message_kind kind, std::int64_t work_ns)
{
    tag_++;
    const std::int64_t sent = now_[from], posted = now_[to];
    const std::uint64_t send_request = ++requests_, receive_request = ++requests_;
    const bool is_nonblocking = kind == message_kind::nonblocking;
    // The sender; its call may last until the receive is posted.
    const auto finish_send = [&](const std::string &name, bool is_held, std::vector<tare_archive_event_t> inside) {
        const std::int64_t entered = now_[from];
        const bool waits = posted > entered && (is_held || posted < entered + send_ns);
        const std::int64_t left = is_held && waits ? posted + send_ns : entered + send_ns;
        spend(from, name, waits ? posted : entered, to, late_receiver, left - (waits ? posted : entered));
        for (tare_archive_event_t &e : inside)
            if (e.kind == TARE_ARCHIVE_ISEND_COMPLETE)
                e.time_ns = static_cast<std::uint64_t>(now_[from]);
        call(from, name, entered, now_[from], inside);
    };
    if (is_nonblocking) {
        call(from, "MPI_Isend", sent, sent + begin_ns, {end_of_message(TARE_ARCHIVE_ISEND, from, to, sent, send_request)});
        spend(from, "MPI_Isend", sent, to, state_count, begin_ns);
        work(from, "meanwhile", work_ns);
        finish_send("MPI_Wait", true, {end_of_message(TARE_ARCHIVE_ISEND_COMPLETE, from, to, 0, send_request)});
    } else {
        finish_send(kind == message_kind::synchronous ? "MPI_Ssend" : "MPI_Send", kind == message_kind::synchronous,
                    {end_of_message(TARE_ARCHIVE_SEND, from, to, sent, 0)});
    }
    // The receiver.
    if (kind == message_kind::posted) {
        call(to, "MPI_Irecv", posted, posted + begin_ns,
             {end_of_message(TARE_ARCHIVE_IRECV_REQUEST, to, from, posted, receive_request)});
        spend(to, "MPI_Irecv", posted, from, state_count, begin_ns);
        work(to, "meanwhile", work_ns);
    }
    const bool is_posted = kind == message_kind::posted;
    const std::string name = is_posted ? "MPI_Wait" : "MPI_Recv";
    const std::int64_t entered = now_[to];
    spend(to, name, sent, from, late_sender, receive_ns);
    call(to, name, entered, now_[to],
         {end_of_message(is_posted ? TARE_ARCHIVE_IRECV : TARE_ARCHIVE_RECV, to, from, now_[to], receive_request)});
}

void program::collective(std::uint32_t operation, std::uint32_t root)
{
    static const std::map<std::uint32_t, std::pair<const char *, state>> names = {
        {TARE_TRACE_BARRIER, {"MPI_Barrier", tare::waits::wait_at_barrier}},
        {TARE_TRACE_ALLREDUCE, {"MPI_Allreduce", tare::waits::wait_at_nxn}},
        {TARE_TRACE_BCAST, {"MPI_Bcast", tare::waits::late_broadcast}},
        {TARE_TRACE_REDUCE, {"MPI_Reduce", tare::waits::early_reduce}}};
    const auto [name, why] = names.at(operation);
    const bool has_root = operation == TARE_TRACE_BCAST || operation == TARE_TRACE_REDUCE;
    const std::vector<std::int64_t> entered = now_;
    const auto last = static_cast<std::uint32_t>(std::max_element(entered.begin(), entered.end()) - entered.begin());
    for (std::uint32_t i = 0; i < processes_; i++) {
        const bool waits = operation == TARE_TRACE_REDUCE ? i == root : true;
        const std::uint32_t other = operation == TARE_TRACE_BCAST ? root : last;
        spend(i, name, waits ? entered[other] : 0, other, why, collective_ns);
        tare_archive_event_t begin = event(TARE_ARCHIVE_COLLECTIVE_BEGIN, i, entered[i]);
        tare_archive_event_t end = event(TARE_ARCHIVE_COLLECTIVE_END, i, now_[i]);
        end.operation = operation;
        end.peer = has_root ? root : TARE_ARCHIVE_UNKNOWN;
        call(i, name, entered[i], now_[i], {begin, end});
    }
}

const tare_archive_t &program::archive()
{
    region_names_.clear();
    for (const std::string &name : regions_)
        region_names_.push_back(name.c_str());
    archive_ = {};
    archive_.file = "test";
    archive_.regions = region_names_.data();
    archive_.region_count = region_names_.size();
    archive_.processes = all_processes_.data();
    archive_.process_count = processes_;
    archive_.locations = locations_.data();
    archive_.location_count = processes_;
    archive_.communicators = communicators_.data();
    archive_.communicator_count = communicators_.size();
    archive_.clock = "compensated";
    return archive_;
}

std::vector<tare_archive_event_t> program::events() const
{
    std::vector<tare_archive_event_t> sorted = events_;
    std::stable_sort(sorted.begin(), sorted.end(), [](const tare_archive_event_t &a, const tare_archive_event_t &b) {
        return std::tie(a.time_ns, a.location) < std::tie(b.time_ns, b.location);
    });
    return sorted;
}

std::int64_t program::waiting_ns() const
{
    std::int64_t sum = 0;
    for (const auto &of_process : history_)
        for (const segment &s : of_process)
            sum += s.is_wait ? s.to - s.from : 0;
    return sum;
}

// To where the segment began, or where the other path is by then. A wait took no time: it is the other's path.
void program::step_back(point &at, const point &other, int sign, causes &found) const
{
    const std::vector<segment> &own = history_[at.process];
    auto s = std::lower_bound(own.begin(), own.end(), at.ns, [](const segment &x, std::int64_t ns) { return x.to < ns; });
    while (s->from == s->to || s->from == at.ns)
        s++;
    if (s->is_wait) {
        at = {s->other, s->to};
        return;
    }
    const std::int64_t to = other.ns < at.ns ? std::max(s->from, other.ns) : s->from;
    found[{s->region, s->call}] += sign * (at.ns - to);
    at.ns = to;
}

causes program::explain(const segment &wait, std::uint32_t process) const
{
    causes found;
    point late = {wait.other, wait.to}, early = {process, wait.from};
    while ((late.ns > 0 || early.ns > 0) && (late.process != early.process || late.ns != early.ns)) {
        if (late.ns >= early.ns)
            step_back(late, early, 1, found);
        else
            step_back(early, late, -1, found);
    }
    return found;
}

namespace {

void add_to(causes &all, const causes &more)
{
    for (const auto &[step, ns] : more)
        all[step] += ns;
}

void without_zeros(explained &all)
{
    for (auto &[where, found] : all)
        for (auto at = found.begin(); at != found.end();)
            at = at->second == 0 ? found.erase(at) : std::next(at);
}

}  // namespace

explained program::by_definition() const
{
    explained result;
    for (std::uint32_t i = 0; i < processes_; i++)
        for (const segment &s : history_[i])
            if (s.is_wait)
                add_to(result[{{s.region, s.call}, s.why}], explain(s, i));
    without_zeros(result);
    return result;
}

tare::waits::result analyse(program &p, tare::clock_change change)
{
    tare::waits::analysis analysis(p.archive(), change);
    for (const tare_archive_event_t &e : p.events())
        analysis.add(e);
    return analysis.finish();
}

explained of_result(program &p, const tare::waits::result &found)
{
    const tare_archive_t &archive = p.archive();
    const auto name_of = [&](std::uint32_t number) {
        const tare::waits::step &s = found.steps[number];
        const auto text = [&](std::uint32_t region) {
            return region == TARE_ARCHIVE_UNKNOWN ? std::string() : std::string(archive.regions[region]);
        };
        if (number == tare::waits::step_table::start)
            return step_name("start", "");
        if (number == tare::waits::step_table::clock)
            return step_name("clock", "");
        if (number == tare::waits::step_table::begin)
            return step_name("begin", "");
        return step_name(text(s.region), text(s.call) + (s.what == tare::waits::nature::unknown ? "?" : ""));
    };
    // In which order messages come is no part of the definition.
    const auto as_defined = [](state why) {
        return why == tare::waits::wrong_order_same || why == tare::waits::wrong_order_different ? tare::waits::late_sender : why;
    };
    explained result;
    for (const auto &[where, sum] : found.waits)
        for (const auto &[step, e] : sum.causes)
            result[{name_of(where.first), as_defined(where.second)}][name_of(step)] += e.explained_ns;
    without_zeros(result);
    return result;
}

}  // namespace waiting
