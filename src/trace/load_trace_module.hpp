// SPDX-License-Identifier: BSD-3-Clause
// libtare-otf2 for whoever needs it: libtare and the tool, each of which knows where it lies.
#ifndef TARE_TRACE_LOAD_TRACE_MODULE_HPP
#define TARE_TRACE_LOAD_TRACE_MODULE_HPP

#include "trace_module.h"

#include <dlfcn.h>

namespace tare {

// nullptr: it is not there, or of another version.
inline const tare_trace_module_t *load_trace_module(const char *file)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    const void *found = handle == nullptr ? nullptr : dlsym(handle, "tare_trace_module");
    const auto *module = static_cast<const tare_trace_module_t *>(found);
    return module != nullptr && module->size == sizeof *module ? module : nullptr;
}

}  // namespace tare

#endif
