// SPDX-License-Identifier: BSD-3-Clause
// The ways of senders.hpp.
#include "senders.hpp"

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace {

std::int64_t now_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec;
}

// The tool's time stamp of the call that follows.
std::int64_t enter()
{
    const std::int64_t now = now_ns();
    core->event(now);
    return now;
}

}  // namespace

std::uint64_t last_sequence() { return tare_origin_sequence(core->sent()); }

void worker::check(bool good, const char *what)
{
    if (!good && failures++ < 3)
        std::printf("# rank %d, thread %u: %s\n", rank, number, what);
}

void worker::write(buffer &b, std::uint64_t ahead) const
{
    const std::int64_t now = enter();
    const truth t{rank, number, last_sequence() + 1 + ahead, core->thread()->delay_ns, now};
    std::memcpy(b.data(), &t, sizeof t);
}

void worker::sent(std::uint64_t sequence_before, std::uint64_t count)
{
    const std::uint64_t expected = numbered ? sequence_before + count : 0;
    check(last_sequence() == expected, "not the number that a send must have");
    check(count == 0 || expected == 0 || tare_origin_thread(core->sent()) == number, "not the thread that sends");
}

void worker::check_entry(const tare_received_t &e, const buffer &b)
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

void worker::received(const std::vector<buffer> &buffers, const std::vector<MPI_Request> &handles)
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

void worker::received(const buffer &b, MPI_Request handle)
{
    received(std::vector<buffer>{b}, std::vector<MPI_Request>{handle});
}

// ---- ways to send ----

void sending::end(bool are_persistent)
{
    MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
    if (are_persistent)
        for (MPI_Request &r : requests)
            MPI_Request_free(&r);
}

void send_each(worker &w, sending &s, int dest, MPI_Comm comm, one_send how)
{
    for (int i = 0; i < messages; i++) {
        const std::uint64_t before = last_sequence();
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
    const std::uint64_t before = last_sequence();
    for (int i = 0; i < messages; i++) {
        buffer &b = s.buffers[i];
        MPI_Send_init(b.data(), static_cast<int>(b.size()), MPI_CHAR, dest, tag, comm, &s.requests[i]);
        w.write(b, i);
    }
    // One time stamp for all of them: that of the call.
    const std::int64_t now = enter();
    for (buffer &b : s.buffers)
        std::memcpy(b.data() + offsetof(truth, sent_ns), &now, sizeof now);
    w.sent(before, 0);
    MPI_Startall(messages, s.requests.data());
    w.sent(before, messages);
}

// ---- ways to receive ----

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

void by_some(worker &w, const receiving &r)
{
    std::vector<buffer> buffers(messages, buffer(r.bytes));
    std::vector<MPI_Request> requests = post(buffers, r);
    const std::vector<MPI_Request> handles = requests;
    std::vector<int> which(messages);
    for (int left = messages, turn = 0; left > 0; turn++) {
        int count = 0;
        const auto call = turn % 2 ? MPI_Waitsome : MPI_Testsome;
        call(messages, requests.data(), &count, which.data(), MPI_STATUSES_IGNORE);
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
