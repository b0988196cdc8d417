// SPDX-License-Identifier: BSD-3-Clause
// The profile that these tests write and read.
#ifndef TARE_TEST_PROFILE_EXAMPLE_HPP
#define TARE_TEST_PROFILE_EXAMPLE_HPP

#include "profile.hpp"

// Rank 1, thread 0: the root, a region of which more was removed than there was, a wait, awkward names and metadata.
tare::profile::thread example_thread(int rank = 1, const char *run_id = "run <1> & \"more\"");

bool same(const tare::profile::row &a, const tare::profile::row &b);

#endif
