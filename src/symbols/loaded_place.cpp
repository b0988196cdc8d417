// SPDX-License-Identifier: BSD-3-Clause
#include "loaded_place.hpp"

#include <climits>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

namespace tare::symbols {

const char *program_path(char (&path)[PATH_MAX]) noexcept
{
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return std::strcpy(path, "program");
    path[length] = '\0';
    return path;
}

code_place find_code(const void *address) noexcept
{
    Dl_info info{};
    link_map *module = nullptr;
    if (dladdr1(address, &info, reinterpret_cast<void **>(&module), RTLD_DL_LINKMAP) == 0 || module == nullptr)
        return {};
    code_place p;
    p.module = module->l_name;
    p.offset = reinterpret_cast<std::uintptr_t>(address) - module->l_addr;
    if (info.dli_sname == nullptr)
        return p;
    p.symbol = info.dli_sname;
    p.symbol_offset = reinterpret_cast<std::uintptr_t>(info.dli_saddr) - module->l_addr;
    return p;
}

loaded_place place_of_code(const void *address)
{
    const code_place p = find_code(address);
    if (p.module == nullptr)
        return {};
    char path[PATH_MAX];
    return {p.module[0] == '\0' ? program_path(path) : p.module, p.offset, p.symbol == nullptr ? "" : p.symbol,
            p.symbol_offset};
}

loaded_place place_of_return(const void *address)
{
    loaded_place p = place_of_code(static_cast<const char *>(address) - 1);
    p.offset += p.module.empty() ? 0 : 1;
    return p;
}

}  // namespace tare::symbols
