// SPDX-License-Identifier: BSD-3-Clause
// What is known of a call of MPI by the name of its region.
#ifndef TARE_COMMS_REGION_KIND_HPP
#define TARE_COMMS_REGION_KIND_HPP

#include "region_names.hpp"

namespace tare::comms {

struct region_kind {
    bool is_mpi = false;
    bool is_start = false;               // of persistent requests
    bool makes_persistent = false;
    bool is_of_neighbours = false;       // a collective operation of those alone
    bool is_ibarrier = false;
};

constexpr region_kind kind_of(std::string_view region)
{
    if (!is_mpi_call(region))
        return {};
    const std::string_view name = region.substr(mpi_prefix.size());
    return {true, begins_small(name, "start"), holds_small(name, "_init"), holds_small(name, "neighbor"),
            begins_small(name, "ibarrier")};
}

}  // namespace tare::comms

#endif
