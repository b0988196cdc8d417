// SPDX-License-Identifier: BSD-3-Clause
#include "rank.hpp"

namespace {

constexpr int largest_bytes = 1 << 20;
constexpr int tag = 1;

// 0 to 2^20 - 1, by number alone (the finalizer of MurmurHash3, public domain).
int64_t draw(uint64_t number)
{
    uint64_t x = (number + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
    return static_cast<int64_t>((x ^ x >> 33) & 0xfffff);
}

// Uniform between mean - half_width and mean + half_width.
int64_t around(int64_t mean, int64_t half_width, uint64_t number)
{
    return mean - half_width + 2 * half_width * draw(number) / 0xfffff;
}

tare::kernels::core_watch watch;

}  // namespace

rank::rank(int number_, int steps_, amounts mean, clocks which)
    : number(number_), other(1 - number_), steps(steps_), mean_(mean), clocks_(which), sent_(largest_bytes, 1),
      received_(largest_bytes, 1)
{
}

int64_t rank::work_ns(int step) const
{
    return around(mean_.work_ns, mean_.work_ns * 3 / 4, uint64_t(step) * 4 + unsigned(number) * 2);
}

void rank::work(int64_t ns) const { watch.spin(ns); }

// Declares what it really took, as a probe does that reads the clock at its beginning and its end.
void rank::overhead(int64_t ns)
{
    if (clocks_ == clocks::plain || ns == 0)
        return;
    const int64_t took_ns = watch.spin(ns);
    tare_overhead_add(took_ns);
    result_.overhead += took_ns;
}

void rank::compute(int step)
{
    constexpr int pieces = 4;
    const int64_t overhead_ns =
        around(mean_.overhead_ns, mean_.overhead_ns / 2, uint64_t(step) * 4 + unsigned(number) * 2 + 1);
    for (int i = 0; i < pieces; i++) {
        work(work_ns(step) / pieces);
        overhead(overhead_ns / pieces);
    }
}

void rank::event() const
{
    if (clocks_ == clocks::stamps)
        tare_event_ns(now_ns());
}

void rank::send_eager(int bytes)
{
    event();
    MPI_Send(sent_.data(), bytes, MPI_BYTE, other, tag, MPI_COMM_WORLD);
}

void rank::send(int bytes)
{
    waiting([&] { send_eager(bytes); });
}

void rank::receive(int bytes)
{
    waiting_in([&] { MPI_Recv(received_.data(), bytes, MPI_BYTE, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
}

MPI_Request rank::isend(int bytes)
{
    MPI_Request request;
    event();
    MPI_Isend(sent_.data(), bytes, MPI_BYTE, other, tag, MPI_COMM_WORLD, &request);
    return request;
}

MPI_Request rank::irecv(int bytes)
{
    MPI_Request request;
    event();
    MPI_Irecv(received_.data(), bytes, MPI_BYTE, other, tag, MPI_COMM_WORLD, &request);
    return request;
}

void rank::allreduce(int count)
{
    waiting_in([&] { MPI_Allreduce(sent_.data(), received_.data(), count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); });
}

MPI_Request rank::iallreduce(int count)
{
    MPI_Request request;
    event();
    MPI_Iallreduce(sent_.data(), received_.data(), count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
    return request;
}

void rank::wait(MPI_Request &request)
{
    waiting_in([&] { MPI_Wait(&request, MPI_STATUS_IGNORE); });
}

void rank::barrier()
{
    waiting_in([&] { MPI_Barrier(MPI_COMM_WORLD); });
}

void rank::put(int bytes)
{
    event();
    MPI_Put(sent_.data(), bytes, MPI_BYTE, other, 0, bytes, MPI_BYTE, window_);
}

void rank::fence()
{
    waiting_in([&] { MPI_Win_fence(0, window_); });
}

void rank::expose()
{
    event();
    MPI_Win_post(peer_, 0, window_);
}

void rank::access()
{
    waiting_in([&] { MPI_Win_start(peer_, 0, window_); });
}

void rank::complete()
{
    waiting_in([&] { MPI_Win_complete(window_); });
}

void rank::wait_for_puts()
{
    waiting_in([&] { MPI_Win_wait(window_); });
}

void rank::lock()
{
    waiting_in([&] { MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window_); });
}

void rank::unlock()
{
    waiting_in([&] { MPI_Win_unlock(other, window_); });
}

bool rank::test(MPI_Request &request)
{
    int is_complete;
    event();
    MPI_Test(&request, &is_complete, MPI_STATUS_IGNORE);
    return is_complete != 0;
}

void rank::meet()
{
    constexpr int times = 4;
    for (int i = 0; i < times; i++)
        MPI_Sendrecv(sent_.data(), largest_bytes, MPI_BYTE, other, tag, received_.data(), largest_bytes, MPI_BYTE,
                     other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &peer_);
    MPI_Group_free(&world);
    MPI_Win_create(received_.data(), largest_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window_);
    MPI_Barrier(MPI_COMM_WORLD);
    int64_t start = now_ns() + ms;
    MPI_Bcast(&start, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    watch.spin(start - now_ns());
}

void rank::begin()
{
    watch.begin();
    start_compensated_ns_ = compensated_ns();
    start_ns_ = now_ns();
}

outcome rank::end()
{
    const int64_t now = now_ns(), compensated = compensated_ns();
    outcome &r = result_;
    r.total = now - start_ns_;
    r.stolen = watch.stolen_ns();
    r.compensated_total = compensated - start_compensated_ns_;
    r.least_total = r.greatest_total = r.compensated_total;
    if (clocks_ != clocks::plain) {
        r.least_total -= tare_delay_hi_ns() - tare_delay_ns();
        r.greatest_total += tare_delay_ns() - tare_delay_lo_ns();
    }
    return r;
}

void rank::leave()
{
    MPI_Win_free(&window_);
    MPI_Group_free(&peer_);
}
