// SPDX-License-Identifier: BSD-3-Clause
// mpi.h as the PMPI layer includes it: C only, and nothing that the compiler checks types of buffers with.
#ifndef TARE_PMPI_MPI_API_HPP
#define TARE_PMPI_MPI_API_HPP

#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX 1
#define MPICH_NO_ATTR_TYPE_TAGS 1

#include <mpi.h>

#include "handles.hpp"

// Deprecated functions are wrapped like all others.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define TARE_MPI_EXPORT extern "C" __attribute__((visibility("default")))

// Every wrapper is there under both names. Fortran bindings call some functions as PMPI_Xxx, and with a carrier above
// MPI a message that went past us would be taken apart wrongly.
#define TARE_MPI_ALIAS(name) \
    extern "C" __attribute__((visibility("default"), alias(#name))) decltype(name) P##name

#endif
