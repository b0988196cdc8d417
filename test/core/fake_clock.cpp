// SPDX-License-Identifier: BSD-3-Clause
// Defined in the program, clock_gettime comes before the C library's. Other clocks are the kernel's: libFuzzer, too,
// looks at the time.
#include "fake_clock.hpp"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace fake_clock {

std::int64_t now_ns;
unsigned reads;

}  // namespace fake_clock

extern "C" int clock_gettime(clockid_t clock, timespec *t) noexcept
{
    if (clock != CLOCK_MONOTONIC)
        return static_cast<int>(syscall(SYS_clock_gettime, clock, t));
    ++fake_clock::reads;
    t->tv_sec = fake_clock::now_ns / 1'000'000'000;
    t->tv_nsec = fake_clock::now_ns % 1'000'000'000;
    return 0;
}
