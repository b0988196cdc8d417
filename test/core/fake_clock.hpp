// SPDX-License-Identifier: BSD-3-Clause
// A clock that stands still until a test moves it: the core's CLOCK_MONOTONIC in the test programs.
#ifndef TARE_TEST_FAKE_CLOCK_HPP
#define TARE_TEST_FAKE_CLOCK_HPP

#include <cstdint>

namespace fake_clock {

extern std::int64_t now_ns;
extern unsigned reads;  // how often it was read: some paths promise not to

}  // namespace fake_clock

#endif
