// SPDX-License-Identifier: BSD-3-Clause
#include "info.hpp"

#include "elf.hpp"
#include "installation.hpp"
#include "process.hpp"
#include "tare_env.h"
#include "tare_env_own.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace tare::tool {
namespace {

std::string append(const std::string &list, const std::string &word) {
    return list.empty() ? word : list + ", " + word;
}

std::string or_else(const std::string &text, const char *otherwise) {
    return text.empty() ? otherwise : text;
}

// The text behind "MPICH Version:" and the like.
std::string value_behind(const std::string &text, const std::string &key) {
    for (const std::string &line : lines_of(text)) {
        if (line.rfind(key, 0) != 0)
            continue;
        const std::size_t begin = line.find_first_not_of(" \t", key.size());
        return begin == std::string::npos ? "" : line.substr(begin);
    }
    return "";
}

std::string mpich_here(const installation &place) {
    const std::string program = place.mpichversion();
    const auto text = program.empty() ? std::nullopt : output_of({program});
    if (!text)
        return "not here";
    return value_behind(*text, "MPICH Version:") + ", " + value_behind(*text, "MPICH Device:");
}

std::string families_here(const installation &place) {
    std::string list;
    for (const std::string &family : all_families())
        if (!place.layer(family).empty())
            list = append(list, family);
    return or_else(list, "none");
}

bool has_layer(const installation &place) {
    const auto &families = all_families();
    return std::any_of(families.begin(), families.end(),
                       [&](const std::string &family) { return !place.layer(family).empty(); });
}

std::string carriers_here(const installation &place) {
    std::string list;
    const std::string mpi = place.mpi_library();
    if (!mpi.empty() && elf_file(mpi).exports("tare_transport_v1"))
        list = append(list, "header");
    if (has_layer(place))
        for (const char *carrier : {"datatype", "message", "copy"})
            list = append(list, carrier);
    return or_else(list, "none");
}

// Text in roff: a leading dot or quote would be a request, a backslash an escape, a hyphen a typographic one.
std::string roff(const std::string &text) {
    std::string result = !text.empty() && (text[0] == '.' || text[0] == '\'') ? "\\&" : "";
    for (const char c : text)
        result += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    return result;
}

}  // namespace

std::vector<info_item> installed_items() {
    const installation place;
    const std::string prefix = std::filesystem::path(place.bin_dir()).parent_path();
    return {
        {"version", TARE_VERSION},
        {"prefix", place.is_build_tree() ? "none: this is the build tree " + place.lib_dir() : prefix},
        {"library", or_else(place.library(), "missing")},
        {"probes", or_else(place.probe(), "missing")},
        {"MPI layers", families_here(place)},
        {"MPICH", mpich_here(place)},
        {"carriers", carriers_here(place)},
    };
}

std::vector<variable_item> variable_items() {
    std::vector<variable_item> items;
    std::size_t rows = 0;
    const tare_env_row_t *table = tare_env_table(&rows);
    for (std::size_t i = 0; i < rows; ++i) {
        const char *value = std::getenv(table[i].name);
        const tare_env_more_t &more = *tare_env_more(i);
        items.push_back({table[i].name, table[i].values, more.preset, more.unit ? more.unit : "", more.readers,
                         table[i].meaning, value != nullptr, value ? value : ""});
    }
    return items;
}

std::vector<variable_fact> facts_of(const variable_item &item) {
    std::vector<variable_fact> facts = {{"values", item.values}, {"default", item.preset}};
    if (!item.unit.empty())
        facts.push_back({"unit", item.unit});
    facts.push_back({"read by", item.readers});
    return facts;
}

std::string variables_roff() {
    std::string text = ".\\\" Made by 'tare info --env --man' from the table in src/env.\n";
    for (const variable_item &item : variable_items()) {
        text += ".TP\n.B " + roff(item.name) + "\n" + roff(item.meaning) + "\n";
        for (const auto &[name, value] : facts_of(item))
            text += ".br\n" + std::string(name) + ": " + roff(value) + "\n";
    }
    return text;
}

}  // namespace tare::tool
