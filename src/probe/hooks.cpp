// SPDX-License-Identifier: BSD-3-Clause
// The hooks that -finstrument-functions calls. This library is preloaded by `tare exec` or linked; the hooks have no
// symbol version, so that they stand in for the empty ones of the C library.
#include "functions.hpp"
#include "tare_measure.h"

#include <ctime>

#define TARE_HOOK extern "C" __attribute__((visibility("default"), no_instrument_function))

TARE_HOOK void __cyg_profile_func_enter(void *function, void *call_site);
TARE_HOOK void __cyg_profile_func_exit(void *function, void *call_site);

// instrumented.cpp
extern "C" void tare_probe_instrumented(void);
extern "C" void tare_probe_plain(void);

namespace {

constexpr tare_measure_state_t off = {0, 0};
const tare_measure_state_t *state = &off;
void (*volatile instrumented)() = tare_probe_instrumented;
void (*volatile plain)() = tare_probe_plain;

inline int64_t clock_ns() noexcept
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

void call_instrumented(int n)
{
    for (int i = 0; i < n; i++)
        instrumented();
}

void call_plain(int n)
{
    for (int i = 0; i < n; i++)
        plain();
}

__attribute__((constructor)) void load()
{
    tare_measure_calibrate(TARE_WAY_PROBE, call_instrumented, call_plain);
    state = tare_measure_state();
}

}  // namespace

void __cyg_profile_func_enter(void *function, void *)
{
    if (__builtin_expect(!state->on, 0))
        return;
    const int64_t t0_ns = state->measured ? clock_ns() : 0;
    if (tare_region_t *region = tare::probe::region_of(function); __builtin_expect(region != nullptr, 1))
        tare_measure_enter_probe(region, t0_ns);
}

void __cyg_profile_func_exit(void *function, void *)
{
    if (__builtin_expect(!state->on, 0))
        return;
    const int64_t t0_ns = clock_ns();
    if (tare_region_t *region = tare::probe::known_region_of(function); __builtin_expect(region != nullptr, 1))
        tare_measure_leave_probe(region, t0_ns);
}
