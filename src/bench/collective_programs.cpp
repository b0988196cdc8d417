// SPDX-License-Identifier: BSD-3-Clause
// tare_bcast, tare_ibcast, tare_bcast_persistent and all others: collective calls that all ranks make, one after the
// other. Where there are roots the ranks are roots in turn, so that none runs ahead.
#include "collective.hpp"
#include "overlap.hpp"
#include "payload.hpp"
#include "programs.hpp"

namespace tare::bench {
namespace {

constexpr int largest_bytes = 1 << 20;

class collective_work : public work {
  public:
    collective_work(const side &on, const collective &of) : work(on), what(of), given(self, of.leaves) {}

    void fill() override {
        work::fill();
        if (given.type == MPI_FLOAT)
            fill_numbers(self, self.send_buffer);
    }

    bool is_right(int count) const override { return is_collected(self, given, what.leaves, count); }

  protected:
    const collective &what;
    arguments given;

    int root_of(int iteration) const { return what.has_root ? iteration % self.ranks : 0; }

    void wait(MPI_Request &request) {
        before_call(self.tool);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
};

class blocking : public collective_work {
  public:
    using collective_work::collective_work;

    void run(int count) override {
        for (int i = 0; i < count; ++i) {
            given.root = root_of(i);
            before_call(self.tool);
            what.call(given);
        }
    }
};

class nonblocking : public collective_work {
  public:
    using collective_work::collective_work;

    void run(int count) override {
        for (int i = 0; i < count; ++i) {
            MPI_Request request = start(i);
            wait(request);
        }
    }

    void add_to(row &line) override {
        line.with_compute = overlap(self, line, [this](int i) { return start(i); });
    }

  private:
    MPI_Request start(int iteration) {
        MPI_Request request = MPI_REQUEST_NULL;
        given.root = root_of(iteration);
        before_call(self.tool);
        what.start(given, &request);
        return request;
    }
};

// A request for each root.
class persistent : public collective_work {
  public:
    persistent(const side &on, const collective &of)
        : collective_work(on, of), requests(static_cast<std::size_t>(what.has_root ? self.ranks : 1)) {
        for (MPI_Request &request : requests) {
            what.init(given, &request);
            given.root++;
        }
    }

    ~persistent() override {
        for (MPI_Request &request : requests)
            MPI_Request_free(&request);
    }

    void run(int count) override {
        for (int i = 0; i < count; ++i) {
            MPI_Request &request = requests[static_cast<std::size_t>(root_of(i))];
            before_call(self.tool);
            MPI_Start(&request);
            wait(request);
        }
    }

  private:
    std::vector<MPI_Request> requests;
};

bench_case defaults_of(const collective &of, const std::string &name, const char *kind, const char *manner) {
    const bool has_sizes = of.min_bytes > 0;
    bench_case bench;
    bench.program = "tare_" + name;
    bench.title = std::string("MPI ") + kind + of.title + " Latency Test";
    bench.summary = std::string("Time of ") + of.what + (of.has_root ? ", whose roots are all ranks in turn," : "") +
                    manner + " with OSU's options and output.";
    bench.columns = time_columns("Avg Latency(us)");
    bench.min_bytes = of.min_bytes;
    bench.max_bytes = has_sizes ? largest_bytes : 0;
    bench.iterations = {1000, has_sizes ? 100 : 1000};
    bench.warmup = {100, has_sizes ? 10 : 100};
    bench.features = std::string(of.name).rfind("neighbor", 0) == 0 ? has_neighbours : 0u;
    bench.ranks = ranks_needed::two_or_more;
    bench.has_bytes_per_rank = of.has_bytes_per_rank;
    return bench;
}

template <typename Form> std::function<std::unique_ptr<work>(const side &)> maker(const collective &of) {
    return [&of](const side &self) { return std::make_unique<Form>(self, of); };
}

std::string overlap_note(const options &, int) {
    return "# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n\n";
}

bench_case nonblocking_case(const collective &of) {
    bench_case bench = defaults_of(of, std::string("i") + of.name, "Non-blocking ",
                                   " by the nonblocking call and its wait, and how much of it a computation hides,");
    bench.columns = overlap_columns();
    bench.features |= has_test_calls;
    bench.note = overlap_note;
    bench.make = maker<nonblocking>(of);
    return bench;
}

}  // namespace

std::vector<bench_case> collective_programs() {
    std::vector<bench_case> all;
    for (const collective &of : collectives()) {
        all.push_back(defaults_of(of, of.name, "", ""));
        all.back().make = maker<blocking>(of);
        all.push_back(nonblocking_case(of));
        if (of.init == nullptr)
            continue;
        const std::string name = std::string(of.name) + "_persistent";
        all.push_back(defaults_of(of, name, "Persistent ", " by a persistent request,"));
        all.back().make = maker<persistent>(of);
    }
    return all;
}

}  // namespace tare::bench
