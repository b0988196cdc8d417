// SPDX-License-Identifier: BSD-3-Clause
#include "replay.hpp"

#include "roots.hpp"

#include <algorithm>
#include <utility>

namespace tare::waits {

replay::replay(std::vector<std::uint32_t> process, std::size_t processes, std::vector<call_kind> kinds,
               std::size_t most_queued)
    : kinds_(std::move(kinds)), most_queued_(most_queued), lines_(process.size())
{
    for (std::size_t i = 0; i < process.size(); i++)
        lines_[i].process = process[i];
    result_.processes.resize(processes);
}

// --- who goes on, and who waits for whom ---

void replay::push(std::uint32_t location, item what)
{
    line &l = lines_[location];
    l.queue.push_back(std::move(what));
    queued_++;
    result_.most_queued = std::max<std::uint64_t>(result_.most_queued, queued_);
    if (!l.is_blocked)
        go_on(location);
    run();
    while (queued_ > most_queued_)
        give_up();
}

void replay::run()
{
    while (!ready_.empty()) {
        const std::uint32_t location = ready_.back();
        ready_.pop_back();
        lines_[location].is_blocked = false;
        go_on(location);
    }
}

void replay::go_on(std::uint32_t location)
{
    line &l = lines_[location];
    while (!l.queue.empty()) {
        if (!step_over(location, l.queue.front())) {
            l.is_blocked = true;
            return;
        }
        l.queue.pop_front();
        queued_--;
    }
}

void replay::wake(std::uint32_t location)
{
    if (location != nobody && lines_[location].is_blocked)
        ready_.push_back(location);
}

void replay::pair(const std::shared_ptr<message_end> &send, const std::shared_ptr<message_end> &receive)
{
    if (!send->is_done)
        send->other = receive;
    if (!receive->is_done)
        receive->other = send;
    wake(send->waiter);
    wake(receive->waiter);
    run();
}

// The location that waits with the earliest event goes on with what is known.
void replay::give_up()
{
    std::uint32_t first = nobody;
    for (std::uint32_t i = 0; i < lines_.size(); i++)
        if (lines_[i].is_blocked && (first == nobody || lines_[i].queue.front().ns < lines_[first].queue.front().ns))
            first = i;
    if (first == nobody)
        return;
    is_forced_ = true;
    line &l = lines_[first];
    step_over(first, l.queue.front());
    is_forced_ = false;
    l.queue.pop_front();
    queued_--;
    l.is_blocked = false;
    ready_.push_back(first);
    run();
    result_.given_up += is_over_ ? 0 : 1;
}

result replay::finish()
{
    is_over_ = true;
    for (std::uint32_t i = 0; i < lines_.size(); i++)
        wake(i);
    run();
    while (queued_ > 0)
        give_up();
    for (line &l : lines_) {
        result_.processes[l.process].threads += l.has_begun ? 1 : 0;
        forget_ends(l);
    }
    result_.steps = steps_.all();
    return std::move(result_);
}

// --- events ---

bool replay::step_over(std::uint32_t location, const item &what)
{
    line &l = lines_[location];
    if (!l.has_begun) {
        l.has_begun = true;
        l.now_ns = what.ns;
        l.now.add(step_table::start, what.ns);
    }
    if (what.what == item::begin) {
        advance(l, what.ns, step_table::begin);
    } else if (l.in.depth == 0) {
        const std::uint32_t step = l.open.empty() ? step_of(l, nature::work) : l.open.back();
        advance(l, what.ns, step);
        count(l, what, step);
    }
    if (what.counters)
        l.counters = what.counters;
    switch (what.what) {
    case item::enter: enter(l, what); return true;
    case item::leave: return leave(location, l, what);
    case item::begin_end: begin_end(l, what); return true;
    case item::gather: gather(l, what); return true;
    case item::miss_message: l.in.misses_message = true; return true;
    case item::miss_collective: l.in.misses_collective = true; return true;
    case item::release: arrive(l, *what.threads); return true;
    case item::acquire: acquire(l, what); return true;
    case item::begin: return begin(location, l, what);
    default: finish_end(l, what); return true;
    }
}

// A clock that goes back stands still.
void replay::advance(line &l, std::int64_t ns, std::uint32_t step)
{
    const std::int64_t taken = minus(ns, l.now_ns);
    if (taken <= 0)
        return;
    l.now.add(step, taken);
    l.now_ns = ns;
    result_.processes[l.process].own.add(step, taken);
    add_up(result_.total_ns, taken);
}

// Outside of calls of MPI: what these wait for is told by the others' paths.
void replay::count(line &l, const item &what, std::uint32_t step)
{
    if (!what.counters || !l.counters)
        return;
    l.now.add(step, between(*l.counters, *what.counters));
    result_.counters |= l.counters->known & what.counters->known;
}

std::uint32_t replay::step_of(const line &l, nature what)
{
    step s;
    s.what = what;
    s.region = l.open.empty() ? TARE_ARCHIVE_UNKNOWN : steps_.all()[l.open.back()].region;
    s.call = what == nature::work ? TARE_ARCHIVE_UNKNOWN : l.in.region;
    s.site = what == nature::work ? TARE_ARCHIVE_UNKNOWN : l.in.site;
    return steps_.number_of(s);
}

void replay::enter(line &l, const item &what)
{
    if (l.in.depth > 0) {
        l.in.depth++;
    } else if (kinds_[what.region].is_call()) {
        l.in = call{};
        l.in.depth = 1;
        l.in.region = what.region;
    } else {
        l.open.push_back(steps_.number_of({nature::work, what.region}));
    }
}

std::shared_ptr<const path> replay::path_of(line &l)
{
    if (!l.in.how)
        l.in.how = std::make_shared<const path>(l.now);
    return l.in.how;
}

void replay::begin_end(line &l, const item &what)
{
    what.end->own = {true, l.now_ns, path_of(l)};
    if (what.end->other)
        wake(what.end->other->waiter);
    if (l.in.depth == 0)
        l.in.how.reset();
}

// Outside of a call nobody has waited for it.
void replay::finish_end(line &l, const item &what)
{
    l.in.has_record = true;
    if (l.in.depth > 0) {
        l.in.ends.emplace_back(what.what == item::finish_send, what.end);
        return;
    }
    what.end->other.reset();
    what.end->waiter = nobody;
    what.end->is_certain = what.end->is_done = true;
    result_.outside++;
}

// Outside of a call the path goes on at once.
arrival replay::arrive(line &l, assembly &at)
{
    arrival now = {true, l.now_ns, path_of(l)};
    if (l.in.depth == 0)
        l.in.how.reset();
    at.come++;
    if (!at.last.has_come || at.last.ns < now.ns)
        at.last = now;
    for (const std::uint32_t waiter : std::exchange(at.waiters, {}))
        wake(waiter);
    return now;
}

void replay::gather(line &l, const item &what)
{
    const arrival now = arrive(l, *what.meeting);
    if (l.process == what.meeting->root)
        what.meeting->first_root = now;
    l.in.has_record = true;
    if (l.in.depth > 0)
        l.in.meetings.push_back(what.meeting);
    else
        result_.outside++;
}

// Of which nobody knows for whom it was: as if there were none.
void replay::acquire(line &l, const item &what)
{
    if (what.arrivals == 0)
        return;
    l.in.has_record = true;
    if (l.in.depth > 0 && what.threads)
        l.in.threads.emplace_back(what.threads, what.arrivals);
}

// The thread has been where the one was that made it, or its team, and has come here since then.
bool replay::begin(std::uint32_t location, line &l, const item &what)
{
    const arrival &maker = what.threads->last;
    if (!maker.has_come) {
        if (is_over_ || is_forced_)
            return true;
        what.threads->waiters.push_back(location);
        return false;
    }
    l.now = *maker.how;
    const std::int64_t since_ns = minus(l.now_ns, maker.ns);
    l.now.add(since_ns < 0 ? step_table::clock : step_table::begin, since_ns);
    return true;
}

bool replay::leave(std::uint32_t location, line &l, const item &what)
{
    if (l.in.depth == 0) {
        if (!l.open.empty())
            l.open.pop_back();
        return true;
    }
    if (l.in.depth == 1) {
        if (!is_forced_ && !has_all(location, what.ns))
            return false;
        end_call(l, what);
    }
    l.in.depth--;
    return true;
}

// --- what a call has waited for ---

// Not if the other one was there before, nor, for a call that sends, if it came when that had ended: the message went on
// without it. Both are known as soon as the other end has been read.
bool replay::may_be_waited_for(const line &l, bool is_send, const message_end &end, std::int64_t left_ns)
{
    if (end.is_certain || !end.other)
        return !end.is_certain;
    const std::int64_t ns = end.other->begun_ns;
    return ns > l.now_ns && !(is_send && ns >= left_ns);
}

bool replay::is_ready(const line &l, bool is_send, const message_end &end, std::int64_t left_ns) const
{
    if (!may_be_waited_for(l, is_send, end, left_ns))
        return true;
    return end.other ? end.other->own.has_come : is_over_;
}

bool replay::is_ready(const line &l, const gathering &g) const
{
    const who_is_waited_for whom = waited_for_in(g.operation);
    if (g.is_wrong || whom.who == who_is_waited_for::not_known)
        return true;
    if (whom.who == who_is_waited_for::root)
        return l.process == g.root || g.first_root.has_come;
    return (whom.who == who_is_waited_for::all_by_root && l.process != g.root) || g.come >= g.size;
}

bool replay::has_all(std::uint32_t location, std::int64_t left_ns)
{
    line &l = lines_[location];
    for (const auto &[is_send, end] : l.in.ends)
        if (!is_ready(l, is_send, *end, left_ns)) {
            end->waiter = location;
            return false;
        }
    for (const auto &g : l.in.meetings)
        if (!is_ready(l, *g)) {
            g->waiters.push_back(location);
            return false;
        }
    for (const auto &[m, arrivals] : l.in.threads)
        if (m->come < arrivals) {
            m->waiters.push_back(location);
            return false;
        }
    return true;
}

void replay::consider_end(wait &w, const line &l, bool is_send, const message_end &end, std::int64_t left_ns) const
{
    if (!may_be_waited_for(l, is_send, end, left_ns))
        return;
    if (!end.other || !end.other->own.has_come) {
        w.missing = gap_message;
        return;
    }
    const arrival &other = end.other->own;
    if (!is_send || other.ns < left_ns)
        w.take(l, other, is_send ? late_receiver : end.why);
}

void replay::consider_gathering(wait &w, const line &l, const gathering &g) const
{
    const who_is_waited_for whom = waited_for_in(g.operation);
    if (g.size <= 1 || (whom.who == who_is_waited_for::root && l.process == g.root) ||
        (whom.who == who_is_waited_for::all_by_root && l.process != g.root))
        return;
    const arrival &other = whom.who == who_is_waited_for::root ? g.first_root : g.last;
    if (g.is_wrong || whom.who == who_is_waited_for::not_known || !is_ready(l, g)) {
        w.missing = gap_collective;
        return;
    }
    w.take(l, other, whom.why);
}

void replay::consider_threads(wait &w, const line &l, const assembly &m, std::uint32_t arrivals) const
{
    if (m.come < arrivals)
        w.missing = gap_thread;
    else
        w.take(l, m.last, kinds_[l.in.region].why);
}

void replay::consider(wait &w, const line &l, std::int64_t left_ns) const
{
    for (const auto &[is_send, end] : l.in.ends)
        consider_end(w, l, is_send, *end, left_ns);
    for (const auto &g : l.in.meetings)
        consider_gathering(w, l, *g);
    for (const auto &[m, arrivals] : l.in.threads)
        consider_threads(w, l, *m, arrivals);
    if (l.in.misses_message)
        w.missing = gap_message;
    if (l.in.misses_collective)
        w.missing = gap_collective;
    if (!l.in.has_record && kinds_[l.in.region].may_wait && w.missing == gap_count)
        w.missing = kinds_[l.in.region].is_of_threads() ? gap_thread : gap_no_record;
}

// Then the process has been where the other one was, and has come there by the other's path.
void replay::explain(line &l, const wait &w, std::int64_t left_ns)
{
    const std::int64_t end_ns = std::min(w.until->ns, left_ns), waited = minus(end_ns, l.now_ns);
    if (waited <= 0)
        return;
    path how = *w.until->how;
    how.add(step_table::clock, minus(end_ns, w.until->ns));
    wait_sum &sum = result_.waits[{step_of(l, nature::call), w.why}];
    sum.waits++;
    add_up(sum.waiting_ns, waited);
    for_difference(how, l.now, [&sum, waited](std::uint32_t step, std::int64_t ns, const counted &more) {
        explanation &e = sum.causes[step];
        e.more.add(more);
        add_up(e.explained_ns, ns);
        add_up(e.would_go_ns, std::min(ns, waited));
    });
    result_.before_send += w.until->ns > left_ns ? 1 : 0;
    add_up(result_.waiting_ns, waited);
    add_up(result_.total_ns, waited);
    add_up(result_.processes[l.process].waiting_ns, waited);
    l.now = std::move(how);
    l.now_ns = end_ns;
}

// Behind the last one that leaves it is known who was the first.
void replay::depart(gathering &g, const departure &own)
{
    const who_is_waited_for whom = waited_for_in(g.operation);
    if (g.is_wrong || g.size <= 1 || whom.who != who_is_waited_for::all)
        return;
    g.departures.push_back(own);
    if (g.departures.size() < g.size)
        return;
    const auto first = std::min_element(g.departures.begin(), g.departures.end(),
                                        [](const departure &a, const departure &b) { return a.left_ns < b.left_ns; });
    for (const departure &d : g.departures) {
        completion_sum &sum = result_.completions[{d.step, whom.why}];
        sum.calls++;
        add_up(sum.ns, std::max<std::int64_t>(minus(d.left_ns, std::max(d.waited_ns, first->left_ns)), 0));
    }
    g.departures = {};
}

void replay::end_call(line &l, const item &what)
{
    wait w;
    l.in.site = what.site;
    consider(w, l, what.ns);
    result_.calls++;
    if (w.until != nullptr)
        explain(l, w, what.ns);
    if (l.in.meetings.size() == 1)
        depart(*l.in.meetings.front(), {step_of(l, nature::call), l.now_ns, what.ns});
    if (w.missing != gap_count) {
        gap_sum &sum = result_.gaps[{static_cast<gap>(w.missing), l.in.region}];
        sum.calls++;
        add_up(sum.ns, std::max<std::int64_t>(minus(what.ns, l.now_ns), 0));
    }
    advance(l, what.ns, step_of(l, w.missing == gap_count ? nature::call : nature::unknown));
    if (kinds_[l.in.region].begins)
        restart(l);
    forget_ends(l);
    const std::uint32_t depth = l.in.depth, region = l.in.region;
    l.in = call{};
    l.in.depth = depth;
    l.in.region = region;
}

// The two ends of a message keep each other until nobody asks any more.
void replay::forget_ends(line &l)
{
    for (const auto &[is_send, end] : l.in.ends) {
        end->is_done = true;
        end->other.reset();
    }
}

// All processes come out of MPI_Init together: what each did before is no cause of what comes.
void replay::restart(line &l)
{
    l.now = path{};
    l.now.add(step_table::start, l.now_ns);
}

}  // namespace tare::waits
