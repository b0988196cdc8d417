// SPDX-License-Identifier: BSD-3-Clause
// Linked with -Bsymbolic, so that the program's own references to clock_gettime end here and nobody else's do.
#include "clock.hpp"

#include <simgrid/actor.h>
#include <simgrid/engine.h>

#include <cmath>
#include <ctime>

namespace simulated {

std::int64_t skew_ns;

namespace {

// No time stamp is 0, which some places take for "not known".
constexpr std::int64_t epoch_ns = 1000 * s;

}  // namespace

std::int64_t now_ns() { return std::llround(simgrid_get_clock() * 1e9); }

void sleep(std::int64_t ns)
{
    if (ns > 0)
        sg_actor_sleep_for(static_cast<double>(ns) * 1e-9);
}

}  // namespace simulated

extern "C" int clock_gettime(clockid_t, timespec *t) noexcept
{
    const std::int64_t ns = simulated::now_ns() + simulated::epoch_ns + simulated::skew_ns;
    t->tv_sec = ns / simulated::s;
    t->tv_nsec = ns % simulated::s;
    return 0;
}
