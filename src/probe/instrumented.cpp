// SPDX-License-Identifier: BSD-3-Clause
// The function that the calibration of the hooks calls. Compiled with -finstrument-functions, unlike everything else
// here: what the compiler puts into a user's function is part of the cost.
extern "C" {

__attribute__((noipa)) void tare_probe_instrumented(void) { __asm__ volatile(""); }

__attribute__((noipa, no_instrument_function)) void tare_probe_plain(void) { __asm__ volatile(""); }

}  // extern "C"
