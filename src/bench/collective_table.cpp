// SPDX-License-Identifier: BSD-3-Clause
// The collective operations, a row and a list of arguments each. The blocking call, the nonblocking one (with a request
// behind) and the persistent one (with an info and a request) have the same arguments.
#include "collective.hpp"

namespace tare::bench {
namespace {

template <typename Arguments, auto Call> void call(const arguments &given) {
    Arguments::pass(given, [](auto... each) { Call(each...); });
}

template <typename Arguments, auto Start> void start(const arguments &given, MPI_Request *request) {
    Arguments::pass(given, [=](auto... each) { Start(each..., request); });
}

template <typename Arguments, auto Init> void init(const arguments &given, MPI_Request *request) {
    Arguments::pass(given, [=](auto... each) { Init(each..., MPI_INFO_NULL, request); });
}

#define TARE_ARGUMENTS(operation, ...)                                                 \
    struct operation {                                                                 \
        template <typename Pass> static void pass(const arguments &a, const Pass &to) { \
            to(__VA_ARGS__);                                                           \
        }                                                                              \
    };

TARE_ARGUMENTS(barrier, a.comm)
TARE_ARGUMENTS(bcast, a.out, a.count, a.type, a.root, a.comm)
TARE_ARGUMENTS(rooted, a.out, a.count, a.type, a.in, a.count, a.type, a.root, a.comm)
TARE_ARGUMENTS(gatherv, a.out, a.count, a.type, a.in, a.counts.data(), a.places.data(), a.type, a.root, a.comm)
TARE_ARGUMENTS(scatterv, a.out, a.counts.data(), a.places.data(), a.type, a.in, a.count, a.type, a.root, a.comm)
TARE_ARGUMENTS(blocks, a.out, a.count, a.type, a.in, a.count, a.type, a.comm)
TARE_ARGUMENTS(allgatherv, a.out, a.count, a.type, a.in, a.counts.data(), a.places.data(), a.type, a.comm)
TARE_ARGUMENTS(alltoallv, a.out, a.counts.data(), a.places.data(), a.type, a.in, a.counts.data(), a.places.data(),
               a.type, a.comm)
TARE_ARGUMENTS(alltoallw, a.out, a.counts.data(), a.places.data(), a.types.data(), a.in, a.counts.data(),
               a.places.data(), a.types.data(), a.comm)
TARE_ARGUMENTS(wide_alltoallw, a.out, a.counts.data(), a.wide_places.data(), a.types.data(), a.in, a.counts.data(),
               a.wide_places.data(), a.types.data(), a.comm)
TARE_ARGUMENTS(reduction, a.out, a.in, a.count, a.type, MPI_SUM, a.comm)
TARE_ARGUMENTS(reduce, a.out, a.in, a.count, a.type, MPI_SUM, a.root, a.comm)
TARE_ARGUMENTS(reduce_scatter, a.out, a.in, a.parts.data(), a.type, MPI_SUM, a.comm)

#if MPI_VERSION >= 4
#define TARE_FORMS(list, name, iname) call<list, MPI_##name>, start<list, MPI_##iname>, init<list, MPI_##name##_init>
#else
#define TARE_FORMS(list, name, iname) call<list, MPI_##name>, start<list, MPI_##iname>, nullptr
#endif

constexpr int byte = 1;
constexpr int number = sizeof(float);
constexpr bool whole = false, per_rank = true;   // what the sizes are of
constexpr bool no_root = false, has_root = true;

const std::vector<collective> table = {
    {"allgather", "Allgather", "an allgather", byte, per_rank, no_root, outcome::gathered,
     TARE_FORMS(blocks, Allgather, Iallgather)},
    {"allgatherv", "Allgatherv", "an allgatherv", byte, per_rank, no_root, outcome::gathered,
     TARE_FORMS(allgatherv, Allgatherv, Iallgatherv)},
    {"allreduce", "Allreduce", "a sum of floats over all ranks", number, whole, no_root, outcome::sum,
     TARE_FORMS(reduction, Allreduce, Iallreduce)},
    {"alltoall", "All-to-All Personalized Exchange", "an exchange of so many bytes between all pairs of ranks", byte,
     per_rank, no_root, outcome::exchanged, TARE_FORMS(blocks, Alltoall, Ialltoall)},
    {"alltoallv", "All-to-Allv Personalized Exchange", "an alltoallv of so many bytes between all pairs of ranks", byte,
     per_rank, no_root, outcome::exchanged, TARE_FORMS(alltoallv, Alltoallv, Ialltoallv)},
    {"alltoallw", "All-to-Allw Personalized Exchange", "an alltoallw of so many bytes between all pairs of ranks", byte,
     per_rank, no_root, outcome::exchanged, TARE_FORMS(alltoallw, Alltoallw, Ialltoallw)},
    {"barrier", "Barrier", "a barrier of all ranks", 0, whole, no_root, outcome::nothing,
     TARE_FORMS(barrier, Barrier, Ibarrier)},
    {"bcast", "Broadcast", "a broadcast", byte, whole, has_root, outcome::broadcast, TARE_FORMS(bcast, Bcast, Ibcast)},
    {"exscan", "Exscan", "an exclusive prefix sum of floats", number, whole, no_root, outcome::sum_before,
     TARE_FORMS(reduction, Exscan, Iexscan)},
    {"gather", "Gather", "a gather", byte, per_rank, has_root, outcome::gathered_at_root,
     TARE_FORMS(rooted, Gather, Igather)},
    {"gatherv", "Gatherv", "a gatherv", byte, per_rank, has_root, outcome::gathered_at_root,
     TARE_FORMS(gatherv, Gatherv, Igatherv)},
    {"reduce", "Reduce", "a sum of floats at a root", number, whole, has_root, outcome::sum_at_root,
     TARE_FORMS(reduce, Reduce, Ireduce)},
    {"reduce_scatter", "Reduce_scatter", "a sum of floats of which each rank gets a part", number, whole, no_root,
     outcome::sum_of_part, TARE_FORMS(reduce_scatter, Reduce_scatter, Ireduce_scatter)},
    {"reduce_scatter_block", "Reduce_scatter_block", "a sum of floats of which each rank gets so many bytes", number,
     per_rank, no_root, outcome::sum_of_block, TARE_FORMS(reduction, Reduce_scatter_block, Ireduce_scatter_block)},
    {"scan", "Scan", "a prefix sum of floats", number, whole, no_root, outcome::sum_before_next,
     TARE_FORMS(reduction, Scan, Iscan)},
    {"scatter", "Scatter", "a scatter", byte, per_rank, has_root, outcome::scattered,
     TARE_FORMS(rooted, Scatter, Iscatter)},
    {"scatterv", "Scatterv", "a scatterv", byte, per_rank, has_root, outcome::scattered,
     TARE_FORMS(scatterv, Scatterv, Iscatterv)},
    {"neighbor_allgather", "Neighborhood Allgather", "an allgather among neighbors", byte, per_rank, no_root,
     outcome::neighbours_gathered, TARE_FORMS(blocks, Neighbor_allgather, Ineighbor_allgather)},
    {"neighbor_allgatherv", "Neighborhood Allgatherv", "an allgatherv among neighbors", byte, per_rank, no_root,
     outcome::neighbours_gathered, TARE_FORMS(allgatherv, Neighbor_allgatherv, Ineighbor_allgatherv)},
    {"neighbor_alltoall", "Neighborhood Alltoall", "an exchange among neighbors", byte, per_rank, no_root,
     outcome::neighbours_exchanged, TARE_FORMS(blocks, Neighbor_alltoall, Ineighbor_alltoall)},
    {"neighbor_alltoallv", "Neighborhood Alltoallv", "an alltoallv among neighbors", byte, per_rank, no_root,
     outcome::neighbours_exchanged, TARE_FORMS(alltoallv, Neighbor_alltoallv, Ineighbor_alltoallv)},
    {"neighbor_alltoallw", "Neighborhood Alltoallw", "an alltoallw among neighbors", byte, per_rank, no_root,
     outcome::neighbours_exchanged, TARE_FORMS(wide_alltoallw, Neighbor_alltoallw, Ineighbor_alltoallw)},
};

}  // namespace

const std::vector<collective> &collectives() {
    return table;
}

}  // namespace tare::bench
