// SPDX-License-Identifier: BSD-3-Clause
// An instrumented program with every kind of function that has a name of its own.
#include "named.hpp"

#include <pthread.h>
#include <stdexcept>

#define SEPARATE __attribute__((noinline, noclone))

SEPARATE static int static_function(int n)
{
    __asm__ volatile("");
    return n + 1;
}

namespace space {

class thing {
  public:
    SEPARATE explicit thing(int n) : n_(n) {}
    SEPARATE int method() const { return n_; }

  private:
    int n_;
};

template <typename T> SEPARATE T twice(T n) { return n + n; }

namespace {

SEPARATE int unnamed(int n)
{
    __asm__ volatile("");
    return n;
}

}  // namespace
}  // namespace space

SEPARATE static int recursive(int n)
{
    __asm__ volatile("");
    return n == 0 ? 0 : 1 + recursive(n - 1);
}

SEPARATE static void thrower(int n)
{
    if (n == 0)
        throw std::runtime_error("out");
    thrower(n - 1);
}

SEPARATE static void after_throw() { __asm__ volatile(""); }

extern "C" SEPARATE void *thread_function(void *unused)
{
    __asm__ volatile("");
    return unused;
}

int main(int argc, char **)
{
    int sum = 0;
    for (int i = 0; i < 7; i++)
        sum += static_function(i);
    sum += space::thing(argc).method() + space::twice<long>(argc) + space::unnamed(argc);
    sum += recursive(5) + library_function(argc);
    try {
        thrower(3);
    } catch (const std::runtime_error &) {
        after_throw();
    }
    pthread_t thread;
    pthread_create(&thread, nullptr, thread_function, nullptr);
    pthread_join(thread, nullptr);
    return sum == 0;
}
