// SPDX-License-Identifier: BSD-3-Clause
#include "site_name.hpp"

#include "elf_symbols.hpp"
#include "function_name.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

namespace tare::symbols {
namespace {

using functions = std::vector<sized_function>;

// Of the modules that have been asked for.
const functions &functions_of(const std::string &module)
{
    static std::mutex reading;
    static std::map<std::string, functions> *modules = new std::map<std::string, functions>;
    const std::lock_guard<std::mutex> lock(reading);
    const auto [at, is_new] = modules->try_emplace(module);
    if (is_new && !module.empty())
        at->second = read_sized_functions(module);
    return at->second;
}

// The function that calls, or nullptr. A call may be a function's last instruction: then it returns behind its end.
const sized_function *caller_at(const functions &all, std::uint64_t offset)
{
    const auto behind = std::upper_bound(all.begin(), all.end(), offset - 1,
                                         [](std::uint64_t at, const sized_function &f) { return at < f.value; });
    if (behind == all.begin())
        return nullptr;
    // The first of several names.
    const auto first = std::lower_bound(all.begin(), behind, (behind - 1)->value,
                                        [](const sized_function &f, std::uint64_t at) { return f.value < at; });
    return offset - 1 - first->value < first->size ? &*first : nullptr;
}

// Nothing: it has no name.
std::optional<place> caller_of(const loaded_place &p)
{
    if (const sized_function *f = caller_at(functions_of(p.module), p.offset); f != nullptr)
        return place{p.module, f->value, f->name};
    if (!p.symbol.empty())
        return place{p.module, p.symbol_offset, p.symbol};
    return {};
}

}  // namespace

std::string name_of_site(const loaded_place &p)
{
    const std::optional<place> caller = caller_of(p);
    return caller ? with_offset(name_of(*caller), p.offset - caller->offset) : module_and_offset(p.module, p.offset);
}

std::string text_of_site(const loaded_place &p)
{
    return name_of_site(p) + " (" + with_offset(p.module, p.offset) + ")";
}

std::string text_of_caller(const loaded_place &p)
{
    const std::optional<place> caller = caller_of(p);
    return caller ? name_of(*caller) + " (" + with_offset(caller->module, caller->offset) + ")" : text_of_site(p);
}

}  // namespace tare::symbols
