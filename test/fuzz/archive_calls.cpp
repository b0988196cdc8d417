// SPDX-License-Identifier: BSD-3-Clause
// What the target calls instead of what the tool does, so that an input takes a thousandth of a second: chunks of OTF2 as
// small as they can be, as it fills each of them; and no child that tries an anchor file, which is whole.
#include <dlfcn.h>
#include <otf2/otf2.h>
#include <unistd.h>

#include "holds.hpp"

extern "C" OTF2_Archive *OTF2_Archive_Open(const char *path, const char *name, const OTF2_FileMode mode, const uint64_t,
                                           const uint64_t, const OTF2_FileSubstrate substrate,
                                           const OTF2_Compression compression)
{
    static const auto open = reinterpret_cast<decltype(&OTF2_Archive_Open)>(dlsym(RTLD_NEXT, "OTF2_Archive_Open"));
    HOLDS(open != nullptr);
    return open(path, name, mode, OTF2_CHUNK_SIZE_MIN, OTF2_CHUNK_SIZE_MIN, substrate, compression);
}

// Whoever asks goes on without.
extern "C" pid_t fork() noexcept { return -1; }

// What OTF2 3.0.2 itself forgets of a damaged file (test/trace/leaks.suppressions).
extern "C" const char *__lsan_default_suppressions() { return "leak:libopen-trace-format2\n"; }

// It believes sizes, and looks behind what it has read: that is no report here, only what comes of it.
extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1:max_allocation_size_mb=1024"; }
extern "C" const char *__asan_default_suppressions() { return "interceptor_via_lib:libopen-trace-format2\n"; }
extern "C" const char *__lsan_default_options() { return "print_suppressions=0"; }
