// SPDX-License-Identifier: BSD-3-Clause
// Data in one piece, where the MPI library's own packing is not enough.
#ifndef TARE_PMPI_PACKING_HPP
#define TARE_PMPI_PACKING_HPP

#include "parcel.hpp"

#include <vector>

namespace tare::pmpi {

// Bytes that the data takes when it is packed. False: the MPI library refuses to say.
bool find_packed_size(const user_data &data, MPI_Count *bytes);

// MPICH 4.0.2 packs and unpacks nothing that begins at MPI_BOTTOM: the same data from an address that is none. The
// type is a new one, which the caller frees.
user_data from_an_address(const user_data &data);

// What a buffer holds that is sent from and received into at once.
class packed_copy {
  public:
    explicit packed_copy(const user_data &data);
    void *data() { return memory_.data(); }
    int bytes() const { return bytes_; }

  private:
    std::vector<char> memory_;
    int bytes_ = 0;
};

}  // namespace tare::pmpi

#endif
