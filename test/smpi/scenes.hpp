// SPDX-License-Identifier: BSD-3-Clause
// The programs that are run with and without overhead.
#ifndef TARE_TEST_SMPI_SCENES_HPP
#define TARE_TEST_SMPI_SCENES_HPP

#include "rank.hpp"

struct scene {
    const char *name;
    // nullptr: a carrier above MPI sees all that matters, so nothing may be left. Else why something is.
    const char *limit;
    // Not nullptr: why it is not played with TARE_MODE=datatype, whose messages are of derived types.
    const char *without_types;
    bool (*instruments)(int rank, int size);
    // Brings every pair together whose messages may come early; nullptr: nobody.
    void (*meet)(rank &self);
    void (*run)(rank &self);
};

extern const scene scenes[];
extern const unsigned scene_count;

#endif
