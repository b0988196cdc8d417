// SPDX-License-Identifier: BSD-3-Clause
// A run that asked for this layer and called MPI past it: nobody would know why the profile has no MPI in it.
#include "layer.hpp"

namespace tare::pmpi {

namespace {

bool needs_layer(const tare_settings_t &s)
{
    return s.profile == 1 || s.mode == TARE_MODE_DATATYPE || s.mode == TARE_MODE_MESSAGE || s.mode == TARE_MODE_COPY;
}

// MPI_Init and MPI_Session_init ask for the core first.
bool has_been_asked() { return state.core != nullptr; }

__attribute__((destructor)) void unload()
{
    const tare_settings_t *settings = tare_measure_settings();
    if (has_been_asked() || settings == nullptr || !needs_layer(*settings) || !is_mpi_initialized())
        return;
    tare_measure_say_at_end("MPI was initialized past Tare's layer, so nothing of it is measured or carried above MPI: "
                            "its functions were looked up in the MPI library itself; with RTLD_DEFAULT (in Python "
                            "ctypes.CDLL(None)) Tare's are found");
}

}  // namespace

}  // namespace tare::pmpi
