// SPDX-License-Identifier: BSD-3-Clause
// One rank of a scene: its work, its overhead, its messages, and what its clocks say.
//
// Work and overhead are lengths of simulated time, drawn by scene and rank from fixed seeds: the same in every run.
// Overhead is spent and declared only in a run that measures, and only on the ranks that the scene instruments.
#ifndef TARE_TEST_SMPI_RANK_HPP
#define TARE_TEST_SMPI_RANK_HPP

#include <mpi.h>

#include "clock.hpp"

#include <cstdint>
#include <map>
#include <vector>

using simulated::ms;
using simulated::s;
using simulated::us;

// What a run is.
struct run_kind {
    bool measures;  // false: the truth
    bool skewed;    // each rank's clock is ahead by another amount
};

// splitmix64: the same numbers everywhere.
class numbers {
  public:
    explicit numbers(std::uint64_t seed) : state_(seed) {}
    // From least to most, both included.
    std::int64_t between(std::int64_t least, std::int64_t most);

  private:
    std::uint64_t next();
    std::uint64_t state_;
};

class rank {
  public:
    rank(run_kind kind, int number, int size);

    const int number;
    const int size;
    int right(int distance = 1) const { return (number + distance) % size; }
    int left(int distance = 1) const { return (number + size - distance % size) % size; }

    // --- time ---
    void work(std::int64_t least_ns, std::int64_t most_ns);
    void overhead(std::int64_t most_ns);
    // The same number on every rank: what all of them know.
    std::int64_t common(std::int64_t least, std::int64_t most) { return common_.between(least, most); }

    // --- messages: what is sent tells whom and where from, and is checked ---
    void send(int to, int bytes = small_bytes);
    void ssend(int to);
    int receive(int from, int bytes = small_bytes);  // returns the source
    void buffered_send(int to);
    void send_receive(int to, int from);
    void replace(int to, int from);
    MPI_Request isend(int to, int bytes = small_bytes);
    MPI_Request irecv(int from, int bytes = small_bytes);
    // Persistent ones: started by start_all, and not over when they are complete.
    MPI_Request send_init(int to);
    MPI_Request recv_init(int from);
    void start_all(std::vector<MPI_Request> &requests);
    void free_all(std::vector<MPI_Request> &requests);
    void wait(MPI_Request &request);
    void wait_all(std::vector<MPI_Request> &requests);
    int wait_any(std::vector<MPI_Request> &requests);
    std::vector<int> wait_some(std::vector<MPI_Request> &requests);
    bool test(MPI_Request &request);
    void probe(int from);

    // --- collectives: each rank's part is its number, and what comes is checked ---
    void barrier();
    void all_reduce();
    void all_gather();
    void all_to_all();
    void broadcast(int root);
    void scatter(int root);
    void gather(int root);
    void reduce(int root);
    void scan();

    // What `call` takes counts as waiting. A call that may not wait does not come here.
    template <typename Call> void waiting(Call call)
    {
        const std::int64_t start_ns = simulated::now_ns();
        const int rc = call();
        in_mpi_ns_ += simulated::now_ns() - start_ns;
        check_call(rc);
    }

    // --- the course of a scene ---
    static constexpr int small_bytes = 64;
    static constexpr int large_bytes = 1 << 20;
    // Before it: a pair's latency is learned from a message that is really waited for. Every rank calls this in the
    // same order, and each pair has a time of its own.
    void meet(int from, int to, int bytes = small_bytes);
    // Its own clocks begin at 0, at this time of the simulation.
    void begin(const char *scene, bool instrumented, std::int64_t time_ns);
    // One line: SCENE RANK MEASURED END WAIT LEAST MOST GUESSED INVERSIONS; times in ns.
    void print(const char *scene) const;

  private:
    struct content {
        int from;
        int to;
    };
    static constexpr unsigned outgoing_buffers = 16;

    char *outgoing(int to, int bytes);
    void check_call(int rc) const;
    int check(const char *message, int from) const;  // returns the source
    void complete(MPI_Request before, MPI_Request after);
    void expect(int found, int wanted, const char *call) const;
    std::vector<int> numbers_of_all() const;

    const run_kind kind_;
    bool instrumented_ = false;
    numbers work_{0}, overhead_{0}, common_{0};
    int meetings_ = 0;
    std::int64_t begin_ns_ = 0, in_mpi_ns_ = 0, wait_before_ns_ = 0;
    std::uint64_t guessed_before_ = 0, inversions_before_ = 0;
    std::vector<char> outgoing_[outgoing_buffers];
    unsigned sent_ = 0;
    std::vector<char> incoming_;
    std::map<MPI_Request, std::vector<char>> expected_;
};

#endif
