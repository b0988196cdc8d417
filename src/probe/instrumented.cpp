// SPDX-License-Identifier: BSD-3-Clause
// The function that the calibration of the hooks calls. Compiled with -finstrument-functions, unlike everything else
// here: what the compiler puts into a user's function is part of the cost.
#include "tare_measure.h"

extern "C" {

__attribute__((noipa)) void tare_probe_instrumented(void) { tare_measure_trial_work(); }

__attribute__((noipa, no_instrument_function)) void tare_probe_plain(void) { tare_measure_trial_work(); }

}  // extern "C"
