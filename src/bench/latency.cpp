// SPDX-License-Identifier: BSD-3-Clause
// tare_latency: rank 0 and rank 1 send one message to and fro; half of the round trip is the latency.
#include <mpi.h>

#include <cstring>

#include "engine.hpp"

namespace {

using tare::bench::scheme;
using tare::bench::side;
using tare::bench::stamp_bytes;
using tare::bench::stamped_pair;
using tare::bench::twin_bytes;

constexpr int tag = 1;

void send(const side &self) {
    before_call(self.tool);
    MPI_Send(self.send_buffer, self.size, MPI_CHAR, 1 - self.rank, tag, MPI_COMM_WORLD);
}

void receive(const side &self) {
    before_call(self.tool);
    MPI_Recv(self.receive_buffer, self.size, MPI_CHAR, 1 - self.rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// --- the same with a stamp by hand ---

void send_type(const side &self, stamped_pair &pair) {
    before_call(self.tool);
    MPI_Send(MPI_BOTTOM, 1, pair.out, 1 - self.rank, tag, MPI_COMM_WORLD);
}

void receive_type(const side &self, stamped_pair &pair) {
    before_call(self.tool);
    MPI_Recv(MPI_BOTTOM, 1, pair.in, 1 - self.rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void send_two(const side &self, stamped_pair &pair) {
    send(self);
    MPI_Send(pair.sent, twin_bytes, MPI_BYTE, 1 - self.rank, tag, pair.twin);
}

void receive_two(const side &self, stamped_pair &pair) {
    receive(self);
    MPI_Recv(pair.received, twin_bytes, MPI_BYTE, 1 - self.rank, tag, pair.twin, MPI_STATUS_IGNORE);
}

void send_copy(const side &self, stamped_pair &pair) {
    before_call(self.tool);
    std::memcpy(pair.packed_out, pair.sent, stamp_bytes);
    std::memcpy(pair.packed_out + stamp_bytes, self.send_buffer, static_cast<std::size_t>(self.size));
    MPI_Send(pair.packed_out, self.size + stamp_bytes, MPI_BYTE, 1 - self.rank, tag, MPI_COMM_WORLD);
}

void receive_copy(const side &self, stamped_pair &pair) {
    before_call(self.tool);
    MPI_Recv(pair.packed_in, self.size + stamp_bytes, MPI_BYTE, 1 - self.rank, tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    std::memcpy(pair.received, pair.packed_in, stamp_bytes);
    std::memcpy(self.receive_buffer, pair.packed_in + stamp_bytes, static_cast<std::size_t>(self.size));
}

// --- both ---

template <typename Send, typename Receive>
void exchange(const side &self, int count, const Send &send_one, const Receive &receive_one) {
    for (int i = 0; i < count; ++i) {
        if (self.rank == 0)
            send_one();
        receive_one();
        if (self.rank == 1)
            send_one();
    }
}

void ping_pong(const side &self, int count) {
    if (self.by_hand == scheme::nothing)
        return exchange(self, count, [&] { send(self); }, [&] { receive(self); });
    stamped_pair &pair = tare::bench::stamped_messages(self.send_buffer, self.receive_buffer, self.size);
    switch (self.by_hand) {
    case scheme::datatype:
        return exchange(self, count, [&] { send_type(self, pair); }, [&] { receive_type(self, pair); });
    case scheme::message:
        return exchange(self, count, [&] { send_two(self, pair); }, [&] { receive_two(self, pair); });
    default:
        return exchange(self, count, [&] { send_copy(self, pair); }, [&] { receive_copy(self, pair); });
    }
}

}  // namespace

int main(int argc, char **argv) {
    tare::bench::bench_case bench{};
    bench.program = "tare_latency";
    bench.title = "MPI Latency Test";
    bench.summary = "Latency of one message between two ranks (half of a round trip), with OSU's options and output.";
    bench.column = "Latency (us)";
    bench.full_min = "Min Latency(us)";
    bench.full_max = "Max Latency(us)";
    bench.min_bytes = 0;
    bench.max_bytes = tare::bench::largest_default_bytes;
    bench.iterations = {10000, 1000};
    bench.warmup = {100, 10};
    bench.most_ranks = 2;
    bench.has_by_hand = true;
    bench.events_per_iteration = 2;
    bench.run = ping_pong;
    bench.end = tare::bench::drop_stamped_messages;
    bench.figure = tare::bench::event_time_us;
    return tare::bench::bench_main(bench, argc, argv);
}
