// SPDX-License-Identifier: BSD-3-Clause
#include "next.hpp"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace tare::threads {

namespace {

void *find(void *handle, const char *name, const char *version) noexcept
{
    void *const found = version != nullptr ? dlvsym(handle, name, version) : nullptr;
    return found != nullptr ? found : dlsym(handle, name);
}

}  // namespace

// A library that the program has loaded for one of its own alone (RTLD_LOCAL) is not behind this one.
void *find_next(const char *name, const char *version, const char *library) noexcept
{
    void *found = find(RTLD_NEXT, name, version);
    if (found == nullptr && library != nullptr)
        if (void *const handle = dlopen(library, RTLD_NOLOAD | RTLD_LAZY); handle != nullptr)
            found = find(handle, name, version);
    if (found != nullptr)
        return found;
    std::fprintf(stderr, "tare: %s is called, but no library has it: run without --threads\n", name);
    std::abort();
}

}  // namespace tare::threads
