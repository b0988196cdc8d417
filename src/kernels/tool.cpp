// SPDX-License-Identifier: BSD-3-Clause
#include "tool.hpp"

#include <dlfcn.h>

namespace tare::kernels {
namespace {

constexpr const char *library = "libtare.so.0";

template <typename Function> bool find(void *handle, const char *name, Function *&found) {
    found = reinterpret_cast<Function *>(dlsym(handle, name));
    return found != nullptr;
}

}  // namespace

std::string load_tool(tool_calls &loaded) {
    void *handle = dlopen(library, RTLD_NOW);
    if (handle == nullptr)
        return std::string("probes need libtare: ") + dlerror();
    const bool has_all = find(handle, "tare_overhead_add", loaded.overhead_add) &&
                         find(handle, "tare_event_ns", loaded.event_ns) &&
                         find(handle, "tare_now_ns", loaded.now_ns) &&
                         find(handle, "tare_delay_ns", loaded.delay_ns) &&
                         find(handle, "tare_delay_lo_ns", loaded.delay_lo_ns) &&
                         find(handle, "tare_delay_hi_ns", loaded.delay_hi_ns);
    return has_all ? "" : std::string(library) + " lacks functions of tare.h: it is of another version";
}

}  // namespace tare::kernels
