// SPDX-License-Identifier: BSD-3-Clause
// How a scene is played and judged.
#ifndef TARE_TEST_MPI_SCENES_HPP
#define TARE_TEST_MPI_SCENES_HPP

#include "echo.hpp"

#include <stdio.h>
#include <stdlib.h>

namespace echo {

// What a scene found: judged on rank 0.
struct verdict {
    bool good;
    const char *name;
    int64_t value;
};

// A scene is played again where it fails: on a busy machine a rank is descheduled now and then, a wrong rule is wrong
// every time.
template <typename Scene> void play(Scene scene)
{
    verdict v = {};
    for (int attempt = 0; attempt < 80 && !v.good; attempt++) {
        rest_before(attempt);
        v = scene();
        quiet q;
        MPI_Bcast(&v.good, 1, MPI_CXX_BOOL, 0, MPI_COMM_WORLD);
    }
    report(v.good, v.name);
    if (rank == 0)
        printf("# delay %lld ns\n", (long long) v.value);
}

// What the other rank says here.
inline int64_t other(int64_t mine)
{
    quiet q;
    int64_t theirs;
    MPI_Sendrecv(&mine, 1, MPI_INT64_T, 1 - rank, 3, &theirs, 1, MPI_INT64_T, 1 - rank, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return theirs;
}

inline int64_t other_delay() { return other(core->thread()->delay_ns); }

inline bool is_near(int64_t value, int64_t expected) { return llabs(value - expected) <= tolerance_ns; }

}  // namespace echo

#endif
