// SPDX-License-Identifier: BSD-3-Clause
// How a datatype was made. MPI_Type_get_envelope fails for one that was made with large counts, which ends the program: the
// functions for large counts tell of every type, where the MPI library has them (one of MPI 3 can stand under a layer that
// was built for MPI 4).
#ifndef TARE_PMPI_TYPE_ENVELOPE_HPP
#define TARE_PMPI_TYPE_ENVELOPE_HPP

#include "layer.hpp"

#include <type_traits>
#include <utility>

namespace tare::pmpi {

inline bool library_tells_large_counts = false;                  // set when the layer is bound to the library

struct type_envelope {
    int combiner = MPI_COMBINER_NAMED;
    int integers = 0, addresses = 0, large = 0, types = 0;       // what contents() gives of each
};

// Those of MPI 3.
template <typename Calls> struct small_type_calls {
    static int envelope(const Calls &mpi, MPI_Datatype type, type_envelope &e)
    {
        return mpi.Type_get_envelope(type, &e.integers, &e.addresses, &e.types, &e.combiner);
    }
    static int contents(const Calls &mpi, MPI_Datatype type, const type_envelope &e, int *integers, MPI_Aint *addresses,
                        MPI_Count *, MPI_Datatype *types)
    {
        return mpi.Type_get_contents(type, e.integers, e.addresses, e.types, integers, addresses, types);
    }
};

template <typename Calls, typename = void> struct type_calls : small_type_calls<Calls> {};

template <typename Calls> struct type_calls<Calls, std::void_t<decltype(std::declval<Calls>().Type_get_contents_c)>> {
    static int envelope(const Calls &mpi, MPI_Datatype type, type_envelope &e)
    {
        if (!library_tells_large_counts)
            return small_type_calls<Calls>::envelope(mpi, type, e);
        MPI_Count integers = 0, addresses = 0, large = 0, types = 0;
        const int rc = mpi.Type_get_envelope_c(type, &integers, &addresses, &large, &types, &e.combiner);
        e.integers = static_cast<int>(integers);
        e.addresses = static_cast<int>(addresses);
        e.large = static_cast<int>(large);
        e.types = static_cast<int>(types);
        return rc;
    }
    static int contents(const Calls &mpi, MPI_Datatype type, const type_envelope &e, int *integers, MPI_Aint *addresses,
                        MPI_Count *large, MPI_Datatype *types)
    {
        if (!library_tells_large_counts)
            return small_type_calls<Calls>::contents(mpi, type, e, integers, addresses, large, types);
        return mpi.Type_get_contents_c(type, e.integers, e.addresses, e.large, e.types, integers, addresses, large, types);
    }
};

inline bool is_predefined(MPI_Datatype type)
{
    type_envelope e;
    return type_calls<real_calls>::envelope(real, type, e) == MPI_SUCCESS && e.combiner == MPI_COMBINER_NAMED;
}

}  // namespace tare::pmpi

#endif
