// SPDX-License-Identifier: BSD-3-Clause
#include "elf_symbols.hpp"

#include "mapped_file.hpp"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <link.h>

namespace tare::symbols {
namespace {

using header = ElfW(Ehdr);
using section = ElfW(Shdr);
using symbol = ElfW(Sym);

constexpr unsigned char own_class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;

bool is_function(const symbol &s)
{
    const int type = s.st_info & 0xf;
    return s.st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC);
}

bool is_global(const symbol &s) { return s.st_info >> 4 == STB_GLOBAL; }

// Calls visit(symbol, name) for the functions of one table.
template <typename Visit>
void for_each_function(const mapped_file &file, const section &table, const section &strings, Visit visit)
{
    const std::uint64_t count = table.sh_size / sizeof(symbol);
    const symbol *symbols = file.at<symbol>(table.sh_offset, count);
    const char *names = file.at<char>(strings.sh_offset, strings.sh_size);
    if (symbols == nullptr || names == nullptr || strings.sh_size == 0 || names[strings.sh_size - 1] != '\0')
        return;
    for (std::uint64_t i = 0; i < count; i++) {
        const symbol &s = symbols[i];
        if (!is_function(s) || s.st_name == 0 || s.st_name >= strings.sh_size)
            continue;
        visit(s, names + s.st_name);
    }
}

// The same for all tables of a file.
template <typename Visit> void for_each_function(const std::string &path, Visit visit)
{
    const mapped_file file(path);
    const header *h = file.at<header>(0, 1);
    if (h == nullptr || std::memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != own_class ||
        h->e_shentsize != sizeof(section))
        return;
    const section *sections = file.at<section>(h->e_shoff, h->e_shnum);
    for (unsigned i = 0; sections != nullptr && i < h->e_shnum; i++) {
        if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < h->e_shnum)
            for_each_function(file, sections[i], sections[sections[i].sh_link], visit);
    }
}

}  // namespace

function_symbols::function_symbols(const std::string &path)
{
    for_each_function(path, [this](const symbol &s, const char *name) {
        entries_.push_back({s.st_value, names_.size(), is_global(s)});
        names_.append(name, std::strlen(name) + 1);
    });
    std::sort(entries_.begin(), entries_.end(), [this](const entry &a, const entry &b) {
        if (a.value != b.value)
            return a.value < b.value;
        if (a.is_global != b.is_global)
            return a.is_global;
        return std::strcmp(names_.data() + a.name, names_.data() + b.name) < 0;
    });
}

const char *function_symbols::find(std::uint64_t value) const
{
    const auto at = std::lower_bound(entries_.begin(), entries_.end(), value,
                                     [](const entry &e, std::uint64_t wanted) { return e.value < wanted; });
    return at == entries_.end() || at->value != value ? nullptr : names_.data() + at->name;
}

std::vector<sized_function> read_sized_functions(const std::string &path)
{
    std::vector<sized_function> found;
    for_each_function(path, [&](const symbol &s, const char *name) {
        if (s.st_size > 0)
            found.push_back({s.st_value, s.st_size, name});
    });
    std::sort(found.begin(), found.end(), [](const sized_function &a, const sized_function &b) {
        return a.value != b.value ? a.value < b.value : a.name < b.name;
    });
    return found;
}

}  // namespace tare::symbols
