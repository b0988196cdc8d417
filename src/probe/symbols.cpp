// SPDX-License-Identifier: BSD-3-Clause
#include "symbols.hpp"

#include "function_name.hpp"
#include "loaded_place.hpp"

#include <climits>
#include <cstring>
#include <new>
#include <string>

namespace tare::probe {
namespace {

const char *program_path() noexcept
{
    static char path[PATH_MAX];
    return path[0] != '\0' ? path : symbols::program_path(path);
}

// Functions of one module come one after the other.
const char *keep_module(const char *module, own_memory &memory) noexcept
{
    static const char *latest = "";
    if (std::strcmp(latest, module) != 0)
        latest = memory.copy(module);
    return latest;
}

}  // namespace

const kept_place *keep_place_of(const void *function, own_memory &memory) noexcept
{
    const symbols::code_place p = symbols::find_code(function);
    auto *kept = new (memory.take(sizeof(kept_place))) kept_place{"", p.offset, ""};
    if (p.module != nullptr)
        kept->module = keep_module(p.module[0] == '\0' ? program_path() : p.module, memory);
    if (p.symbol != nullptr && p.symbol_offset == p.offset)
        kept->symbol = memory.copy(p.symbol);
    return kept;
}

void write_name(const void *what, tare_measure_name which, char *name, std::size_t size)
{
    const auto &kept = *static_cast<const kept_place *>(what);
    const symbols::place p{kept.module, kept.offset, kept.symbol};
    const std::string found = which == TARE_NAME_MANGLED ? symbols::symbol_of(p) : symbols::name_of(p);
    name[found.copy(name, size - 1)] = '\0';
}

}  // namespace tare::probe
