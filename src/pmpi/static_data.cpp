// SPDX-License-Identifier: BSD-3-Clause
#include "static_data.hpp"

#include "tare.h"
#include "trace_event.h"

#include <link.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <string>

namespace tare::pmpi {
namespace {

// The loader has no name for the program itself.
std::string path_of(const dl_phdr_info &module)
{
    if (module.dlpi_name[0] != '\0')
        return module.dlpi_name;
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return length <= 0 || length == static_cast<ssize_t>(sizeof path) ? std::string() : std::string(path, static_cast<std::size_t>(length));
}

int name_module(dl_phdr_info *module, std::size_t, void *)
{
    const std::string path = path_of(*module);
    for (int i = 0; i < module->dlpi_phnum && !path.empty(); i++) {
        const ElfW(Phdr) &part = module->dlpi_phdr[i];
        if (part.p_type != PT_LOAD || (part.p_flags & PF_W) == 0)
            continue;
        char value[32];
        std::snprintf(value, sizeof value, "+0x%llx", static_cast<unsigned long long>(part.p_vaddr));
        tare_data((path + value).c_str(), reinterpret_cast<const void *>(module->dlpi_addr + part.p_vaddr), part.p_memsz,
                  TARE_TRACE_STATIC_DATA);
    }
    return 0;
}

}  // namespace

void name_static_data() { dl_iterate_phdr(name_module, nullptr); }

}  // namespace tare::pmpi
