// SPDX-License-Identifier: BSD-3-Clause
// Files whose code is not the program: the MPI library, network libraries, the C library, the OpenMP runtime, Tare itself.
#ifndef TARE_SYMBOLS_LIBRARY_FILE_HPP
#define TARE_SYMBOLS_LIBRARY_FILE_HPP

#include <cstring>

namespace tare::symbols {

// Begins of their names.
inline constexpr const char *library_names[] = {
    "libmpi.",  "libmpi_", "libmpich", "libtare", "libfabric", "libucp.",    "libuct",    "libucm",       "libucs",
    "libgomp.", "libhwloc", "libc.so", "libpmi",  "libefa",    "libibverbs", "librdmacm", "libopen-pal.", "libopen-rte.",
    "libevent", "mca_",     "libpsm",  "libnuma.", "libotf2.", "ld-linux"};

inline bool is_library_file(const char *path) noexcept
{
    const char *const slash = std::strrchr(path, '/');
    const char *const file = slash != nullptr ? slash + 1 : path;
    for (const char *name : library_names)
        if (std::strncmp(file, name, std::strlen(name)) == 0)
            return true;
    return false;
}

}  // namespace tare::symbols

#endif
