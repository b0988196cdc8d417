// SPDX-License-Identifier: BSD-3-Clause
// The collective operations of MPI, blocking and not, in the shapes that their algorithms ask for.
#ifndef TARE_TEST_COLL_OPERATIONS_HPP
#define TARE_TEST_COLL_OPERATIONS_HPP

#include <mpi.h>

namespace coll {

constexpr int most_ranks = 8;
constexpr int large_count = 5000;  // of ints: several chunks of 8 KiB

// One call. Between two groups, `peers` is the size of the other one, and only the group of the root has one.
struct arguments {
    MPI_Comm comm;
    int me, size, peers;
    int root;       // as the call wants it: a rank, MPI_ROOT, MPI_PROC_NULL
    bool is_root;   // has or gets all the data
    int count;      // for each pair of ranks
    bool in_place;
    MPI_Op op;
};

// Whose data, and so whose delay, a rank needs beside its own.
enum class needs { all, of_root, by_root, up_to_here, neighbors };

struct operation {
    const char *name;                                      // in MPICH's variables
    int (*call)(const arguments &a, MPI_Request *request);  // request: nullptr for the blocking call
    needs who;
    bool has_inter, has_in_place, has_op;
};

extern const operation operations[];
extern const int operation_count;

}  // namespace coll

#endif
