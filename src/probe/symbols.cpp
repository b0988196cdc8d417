// SPDX-License-Identifier: BSD-3-Clause
#include "symbols.hpp"

#include <climits>
#include <cstdio>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

namespace tare::probe {
namespace {

std::string program_path()
{
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "program";
}

}  // namespace

place place_of(const void *function)
{
    Dl_info info{};
    link_map *module = nullptr;
    if (dladdr1(function, &info, reinterpret_cast<void **>(&module), RTLD_DL_LINKMAP) == 0 || module == nullptr)
        return {"", 0, ""};
    place p;
    p.module = module->l_name[0] == '\0' ? program_path() : module->l_name;
    p.offset = reinterpret_cast<std::uintptr_t>(function) - module->l_addr;
    if (info.dli_sname != nullptr && info.dli_saddr == function)
        p.symbol = info.dli_sname;
    return p;
}

void write_name(const void *what, char *name, std::size_t size)
{
    std::snprintf(name, size, "%s", symbols::name_of(*static_cast<const place *>(what)).c_str());
}

}  // namespace tare::probe
