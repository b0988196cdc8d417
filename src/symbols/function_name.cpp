// SPDX-License-Identifier: BSD-3-Clause
#include "function_name.hpp"

#include "elf_symbols.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <map>
#include <mutex>

namespace tare::symbols {
namespace {

bool begins_with(const std::string &text, const char *beginning)
{
    return text.compare(0, std::strlen(beginning), beginning) == 0;
}

// The demangler takes other texts for types: f for float.
std::string demangled(const std::string &symbol)
{
    if (!begins_with(symbol, "_Z") && !begins_with(symbol, "_GLOBAL_"))
        return symbol;
    int failure = 0;
    char *text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &failure);
    std::string name = failure == 0 && text != nullptr ? text : symbol;
    std::free(text);
    return name;
}

bool is_fortran_name(const std::string &text)
{
    return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

// gfortran's __m_MOD_p is procedure p of module m. What it calls p_ may be a C function of that name: it stays.
std::string fortran_name(const std::string &symbol)
{
    constexpr const char *between = "_MOD_";
    const std::size_t at = begins_with(symbol, "__") ? symbol.find(between) : std::string::npos;
    if (at == std::string::npos || at < 2)
        return "";
    const std::string module = symbol.substr(2, at - 2);
    const std::string procedure = symbol.substr(at + std::strlen(between));
    return is_fortran_name(module) && is_fortran_name(procedure) ? module + "::" + procedure : "";
}

std::string as_in_the_source(const std::string &symbol)
{
    const std::string fortran = fortran_name(symbol);
    return fortran.empty() ? demangled(symbol) : fortran;
}

// The symbol tables of the modules that have been asked for.
std::string symbol_in_file(const place &p)
{
    static std::mutex reading;
    static std::map<std::string, function_symbols> *modules = new std::map<std::string, function_symbols>;
    const std::lock_guard<std::mutex> lock(reading);
    const char *name = modules->try_emplace(p.module, p.module).first->second.find(p.offset);
    return name == nullptr ? "" : name;
}

}  // namespace

std::string with_offset(const std::string &name, std::uint64_t offset)
{
    char text[24];
    std::snprintf(text, sizeof text, "+0x%llx", static_cast<unsigned long long>(offset));
    return name + text;
}

std::string module_and_offset(const std::string &module, std::uint64_t offset)
{
    return with_offset(module.empty() ? "unknown" : module.substr(module.rfind('/') + 1), offset);
}

std::string symbol_of(const place &p)
{
    const std::string symbol = !p.symbol.empty() ? p.symbol : p.module.empty() ? "" : symbol_in_file(p);
    return symbol.empty() ? module_and_offset(p.module, p.offset) : symbol;
}

std::string name_of(const place &p) { return as_in_the_source(symbol_of(p)); }

}  // namespace tare::symbols
