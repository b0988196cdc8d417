// SPDX-License-Identifier: BSD-3-Clause
// The part of tare.h that a measuring tool in small needs. libtare is loaded only where there are probes, so without
// them a kernel is a plain MPI program.
#ifndef TARE_KERNELS_TOOL_HPP
#define TARE_KERNELS_TOOL_HPP

#include <cstdint>
#include <string>

namespace tare::kernels {

struct tool_calls {
    void (*overhead_add)(std::int64_t ns) = nullptr;  // null: nothing is loaded
    void (*event_ns)(std::int64_t now_ns) = nullptr;
    std::int64_t (*now_ns)() = nullptr;
    std::int64_t (*delay_ns)() = nullptr;
    std::int64_t (*delay_lo_ns)() = nullptr;
    std::int64_t (*delay_hi_ns)() = nullptr;
};

// Gives back one sentence if there is no libtare, or it lacks a function.
std::string load_tool(tool_calls &loaded);

}  // namespace tare::kernels

#endif
