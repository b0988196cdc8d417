// SPDX-License-Identifier: BSD-3-Clause
#include "loaded_place.hpp"

#include <climits>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

namespace tare::symbols {
namespace {

std::string program_path()
{
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "program";
}

}  // namespace

loaded_place place_of_code(const void *address)
{
    Dl_info info{};
    link_map *module = nullptr;
    if (dladdr1(address, &info, reinterpret_cast<void **>(&module), RTLD_DL_LINKMAP) == 0 || module == nullptr)
        return {};
    loaded_place p;
    p.module = module->l_name[0] == '\0' ? program_path() : module->l_name;
    p.offset = reinterpret_cast<std::uintptr_t>(address) - module->l_addr;
    if (info.dli_sname == nullptr)
        return p;
    p.symbol = info.dli_sname;
    p.symbol_offset = reinterpret_cast<std::uintptr_t>(info.dli_saddr) - module->l_addr;
    return p;
}

loaded_place place_of_return(const void *address)
{
    loaded_place p = place_of_code(static_cast<const char *>(address) - 1);
    p.offset += p.module.empty() ? 0 : 1;
    return p;
}

}  // namespace tare::symbols
