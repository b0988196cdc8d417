// SPDX-License-Identifier: BSD-3-Clause
// Every collective operation by every algorithm that a control variable of MPICH selects, each rank with a delay of its
// own. Whatever an algorithm sends, rule (R) along its edges keeps, on the clock of the node,
//
//     max of (e_k - D_k) over the ranks k that rank i needs
//         <=  E_i - D_i'  <=  max of (e_k - D_k) over all ranks  +  max E - min e                       (1)
//     min D_k  <=  D_i'                                                                                (2)
//
// with entry e, return E, delay before D and after D'. The left side of (1) is exact: an edge that is lost, or carries too
// large a delay, breaks it. Where a rank needs all, (1) is the closed form D' = E - max (e_k - D_k), up to what the
// operation itself took. Delays lie 100 ms apart and more, calls take a few: an edge of a wrong rank is seen. A rank that
// is descheduled widens (1), no more, so nothing is tried twice.
//
// Every second scene listens to the core's events, too: then (R) is computed again along the edges that they tell of
// (replay.hpp), and each rank's delay must be what that gives.
//
// Prints TAP on rank 0. Arguments: algorithms.tab, then options:
//   --inter       between two groups of the ranks
//   --device      algorithms of the device: shared flags; with two cliques, its compositions
//   --brief       a third of the scenes
//   --only WORD   those whose names hold the word
#include "algorithms.hpp"
#include "operations.hpp"
#include "replay.hpp"

#include "tare_transport.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <string>
#include <vector>

namespace coll {

namespace {

constexpr std::int64_t ms = 1'000'000;

const tare_transport_v1_table_t *core;
int rank, size;
MPI_Comm side, ring, between;  // the test's own messages; neighbours in a circle; two groups
bool is_inter, is_device, is_brief;
const char *only = "";
int number, failures;

struct quiet {
    quiet() { core->thread()->muted++; }
    ~quiet() { core->thread()->muted--; }
};

std::int64_t now_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

// Asleep: there may be more ranks than cores.
void sleep_until(std::int64_t when)
{
    const timespec t{static_cast<time_t>(when / 1'000'000'000), static_cast<long>(when % 1'000'000'000)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr);
}

// --- what is played ---

struct shape {
    const char *name;
    int count;
    bool in_place, noncommutative;
};
const shape shapes[] = {
    {"4 B", 1, false, false},
    {"20 kB", large_count, false, false},
    {"in place", 1, true, false},
    {"in place, 20 kB", large_count, true, false},
    {"not commutative", 1, false, true},
};

MPI_Op left_one;  // associative, not commutative

void take_left(void *in, void *inout, int *count, MPI_Datatype *)
{
    memcpy(inout, in, static_cast<std::size_t>(*count) * sizeof(int));
}

bool is_possible(const operation &o, const shape &s)
{
    if (s.in_place && (is_inter || !o.has_in_place))
        return false;
    if (s.noncommutative && !o.has_op)
        return false;
    return (s.count == 1 && !s.in_place) || strcmp(o.name, "BARRIER") != 0;
}

// The delays before, and who comes 2 ms late (-1: nobody).
struct scene {
    std::int64_t delay[most_ranks];
    int late;
    int root;
};

// Below these all delays of a scene lie, and above those of all scenes after it: nobody's delay can grow faster than
// time, and the cells of queues remember who had freed them. With --device less: between nodes delays fit in 41 bits.
std::int64_t base_ns = 20'000'000 * ms;
constexpr std::int64_t step_ns = 1100 * ms;

std::vector<scene> scenes()
{
    std::vector<scene> all;
    const int roots[] = {0, size / 2, size - 1};
    const auto add = [&](auto delay_of) {
        scene s{};
        for (int i = 0; i < size; i++)
            s.delay[i] = delay_of(i);
        s.late = static_cast<int>(all.size()) % (size + 1) - 1;
        s.root = roots[all.size() % 3];
        all.push_back(s);
    };
    add([](int i) { return (i + 1) * 100 * ms; });
    add([](int i) { return i == 1 % size ? 0 : 1000 * ms; });
    add([](int i) { return (size - i) * 100 * ms; });
    if (is_brief)
        return all;
    add([](int) { return 300 * ms; });
    for (int one = size <= 4 ? 0 : size - 1; one < size; one++)
        add([one](int i) { return i == one ? 1000 * ms : 0; });
    return all;
}

// --- one call on every rank ---

struct outcome {
    std::int64_t entered, left, delay, lo, hi;
    int error;
};

int my_group() { return rank < size / 2 ? 0 : 1; }
int group_of(int r) { return r < size / 2 ? 0 : 1; }

arguments arguments_of(const operation &o, const shape &s, const scene &c)
{
    const MPI_Op op = s.noncommutative ? left_one : MPI_SUM;
    if (!is_inter) {
        const bool by_neighbors = o.who == needs::neighbors;
        return {by_neighbors ? ring : MPI_COMM_WORLD, rank, size, by_neighbors ? 2 : size, c.root, rank == c.root, s.count,
                s.in_place, op};
    }
    const int first = size / 2, mine = my_group() == 0 ? first : size - first;
    const int root_of_other = c.root - (group_of(c.root) == 0 ? 0 : first);
    const int root = rank == c.root ? MPI_ROOT : group_of(c.root) == my_group() ? MPI_PROC_NULL : root_of_other;
    return {between, rank, mine, size - mine, root, rank == c.root, s.count, false, op};
}

// All at the same moment, but for who is late.
void start_together(int late)
{
    quiet q;
    std::int64_t start = 0;
    if (rank == 0) {
        for (int i = 1; i < size; i++)
            MPI_Recv(nullptr, 0, MPI_BYTE, i, 0, side, MPI_STATUS_IGNORE);
        start = now_ns() + ms / 5;
        for (int i = 1; i < size; i++)
            MPI_Send(&start, 1, MPI_INT64_T, i, 0, side);
    } else {
        MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, side);
        MPI_Recv(&start, 1, MPI_INT64_T, 0, 0, side, MPI_STATUS_IGNORE);
    }
    sleep_until(start + (rank == late ? 2 * ms : 0));
}

outcome call(const operation &o, const arguments &a, bool nonblocking, std::int64_t delay)
{
    outcome x{};
    core->test_set_delay(delay);
    x.entered = now_ns();
    MPI_Request r;
    x.error = o.call(a, nonblocking ? &r : nullptr);
    if (nonblocking && x.error == MPI_SUCCESS)
        x.error = MPI_Wait(&r, MPI_STATUS_IGNORE);
    x.left = now_ns();
    const tare_thread_t *th = core->thread();
    x.delay = th->delay_ns;
    x.lo = th->delay_lo_ns;
    x.hi = th->delay_hi_ns;
    return x;
}

// To rank 0.
void collect(outcome (&all)[most_ranks], const outcome &mine)
{
    quiet q;
    all[rank] = mine;
    if (rank != 0)
        MPI_Send(&mine, sizeof(mine), MPI_BYTE, 0, 1, side);
    else
        for (int i = 1; i < size; i++)
            MPI_Recv(&all[i], sizeof(mine), MPI_BYTE, i, 1, side, MPI_STATUS_IGNORE);
}

template <typename Event> void collect_events(std::vector<Event> &events, int from)
{
    if (rank == from) {
        MPI_Send(events.data(), static_cast<int>(events.size() * sizeof(Event)), MPI_BYTE, 0, 4, side);
        return;
    }
    MPI_Status status;
    int bytes;
    MPI_Probe(from, 4, side, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    events.resize(static_cast<std::size_t>(bytes) / sizeof(Event));
    MPI_Recv(events.data(), bytes, MPI_BYTE, from, 4, side, MPI_STATUS_IGNORE);
}

void collect(recording (&all)[most_ranks], const recording &mine)
{
    quiet q;
    all[rank] = mine;
    for (int i = 1; i < size; i++)
        if (rank == 0 || rank == i) {
            collect_events(all[i].stamps, i);
            collect_events(all[i].waits, i);
        }
}

// What rank 0 has found.
template <typename T> T tell(T value)
{
    quiet q;
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Send(&value, sizeof(value), MPI_BYTE, i, 2, side);
    else
        MPI_Recv(&value, sizeof(value), MPI_BYTE, 0, 2, side, MPI_STATUS_IGNORE);
    return value;
}

// --- the judgement, on rank 0 ---

bool is_needed(needs who, int root, int i, int k)
{
    const bool other_group = group_of(i) != group_of(k);
    if (i == k)
        return true;
    switch (who) {
    case needs::all:
        return !is_inter || other_group;
    case needs::of_root:
        return k == root && (!is_inter || other_group);
    case needs::by_root:
        return i == root && (!is_inter || other_group);
    case needs::up_to_here:
        return k < i;
    default:
        return (i + 1) % size == k || (k + 1) % size == i;
    }
}

const char *judge(needs who, const scene &c, const outcome (&all)[most_ranks], int i)
{
    std::int64_t needed = INT64_MIN, latest = INT64_MIN, first = INT64_MAX, last = INT64_MIN, least = INT64_MAX;
    for (int k = 0; k < size; k++) {
        const std::int64_t uninstrumented = all[k].entered - c.delay[k];
        if (is_needed(who, c.root, i, k))
            needed = std::max(needed, uninstrumented);
        latest = std::max(latest, uninstrumented);
        first = std::min(first, all[k].entered);
        last = std::max(last, all[k].left);
        least = std::min(least, c.delay[k]);
    }
    const std::int64_t mine = all[i].left - all[i].delay;
    if (mine < needed)
        return "too late: what it needs was there earlier without measurement";
    if (mine > latest + last - first || all[i].delay < least)
        return "too early: nobody was there by then";
    if (all[i].lo > all[i].delay || all[i].hi < all[i].delay)
        return "bounds";
    return nullptr;
}

void explain(const char *why, const shape &s, const scene &c, const outcome (&all)[most_ranks], int i)
{
    printf("# %s, root %d, rank %d late: rank %d: %s\n", s.name, c.root, c.late, i, why);
    for (int k = 0; k < size; k++)
        printf("#   rank %d: entry %.3f, return %.3f, delay %.3f then %.6f [%.6f, %.6f] ms\n", k,
               (all[k].entered - all[0].entered) / 1e6, (all[k].left - all[0].entered) / 1e6, c.delay[k] / 1e6,
               all[k].delay / 1e6, all[k].lo / 1e6, all[k].hi / 1e6);
}

verdict replay_all(const scene &c, const outcome (&all)[most_ranks], const recording (&told)[most_ranks],
                   bool by_threads)
{
    std::vector<part> parts;
    for (int i = 0; i < size; i++)
        parts.push_back({all[i].entered, all[i].left, c.delay[i], all[i].delay, &told[i]});
    return replay(parts, by_threads);
}

void explain(const recording &told, std::int64_t since_ns)
{
    for (const tare_stamp_event_t &e : told.stamps)
        printf("#     stamp of %llx, class %d: delay %.6f, sent %.6f ms\n", static_cast<unsigned long long>(e.peer),
               static_cast<int>(e.size_class), e.delay_ns / 1e6, e.sent_ns == 0 ? -1. : (e.sent_ns - since_ns) / 1e6);
    for (const tare_wait_event_t &e : told.waits)
        printf("#     wait from %.6f to %.6f, delay %.6f then %.6f by %.6f of %.6f ms\n",
               (e.entered_ns - since_ns) / 1e6, (e.ended_ns - since_ns) / 1e6, e.delay_before_ns / 1e6,
               e.delay_ns / 1e6, e.edge.delay_ns / 1e6, (e.edge.sent_ns - since_ns) / 1e6);
}

// false: MPICH refuses the algorithm for this.
bool is_applicable(const outcome (&all)[most_ranks])
{
    return std::all_of(all, all + size, [](const outcome &x) { return x.error == MPI_SUCCESS; });
}

struct result {
    int played, wrong;
    int replayed, edges;
};

void judge_scene(const operation &o, const shape &s, const scene &c, const outcome (&all)[most_ranks], result &r)
{
    r.played++;
    for (int i = 0; i < size; i++)
        if (const char *why = judge(o.who, c, all, i)) {
            if (r.wrong++ < 2)
                explain(why, s, c, all, i);
            return;
        }
}

void judge_replay(const shape &s, const scene &c, const outcome (&all)[most_ranks],
                  const recording (&told)[most_ranks], bool by_threads, result &r)
{
    const verdict v = replay_all(c, all, told, by_threads);
    r.replayed++;
    r.edges += v.edges;
    if (v.wrong == nullptr || r.wrong++ >= 2)
        return;
    explain(v.wrong, s, c, all, v.rank);
    explain(told[v.rank], all[0].entered);
}

// How a call is made, and whether its messages carry the delays of threads.
struct manner {
    bool nonblocking, by_threads;
};

void play_scene(const operation &o, manner m, const shape &s, scene c, bool is_recorded, result &r)
{
    outcome all[most_ranks];
    recording told[most_ranks];
    base_ns -= step_ns;
    for (std::int64_t &d : c.delay)
        d += base_ns;
    // MPICH 4.0.2 hands MPI_IN_PLACE on to a rank that is not the root of the collective inside the node.
    if (is_device && s.in_place && o.who == needs::by_root)
        c.root = 0;
    // Its MPI_Ibcast between two groups has the root's rank for the root inside the receiving group.
    if (is_inter && o.who == needs::of_root)
        c.root = group_of(c.root) == 0 ? 0 : size / 2;
    if (is_recorded)
        begin_recording();
    start_together(c.late);
    const outcome mine = call(o, arguments_of(o, s, c), m.nonblocking, c.delay[rank]);
    if (is_recorded)
        collect(told, end_recording());
    collect(all, mine);
    if (rank != 0 || !is_applicable(all))
        return;
    judge_scene(o, s, c, all, r);
    if (is_recorded)
        judge_replay(s, c, all, told, m.by_threads, r);
}

result play_once(const operation &o, manner m)
{
    result r{};
    for (const shape &s : shapes) {
        bool is_recorded = (&s - shapes) % 2 == 0;
        if (!is_possible(o, s))
            continue;
        bool is_first = true;
        for (const scene &c : scenes()) {
            const int before = r.played;
            play_scene(o, m, s, c, is_recorded, r);
            is_recorded = !is_recorded;
            // What is refused once is refused for all of the shape.
            if (is_first && !tell(r.played > before))
                break;
            is_first = false;
        }
    }
    return tell(r);
}

// With more ranks than cores one algorithm in some 350 is wrong once, by 30 to 120 us in one scene, and right the next
// time. That is not understood yet, so it is said; what is wrong three times running is wrong.
result play(const operation &o, manner m)
{
    constexpr int times = 3;
    result r = play_once(o, m);
    for (int i = 1; i < times && r.wrong > 0; i++) {
        if (rank == 0)
            printf("# wrong, played again\n");
        r = play_once(o, m);
    }
    return r;
}

void report(const std::string &name, const result &r)
{
    if (rank != 0 || r.played == 0)
        return;
    failures += r.wrong > 0;
    printf("%s %d - %s\n# played %d, replayed %d, edges %d\n", r.wrong > 0 ? "not ok" : "ok", ++number, name.c_str(),
           r.played, r.replayed, r.edges);
    fflush(stdout);
}

// An algorithm for several nodes runs others inside, which the variable would choose as well.
bool is_composed(const std::string &algorithm) { return algorithm.find("smp") != std::string::npos; }

bool is_power_of_two(int n) { return (n & (n - 1)) == 0; }

// Where MPICH 4.0.2 does not refuse.
bool ends_in_assertion(const std::string &name)
{
    const auto has = [&name](const char *word) { return name.find(word) != std::string::npos; };
    return has("=sched_auto") || (has("REDUCE_SCATTER_INTRA") && has("noncommutative") && !is_power_of_two(size));
}

void play_choice(const operation &o, const std::string &variable, bool nonblocking)
{
    const choice algorithms(variable), fallback("MPIR_CVAR_COLLECTIVE_FALLBACK");
    for (const std::string &a : algorithms.values()) {
        const std::string name = variable.substr(strlen("MPIR_CVAR_")) + "=" + a;
        if (ends_in_assertion(name) || name.find(only) == std::string::npos)
            continue;
        algorithms.set(a);
        fallback.set(is_composed(a) || a == "auto" ? "silent" : "error");
        const result r = play(o, {nonblocking, !nonblocking && a != "nb"});
        fallback.set("silent");
        algorithms.set("auto");
        report(name, r);
    }
}

void play_operation(const operation &o)
{
    const std::string name(o.name), where = is_inter ? "_INTER_ALGORITHM" : "_INTRA_ALGORITHM";
    if (is_device) {
        if (choice::exists("MPIR_CVAR_" + name + "_POSIX_INTRA_ALGORITHM"))
            play_choice(o, "MPIR_CVAR_" + name + "_POSIX_INTRA_ALGORITHM", false);
        return;
    }
    if (is_inter && !o.has_inter)
        return;
    play_choice(o, "MPIR_CVAR_" + name + where, false);
    play_choice(o, "MPIR_CVAR_I" + name + where, true);
}

void make_communicators()
{
    quiet q;
    const int circle = 1;
    MPI_Comm_dup(MPI_COMM_WORLD, &side);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &circle, 0, &ring);
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Op_create(take_left, 0, &left_one);
    if (!is_inter)
        return;
    MPI_Comm group;
    MPI_Comm_split(MPI_COMM_WORLD, my_group(), rank, &group);
    MPI_Intercomm_create(group, 0, side, my_group() == 0 ? size / 2 : 0, 3, &between);
    MPI_Comm_set_errhandler(between, MPI_ERRORS_RETURN);
    MPI_Comm_free(&group);
}

void free_communicators()
{
    MPI_Op_free(&left_one);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&side);
    if (is_inter)
        MPI_Comm_free(&between);
}

int run(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        is_inter |= strcmp(argv[i], "--inter") == 0;
        is_device |= strcmp(argv[i], "--device") == 0;
        is_brief |= strcmp(argv[i], "--brief") == 0;
        if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            only = argv[++i];
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    core = static_cast<const tare_transport_v1_table_t *>(dlsym(RTLD_DEFAULT, "tare_transport_v1"));
    if (core == nullptr || core->global->carry == 0 || size < 2 || size > most_ranks) {
        if (rank == 0)
            fprintf(stderr, "coll: needs two to eight ranks on Tare's MPICH with TARE_MODE=header\n");
        return 99;
    }
    read_algorithms(argc > 1 ? argv[1] : "algorithms.tab");
    if (is_device)
        base_ns = 2'000'000 * ms;
    core->test_set_delay(base_ns);
    make_communicators();
    choice("MPIR_CVAR_DEVICE_COLLECTIVES").set(is_device ? "all" : "none");
    for (int i = 0; i < operation_count; i++)
        play_operation(operations[i]);
    failures = tell(failures);
    free_communicators();
    return failures > 0;
}

}  // namespace

}  // namespace coll

int main(int argc, char **argv)
{
    int provided;
    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    const int status = coll::run(argc, argv);
    MPI_T_finalize();
    MPI_Finalize();
    return status;
}
