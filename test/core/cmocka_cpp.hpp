// SPDX-License-Identifier: BSD-3-Clause
// CMocka as C++ needs it. Included last: its macro fail() would be in the way of the C++ library.
// A failing assert jumps over destructors: no object that owns something may live in a test's body.
#ifndef TARE_TEST_CMOCKA_CPP_HPP
#define TARE_TEST_CMOCKA_CPP_HPP

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cstdint>
#include <stdint.h>

extern "C" {
#include <cmocka.h>
}

// CMocka compares what it is given as unsigned and prints it in hexadecimal: times are signed and read in decimal.
#define assert_ns_equal(actual, expected) assert_ns_equal_at(actual, expected, #actual, __FILE__, __LINE__)

inline void assert_ns_equal_at(int64_t actual, int64_t expected, const char *what, const char *file, int line)
{
    if (actual == expected)
        return;
    print_error("%s is %lld ns, expected %lld ns\n", what, static_cast<long long>(actual),
                static_cast<long long>(expected));
    _fail(file, line);
}

#define assert_ns_between(low, actual, high) assert_ns_between_at(low, actual, high, #actual, __FILE__, __LINE__)

inline void assert_ns_between_at(int64_t low, int64_t actual, int64_t high, const char *what, const char *file,
                                 int line)
{
    if (low <= actual && actual <= high)
        return;
    print_error("%s is %lld ns, expected %lld to %lld ns\n", what, static_cast<long long>(actual),
                static_cast<long long>(low), static_cast<long long>(high));
    _fail(file, line);
}

#endif
