// SPDX-License-Identifier: BSD-3-Clause
// What the two ranks do in each scene.
#ifndef TARE_TEST_ACCURACY_SCENES_HPP
#define TARE_TEST_ACCURACY_SCENES_HPP

#include "rank.hpp"

struct scene {
    const char *name;
    const char *title;
    int steps;
    amounts mean[2];  // of each rank
    void (*step)(rank &self, int i);
};

extern const scene scenes[];
extern const int scene_count;

#endif
