// SPDX-License-Identifier: BSD-3-Clause
// What must be so whatever the input: else the target ends, which libFuzzer and the driver take for a finding.
#ifndef TARE_TEST_FUZZ_HOLDS_HPP
#define TARE_TEST_FUZZ_HOLDS_HPP

#include <cstdio>
#include <cstdlib>

#define HOLDS(condition)                                                                     \
    do {                                                                                     \
        if (!(condition)) {                                                                  \
            std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
            std::abort();                                                                    \
        }                                                                                    \
    } while (0)

#endif
