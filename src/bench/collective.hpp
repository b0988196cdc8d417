// SPDX-License-Identifier: BSD-3-Clause
// A collective operation in its three forms, and the arguments that they share.
#ifndef TARE_BENCH_COLLECTIVE_HPP
#define TARE_BENCH_COLLECTIVE_HPP

#include <vector>

#include "engine.hpp"

namespace tare::bench {

// What a call leaves in the receive buffer; -c knows each of them.
enum class outcome {
    nothing, broadcast, gathered, gathered_at_root, exchanged, scattered,
    sum, sum_at_root, sum_of_part, sum_of_block, sum_before_next, sum_before,
    neighbours_gathered, neighbours_exchanged
};

// The neighbours of a rank in a line. A grid has MPI_PROC_NULL beyond its ends, a graph has nobody there.
std::vector<int> neighbours_of(int rank, int ranks, neighbourhood how);

// The arguments of the calls for one size: `count` of `type` are what the operation takes for one message or block, and
// the v forms have it for each rank, or each neighbour.
struct arguments {
    arguments(const side &self, outcome leaves);
    ~arguments();
    arguments(const arguments &) = delete;
    arguments &operator=(const arguments &) = delete;

    char *out;
    char *in;
    int count;
    MPI_Datatype type;
    int root = 0;
    MPI_Comm comm = MPI_COMM_WORLD;
    std::vector<int> counts;
    std::vector<int> places;
    std::vector<MPI_Aint> wide_places;  // as MPI_Neighbor_alltoallw wants them
    std::vector<MPI_Datatype> types;
    std::vector<int> parts;  // of a reduction over all elements, for each rank
};

// Does the buffer of this rank hold what `count` calls with the roots in turn must leave?
bool is_collected(const side &self, const arguments &given, outcome leaves, int count);

struct collective {
    const char *name;   // tare_NAME, tare_iNAME, tare_NAME_persistent
    const char *title;  // in OSU's words
    const char *what;   // that the summaries speak of
    int min_bytes;      // 0: has no sizes
    bool has_bytes_per_rank;
    bool has_root;
    outcome leaves;
    void (*call)(const arguments &given);
    void (*start)(const arguments &given, MPI_Request *request);
    void (*init)(const arguments &given, MPI_Request *request);  // null before MPI 4
};

// The table of all of them.
const std::vector<collective> &collectives();

}  // namespace tare::bench

#endif
