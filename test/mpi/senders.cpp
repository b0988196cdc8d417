// SPDX-License-Identifier: BSD-3-Clause
// Numbered messages (TARE_TRACE=1): several threads of each of two ranks send with one tag, and whoever receives learns
// from its log which thread sent, and which of its messages that was. What a message says of itself is the truth.
// Prints TAP on rank 0. --unnumbered: messages have no numbers, and nothing is logged.
#include "senders.hpp"

#include <pthread.h>

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <thread>

const tare_transport_v1_table_t *core;
int rank;
bool numbered = true;

namespace {

constexpr int threads = 3;
constexpr std::uint32_t first_number = 100;
constexpr int long_bytes = 1 << 20;

MPI_Comm muted;
pthread_barrier_t meeting;

// ---- scenes: what each thread of each rank does ----

using all_receives = void (*)(worker &, const receiving &);

// send nullptr: by persistent requests.
void exchange(worker &w, int bytes, one_send send, all_receives receive, bool with_wildcards = false)
{
    receiving from{1 - rank, tag, bytes, MPI_COMM_WORLD};
    sending s(bytes);
    if (send != nullptr)
        send_each(w, s, 1 - rank, MPI_COMM_WORLD, send);
    else
        start_all(w, s, 1 - rank, MPI_COMM_WORLD);
    if (with_wildcards) {
        from.source = MPI_ANY_SOURCE;
        from.tag_ = MPI_ANY_TAG;
    }
    receive(w, from);
    s.end(send == nullptr);
}

constexpr int small = sizeof(truth);

void plain(worker &w) { exchange(w, small, blocking_send, by_recv); }
void nonblocking(worker &w) { exchange(w, small, MPI_Isend, by_wait); }
void synchronous(worker &w) { exchange(w, small, MPI_Issend, by_wait); }
void tested(worker &w) { exchange(w, small, MPI_Isend, by_test); }
void status_asked(worker &w) { exchange(w, small, MPI_Isend, by_get_status); }
void all_at_once(worker &w) { exchange(w, small, MPI_Isend, by_waitall); }
void one_after_the_other(worker &w) { exchange(w, small, MPI_Isend, by_waitany); }
void some(worker &w) { exchange(w, small, MPI_Isend, by_some); }
void persistent(worker &w) { exchange(w, small, nullptr, by_persistent); }
void wildcards(worker &w) { exchange(w, small, MPI_Isend, by_recv, true); }
void probed(worker &w) { exchange(w, small, MPI_Isend, by_mprobe); }
void probed_wildcards(worker &w) { exchange(w, small, MPI_Isend, by_mprobe, true); }
void truncated(worker &w) { exchange(w, 2 * small, MPI_Isend, by_short_recv); }
void long_messages(worker &w) { exchange(w, long_bytes, MPI_Isend, by_recv); }
void long_at_once(worker &w) { exchange(w, long_bytes, MPI_Isend, by_waitall); }
void long_probed(worker &w) { exchange(w, long_bytes, MPI_Isend, by_mprobe); }
void long_synchronous(worker &w) { exchange(w, long_bytes, MPI_Issend, by_waitany); }
void long_truncated(worker &w) { exchange(w, long_bytes, MPI_Isend, by_short_recv); }

void both_in_one_call(worker &w)
{
    buffer out(small), in(small);
    for (int i = 0; i < messages; i++) {
        const std::uint64_t before = last_sequence();
        w.write(out);
        MPI_Sendrecv(out.data(), small, MPI_CHAR, 1 - rank, tag, in.data(), small, MPI_CHAR, 1 - rank, tag,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        w.sent(before);
        w.received(in);
    }
}

void to_the_own_rank(worker &w)
{
    sending s(small);
    send_each(w, s, rank, MPI_COMM_WORLD, MPI_Isend);
    by_waitall(w, {rank, tag, small, MPI_COMM_WORLD});
    s.end();
}

void to_itself_sent_first(worker &w)
{
    sending s(small);
    send_each(w, s, 0, MPI_COMM_SELF, MPI_Isend);
    by_recv(w, {0, tag, small, MPI_COMM_SELF});
    s.end();
}

void to_itself_claimed(worker &w)
{
    sending s(small);
    send_each(w, s, 0, MPI_COMM_SELF, MPI_Isend);
    by_mprobe(w, {MPI_ANY_SOURCE, tag, small, MPI_COMM_SELF});
    s.end();
}

void to_itself_posted_first(worker &w)
{
    std::vector<buffer> buffers(messages, buffer(small));
    std::vector<MPI_Request> requests = post(buffers, {0, tag, small, MPI_COMM_SELF});
    const std::vector<MPI_Request> handles = requests;
    sending s(small);
    send_each(w, s, 0, MPI_COMM_SELF, MPI_Isend);
    MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
    w.received(buffers, handles);
    s.end();
}

// By one thread of each rank, as collective operations are.
void what_is_not_numbered(worker &w)
{
    if (w.number != first_number)
        return;
    const std::uint64_t before = core->sent();
    int one = 1, sum = 0, each[2] = {0, 0};
    buffer b(small);
    MPI_Request request;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Alltoall(&one, 1, MPI_INT, &sum, 1, MPI_INT, MPI_COMM_SELF);
    MPI_Allgather(&one, 1, MPI_INT, each, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Send(b.data(), small, MPI_CHAR, MPI_PROC_NULL, tag, MPI_COMM_WORLD);
    MPI_Recv(b.data(), small, MPI_CHAR, MPI_PROC_NULL, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&one, 1, MPI_INT, 1 - rank, tag, &sum, 1, MPI_INT, 1 - rank, tag, muted, MPI_STATUS_IGNORE);
    w.check(core->sent() == before, "something has got a number that is no message of the program");
    w.check(w.log.count == 0 && w.log.lost == 0, "something is logged that is no message of the program");
}

struct scene {
    const char *name;
    void (*play)(worker &);
};
const scene scenes[] = {
    {"MPI_Send and MPI_Recv", plain},
    {"MPI_Isend and MPI_Wait", nonblocking},
    {"MPI_Issend and MPI_Wait", synchronous},
    {"MPI_Test", tested},
    {"MPI_Request_get_status", status_asked},
    {"MPI_Waitall", all_at_once},
    {"MPI_Waitany", one_after_the_other},
    {"MPI_Waitsome and MPI_Testsome", some},
    {"MPI_Startall and MPI_Start", persistent},
    {"MPI_ANY_SOURCE and MPI_ANY_TAG", wildcards},
    {"MPI_Mprobe, MPI_Mrecv and MPI_Imrecv", probed},
    {"MPI_Mprobe of any source", probed_wildcards},
    {"MPI_Sendrecv", both_in_one_call},
    {"truncated messages", truncated},
    {"long messages, MPI_Recv", long_messages},
    {"long messages, MPI_Waitall", long_at_once},
    {"long messages, MPI_Mprobe", long_probed},
    {"long messages, MPI_Issend and MPI_Waitany", long_synchronous},
    {"long truncated messages", long_truncated},
    {"messages to the own rank", to_the_own_rank},
    {"messages over MPI_COMM_SELF, sent first", to_itself_sent_first},
    {"messages over MPI_COMM_SELF, claimed by a probe", to_itself_claimed},
    {"messages over MPI_COMM_SELF, posted first", to_itself_posted_first},
    {"collectives, MPI_PROC_NULL and a muted communicator", what_is_not_numbered},
};
constexpr int scene_count = sizeof scenes / sizeof *scenes;
int failures_of[scene_count];

void meet() { pthread_barrier_wait(&meeting); }

void run(worker &w)
{
    core->test_set_delay(1000 * w.number);
    core->number_thread(w.number);
    core->log_received(&w.log);
    for (int i = 0; i < scene_count; i++) {
        const int before = w.failures;
        scenes[i].play(w);
        __atomic_add_fetch(&failures_of[i], w.failures - before, __ATOMIC_RELAXED);
        meet();
        if (w.number == first_number)
            MPI_Barrier(MPI_COMM_WORLD);
        meet();
    }
    core->log_received(nullptr);
}

// ---- all numbers ----

// Most messages find room where they go.
bool are_mostly_timed(const std::vector<worker> &workers)
{
    int timed = 0, count = 0;
    for (const worker &w : workers) {
        timed += w.at_their_send;
        count += static_cast<int>(w.all.size());
    }
    return 2 * timed > count;
}

// No number is missing and none is there twice.
bool are_consecutive(const std::vector<seen> &all)
{
    for (int r = 0; r < 2; r++)
        for (std::uint32_t t = first_number; t < first_number + threads; t++) {
            std::vector<int> times;
            for (const seen &s : all) {
                if (s.rank != r || s.thread != t)
                    continue;
                if (s.sequence >= times.size())
                    times.resize(s.sequence + 1);
                times[s.sequence]++;
            }
            for (std::size_t i = 1; i < times.size(); i++)
                if (times[i] != 1)
                    return std::printf("# number %zu of thread %u of rank %d: %d times\n", i, t, r, times[i]), false;
            if (times.empty())
                return std::printf("# nothing of thread %u of rank %d\n", t, r), false;
        }
    return true;
}

std::vector<seen> gather(const std::vector<seen> &mine)
{
    int bytes = static_cast<int>(mine.size() * sizeof(seen)), each[2], at[2] = {0, 0};
    MPI_Gather(&bytes, 1, MPI_INT, each, 1, MPI_INT, 0, MPI_COMM_WORLD);
    at[1] = each[0];
    std::vector<seen> all(rank == 0 ? (each[0] + each[1]) / sizeof(seen) : 0);
    MPI_Gatherv(mine.data(), bytes, MPI_CHAR, all.data(), each, at, MPI_CHAR, 0, MPI_COMM_WORLD);
    return all;
}

int report(const std::vector<seen> &mine, bool mostly_timed)
{
    int failures[scene_count], number = 0, bad = 0, untimed = !mostly_timed;
    MPI_Allreduce(MPI_IN_PLACE, &untimed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(failures_of, failures, scene_count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    const std::vector<seen> all = gather(mine);
    if (rank != 0)
        return 0;
    for (int i = 0; i < scene_count; i++) {
        std::printf("%sok %d - %s\n", failures[i] ? "not " : "", ++number, scenes[i].name);
        bad += failures[i] != 0;
    }
    if (numbered) {
        const bool good = are_consecutive(all);
        std::printf("%sok %d - each thread's numbers are consecutive from 1\n", good ? "" : "not ", ++number);
        std::printf("%sok %d - most messages have the time and the delay of their send\n", untimed ? "not " : "",
                    ++number);
        bad += !good + (untimed != 0);
    }
    std::printf("1..%d\n", number);
    return bad;
}

MPI_Comm muted_communicator()
{
    MPI_Comm comm;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "tare_mute", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    return comm;
}

}  // namespace

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 1; i < argc; i++) {
        numbered = numbered && std::strcmp(argv[i], "--unnumbered") != 0;
    }
    core = static_cast<const tare_transport_v1_table_t *>(dlsym(RTLD_DEFAULT, "tare_transport_v1"));
    if (provided != MPI_THREAD_MULTIPLE || core == nullptr || core->size < sizeof *core ||
        core->global->numbered != (numbered ? 1 : 0)) {
        std::fprintf(stderr, "senders: needs Tare's MPICH with TARE_MODE=header and TARE_TRACE=%d\n", numbered);
        MPI_Abort(MPI_COMM_WORLD, 99);
    }
    muted = muted_communicator();
    pthread_barrier_init(&meeting, nullptr, threads);
    std::vector<worker> workers(threads);
    std::vector<std::thread> others;
    std::vector<seen> mine;
    for (int i = 0; i < threads; i++)
        workers[i].number = first_number + i;
    for (int i = 1; i < threads; i++)
        others.emplace_back([&workers, i] { run(workers[i]); });
    run(workers[0]);
    for (std::thread &t : others)
        t.join();
    for (const worker &w : workers)
        mine.insert(mine.end(), w.all.begin(), w.all.end());
    const int bad = report(mine, are_mostly_timed(workers));
    MPI_Comm_free(&muted);
    MPI_Finalize();
    return bad != 0;
}
