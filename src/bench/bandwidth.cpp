// SPDX-License-Identifier: BSD-3-Clause
// tare_bw, tare_bibw, tare_mbw_mr: windows of messages in flight. With tare_bw and in each pair of tare_mbw_mr the
// first rank sends and the second answers each window with 4 bytes; with tare_bibw both send.
#include "messages.hpp"
#include "payload.hpp"
#include "programs.hpp"

namespace tare::bench {
namespace {

constexpr int data_tag = 100;
constexpr int answer_tag = 101;
constexpr int answer_bytes = 4;

// All messages of a window share one buffer, as in OSU by default: separate buffers measure the caches as well.
class window_work : public work {
  public:
    using work::work;

  protected:
    std::vector<MPI_Request> requests = std::vector<MPI_Request>(2 * static_cast<std::size_t>(self.window));
    const int peer = peer_of(self);
    const int source = source_of(self);

    void start_sends(MPI_Request *first) {
        for (int i = 0; i < self.window; ++i) {
            before_call(self.tool);
            send_call(self.send_buffer + i * apart, self.count, self.type, peer, data_tag, MPI_COMM_WORLD, first + i);
        }
    }

    void start_receives(MPI_Request *first) {
        for (int i = 0; i < self.window; ++i) {
            before_call(self.tool);
            MPI_Irecv(self.receive_buffer + i * apart, self.count, self.type, source, data_tag, MPI_COMM_WORLD, first + i);
        }
    }

    void wait_for(int count) {
        before_call(self.tool);
        MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
    }

  private:
    const std::size_t apart = bytes_apart(self);
    decltype(&MPI_Isend) const send_call = self.wanted->is_synchronous ? MPI_Issend : MPI_Isend;
};

class one_way : public window_work {
  public:
    using window_work::window_work;

    void run(int count) override {
        if (!is_in_pair(self))
            return;
        for (int i = 0; i < count; ++i)
            is_first(self) ? send_window() : receive_window();
    }

    bool is_right(int) const override {
        return is_first(self) || !is_in_pair(self) || holds_window(self, peer);
    }

  private:
    char answer[answer_bytes] = {};

    void send_window() {
        start_sends(requests.data());
        wait_for(self.window);
        before_call(self.tool);
        MPI_Recv(answer, answer_bytes, MPI_CHAR, peer, answer_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }

    void receive_window() {
        start_receives(requests.data());
        wait_for(self.window);
        before_call(self.tool);
        MPI_Send(answer, answer_bytes, MPI_CHAR, peer, answer_tag, MPI_COMM_WORLD);
    }
};

class both_ways : public window_work {
  public:
    using window_work::window_work;

    void run(int count) override {
        for (int i = 0; i < count; ++i) {
            start_receives(requests.data());
            start_sends(requests.data() + self.window);
            wait_for(2 * self.window);
        }
    }

    bool is_right(int) const override { return holds_window(self, peer); }
};

std::string pairs_note(const options &wanted, int) {
    return "# [ pairs: " + std::to_string(wanted.pairs) + " ] [ window size: " + std::to_string(wanted.window) +
           " ]\n";
}

std::string pairs_error(const bench_case &, const options &wanted, int ranks) {
    if (2 * wanted.pairs <= ranks)
        return {};
    return "-p " + std::to_string(wanted.pairs) + ": so many pairs need " + std::to_string(2 * wanted.pairs) +
           " ranks, not " + std::to_string(ranks);
}

bench_case many_pairs() {
    bench_case bench = bandwidth_defaults();
    bench.program = "tare_mbw_mr";
    bench.title = "MPI Multiple Bandwidth / Message Rate Test";
    bench.summary = "Bandwidth and message rate of all pairs of ranks together, with OSU's options and output.";
    bench.columns = rate_columns();
    bench.features |= has_pairs;
    bench.ranks = ranks_needed::even;
    bench.samples = samples_of::slowest_rank;
    bench.note = pairs_note;
    bench.refuse = pairs_error;
    bench.make = make_work<one_way>;
    return bench;
}

}  // namespace

bench_case bandwidth_defaults() {
    bench_case bench;
    bench.columns = bandwidth_columns();
    bench.max_bytes = largest_default_bytes;
    bench.iterations = {100, 20};
    bench.warmup = {10, 2};
    bench.window = 64;
    bench.features = has_window | has_buffers | has_layout | has_modes;
    return bench;
}

std::vector<bench_case> bandwidth_programs() {
    bench_case one = bandwidth_defaults();
    one.program = "tare_bw";
    one.title = "MPI Bandwidth Test";
    one.summary = "Bandwidth of a window of messages from rank 0 to rank 1, with OSU's options and output.";
    one.make = make_work<one_way>;
    bench_case both = bandwidth_defaults();
    both.program = "tare_bibw";
    both.title = "MPI Bi-Directional Bandwidth Test";
    both.summary = "Bandwidth of windows of messages, both ways at once, with OSU's options and output.";
    both.ways = 2;
    both.make = make_work<both_ways>;
    return {one, both, many_pairs()};
}

}  // namespace tare::bench
