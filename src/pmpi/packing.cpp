// SPDX-License-Identifier: BSD-3-Clause
#include "packing.hpp"

#include "layer.hpp"

#include <climits>

namespace tare::pmpi {

// int and MPI_Count variants of the same call, where the MPI library has both.
bool find_packed_size(const user_data &d, MPI_Count *bytes)
{
#if MPI_VERSION >= 4
    return real.Pack_size_c(d.count, d.type, MPI_COMM_SELF, bytes) == MPI_SUCCESS;
#else
    int size = 0;
    if (d.count > INT_MAX || real.Pack_size(static_cast<int>(d.count), d.type, MPI_COMM_SELF, &size) != MPI_SUCCESS)
        return false;
    *bytes = size;
    return true;
#endif
}

user_data from_an_address(const user_data &data)
{
    static char origin;
    MPI_Aint address = 0;
    real.Get_address(&origin, &address);
    const int blocks = static_cast<int>(data.count);
    const MPI_Aint place = -address;
    user_data moved{&origin, 1, MPI_DATATYPE_NULL};
    real.Type_create_hindexed(1, &blocks, &place, data.type, &moved.type);
    real.Type_commit(&moved.type);
    return moved;
}

packed_copy::packed_copy(const user_data &data)
{
    MPI_Count size = 0;
    if (!find_packed_size(data, &size))
        return;
    if (size > INT_MAX)
        die("MPI_Sendrecv_replace of %lld bytes is not carried by this TARE_MODE: at most %d; use TARE_MODE=header "
            "or datatype", static_cast<long long>(size), INT_MAX);
    memory_.resize(static_cast<std::size_t>(size) + 1);      // never null
    const bool is_absolute = data.buffer == MPI_BOTTOM;
    user_data from = is_absolute ? from_an_address(data) : data;
    real.Pack(from.buffer, static_cast<int>(from.count), from.type, memory_.data(), static_cast<int>(size), &bytes_,
              MPI_COMM_SELF);
    if (is_absolute)
        real.Type_free(&from.type);
}

}  // namespace tare::pmpi
