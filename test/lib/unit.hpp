// SPDX-License-Identifier: BSD-3-Clause
// CMocka for C++. A failing assertion jumps past destructors: what owns something is made outside of test bodies.
#ifndef TARE_TEST_UNIT_HPP
#define TARE_TEST_UNIT_HPP

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

extern "C" {
#include <cmocka.h>
}

#endif
