// SPDX-License-Identifier: BSD-3-Clause
#include "source_lines.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#ifdef HAVE_LIBDW
#include <elfutils/libdwfl.h>
#endif

namespace tare::tool {
namespace {

// What a trace or a module names may be anything: nothing is opened that could block.
bool is_file(const std::string &path) {
    std::error_code failure;
    return std::filesystem::is_regular_file(path, failure);
}

// Of other files a page shows nothing: whoever has made a trace could have named any.
bool is_source(const std::string &path) {
    constexpr const char *endings[] = {".c", ".h", ".cc", ".hh", ".cpp", ".hpp", ".cxx", ".hxx", ".c++", ".C", ".H", ".cu",
                                       ".inc", ".f", ".F", ".for", ".f77", ".f90", ".F90", ".f95", ".F95", ".f03", ".F03",
                                       ".f08", ".F08"};
    const std::string ending = std::filesystem::path(path).extension().string();
    return std::find(std::begin(endings), std::end(endings), ending) != std::end(endings) && is_file(path);
}

std::string last_part(const std::string &path) { return path.substr(path.rfind('/') + 1); }

// "NAME (MODULE+0x12)": false where it is none.
bool split(const std::string &site, std::string &module, std::uint64_t &offset) {
    const std::size_t open = site.find(" ("), plus = site.rfind("+0x");
    if (open == std::string::npos || plus == std::string::npos || plus < open || site.back() != ')')
        return false;
    module = site.substr(open + 2, plus - open - 2);
    offset = std::strtoull(site.c_str() + plus + 1, nullptr, 16);
    return true;
}

// As it is in the source, and without what the compiler has put behind a static variable in a function (count.0).
std::string demangled(const char *name) {
    int status = 0;
    char *text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    const std::string result = text == nullptr ? name : text;
    std::free(text);
    const std::size_t dot = result.rfind('.');
    const bool is_numbered = dot != std::string::npos && dot + 1 < result.size() &&
                             result.find_first_not_of("0123456789", dot + 1) == std::string::npos;
    return is_numbered ? result.substr(0, dot) : result;
}

constexpr int lines_around = 3;
constexpr std::size_t longest_line = 400;

std::string numbered(int number, const std::string &text) {
    return std::to_string(number) + "  " + text.substr(0, longest_line);
}

}  // namespace

std::string source_place::text() const {
    return line > 0 ? last_part(file) + ":" + std::to_string(line) : site.substr(0, site.find(" ("));
}

#ifdef HAVE_LIBDW

struct source_lines::module {
    explicit module(const std::string &path) : all(dwfl_begin(&callbacks)) {
        if (all == nullptr || !is_file(path))
            return;
        dwfl_report_begin(all);
        one = dwfl_report_offline(all, "", path.c_str(), -1);
        dwfl_report_end(all, nullptr, nullptr);
    }
    ~module() {
        if (all != nullptr)
            dwfl_end(all);
    }
    module(const module &) = delete;
    module &operator=(const module &) = delete;

    // Where a call returns to is behind it: the line is that of the byte before.
    void find(std::uint64_t offset, source_place &place) const {
        Dwarf_Addr bias = 0;
        if (one == nullptr || offset == 0 || dwfl_module_getdwarf(one, &bias) == nullptr)
            return;
        Dwfl_Line *line = dwfl_module_getsrc(one, offset - 1 + bias);
        int number = 0;
        const char *file = line == nullptr ? nullptr : dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
        if (file == nullptr || number <= 0)
            return;
        const char *folder = file[0] == '/' ? nullptr : dwfl_line_comp_dir(line);
        place.file = folder == nullptr ? file : std::string(folder) + "/" + file;
        place.line = number;
    }

    source_variable variable_at(std::uint64_t value) const {
        GElf_Addr bias = 0, behind = 0;
        GElf_Sym symbol{};
        if (one == nullptr || dwfl_module_getelf(one, &bias) == nullptr)
            return {};
        const char *name = dwfl_module_addrinfo(one, value + bias, &behind, &symbol, nullptr, nullptr, nullptr);
        if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || behind >= symbol.st_size)
            return {};
        return {demangled(name), value - behind, value - behind + symbol.st_size};
    }

    local_variable local_at(std::uint64_t value, std::int64_t offset) const {
        return one == nullptr ? local_variable{} : find_local(one, value, offset);
    }

    // Files of the machine alone: nothing is downloaded.
    static const Dwfl_Callbacks callbacks;
    Dwfl *all = nullptr;
    Dwfl_Module *one = nullptr;
};
const Dwfl_Callbacks source_lines::module::callbacks = {dwfl_build_id_find_elf, dwfl_build_id_find_debuginfo,
                                                        dwfl_offline_section_address, nullptr};

#else

struct source_lines::module {
    explicit module(const std::string &) {}
    void find(std::uint64_t, source_place &) const {}
    source_variable variable_at(std::uint64_t) const { return {}; }
    local_variable local_at(std::uint64_t, std::int64_t) const { return {}; }
};

#endif

source_lines::source_lines() = default;
source_lines::~source_lines() = default;

source_lines::module &source_lines::module_of(const std::string &path) {
    std::unique_ptr<module> &found = modules_[path];
    if (!found)
        found = std::make_unique<module>(path);
    return *found;
}

source_place source_lines::find(const std::string &site) {
    source_place place{site, "", 0};
    std::string path;
    std::uint64_t offset = 0;
    if (split(site, path, offset))
        module_of(path).find(offset, place);
    return place;
}

source_variable source_lines::variable_at(const std::string &path, std::uint64_t value) {
    return module_of(path).variable_at(value);
}

local_variable source_lines::local_at(const std::string &function, std::int64_t offset) {
    std::string path;
    std::uint64_t value = 0;
    return split(function, path, value) ? module_of(path).local_at(value, offset) : local_variable{};
}

source_excerpt excerpt_of(const source_place &place) {
    source_excerpt excerpt;
    if (place.line <= 0 || !is_source(place.file))
        return excerpt;
    std::ifstream in(place.file);
    std::string text;
    for (int number = 1; number <= place.line + lines_around && std::getline(in, text); ++number) {
        if (number < place.line - lines_around)
            continue;
        if (number == place.line)
            excerpt.line = numbered(number, text);
        else
            (number < place.line ? excerpt.before : excerpt.after).push_back(numbered(number, text));
    }
    return excerpt.line.empty() ? source_excerpt{} : excerpt;
}

}  // namespace tare::tool
