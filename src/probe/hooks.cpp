// SPDX-License-Identifier: BSD-3-Clause
// The hooks that -finstrument-functions calls. This library is preloaded by `tare exec` or linked; the hooks have no
// symbol version, so that they stand in for the empty ones of the C library.
#include "functions.hpp"
#include "tare_measure.h"

#define TARE_HOOK extern "C" __attribute__((visibility("default"), no_instrument_function))

TARE_HOOK void __cyg_profile_func_enter(void *function, void *call_site);
TARE_HOOK void __cyg_profile_func_exit(void *function, void *call_site);

// instrumented.cpp
extern "C" void tare_probe_instrumented(void);
extern "C" void tare_probe_plain(void);

namespace {

void nothing(const void *) {}

constexpr tare_measure_state_t off = {0, 0, {nothing, nothing, nothing, nothing}};
const tare_measure_state_t *state = &off;
void (*volatile instrumented)() = tare_probe_instrumented;
void (*volatile plain)() = tare_probe_plain;

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
    tare_measure_functions_from(tare::probe::region_of);
    tare_measure_calibrate(TARE_WAY_PROBE, call_instrumented, call_plain);
    if (tare_region_t *region = tare_measure_trial_region(); region != nullptr)
        tare::probe::make_known(reinterpret_cast<const void *>(tare_probe_instrumented), region);
    state = tare_measure_state();
}

}  // namespace

void __cyg_profile_func_enter(void *function, void *) { state->hooks.enter_function(function); }

void __cyg_profile_func_exit(void *function, void *) { state->hooks.leave_function(function); }
