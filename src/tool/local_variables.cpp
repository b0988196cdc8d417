// SPDX-License-Identifier: BSD-3-Clause
#include "local_variables.hpp"

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#endif

namespace tare::tool {

#ifdef HAVE_LIBDW
namespace {

constexpr int deepest = 100;             // blocks in blocks

// gcc's frame bases are that; a pointer to the frame would have to be unwound.
bool is_based_on_the_cfa(Dwarf_Die *function) {
    Dwarf_Attribute attribute;
    Dwarf_Op *operations = nullptr;
    std::size_t count = 0;
    return dwarf_attr_integrate(function, DW_AT_frame_base, &attribute) != nullptr &&
           dwarf_getlocation(&attribute, &operations, &count) == 0 && count == 1 &&
           operations[0].atom == DW_OP_call_frame_cfa;
}

// In some part of the function at least.
std::optional<std::int64_t> place_of(Dwarf_Die *variable) {
    Dwarf_Attribute attribute;
    if (dwarf_attr(variable, DW_AT_location, &attribute) == nullptr)
        return {};
    Dwarf_Addr base = 0, begin = 0, end = 0;
    Dwarf_Op *operations = nullptr;
    std::size_t count = 0;
    for (std::ptrdiff_t at = 0;
         (at = dwarf_getlocations(&attribute, at, &base, &begin, &end, &operations, &count)) > 0;)
        if (count == 1 && operations[0].atom == DW_OP_fbreg)
            return static_cast<std::int64_t>(operations[0].number);
    return {};
}

std::int64_t bytes_of(Dwarf_Die *variable) {
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    Dwarf_Word bytes = 0;
    const bool is_known = dwarf_attr_integrate(variable, DW_AT_type, &attribute) != nullptr &&
                          dwarf_formref_die(&attribute, &type) != nullptr && dwarf_aggregate_size(&type, &bytes) == 0;
    return is_known && bytes < INT64_MAX / 2 ? static_cast<std::int64_t>(bytes) : 0;
}

void add(local_variable &found, Dwarf_Die *variable, std::int64_t offset) {
    const std::optional<std::int64_t> begin = place_of(variable);
    const char *name = dwarf_diename(variable);
    const std::int64_t bytes = bytes_of(variable);
    if (!begin || name == nullptr || offset < *begin || offset - *begin >= bytes)
        return;
    const std::int64_t end = *begin + bytes;
    const std::string known = " or " + found.name + " or ";
    if (found.name.empty())
        found = {name, *begin, end};
    else if (known.find(std::string(" or ") + name + " or ") == std::string::npos)
        found = {found.name + " or " + name, std::max(found.begin, *begin), std::min(found.end, end)};
}

// Blocks of the function, and what has been taken into it, too.
void look_in(Dwarf_Die *scope, std::int64_t offset, int depth, local_variable &found) {
    Dwarf_Die child;
    if (depth == deepest || dwarf_child(scope, &child) != 0)
        return;
    do {
        const int tag = dwarf_tag(&child);
        if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
            add(found, &child, offset);
        else if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
            look_in(&child, offset, depth + 1, found);
    } while (dwarf_siblingof(&child, &child) == 0);
}

}  // namespace

local_variable find_local(Dwfl_Module *module, std::uint64_t value, std::int64_t offset) {
    Dwarf_Addr bias = 0, unit_bias = 0;
    local_variable found;
    if (dwfl_module_getdwarf(module, &bias) == nullptr)
        return found;
    Dwarf_Die *unit = dwfl_module_addrdie(module, value + bias, &unit_bias);
    Dwarf_Die *scopes = nullptr;
    const int count = unit == nullptr ? 0 : dwarf_getscopes(unit, value + bias - unit_bias, &scopes);
    const std::unique_ptr<Dwarf_Die, decltype(&std::free)> all(scopes, &std::free);
    for (int i = 0; i < count; ++i)
        if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram && is_based_on_the_cfa(&scopes[i])) {
            look_in(&scopes[i], offset, 0, found);
            break;
        }
    return found;
}
#endif

}  // namespace tare::tool
