// SPDX-License-Identifier: BSD-3-Clause
// A shared library, instrumented: a function that others see and one that they do not.
#include "named.hpp"

__attribute__((noinline)) static int hidden_in_library(int n)
{
    __asm__ volatile("");
    return n + 1;
}

int library_function(int n) { return hidden_in_library(n) + 1; }
