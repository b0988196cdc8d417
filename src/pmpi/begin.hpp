// SPDX-License-Identifier: BSD-3-Clause
// What the PMPI layer does when MPI begins and ends; init.cpp has the MPI functions that call this.
#ifndef TARE_PMPI_BEGIN_HPP
#define TARE_PMPI_BEGIN_HPP

#include "layer.hpp"

namespace tare::pmpi {

// Before the MPI library reads its environment: adopts its core, chooses the mode, says that the layer is there.
void prepare_settings();
// After PMPI_Init: what all ranks of MPI_COMM_WORLD settle with each other. Ends the run if they cannot.
void begin_world();
#if MPI_VERSION >= 4
// After PMPI_Session_init, without a message.
void begin_session(MPI_Session session);
#endif
// Before the last of MPI goes: writes the profile and stops carrying.
void end_layer();
// The same in MPI_Finalize, with what all ranks do there together.
void end_world();

}  // namespace tare::pmpi

#endif
