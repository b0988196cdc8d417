// SPDX-License-Identifier: BSD-3-Clause
// The predefined handles of an MPI where they are addresses of the library's data (Open MPI; in MPICH they are
// numbers). We may be loaded where there is no MPI, so we refer to no such data: the addresses are looked up when the
// MPI library's functions are, and until then every handle is null. So no static object may be made of one.
#ifndef TARE_PMPI_HANDLES_HPP
#define TARE_PMPI_HANDLES_HPP

#ifdef OPEN_MPI

#include "handles.gen.hpp"

#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) (static_cast<type>(tare::pmpi::predefined.global))

namespace tare::pmpi {

inline predefined_handles predefined;

// `find(name)`: where the MPI library has the symbol.
template <typename Find> void find_handles(const Find &find)
{
    void **handle = reinterpret_cast<void **>(&predefined);
    for (const char *name : handle_names)
        *handle++ = find(name);
}

}  // namespace tare::pmpi

#else

namespace tare::pmpi {

template <typename Find> void find_handles(const Find &) {}

}  // namespace tare::pmpi

#endif

#endif
