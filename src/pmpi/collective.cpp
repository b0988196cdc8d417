// SPDX-License-Identifier: BSD-3-Clause
#include "collective.hpp"

#include "handle_hash.hpp"
#include "muted.hpp"

#include <algorithm>
#include <memory>
#include <type_traits>

namespace tare::pmpi {

namespace {

constexpr int stamp_words = 2;
static_assert(sizeof(tare_wire_t) == stamp_words * sizeof(std::uint64_t), "a stamp travels as MPI_UINT64_T");

// What decides (R) among several senders with one clock; the largest of each counts.
struct merged {
    std::int64_t ready_ns;            // t
    std::int64_t compensated_ns;      // t - D
    std::int64_t compensated_lo_ns;   // with the bounds of D
    std::int64_t compensated_hi_ns;
    std::int64_t minus_delay_ns;      // for the published rule, which takes the smallest D
    std::int64_t active;
};
constexpr int merged_words = 6;
static_assert(sizeof(merged) == merged_words * sizeof(std::int64_t), "it travels as MPI_INT64_T");
constexpr merged nobody{INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, 0};

// What the members of a call that waits for all of them compare; the smallest of each counts.
struct spent {
    std::int64_t inside_ns;           // d
    std::int64_t delayed_ns;          // D + d
    std::int64_t delayed_lo_ns;
    std::int64_t delayed_hi_ns;
    std::int64_t delay_ns;            // for the published rule
    std::int64_t minus_active;
    std::int64_t minus_entered_ns;    // of one clock only
};
constexpr int spent_words = 7;
static_assert(sizeof(spent) == spent_words * sizeof(std::int64_t), "it travels as MPI_INT64_T");

// The smallest delay counts, whenever it was ready.
bool takes_minimum() { return state.published || state.core->global->rule == TARE_RULE_PUBLISHED; }

// Stamps are gathered and not reduced: without a common clock, and as it was published.
bool gathers() { return !state.one_node || state.published; }

tare_wire_t make_stamp(std::int64_t ready_ns, std::int64_t delay_ns, std::int64_t lo_ns, std::int64_t hi_ns)
{
    constexpr unsigned flags =
        TARE_WIRE_TIME_VALID | TARE_WIRE_ACTIVE | TARE_WIRE_VERSION << TARE_WIRE_VERSION_SHIFT;
    tare_wire_t wire = tare_wire_pack(delay_ns, ready_ns, static_cast<std::uint16_t>(flags));
    tare_wire_set_widths(&wire, delay_ns - lo_ns, hi_ns - delay_ns);
    return wire;
}

tare_wire_t stamp_of(const merged &m)
{
    if (takes_minimum())
        return make_stamp(m.ready_ns, -m.minus_delay_ns, -m.minus_delay_ns, -m.minus_delay_ns);
    return make_stamp(m.ready_ns, m.ready_ns - m.compensated_ns, m.ready_ns - m.compensated_lo_ns,
                      m.ready_ns - m.compensated_hi_ns);
}

merged of_readiness(const readiness &r)
{
    return {r.time_ns,          r.time_ns - r.delay_ns, r.time_ns - r.lo_ns,
            r.time_ns - r.hi_ns, -r.delay_ns,            is_anybody_measuring()};
}

void merge(merged &m, tare_wire_t wire, std::int64_t near_ns)
{
    if (!tare_is_active(&wire))
        return;
    const std::int64_t ready = tare_wire_time_near_ns(wire, near_ns), delay = tare_wire_delay_ns(wire);
    m.ready_ns = std::max(m.ready_ns, ready);
    m.compensated_ns = std::max(m.compensated_ns, ready - delay);
    m.compensated_lo_ns = std::max(m.compensated_lo_ns, ready - tare_wire_delay_lo_ns(wire));
    m.compensated_hi_ns = std::max(m.compensated_hi_ns, ready - tare_wire_delay_hi_ns(wire));
    m.minus_delay_ns = std::max(m.minus_delay_ns, -delay);
    m.active = 1;
}

// Not ranks: whose latency is learned where several send.
constexpr std::uint32_t all_of_them = 0xffffff00;

}  // namespace

struct collective_op : parcel {
    collective_op() : parcel{} { role = direction::collective; }
    collective_call call;
    form as = form::blocking;
    readiness own{};
    merged out{}, in{};
    std::vector<tare_wire_t> stamps;  // of the other processes
    std::vector<MPI_Request> requests;
};

namespace {

// --- the tool's operation on the twin ---

bool is_root(const collective_op &op) { return op.call.root == op.call.comm->rank; }

std::size_t members(const collective_op &op) { return static_cast<std::size_t>(op.call.comm->size); }

// The arguments of an operation that is blocking, nonblocking or persistent, without those that it has of its own.
template <typename Now, typename Later, typename Again, typename... Arguments>
void run(collective_op &op, Now now, Later later, Again again, Arguments... arguments)
{
    const MPI_Comm twin = op.call.comm->twin;
    MPI_Request request = MPI_REQUEST_NULL;
    if (op.as == form::blocking)
        now(arguments..., twin);
    else if (op.as != form::persistent)
        later(arguments..., twin, &request);
    else if constexpr (!std::is_same_v<Again, std::nullptr_t>)
        again(arguments..., twin, MPI_INFO_NULL, &request);
    if (request != MPI_REQUEST_NULL)
        op.requests.push_back(request);
}

#if MPI_VERSION >= 4
#define PERSISTENT(name) real.name##_init
#else
#define PERSISTENT(name) nullptr
#endif

void bcast(collective_op &op)
{
    run(op, real.Bcast, real.Ibcast, PERSISTENT(Bcast), &op.stamp, stamp_words, MPI_UINT64_T, op.call.root);
}

void to_root(collective_op &op)
{
    if (!gathers()) {
        run(op, real.Reduce, real.Ireduce, PERSISTENT(Reduce), &op.out, &op.in, merged_words, MPI_INT64_T, MPI_MAX,
            op.call.root);
        return;
    }
    if (is_root(op))
        op.stamps.resize(members(op));
    run(op, real.Gather, real.Igather, PERSISTENT(Gather), &op.stamp, stamp_words, MPI_UINT64_T, op.stamps.data(),
        stamp_words, MPI_UINT64_T, op.call.root);
}

// A gather of stamps by a reduction: each has its own at its place, and zeros elsewhere (fill). MPICH 4.0.2's
// persistent MPI_Allgather hangs over a network when it is started again.
bool ors_stamps(const collective_op &op)
{
    return gathers() && (op.call.how == flow::to_later || (op.call.how == flow::to_all && op.as == form::persistent &&
                                                           !op.call.comm->inter));
}

template <typename Now, typename Later, typename Again>
void or_stamps(collective_op &op, Now now, Later later, Again again)
{
    const std::size_t size = members(op);
    op.stamps.resize(2 * size);
    run(op, now, later, again, op.stamps.data() + size, op.stamps.data(), static_cast<int>(size) * stamp_words,
        MPI_UINT64_T, MPI_BOR);
}

void to_all(collective_op &op)
{
    if (!gathers()) {
        run(op, real.Allreduce, real.Iallreduce, PERSISTENT(Allreduce), &op.out, &op.in, merged_words, MPI_INT64_T,
            MPI_MAX);
        return;
    }
    if (ors_stamps(op)) {
        or_stamps(op, real.Allreduce, real.Iallreduce, PERSISTENT(Allreduce));
        return;
    }
    op.stamps.resize(members(op));
    run(op, real.Allgather, real.Iallgather, PERSISTENT(Allgather), &op.stamp, stamp_words, MPI_UINT64_T,
        op.stamps.data(), stamp_words, MPI_UINT64_T);
}

// Without a common clock each rank hands on the stamps of all before it, and adds its own.
void to_later(collective_op &op)
{
    if (!gathers()) {
        run(op, real.Exscan, real.Iexscan, PERSISTENT(Exscan), &op.out, &op.in, merged_words, MPI_INT64_T, MPI_MAX);
        return;
    }
    or_stamps(op, real.Exscan, real.Iexscan, PERSISTENT(Exscan));
}

void along_edges(collective_op &op)
{
    const bool again = op.as == form::persistent;
    const MPI_Comm twin = op.call.comm->twin;
    op.stamps.resize(op.call.from.size());
    for (std::size_t i = 0; i < op.call.from.size(); i++) {
        op.requests.push_back(MPI_REQUEST_NULL);
        (again ? real.Recv_init : real.Irecv)(&op.stamps[i], stamp_words, MPI_UINT64_T, op.call.from[i], op.tag, twin,
                                              &op.requests.back());
    }
    for (int rank : op.call.to) {
        op.requests.push_back(MPI_REQUEST_NULL);
        (again ? real.Send_init : real.Isend)(&op.stamp, stamp_words, MPI_UINT64_T, rank, op.tag, twin,
                                              &op.requests.back());
    }
}

void issue(collective_op &op)
{
    const muted_thread muted;
    switch (op.call.how) {
    case flow::nowhere: break;
    case flow::from_root: bcast(op); break;
    case flow::to_root: to_root(op); break;
    case flow::to_all: to_all(op); break;
    case flow::to_later: to_later(op); break;
    case flow::listed: along_edges(op); break;
    }
}

void wait_for(collective_op &op)
{
    const muted_thread muted;
    if (!op.requests.empty())
        real.Waitall(static_cast<int>(op.requests.size()), op.requests.data(), MPI_STATUSES_IGNORE);
}

// What this process has to say.
void fill(collective_op &op, const readiness &own)
{
    op.own = own;
    op.stamp = op.own.stamp;
    op.in = nobody;
    op.out = op.call.how == flow::to_root && is_root(op) ? nobody : of_readiness(op.own);
    op.seen = false;
    if (ors_stamps(op)) {
        op.stamps.assign(2 * members(op), tare_wire_t{0, 0});
        op.stamps[members(op) + static_cast<std::size_t>(op.call.comm->rank)] = op.stamp;
    }
}

// --- what has come ---

// Its stamps are none of the communicator's messages.
constexpr std::uint32_t collective_context = UINT32_C(1) << 31;

void join(const collective_op &op, tare_wire_t wire, std::uint32_t sender, std::int64_t seen_ns, unsigned flags)
{
    if (!tare_is_active(&wire))
        return;
    // Nobody has measured here yet, but when a blocking call was entered is known.
    if (!is_anybody_measuring() && (op.as == form::blocking || op.as == form::begun))
        state.core->event(op.own.time_ns);
    tare_edge_t edge{};
    edge.wire = wire;
    edge.seen_ns = seen_ns;
    edge.peer = tare_peer(op.call.comm->number | collective_context, sender);
    edge.size_class = tare_size_class(TARE_CLASS_DATA, static_cast<std::uint64_t>(op.call.bytes));
    edge.flags = TARE_EDGE_SET | flags;
    if (seen_ns == 0)
        edge.flags |= TARE_EDGE_WATCHED;
    if (state.one_node)
        edge.flags |= TARE_EDGE_SAME_CLOCK;
    state.core->join(&edge);
}

std::uint32_t as_sender(const collective_op &op) { return all_of_them | static_cast<std::uint32_t>(op.call.how); }

void join_merged(const collective_op &op, const merged &m, std::int64_t seen_ns)
{
    if (m.active)
        join(op, stamp_of(m), as_sender(op), seen_ns, 0);
}

// With one clock, several senders are one edge. Else each is looked at: the latest came when the call returned, the
// others by their learned latency.
void join_stamps(const collective_op &op, std::size_t first, std::size_t end, const std::vector<int> *ranks,
                 std::int64_t seen_ns)
{
    const comm_record &c = *op.call.comm;
    merged m = nobody;
    for (std::size_t i = first; i < end; i++) {
        const int rank = ranks != nullptr ? (*ranks)[i] : static_cast<int>(i);
        if (!c.inter && rank == c.rank)
            continue;
        if (state.one_node)
            merge(m, op.stamps[i], op.own.time_ns);
        else
            join(op, op.stamps[i], static_cast<std::uint32_t>(rank), end - first > 1 ? 0 : seen_ns, 0);
    }
    join_merged(op, m, seen_ns);
}

// Whether data come to this process.
bool hears_others(const collective_op &op)
{
    switch (op.call.how) {
    case flow::nowhere: return false;
    case flow::from_root: return !is_root(op);
    case flow::to_root: return is_root(op);
    case flow::to_later: return op.call.comm->rank > 0;
    default: return true;
    }
}

void join_all(const collective_op &op, std::int64_t seen_ns)
{
    if (!hears_others(op))
        return;
    if (op.call.how == flow::from_root)
        join(op, op.stamp, static_cast<std::uint32_t>(op.call.root), seen_ns, 0);
    else if (op.call.how == flow::listed)
        join_stamps(op, 0, op.stamps.size(), &op.call.from, seen_ns);
    else if (!gathers())
        join_merged(op, op.in, seen_ns);
    else if (op.call.how == flow::to_later)
        join_stamps(op, 0, static_cast<std::size_t>(op.call.comm->rank), nullptr, seen_ns);
    else
        join_stamps(op, 0, ors_stamps(op) ? members(op) : op.stamps.size(), nullptr, seen_ns);
}

// --- what no stamp tells: inner nodes of the MPI library's algorithm, and its hops ---

// Between the latest process and the return there are hops, and others may have been waited for instead of it.
void widen_by_hops(std::int64_t hops_ns)
{
    const tare_thread_t *th = state.core->thread();
    widen_bounds(th->delay_lo_ns - hops_ns, th->delay_hi_ns + hops_ns);
}

// Data from the root may come by others, of which nothing is known. Of several with clocks of their own each may have
// been the last. Along listed edges they come at once.
void widen(const collective_op &op, std::int64_t returned_ns)
{
    constexpr std::size_t without_inner_nodes = 2;
    if (!is_anybody_measuring() || !hears_others(op) || op.call.how == flow::listed ||
        members(op) <= without_inner_nodes)
        return;
    const std::int64_t entered_ns = std::max(op.own.time_ns, state.core->thread()->call_ns);
    if (op.call.how == flow::from_root || gathers())
        waited_unseen(returned_ns - entered_ns);
    else
        widen_by_hops(returned_ns - std::max(entered_ns, op.in.ready_ns));
}

// --- all wait for all ---

// (R) without a common clock: the last one came when the one that spent the least time in the call had been in it for
// nothing. So it came that long before each return.
void join_spent(const collective_op &op, std::int64_t returned_ns)
{
    const std::int64_t inside = returned_ns - op.own.time_ns;
    const readiness &r = op.own;
    const spent mine{inside,           r.delay_ns + inside, r.lo_ns + inside,
                     r.hi_ns + inside, r.delay_ns,          -static_cast<std::int64_t>(is_anybody_measuring()),
                     -r.time_ns};
    spent least = mine;
    {
        const muted_thread muted;
        real.Allreduce(&mine, &least, spent_words, MPI_INT64_T, MPI_MIN, op.call.comm->twin);
    }
    if (least.minus_active == 0)
        return;
    const std::int64_t event = returned_ns - least.inside_ns;
    const std::int64_t delay = takes_minimum() ? least.delay_ns : least.delayed_ns - least.inside_ns;
    const std::int64_t lo = takes_minimum() ? delay : least.delayed_lo_ns - least.inside_ns;
    const std::int64_t hi = takes_minimum() ? delay : least.delayed_hi_ns - least.inside_ns;
    join(op, make_stamp(event, delay, lo, hi), as_sender(op), event, TARE_EDGE_SAME_CLOCK);
    widen_by_hops(state.one_node ? returned_ns + least.minus_entered_ns : inside);
}

// As it was published: to the lowest rank, and from there to all.
void join_by_lowest_rank(collective_op &op, std::int64_t returned_ns)
{
    op.call.root = 0;
    op.call.how = flow::to_root;
    issue(op);
    join_all(op, returned_ns);
    if (is_root(op))
        op.stamp = state.core->stamp();
    op.call.how = flow::from_root;
    issue(op);
    join_all(op, returned_ns);
    widen(op, returned_ns);
}

collective_op &of(parcel *p) { return *static_cast<collective_op *>(p); }

// Persistent operations may be started in any order, which differs from rank to rank: each has a tag of its own.
constexpr int persistent_tags = 1024;

int highest_tag()
{
    int *tag = nullptr, found = 0;
    real.Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag, &found);
    return found ? *tag : 32767;
}

int tag_of(comm_record *c, form as)
{
    static const int highest = highest_tag();
    if (as != form::persistent)
        return highest;
    return highest - 1 - static_cast<int>(c->persistent_edges++ % (persistent_tags - 1));
}

}  // namespace

readiness ready_now()
{
    const tare_wire_t stamp = state.core->stamp();
    const tare_thread_t *th = state.core->thread();
    const bool known = is_anybody_measuring() && th->event_source != TARE_EVENT_NONE;
    return {known ? th->event_ns : clock_ns(), th->delay_ns, th->delay_lo_ns, th->delay_hi_ns, stamp};
}

// A message that needs its receiver may hold up whoever sends it: then the tool's must be under way before.
bool begins_first(const collective_call &call)
{
    return call.how == flow::listed || call.is_long;
}

void follow_blocking(const collective_call &call, const readiness &own, std::int64_t returned_ns)
{
    collective_op op;
    op.call = call;
    fill(op, own);
    if (call.how == flow::to_all) {
        state.published ? join_by_lowest_rank(op, returned_ns) : join_spent(op, returned_ns);
        return;
    }
    issue(op);
    join_all(op, returned_ns);
    widen(op, returned_ns);
}

parcel *begin_collective(const collective_call &call, form as)
{
    if (call.how == flow::nowhere)
        return nullptr;
    collective_op *op = new collective_op;
    op->call = call;
    op->as = as;
    op->persistent = as == form::persistent;
    {
        shared_lock lock;
        hold(call.comm);
        if (call.how == flow::listed)
            op->tag = tag_of(call.comm, as);
    }
    fill(*op, ready_now());
    issue(*op);
    return op;
}

void start_collective(parcel *p)
{
    collective_op &op = of(p);
    fill(op, ready_now());
    const muted_thread muted;
    if (!op.requests.empty())
        real.Startall(static_cast<int>(op.requests.size()), op.requests.data());
}

bool is_whole_collective(parcel *p)
{
    collective_op &op = of(p);
    const muted_thread muted;
    for (MPI_Request request : op.requests) {
        int complete = 0;
        real.Request_get_status(request, &complete, MPI_STATUS_IGNORE);
        if (!complete)
            return false;
    }
    return true;
}

void finish_collective(parcel *p, std::int64_t returned_ns)
{
    if (p->seen)
        return;
    wait_for(of(p));
    join_all(of(p), returned_ns == among_several_ns ? 0 : returned_ns);
    widen(of(p), returned_ns == among_several_ns ? clock_ns() : returned_ns);
    p->seen = true;
}

// The MPI library gives requests that are complete at once the same handle, so it may not have been finished.
void release_collective(parcel *p)
{
    collective_op &op = of(p);
    if (!op.persistent)
        wait_for(op);
    const muted_thread muted;
    for (MPI_Request &request : op.requests)
        if (request != MPI_REQUEST_NULL)
            real.Request_free(&request);
    shared_lock lock;
    let_go(op.call.comm);
    delete &op;
}

}  // namespace tare::pmpi
