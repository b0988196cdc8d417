// SPDX-License-Identifier: BSD-3-Clause
// Numbered messages (TARE_TRACE=1): several threads of each of two ranks send with one tag, and whoever receives learns
// from its log which thread sent, and which of its messages that was. What a message says of itself is the truth.
// Prints TAP on rank 0. --unnumbered: messages have no numbers, and nothing is logged.
#include <mpi.h>
#include <pthread.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <thread>
#include <vector>

#include "tare_transport.h"

namespace {

constexpr int threads = 3, messages = 12, tag = 7;
constexpr std::uint32_t first_number = 100;
constexpr int long_bytes = 1 << 20;

const tare_transport_v1_table_t *core;
int rank;
bool numbered = true;
MPI_Comm muted;
pthread_barrier_t meeting;

// What a message says of itself.
struct truth {
    std::int32_t rank;
    std::uint32_t thread;
    std::uint64_t sequence;
    std::int64_t delay_ns;
    std::int64_t sent_ns;
};
using buffer = std::vector<char>;

// What the messages said that a rank has received, for the look at all of them in the end.
struct seen {
    std::int32_t rank;
    std::uint32_t thread;
    std::uint64_t sequence;
};

std::int64_t now_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec;
}

// A thread of the program, with its log.
struct worker {
    std::uint32_t number;
    int failures = 0;
    tare_received_t entries[2 * messages];
    tare_received_log_t log{entries, 2 * messages, 0, 0};
    std::vector<seen> all;
    int at_their_send = 0;  // entries whose send time and delay are those that the message says

    void check(bool good, const char *what)
    {
        if (!good && failures++ < 3)
            std::printf("# rank %d, thread %u: %s\n", rank, number, what);
    }

    std::uint64_t next_sequence() const { return tare_origin_sequence(core->sent()) + 1; }

    // The message that is the thread's next; `ahead`: the next but so many.
    void write(buffer &b, std::uint64_t ahead = 0)
    {
        const std::int64_t now = now_ns();
        core->event(now);
        const truth t{rank, number, next_sequence() + ahead, core->thread()->delay_ns, now};
        std::memcpy(b.data(), &t, sizeof t);
    }

    void check_entry(const tare_received_t &e, const buffer &b)
    {
        truth t;
        std::memcpy(&t, b.data(), sizeof t);
        // MPI copies nothing of some messages that do not fit. Whose they were shows when all numbers are looked at.
        if (t.sequence == 0)
            t = {1 - rank, e.thread, e.sequence, e.delay_ns, e.sent_ns};
        check(e.thread == t.thread && e.sequence == t.sequence, "another sender than the message says");
        // A message that waits in a full queue has the stamp of when it leaves.
        check(e.sent_ns >= t.sent_ns, "an earlier send time than the message says");
        check(e.sent_ns != t.sent_ns || e.delay_ns == t.delay_ns, "another delay than the message says");
        at_their_send += e.sent_ns == t.sent_ns;
        all.push_back({t.rank, t.thread, t.sequence});
    }

    // A call has received these messages, by these handles (MPI_REQUEST_NULL: by none that the caller knows).
    void received(const std::vector<buffer> &buffers, const std::vector<MPI_Request> &handles)
    {
        const std::uint32_t count = log.count;
        log.count = 0;
        if (!numbered) {
            check(count == 0, "something is logged");
            return;
        }
        check(count == buffers.size() && log.lost == 0, "not one entry for each message");
        for (std::uint32_t i = 0; i < count; i++) {
            std::size_t which = 0;
            while (which < handles.size() && handles[which] != MPI_REQUEST_NULL && handles[which] != entries[i].request)
                which++;
            check(which < handles.size(), "a handle that nobody has");
            if (which < handles.size())
                check_entry(entries[i], buffers[which]);
        }
    }
    void received(const buffer &b, MPI_Request handle = MPI_REQUEST_NULL)
    {
        received(std::vector<buffer>{b}, std::vector<MPI_Request>{handle});
    }

    // A send is over that took one number, or none.
    void sent(std::uint64_t sequence_before, std::uint64_t count = 1)
    {
        const std::uint64_t expected = numbered ? sequence_before + count : 0;
        check(tare_origin_sequence(core->sent()) == expected, "not the number that a send must have");
        check(expected == 0 || tare_origin_thread(core->sent()) == number, "not the thread that sends");
    }
};

// ---- ways to send: one thread's messages to `dest` ----

using one_send = int (*)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

struct sending {
    std::vector<buffer> buffers;
    std::vector<MPI_Request> requests;
    sending(int bytes) : buffers(messages, buffer(bytes)), requests(messages, MPI_REQUEST_NULL) {}
    void end(bool are_persistent)
    {
        MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
        if (are_persistent)
            for (MPI_Request &r : requests)
                MPI_Request_free(&r);
    }
};

void send_each(worker &w, sending &s, int dest, MPI_Comm comm, one_send how)
{
    for (int i = 0; i < messages; i++) {
        const std::uint64_t before = tare_origin_sequence(core->sent());
        w.write(s.buffers[i]);
        how(s.buffers[i].data(), static_cast<int>(s.buffers[i].size()), MPI_CHAR, dest, tag, comm, &s.requests[i]);
        w.sent(before);
    }
}

int blocking_send(const void *b, int n, MPI_Datatype t, int dest, int tag_, MPI_Comm c, MPI_Request *)
{
    return MPI_Send(b, n, t, dest, tag_, c);
}

void start_all(worker &w, sending &s, int dest, MPI_Comm comm)
{
    const std::uint64_t before = tare_origin_sequence(core->sent());
    for (int i = 0; i < messages; i++) {
        MPI_Send_init(s.buffers[i].data(), static_cast<int>(s.buffers[i].size()), MPI_CHAR, dest, tag, comm, &s.requests[i]);
        w.write(s.buffers[i], i);
    }
    // One time stamp for all of them: that of the call.
    const std::int64_t now = now_ns();
    core->event(now);
    for (buffer &b : s.buffers)
        std::memcpy(b.data() + offsetof(truth, sent_ns), &now, sizeof now);
    w.sent(before, 0);
    MPI_Startall(messages, s.requests.data());
    w.sent(before, messages);
}

// ---- ways to receive: as many messages from `source` ----

struct receiving {
    int source, tag_, bytes;
    MPI_Comm comm;
};

std::vector<MPI_Request> post(std::vector<buffer> &buffers, const receiving &r)
{
    std::vector<MPI_Request> requests(messages);
    for (int i = 0; i < messages; i++)
        MPI_Irecv(buffers[i].data(), r.bytes, MPI_CHAR, r.source, r.tag_, r.comm, &requests[i]);
    return requests;
}

void by_recv(worker &w, const receiving &r)
{
    buffer b(r.bytes);
    for (int i = 0; i < messages; i++) {
        MPI_Recv(b.data(), r.bytes, MPI_CHAR, r.source, r.tag_, r.comm, MPI_STATUS_IGNORE);
        w.received(b);
    }
}

// Half of what is sent, which is twice what it says of itself.
void by_short_recv(worker &w, const receiving &r)
{
    for (int i = 0; i < messages; i++) {
        buffer b(r.bytes / 2);
        const int error = MPI_Recv(b.data(), r.bytes / 2, MPI_CHAR, r.source, r.tag_, r.comm, MPI_STATUS_IGNORE);
        int kind = MPI_SUCCESS;
        MPI_Error_class(error, &kind);
        w.check(kind == MPI_ERR_TRUNCATE, "no error though the buffer is too small");
        w.received(b);
    }
}

void by_wait(worker &w, const receiving &r)
{
    buffer b(r.bytes);
    for (int i = 0; i < messages; i++) {
        MPI_Request request;
        MPI_Irecv(b.data(), r.bytes, MPI_CHAR, r.source, r.tag_, r.comm, &request);
        const MPI_Request handle = request;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        w.received(b, handle);
    }
}

void by_test(worker &w, const receiving &r)
{
    buffer b(r.bytes);
    for (int i = 0; i < messages; i++) {
        MPI_Request request;
        MPI_Irecv(b.data(), r.bytes, MPI_CHAR, r.source, r.tag_, r.comm, &request);
        const MPI_Request handle = request;
        for (int done = 0; !done;)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        w.received(b, handle);
    }
}

// Who asks for a status learns of it; MPI_Wait says nothing new.
void by_get_status(worker &w, const receiving &r)
{
    buffer b(r.bytes);
    for (int i = 0; i < messages; i++) {
        MPI_Request request;
        MPI_Irecv(b.data(), r.bytes, MPI_CHAR, r.source, r.tag_, r.comm, &request);
        for (int done = 0; !done;)
            MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
        w.received(b, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        w.check(w.log.count == 0, "a message is logged twice");
    }
}

void by_waitall(worker &w, const receiving &r)
{
    std::vector<buffer> buffers(messages, buffer(r.bytes));
    std::vector<MPI_Request> requests = post(buffers, r);
    const std::vector<MPI_Request> handles = requests;
    MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
    w.received(buffers, handles);
}

void by_waitany(worker &w, const receiving &r)
{
    std::vector<buffer> buffers(messages, buffer(r.bytes));
    std::vector<MPI_Request> requests = post(buffers, r);
    const std::vector<MPI_Request> handles = requests;
    for (int i = 0; i < messages; i++) {
        int which = 0;
        MPI_Waitany(messages, requests.data(), &which, MPI_STATUS_IGNORE);
        w.received(buffers[which], handles[which]);
    }
}

// In turn by the call that waits and the one that does not.
void by_some(worker &w, const receiving &r)
{
    std::vector<buffer> buffers(messages, buffer(r.bytes));
    std::vector<MPI_Request> requests = post(buffers, r);
    const std::vector<MPI_Request> handles = requests;
    std::vector<int> which(messages);
    for (int left = messages, turn = 0; left > 0; turn++) {
        int count = 0;
        (turn % 2 ? MPI_Waitsome : MPI_Testsome)(messages, requests.data(), &count, which.data(), MPI_STATUSES_IGNORE);
        std::vector<buffer> got;
        std::vector<MPI_Request> by;
        for (int i = 0; i < count; i++) {
            got.push_back(buffers[which[i]]);
            by.push_back(handles[which[i]]);
        }
        w.received(got, by);
        left -= count;
    }
}

void by_persistent(worker &w, const receiving &r)
{
    buffer b(r.bytes);
    MPI_Request request;
    MPI_Recv_init(b.data(), r.bytes, MPI_CHAR, r.source, r.tag_, r.comm, &request);
    for (int i = 0; i < messages; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        w.received(b, request);
    }
    MPI_Request_free(&request);
}

void by_mprobe(worker &w, const receiving &r)
{
    buffer b(r.bytes);
    for (int i = 0; i < messages; i++) {
        MPI_Message message;
        MPI_Mprobe(r.source, r.tag_, r.comm, &message, MPI_STATUS_IGNORE);
        w.check(w.log.count == 0, "a probe is logged");
        if (i % 2) {
            MPI_Mrecv(b.data(), r.bytes, MPI_CHAR, &message, MPI_STATUS_IGNORE);
            w.received(b);
            continue;
        }
        MPI_Request request;
        MPI_Imrecv(b.data(), r.bytes, MPI_CHAR, &message, &request);
        const MPI_Request handle = request;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        w.received(b, handle);
    }
}

// ---- scenes: what each thread of each rank does ----

void exchange(worker &w, int bytes, one_send send, void (*receive)(worker &, const receiving &), bool with_wildcards = false)
{
    sending s(bytes);
    if (send != nullptr)
        send_each(w, s, 1 - rank, MPI_COMM_WORLD, send);
    else
        start_all(w, s, 1 - rank, MPI_COMM_WORLD);
    receive(w, {with_wildcards ? MPI_ANY_SOURCE : 1 - rank, with_wildcards ? MPI_ANY_TAG : tag, bytes, MPI_COMM_WORLD});
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
        const std::uint64_t before = tare_origin_sequence(core->sent());
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
    s.end(false);
}

void to_itself_sent_first(worker &w)
{
    sending s(small);
    send_each(w, s, 0, MPI_COMM_SELF, MPI_Isend);
    by_recv(w, {0, tag, small, MPI_COMM_SELF});
    s.end(false);
}

void to_itself_claimed(worker &w)
{
    sending s(small);
    send_each(w, s, 0, MPI_COMM_SELF, MPI_Isend);
    by_mprobe(w, {MPI_ANY_SOURCE, tag, small, MPI_COMM_SELF});
    s.end(false);
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
    s.end(false);
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
    bool is_truncated;
};
const scene scenes[] = {
    {"MPI_Send and MPI_Recv", plain, false},
    {"MPI_Isend and MPI_Wait", nonblocking, false},
    {"MPI_Issend and MPI_Wait", synchronous, false},
    {"MPI_Test", tested, false},
    {"MPI_Request_get_status", status_asked, false},
    {"MPI_Waitall", all_at_once, false},
    {"MPI_Waitany", one_after_the_other, false},
    {"MPI_Waitsome and MPI_Testsome", some, false},
    {"MPI_Startall and MPI_Start", persistent, false},
    {"MPI_ANY_SOURCE and MPI_ANY_TAG", wildcards, false},
    {"MPI_Mprobe, MPI_Mrecv and MPI_Imrecv", probed, false},
    {"MPI_Mprobe of any source", probed_wildcards, false},
    {"MPI_Sendrecv", both_in_one_call, false},
    {"truncated messages", truncated, true},
    {"long messages, MPI_Recv", long_messages, false},
    {"long messages, MPI_Waitall", long_at_once, false},
    {"long messages, MPI_Mprobe", long_probed, false},
    {"long messages, MPI_Issend and MPI_Waitany", long_synchronous, false},
    {"long truncated messages", long_truncated, true},
    {"messages to the own rank", to_the_own_rank, false},
    {"messages over MPI_COMM_SELF, sent first", to_itself_sent_first, false},
    {"messages over MPI_COMM_SELF, claimed by a probe", to_itself_claimed, false},
    {"messages over MPI_COMM_SELF, posted first", to_itself_posted_first, false},
    {"collectives, MPI_PROC_NULL and a muted communicator", what_is_not_numbered, false},
};
constexpr int scene_count = sizeof scenes / sizeof *scenes;
bool without_truncated;
int failures_of[scene_count];

// All threads of both ranks are here.
void meet()
{
    pthread_barrier_wait(&meeting);
}

void run(worker &w)
{
    core->test_set_delay(1000 * w.number);
    core->number_thread(w.number);
    core->log_received(&w.log);
    for (int i = 0; i < scene_count; i++) {
        const int before = w.failures;
        if (!scenes[i].is_truncated || !without_truncated)
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
        const bool skipped = scenes[i].is_truncated && without_truncated;
        std::printf("%sok %d - %s%s\n", failures[i] ? "not " : "", ++number, scenes[i].name, skipped ? " # SKIP" : "");
        bad += failures[i] != 0;
    }
    if (numbered) {
        const bool good = are_consecutive(all);
        std::printf("%sok %d - each thread's numbers are consecutive from 1\n", good ? "" : "not ", ++number);
        std::printf("%sok %d - most messages have the time and the delay of their send\n", untimed ? "not " : "", ++number);
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
        without_truncated = without_truncated || std::strcmp(argv[i], "--without-truncated") == 0;
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
