// SPDX-License-Identifier: BSD-3-Clause
#include "elf_symbols.hpp"

#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tare::probe {
namespace {

// A file in memory. Everything taken from it is checked against its size.
class mapped_file {
  public:
    explicit mapped_file(const std::string &path)
    {
        const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat status;
        if (fd < 0)
            return;
        if (fstat(fd, &status) == 0 && status.st_size > 0) {
            void *memory = mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
            if (memory != MAP_FAILED) {
                data_ = static_cast<const char *>(memory);
                size_ = static_cast<std::size_t>(status.st_size);
            }
        }
        close(fd);
    }
    ~mapped_file()
    {
        if (data_ != nullptr)
            munmap(const_cast<char *>(data_), size_);
    }
    mapped_file(const mapped_file &) = delete;
    mapped_file &operator=(const mapped_file &) = delete;

    // `count` objects at an offset, or nullptr if they are not all in the file.
    template <typename T> const T *at(std::uint64_t offset, std::uint64_t count) const
    {
        if (offset > size_ || offset % alignof(T) != 0 || count > (size_ - offset) / sizeof(T))
            return nullptr;
        return reinterpret_cast<const T *>(data_ + offset);
    }

  private:
    const char *data_ = nullptr;
    std::size_t size_ = 0;
};

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

}  // namespace tare::probe
