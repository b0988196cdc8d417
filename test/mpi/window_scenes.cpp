// SPDX-License-Identifier: BSD-3-Clause
// One-sided communication: who waits for whom in each kind of synchronisation, and for what an operation asks.
//
// Rank 0 waits, rank 1 is busy for 10 ms first: if it measures, rank 0 gets its delay; if it works, nobody has any.
#include "scenes.hpp"

#include <initializer_list>
#include <string.h>

namespace echo {

namespace {

constexpr int64_t busy_ns = 10 * ms;
constexpr int large = 1 << 20, window_size = 4 << 20, scattered_count = 20'000;

MPI_Win window;
bool is_by_memory;  // operations are copies into shared memory, that ask nobody
MPI_Datatype scattered;  // too long a description for a packet's header

// Rank 1 is busy since `start`.
void be_busy(int64_t start, bool measures)
{
    wait_until(start);
    if (measures)
        overhead(busy_ns);
    else
        wait_until(start + busy_ns);
}

void receive_from_rank_0()
{
    event();
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void send_to_rank_1()
{
    quiet q;
    MPI_Send(nullptr, 0, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
}

// For what polls meanwhile, without any delay.
void meet()
{
    quiet q;
    MPI_Barrier(MPI_COMM_WORLD);
}

template <typename Call> void quietly(Call call)
{
    quiet q;
    call();
}

template <typename Call> void announced(Call call)
{
    event();
    call();
}

int64_t delay() { return core->thread()->delay_ns; }

// Of the rank that has waited.
verdict waited(const char *name, int64_t mine, bool measures)
{
    const int64_t theirs = other(mine), value = rank == 0 ? mine : theirs;
    return {is_near(value, measures ? busy_ns : 0), name, value};
}

int64_t begin(int64_t delay_ns = 0)
{
    const int64_t start = common_start();
    core->test_set_delay(delay_ns);
    return start;
}

// --- operations, and the waits for them ---

struct operation {
    const char *name;
    void (*run)();
    bool is_native;  // a network may do it by itself
};

const operation operations[] = {
    {"a put", [] { MPI_Put(send_buffer, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, window); }, true},
    {"a put of 1 MiB", [] { MPI_Put(send_buffer, large, MPI_BYTE, 1, 0, large, MPI_BYTE, window); }, true},
    {"a put into scattered places",
     [] { MPI_Put(send_buffer, scattered_count, MPI_INT, 1, 0, 1, scattered, window); }, false},
    {"a get", [] { MPI_Get(receive_buffer, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, window); }, true},
    {"a get of 1 MiB", [] { MPI_Get(receive_buffer, large, MPI_BYTE, 1, 0, large, MPI_BYTE, window); }, true},
    {"a get from scattered places",
     [] { MPI_Get(receive_buffer, scattered_count, MPI_INT, 1, 0, 1, scattered, window); }, false},
    {"an accumulate", [] { MPI_Accumulate(send_buffer, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window); }, false},
    {"an accumulate of 1 MiB",
     [] { MPI_Accumulate(send_buffer, large / 4, MPI_INT, 1, 0, large / 4, MPI_INT, MPI_SUM, window); }, false},
    {"an accumulate into scattered places",
     [] { MPI_Accumulate(send_buffer, scattered_count, MPI_INT, 1, 0, 1, scattered, MPI_SUM, window); }, false},
    {"a get_accumulate",
     [] {
         MPI_Get_accumulate(send_buffer, 1, MPI_INT, receive_buffer, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window);
     },
     false},
    {"a fetch_and_op", [] { MPI_Fetch_and_op(send_buffer, receive_buffer, MPI_INT, 1, 0, MPI_SUM, window); }, false},
    {"a compare_and_swap",
     [] { MPI_Compare_and_swap(send_buffer, send_buffer, receive_buffer, MPI_INT, 1, 0, window); }, false},
};

struct wait_for_it {
    const char *name;
    void (*run)();
    bool locks_all, asks_target;  // asks_target: also without an operation
};

const wait_for_it waits[] = {
    {"flush", [] { MPI_Win_flush(1, window); }, false, false},
    {"flush_local", [] { MPI_Win_flush_local(1, window); }, false, false},
    {"flush_all", [] { MPI_Win_flush_all(window); }, false, false},
    {"flush_local_all", [] { MPI_Win_flush_local_all(window); }, true, false},
    {"unlock", [] { MPI_Win_unlock(1, window); }, false, true},
    {"unlock_all", [] { MPI_Win_unlock_all(window); }, true, true},
};

void lock(bool all)
{
    if (all)
        MPI_Win_lock_all(0, window);
    else
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
}

verdict passive(const char *name, const operation &o, const wait_for_it &w, bool measures)
{
    if (rank == 0)
        quietly([&] { lock(w.locks_all); });
    meet();
    const int64_t start = begin();
    int64_t mine = 0;
    if (rank == 0) {
        wait_until(start);
        announced(o.run);
        announced(w.run);
        mine = delay();
        if (!w.asks_target)
            quietly([&] { w.locks_all ? MPI_Win_unlock_all(window) : MPI_Win_unlock(1, window); });
        send_to_rank_1();
    } else {
        be_busy(start, measures);
        receive_from_rank_0();
    }
    return waited(name, mine, measures && (w.asks_target || !is_by_memory));
}

// --- operations with requests ---

struct requested {
    const char *name;
    void (*run)(MPI_Request *r);
    bool is_native;
};

const requested requests[] = {
    {"Rput", [](MPI_Request *r) { MPI_Rput(send_buffer, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, window, r); }, true},
    {"Rget", [](MPI_Request *r) { MPI_Rget(receive_buffer, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, window, r); }, true},
    {"Raccumulate",
     [](MPI_Request *r) { MPI_Raccumulate(send_buffer, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window, r); }, false},
    {"Rget_accumulate",
     [](MPI_Request *r) {
         MPI_Rget_accumulate(send_buffer, 1, MPI_INT, receive_buffer, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window, r);
     },
     false},
};

verdict by_request(const char *name, const requested &o, bool tests, bool measures)
{
    if (rank == 0)
        quietly([] { lock(false); });
    meet();
    const int64_t start = begin();
    int64_t mine = 0;
    if (rank == 0) {
        MPI_Request r;
        int done = 0;
        wait_until(start);
        announced([&] { o.run(&r); });
        if (!tests)
            announced([&] { MPI_Wait(&r, MPI_STATUS_IGNORE); });
        while (tests && !done)
            announced([&] { MPI_Test(&r, &done, MPI_STATUS_IGNORE); });
        mine = delay();
        quietly([] { MPI_Win_unlock(1, window); });
        send_to_rank_1();
    } else {
        be_busy(start, measures);
        receive_from_rank_0();
    }
    return waited(name, mine, measures && !is_by_memory);
}

// --- synchronisation ---

verdict lock_of_a_busy_target(const char *name, bool all, bool measures)
{
    meet();
    const int64_t start = begin();
    int64_t mine = 0;
    if (rank == 0) {
        wait_until(start);
        announced([&] { lock(all); });
        mine = delay();
        quietly([&] { all ? MPI_Win_unlock_all(window) : MPI_Win_unlock(1, window); });
        send_to_rank_1();
    } else {
        be_busy(start, measures);
        receive_from_rank_0();
    }
    return waited(name, mine, measures);
}

// Rank 1 holds the lock of rank 0, which asks itself for it: the delay of who holds it rides with the grant.
verdict lock_after_another_holder(const char *name, int kind, bool measures)
{
    if (rank == 1)
        quietly([&] { MPI_Win_lock(kind, 0, 0, window); });
    meet();
    const int64_t start = begin();
    int64_t mine = 0;
    if (rank == 0) {
        wait_until(start);
        announced([] { MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window); });
        mine = delay();
        quietly([] { MPI_Win_unlock(0, window); });
    } else {
        be_busy(start, measures);
        announced([] { MPI_Win_unlock(0, window); });
    }
    meet();
    return waited(name, mine, measures);
}

// Without measurement rank 1 had released long before rank 0 asked.
verdict lock_that_was_free_in_time(const char *name)
{
    if (rank == 1)
        quietly([] { MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window); });
    meet();
    const int64_t start = begin();
    int64_t mine = 0;
    if (rank == 0) {
        wait_until(start + 2 * busy_ns);
        announced([] { MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window); });
        mine = delay();
        quietly([] { MPI_Win_unlock(0, window); });
    } else {
        be_busy(start, true);
        announced([] { MPI_Win_unlock(0, window); });
    }
    meet();
    return waited(name, mine, false);
}

verdict start_after_post(const char *name, bool measures)
{
    MPI_Group world, peer;
    const int peer_rank = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer_rank, &peer);
    meet();
    const int64_t start = begin();
    int64_t mine = 0;
    if (rank == 0) {
        wait_until(start);
        announced([&] { MPI_Win_start(peer, 0, window); });
        mine = delay();
        quietly([] { MPI_Win_complete(window); });
    } else {
        be_busy(start, measures);
        announced([&] { MPI_Win_post(peer, 0, window); });
        quietly([] { MPI_Win_wait(window); });
    }
    MPI_Group_free(&world);
    MPI_Group_free(&peer);
    return waited(name, mine, measures);
}

// It comes while rank 0 asks for something else, and its start finds it.
verdict start_long_after_post(const char *name)
{
    MPI_Group world, peer;
    const int peer_rank = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer_rank, &peer);
    meet();
    const int64_t start = begin();
    int64_t mine = 0;
    if (rank == 0) {
        int flag;
        wait_until(start + 12 * ms);
        announced([&] { MPI_Iprobe(1, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); });
        wait_until(start + 20 * ms);
        announced([&] { MPI_Win_start(peer, 0, window); });
        mine = delay();
        quietly([] { MPI_Win_complete(window); });
    } else {
        be_busy(start, true);
        announced([&] { MPI_Win_post(peer, 0, window); });
        quietly([] { MPI_Win_wait(window); });
    }
    MPI_Group_free(&world);
    MPI_Group_free(&peer);
    return waited(name, mine, false);
}

enum class end_of_exposure { wait, test };

verdict wait_for_complete(const char *name, end_of_exposure how, bool measures)
{
    MPI_Group world, peer;
    const int peer_rank = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer_rank, &peer);
    meet();
    const int64_t start = begin();
    int64_t mine = 0;
    if (rank == 0) {
        int done = 0;
        quietly([&] { MPI_Win_post(peer, 0, window); });
        wait_until(start);
        if (how == end_of_exposure::wait)
            announced([] { MPI_Win_wait(window); });
        while (how == end_of_exposure::test && !done)
            announced([&] { MPI_Win_test(window, &done); });
        mine = delay();
    } else {
        quietly([&] { MPI_Win_start(peer, 0, window); });
        be_busy(start, measures);
        announced([] { MPI_Win_complete(window); });
    }
    MPI_Group_free(&world);
    MPI_Group_free(&peer);
    return waited(name, mine, measures);
}

// The target does something else after its post.
verdict complete_after_operation(const char *name, const operation &o, bool measures)
{
    MPI_Group world, peer;
    const int peer_rank = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer_rank, &peer);
    if (rank == 0) {
        quietly([&] { MPI_Win_start(peer, 0, window); });
    } else {
        quietly([&] { MPI_Win_post(peer, 0, window); });
    }
    meet();
    const int64_t start = begin();
    int64_t mine = 0;
    if (rank == 0) {
        wait_until(start);
        announced(o.run);
        announced([] { MPI_Win_complete(window); });
        mine = delay();
    } else {
        be_busy(start, measures);
        announced([] { MPI_Win_wait(window); });
    }
    MPI_Group_free(&world);
    MPI_Group_free(&peer);
    return waited(name, mine, measures && !is_by_memory);
}

verdict fence_after_operation(const char *name, const operation *o, bool measures)
{
    quietly([] { MPI_Win_fence(0, window); });
    meet();
    const int64_t start = begin();
    int64_t mine = 0;
    if (rank == 0) {
        wait_until(start);
        if (o != nullptr)
            announced(o->run);
    } else {
        be_busy(start, measures);
    }
    announced([] { MPI_Win_fence(0, window); });
    mine = delay();
    return waited(name, mine, measures);
}

// --- what must not change anything ---

// Rank 1 has waited for long, with a delay of its own.
verdict target_that_waits(const char *name)
{
    meet();
    const int64_t start = begin(rank == 1 ? 50 * ms : 0);
    int64_t mine = 0;
    if (rank == 0) {
        wait_until(start + ms);
        for (int i = 0; i < 100; i++) {
            announced([] { MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window); });
            for (const operation &o : operations)
                announced(o.run);
            announced([] { MPI_Win_flush(1, window); });
            announced([] { MPI_Win_unlock(1, window); });
        }
        mine = delay();
        send_to_rank_1();
    } else {
        wait_until(start);
        receive_from_rank_0();
    }
    const int64_t theirs = other(mine), value = rank == 0 ? mine : theirs;
    return {value == 0, name, value};
}

// Both at once, as often as errors of a nanosecond would be seen. The same delay in both: nothing to learn.
verdict many_epochs(const char *name, int64_t delay_ns)
{
    wait_until(common_start() + 2 * busy_ns);
    core->test_set_delay(delay_ns);
    meet();
    for (int i = 0; i < 5'000; i++) {
        const int kind = i % 3 == 0 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED;
        MPI_Win_lock(kind, 1 - rank, 0, window);
        MPI_Put(send_buffer, 8, MPI_BYTE, 1 - rank, 0, 8, MPI_BYTE, window);
        MPI_Win_flush(1 - rank, window);
        MPI_Fetch_and_op(send_buffer, receive_buffer, MPI_INT, 1 - rank, 0, MPI_SUM, window);
        MPI_Win_unlock(1 - rank, window);
        if (i % 8 == 0)
            MPI_Win_fence(0, window);
    }
    const int64_t mine = delay(), theirs = other_delay();
    meet();
    return {mine == delay_ns && theirs == delay_ns, name, mine};
}

// The tool's own operations ask without a delay, and learn of none.
verdict muted_epoch(const char *name)
{
    meet();
    const int64_t start = begin(rank == 0 ? 4 * ms : 0);
    int64_t mine = 0;
    if (rank == 0) {
        wait_until(start);
        quiet q;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        operations[0].run();
        MPI_Win_unlock(1, window);
        mine = delay();
        send_to_rank_1();
    } else {
        be_busy(start, true);
        receive_from_rank_0();
    }
    const int64_t theirs = other(mine), value = rank == 0 ? mine : theirs;
    return {value == 4 * ms, name, value};
}

// --- all of them ---

using scene_name = char[160];

// Plays a scene by the name that its parts make.
template <typename Scene> void play_one(const char *(&&parts)[4], bool measures, bool is_native, Scene scene)
{
    static scene_name name;
    snprintf(name, sizeof name, "%s: %s%s%s%s", is_by_memory ? "allocated window" : "window", parts[0], parts[1],
             parts[2], parts[3] == nullptr ? "" : measures ? " that measures" : " that works");
    if (is_native && operations_are_native)
        report(true, name, "the network does it by itself, and tells nobody");
    else if (!is_left_out(name))
        play([&] { return scene(name); });
}

void play_synchronisation()
{
    for (bool measures : {false, true}) {
        for (bool all : {false, true})
            play_one({all ? "lock_all" : "lock", " waits for a target", "", ""}, measures, false,
                     [=](const char *n) { return lock_of_a_busy_target(n, all, measures); });
        for (int kind : {MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED})
            play_one({"lock waits for ", kind == MPI_LOCK_SHARED ? "a shared lock's" : "an exclusive lock's", " holder",
                      ""},
                     measures, false, [=](const char *n) { return lock_after_another_holder(n, kind, measures); });
        play_one({"start waits for a target", "", "", ""}, measures, false,
                 [=](const char *n) { return start_after_post(n, measures); });
        play_one({"wait waits for an origin", "", "", ""}, measures, false,
                 [=](const char *n) { return wait_for_complete(n, end_of_exposure::wait, measures); });
        play_one({"a spin of test waits for an origin", "", "", ""}, measures, false,
                 [=](const char *n) { return wait_for_complete(n, end_of_exposure::test, measures); });
        play_one({"fence waits for a process", "", "", ""}, measures, false,
                 [=](const char *n) { return fence_after_operation(n, nullptr, measures); });
    }
    play_one({"a lock that was free in time is not waited for", "", "", nullptr}, false, false,
             [](const char *n) { return lock_that_was_free_in_time(n); });
    play_one({"a post that MPI_Iprobe polled before start has slack", "", "", nullptr}, false, false,
             [](const char *n) { return start_long_after_post(n); });
}

bool is_native(bool is_put_or_get) { return is_put_or_get || accumulates_are_native; }

void play_operations()
{
    for (bool measures : {false, true}) {
        for (const operation &o : operations) {
            play_one({"flush of ", o.name, " waits for a target", ""}, measures, is_native(o.is_native),
                     [&](const char *n) { return passive(n, o, waits[0], measures); });
            play_one({"complete after ", o.name, " waits for a target", ""}, measures, is_native(o.is_native),
                     [&](const char *n) { return complete_after_operation(n, o, measures); });
            play_one({"fence after ", o.name, " waits for a target", ""}, measures, is_native(o.is_native),
                     [&](const char *n) { return fence_after_operation(n, &o, measures); });
        }
        for (const wait_for_it &w : waits)
            for (int i : {0, 6})
                play_one({w.name, i == 0 ? " of a put" : " of an accumulate", " waits for a target", ""}, measures,
                         is_native(i == 0),
                         [&, i](const char *n) { return passive(n, operations[i], w, measures); });
        for (const requested &o : requests)
            for (bool tests : {false, true})
                play_one({tests ? "a spin of MPI_Test on " : "MPI_Wait of ", o.name, " waits for a target", ""}, measures,
                         is_native(o.is_native), [&](const char *n) { return by_request(n, o, tests, measures); });
    }
    play_one({"operations keep the delay of an origin whose target waits", "", "", nullptr}, false, true,
             [](const char *n) { return target_that_waits(n); });
    for (int64_t d : {INT64_C(0), 7 * ms})
        play_one({"5000 epochs of both ranks ", d ? "keep an equal delay" : "make no delay out of nothing", "", nullptr},
                 false, true, [=](const char *n) { return many_epochs(n, d); });
    play_one({"a muted epoch changes no delay", "", "", nullptr}, false, false,
             [](const char *n) { return muted_epoch(n); });
}

void make_type()
{
    static int places[scattered_count];
    for (int i = 0; i < scattered_count; i++)
        places[i] = 3 * i + i % 2;
    MPI_Type_create_indexed_block(scattered_count, 1, places, MPI_INT, &scattered);
    MPI_Type_commit(&scattered);
}

}  // namespace

void play_window_scenes()
{
    if (is_left_out("window: all scenes"))
        return;
    make_type();
    char *memory;
    MPI_Alloc_mem(window_size, MPI_INFO_NULL, &memory);
    memset(memory, 0, window_size);
    MPI_Win_create(memory, window_size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    play_synchronisation();
    play_operations();
    MPI_Win_free(&window);
    MPI_Free_mem(memory);
    if (!over_network && !over_ucx) {
        is_by_memory = true;
        MPI_Win_allocate(window_size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
        play_synchronisation();
        play_operations();
        MPI_Win_free(&window);
    }
    MPI_Type_free(&scattered);
}

}  // namespace echo
