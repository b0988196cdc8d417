// SPDX-License-Identifier: BSD-3-Clause
// The figures of a row by their names in machine-readable output.
#ifndef TARE_TOOL_FIGURES_HPP
#define TARE_TOOL_FIGURES_HPP

#include "bounded_sum.hpp"
#include "profile.hpp"

#include <bitset>
#include <cstddef>
#include <cstdint>

namespace tare::tool {

struct figure_column {
    const char *name;
    std::int64_t profile::figures::*value;
};

constexpr figure_column figure_columns[] = {
    {"calls", &profile::figures::calls},
    {"incl_ns", &profile::figures::incl_ns},
    {"excl_ns", &profile::figures::excl_ns},
    {"incl_comp_ns", &profile::figures::incl_comp_ns},
    {"excl_comp_ns", &profile::figures::excl_comp_ns},
    {"wait_ns", &profile::figures::wait_ns},
    {"wait_comp_ns", &profile::figures::wait_comp_ns},
    {"removed_ns", &profile::figures::removed_ns},
    {"residue_ns", &profile::figures::residue_ns},
    {"lo_ns", &profile::figures::lo_ns},
    {"hi_ns", &profile::figures::hi_ns},
    {"subrs", &profile::figures::subrs},
    {"wait_excl_ns", &profile::figures::wait_excl_ns},
    {"wait_comp_excl_ns", &profile::figures::wait_comp_excl_ns},
    {"counted_calls", &profile::figures::counted_calls},
};
constexpr std::size_t figure_count = sizeof figure_columns / sizeof *figure_columns;

// The first so many are what the JSON of `tare report` has.
constexpr std::size_t reported_figures = 11;

// Which figures are known: files of other formats may lack some.
using figure_set = std::bitset<figure_count>;

inline figure_set all_figures() { return figure_set().set(); }

constexpr std::size_t figure_index(std::int64_t profile::figures::*value) {
    std::size_t i = 0;
    while (figure_columns[i].value != value)
        ++i;
    return i;
}

}  // namespace tare::tool

#endif
