// SPDX-License-Identifier: BSD-3-Clause
// Asks each function that gives memory for some, and ends with 1 and a word where it does not do what the standards say.
#include "tare.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <thread>
#include <vector>

#define APART __attribute__((noinline, used))

namespace {

int failures = 0;
constexpr std::size_t too_much = PTRDIFF_MAX;
volatile std::size_t some = 1000, huge = too_much;

void expect(bool is_so, const char *what)
{
    if (!is_so)
        std::printf("%s\n", what);
    failures += !is_so;
}

bool is_aligned(const void *p, std::size_t bytes) { return reinterpret_cast<std::uintptr_t>(p) % bytes == 0; }

// Written to, to its end; given back.
void *used(void *p)
{
    expect(p != nullptr, "no memory");
    if (p != nullptr)
        std::memset(p, 1, some);
    return p;
}

}  // namespace

APART void small() { std::free(used(std::malloc(some))); }

APART void by_malloc()
{
    std::free(used(std::malloc(some)));
    errno = 0;
    expect(std::malloc(huge) == nullptr && errno == ENOMEM, "malloc of too much");
}

APART void by_calloc()
{
    auto *p = static_cast<unsigned char *>(std::calloc(some, 2));
    for (std::size_t i = 0; i < 2 * some; i++)
        expect(p[i] == 0, "calloc is not zero");
    std::free(used(p));
    expect(std::calloc(huge, huge) == nullptr, "calloc of too much");
}

APART void by_realloc()
{
    auto *p = static_cast<char *>(std::realloc(nullptr, some));
    std::memset(p, 7, some);
    p = static_cast<char *>(std::realloc(p, 1000 * some));
    expect(p[0] == 7 && p[some - 1] == 7, "realloc has lost something");
    expect(std::realloc(p, huge) == nullptr && p[some - 1] == 7, "realloc of too much");
    p = static_cast<char *>(std::realloc(p, some / 2));
    expect(p[some / 2 - 1] == 7, "realloc has lost something that is shorter");
    std::free(p);
}

APART void by_reallocarray()
{
    void *p = reallocarray(nullptr, some, 2);
    errno = 0;
    expect(reallocarray(p, huge, 4) == nullptr && errno == ENOMEM, "reallocarray of too much");
    std::free(used(p));
}

APART void by_memalign()
{
    void *p = memalign(256, some);
    expect(is_aligned(p, 256), "memalign");
    std::free(used(p));
}

APART void by_posix_memalign()
{
    void *p = nullptr;
    errno = 5;
    expect(posix_memalign(&p, 512, some) == 0 && is_aligned(p, 512) && errno == 5, "posix_memalign");
    std::free(used(p));
    void *const before = p;
    expect(posix_memalign(&p, 3, some) == EINVAL && posix_memalign(&p, 0, some) == EINVAL && p == before, "posix_memalign by 3");
    expect(posix_memalign(&p, 512, huge) == ENOMEM && p == before, "posix_memalign of too much");
}

APART void by_aligned_alloc()
{
    void *p = aligned_alloc(128, 1024);
    expect(is_aligned(p, 128), "aligned_alloc");
    std::free(used(p));
}

APART void by_valloc()
{
    void *p = valloc(some);
    expect(is_aligned(p, 4096), "valloc");
    std::free(used(p));
}

APART void by_pvalloc()
{
    void *p = pvalloc(some);
    expect(is_aligned(p, 4096) && malloc_usable_size(p) >= 4096, "pvalloc");
    std::free(used(p));
    errno = 0;
    expect(pvalloc(SIZE_MAX - 1) == nullptr && errno == ENOMEM, "pvalloc of too much");
}

APART void by_new()
{
    ::operator delete(used(::operator new(some)));
    bool is_thrown = false;
    try {
        ::operator delete(::operator new(huge));
    } catch (const std::bad_alloc &) {
        is_thrown = true;
    }
    expect(is_thrown, "new of too much");
    void *nothing = ::operator new(some - some);
    expect(nothing != nullptr, "new of nothing");
    ::operator delete(nothing);
}

APART void by_new_array() { delete[] static_cast<char *>(used(new char[some])); }

int handled = 0;
void handle()
{
    if (++handled == 3)
        std::set_new_handler(nullptr);
}

APART void by_quiet_new()
{
    ::operator delete(used(::operator new(some, std::nothrow)), std::nothrow);
    ::operator delete[](used(::operator new[](some, std::nothrow)), std::nothrow);
    std::set_new_handler(handle);
    expect(::operator new(huge, std::nothrow) == nullptr && handled == 3, "quiet new of too much");
    expect(::operator new[](huge, std::align_val_t(64), std::nothrow) == nullptr, "quiet new[] of too much");
}

struct alignas(128) line {
    char byte[1024];
};

APART void by_aligned_new()
{
    line *p = new line, *all = new line[2], *quiet = new (std::nothrow) line;
    expect(is_aligned(p, 128) && is_aligned(all, 128) && is_aligned(quiet, 128), "new of what is aligned");
    used(p), used(all), used(quiet);
    delete p;
    delete[] all;
    delete quiet;
}

APART void in_a_thread()
{
    void *blocks[10];
    for (int i = 0; i < 100; i++) {
        for (void *&p : blocks)
            p = used(std::malloc(some));
        for (void *p : blocks)
            std::free(p);
    }
}

int main()
{
    expect(tare_version() != nullptr, "no libtare");
    some = 200;
    small();
    some = 1000;
    by_malloc();
    by_calloc();
    by_realloc();
    by_reallocarray();
    by_memalign();
    by_posix_memalign();
    by_aligned_alloc();
    by_valloc();
    by_pvalloc();
    by_new();
    by_new_array();
    by_quiet_new();
    by_aligned_new();
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back(in_a_thread);
    for (std::thread &t : threads)
        t.join();
    std::free(nullptr);
    return failures == 0 ? 0 : 1;
}
