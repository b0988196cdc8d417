// SPDX-License-Identifier: BSD-3-Clause
#include "rank.hpp"

#include "stand_in.hpp"
#include "tare_transport.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int tag = 7;

std::uint64_t mix(std::uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

std::uint64_t seed(const char *scene, int rank, unsigned stream)
{
    std::uint64_t seed = 1;
    for (; *scene != 0; scene++)
        seed = mix(seed + static_cast<unsigned char>(*scene));
    return mix(mix(seed + static_cast<std::uint64_t>(rank + 1)) + stream);
}

void sleep_until(std::int64_t time_ns) { simulated::sleep(time_ns - simulated::now_ns()); }

tare_thread_t &block() { return *tare_core_table.thread(); }

}  // namespace

std::uint64_t numbers::next() { return mix(state_ += UINT64_C(0x9e3779b97f4a7c15)); }

std::int64_t numbers::between(std::int64_t least, std::int64_t most)
{
    return least + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(most - least + 1));
}

rank::rank(run_kind kind, int number_, int size_) : number(number_), size(size_), kind_(kind)
{
    stand_in::around_calls.on = kind.measures;
    if (kind.skewed)
        simulated::skew_ns = number * (10 * ms + 123'457);
}

// --- time ---

void rank::work(std::int64_t least_ns, std::int64_t most_ns) { simulated::sleep(work_.between(least_ns, most_ns)); }

void rank::overhead(std::int64_t most_ns)
{
    const std::int64_t ns = overhead_.between(0, most_ns);
    if (instrumented_)
        stand_in::spend_overhead(ns);
}

// --- messages ---

char *rank::outgoing(int to, int bytes)
{
    std::vector<char> &buffer = outgoing_[sent_++ % outgoing_buffers];
    buffer.resize(static_cast<std::size_t>(bytes));
    const content c{number, to};
    std::memcpy(buffer.data(), &c, sizeof c);
    return buffer.data();
}

int rank::check(const char *message, int from) const
{
    content c;
    std::memcpy(&c, message, sizeof c);
    if (c.to == number && (from == MPI_ANY_SOURCE || from == c.from))
        return c.from;
    fprintf(stderr, "rank %d received what rank %d sent to %d, not what %d sends to it\n", number, c.from, c.to,
            from);
    exit(1);
}

void rank::send(int to, int bytes)
{
    char *message = outgoing(to, bytes);
    const auto call = [&] { return MPI_Send(message, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD); };
    if (bytes < large_bytes)
        check_call(call());
    else
        waiting(call);
}

void rank::ssend(int to)
{
    char *message = outgoing(to, small_bytes);
    waiting([&] { return MPI_Ssend(message, small_bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD); });
}

int rank::receive(int from, int bytes)
{
    incoming_.resize(static_cast<std::size_t>(bytes));
    waiting([&] {
        return MPI_Recv(incoming_.data(), bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
    return check(incoming_.data(), from);
}

void rank::buffered_send(int to)
{
    char *message = outgoing(to, small_bytes);
    check_call(MPI_Bsend(message, small_bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD));
}

void rank::replace(int to, int from)
{
    char *message = outgoing(to, small_bytes);
    waiting([&] {
        return MPI_Sendrecv_replace(message, small_bytes, MPI_BYTE, to, tag, from, tag, MPI_COMM_WORLD,
                                    MPI_STATUS_IGNORE);
    });
    check(message, from);
}

void rank::send_receive(int to, int from)
{
    char *message = outgoing(to, small_bytes);
    incoming_.resize(small_bytes);
    waiting([&] {
        return MPI_Sendrecv(message, small_bytes, MPI_BYTE, to, tag, incoming_.data(), small_bytes, MPI_BYTE, from,
                            tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
    check(incoming_.data(), from);
}

MPI_Request rank::isend(int to, int bytes)
{
    MPI_Request request = MPI_REQUEST_NULL;
    char *message = outgoing(to, bytes);
    check_call(MPI_Isend(message, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request));
    return request;
}

MPI_Request rank::irecv(int from, int bytes)
{
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<char> buffer(static_cast<std::size_t>(bytes));
    check_call(MPI_Irecv(buffer.data(), bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, &request));
    expected_.emplace(request, std::move(buffer));
    return request;
}

MPI_Request rank::send_init(int to)
{
    MPI_Request request = MPI_REQUEST_NULL;
    char *message = outgoing(to, small_bytes);
    check_call(MPI_Send_init(message, small_bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request));
    return request;
}

MPI_Request rank::recv_init(int from)
{
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<char> buffer(small_bytes);
    check_call(MPI_Recv_init(buffer.data(), small_bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, &request));
    expected_.emplace(request, std::move(buffer));
    return request;
}

void rank::start_all(std::vector<MPI_Request> &requests)
{
    check_call(MPI_Startall(static_cast<int>(requests.size()), requests.data()));
}

void rank::free_all(std::vector<MPI_Request> &requests)
{
    for (MPI_Request &request : requests) {
        expected_.erase(request);
        check_call(MPI_Request_free(&request));
    }
}

// Of a receive; a send has nothing to look at.
void rank::complete(MPI_Request before, MPI_Request after)
{
    const auto found = expected_.find(before);
    if (found == expected_.end())
        return;
    check(found->second.data(), MPI_ANY_SOURCE);
    std::fill(found->second.begin(), found->second.end(), char(0x55));
    if (after == MPI_REQUEST_NULL)
        expected_.erase(found);
}

void rank::wait(MPI_Request &request)
{
    const MPI_Request before = request;
    waiting([&] { return MPI_Wait(&request, MPI_STATUS_IGNORE); });
    complete(before, request);
}

void rank::wait_all(std::vector<MPI_Request> &requests)
{
    const std::vector<MPI_Request> before = requests;
    waiting([&] { return MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE); });
    for (std::size_t i = 0; i < before.size(); i++)
        complete(before[i], requests[i]);
}

int rank::wait_any(std::vector<MPI_Request> &requests)
{
    const std::vector<MPI_Request> before = requests;
    int index = 0;
    waiting([&] {
        return MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &index, MPI_STATUS_IGNORE);
    });
    complete(before[static_cast<std::size_t>(index)], requests[static_cast<std::size_t>(index)]);
    return index;
}

std::vector<int> rank::wait_some(std::vector<MPI_Request> &requests)
{
    const std::vector<MPI_Request> before = requests;
    std::vector<int> indices(requests.size());
    int n = 0;
    waiting([&] {
        return MPI_Waitsome(static_cast<int>(requests.size()), requests.data(), &n, indices.data(),
                            MPI_STATUSES_IGNORE);
    });
    indices.resize(static_cast<std::size_t>(n));
    for (int i : indices)
        complete(before[static_cast<std::size_t>(i)], requests[static_cast<std::size_t>(i)]);
    return indices;
}

bool rank::test(MPI_Request &request)
{
    const MPI_Request before = request;
    int done = 0;
    waiting([&] { return MPI_Test(&request, &done, MPI_STATUS_IGNORE); });
    if (done)
        complete(before, request);
    return done != 0;
}

void rank::probe(int from)
{
    waiting([&] { return MPI_Probe(from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
}

void rank::check_call(int rc) const
{
    if (rc == MPI_SUCCESS)
        return;
    fprintf(stderr, "rank %d: MPI returned error %d\n", number, rc);
    exit(1);
}

// --- collectives ---

void rank::expect(int found, int wanted, const char *call) const
{
    if (found == wanted)
        return;
    fprintf(stderr, "rank %d received %d by %s, not %d\n", number, found, call, wanted);
    exit(1);
}

std::vector<int> rank::numbers_of_all() const
{
    std::vector<int> all(static_cast<std::size_t>(size));
    for (int i = 0; i < size; i++)
        all[static_cast<std::size_t>(i)] = i;
    return all;
}

void rank::barrier()
{
    waiting([] { return MPI_Barrier(MPI_COMM_WORLD); });
}

void rank::all_reduce()
{
    int sum = 0;
    waiting([&] { return MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); });
    expect(sum, size * (size - 1) / 2, "MPI_Allreduce");
}

void rank::all_gather()
{
    std::vector<int> in(static_cast<std::size_t>(size));
    waiting([&] { return MPI_Allgather(&number, 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD); });
    expect(in == numbers_of_all(), true, "MPI_Allgather");
}

void rank::all_to_all()
{
    const std::vector<int> out(static_cast<std::size_t>(size), number);
    std::vector<int> in(static_cast<std::size_t>(size));
    waiting([&] { return MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD); });
    expect(in == numbers_of_all(), true, "MPI_Alltoall");
}

void rank::broadcast(int root)
{
    int value = number;
    waiting([&] { return MPI_Bcast(&value, 1, MPI_INT, root, MPI_COMM_WORLD); });
    expect(value, root, "MPI_Bcast");
}

void rank::scatter(int root)
{
    const std::vector<int> out = numbers_of_all();
    int value = -1;
    waiting([&] { return MPI_Scatter(out.data(), 1, MPI_INT, &value, 1, MPI_INT, root, MPI_COMM_WORLD); });
    expect(value, number, "MPI_Scatter");
}

void rank::gather(int root)
{
    std::vector<int> in(static_cast<std::size_t>(size));
    waiting([&] { return MPI_Gather(&number, 1, MPI_INT, in.data(), 1, MPI_INT, root, MPI_COMM_WORLD); });
    expect(number != root || in == numbers_of_all(), true, "MPI_Gather");
}

void rank::reduce(int root)
{
    int sum = 0;
    waiting([&] { return MPI_Reduce(&number, &sum, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD); });
    expect(number == root ? sum : size * (size - 1) / 2, size * (size - 1) / 2, "MPI_Reduce");
}

void rank::scan()
{
    int sum = 0;
    waiting([&] { return MPI_Scan(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); });
    expect(sum, number * (number + 1) / 2, "MPI_Scan");
}

// --- the course of a scene ---

void rank::meet(int from, int to, int bytes)
{
    // Shorter waits may be first polls of a network, and teach nothing (first_network_poll_ns of the core).
    constexpr std::int64_t apart_ns = 200 * us, receiver_waits_ns = 100 * us;
    const std::int64_t time_ns = begin_ns_ + meetings_++ * apart_ns;
    if (number == from && from != to) {
        sleep_until(time_ns + receiver_waits_ns);
        send(to, bytes);
    } else if (number == to && from != to) {
        sleep_until(time_ns);
        receive(from, bytes);
    }
}

void rank::begin(const char *scene, bool instrumented, std::int64_t time_ns)
{
    constexpr std::int64_t most_in_hooks_ns = 3 * us;
    sleep_until(time_ns);
    meetings_ = 0;
    work_ = numbers(seed(scene, number, 1));
    overhead_ = numbers(seed(scene, number, 2));
    common_ = numbers(seed(scene, -1, 3));
    instrumented_ = kind_.measures && instrumented;
    stand_in::around_calls.enter_ns = instrumented_ ? overhead_.between(0, most_in_hooks_ns) : 0;
    stand_in::around_calls.leave_ns = instrumented_ ? overhead_.between(0, most_in_hooks_ns) : 0;
    begin_ns_ = time_ns;
    in_mpi_ns_ = 0;
    if (kind_.measures)
        tare_core_table.test_set_delay(0);
    wait_before_ns_ = block().wait_compensated_ns;
    guessed_before_ = block().early_unknown;
    inversions_before_ = block().inversions;
}

void rank::print(const char *scene) const
{
    const tare_thread_t &th = block();
    const std::int64_t measured_ns = simulated::now_ns() - begin_ns_;
    const std::int64_t wait_ns = kind_.measures ? th.wait_compensated_ns - wait_before_ns_ : in_mpi_ns_;
    printf("%s %d %lld %lld %lld %lld %lld %llu %llu\n", scene, number, static_cast<long long>(measured_ns),
           static_cast<long long>(measured_ns - th.delay_ns), static_cast<long long>(wait_ns),
           static_cast<long long>(measured_ns - th.delay_hi_ns), static_cast<long long>(measured_ns - th.delay_lo_ns),
           static_cast<unsigned long long>(th.early_unknown - guessed_before_),
           static_cast<unsigned long long>(th.inversions - inversions_before_));
}
