// SPDX-License-Identifier: BSD-3-Clause
#ifndef TARE_PMPI_STATIC_DATA_HPP
#define TARE_PMPI_STATIC_DATA_HPP

namespace tare::pmpi {

// Tells the trace where the modules of the process have their writable data, so that addresses in there are variables to
// who reads it. Of those that are loaded later nothing is known.
void name_static_data();

}  // namespace tare::pmpi

#endif
