// SPDX-License-Identifier: BSD-3-Clause
// What OTF2 says of a region: where it comes from, and what it is for.
#ifndef TARE_TRACE_ROLES_HPP
#define TARE_TRACE_ROLES_HPP

#include <otf2/otf2.h>

#include <string>

namespace tare::trace {

struct region_kind {
    std::string name;                    // as others have it: MPI_Send, not MPI_Send()
    OTF2_RegionRole role;
    OTF2_Paradigm paradigm;
};

// Of a region of the profile: its name and group (TARE_GROUP_*).
region_kind kind_of(const std::string &name, const std::string &group);

}  // namespace tare::trace

#endif
