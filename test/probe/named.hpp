// SPDX-License-Identifier: BSD-3-Clause
#ifndef TARE_TEST_PROBE_NAMED_HPP
#define TARE_TEST_PROBE_NAMED_HPP

extern "C" int library_function(int n);

#endif
