// SPDX-License-Identifier: BSD-3-Clause
#include "elf_symbols.hpp"

#include "mapped_file.hpp"

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

void add_symbols(const mapped_file &file, const section &table, const section &strings, function_symbols &found)
{
    const std::uint64_t count = table.sh_size / sizeof(symbol);
    const symbol *symbols = file.at<symbol>(table.sh_offset, count);
    const char *names = file.at<char>(strings.sh_offset, strings.sh_size);
    if (symbols == nullptr || names == nullptr || strings.sh_size == 0 || names[strings.sh_size - 1] != '\0')
        return;
    std::unordered_map<std::uintptr_t, bool> has_global;
    for (std::uint64_t i = 0; i < count; i++) {
        const symbol &s = symbols[i];
        if (!is_function(s) || s.st_name == 0 || s.st_name >= strings.sh_size)
            continue;
        const char *name = names + s.st_name;
        const auto [at, is_new] = found.try_emplace(s.st_value, name);
        bool &global = has_global[s.st_value];
        if (!is_new && (is_global(s) != global ? is_global(s) : at->second > name))
            at->second = name;
        global = global || is_global(s);
    }
}

}  // namespace

function_symbols read_function_symbols(const std::string &path)
{
    function_symbols found;
    const mapped_file file(path);
    const header *h = file.at<header>(0, 1);
    if (h == nullptr || std::memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != own_class ||
        h->e_shentsize != sizeof(section))
        return found;
    const section *sections = file.at<section>(h->e_shoff, h->e_shnum);
    for (unsigned i = 0; sections != nullptr && i < h->e_shnum; i++) {
        if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < h->e_shnum)
            add_symbols(file, sections[i], sections[sections[i].sh_link], found);
    }
    return found;
}

}  // namespace tare::symbols
