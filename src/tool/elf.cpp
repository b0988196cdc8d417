// SPDX-License-Identifier: BSD-3-Clause
#include "elf.hpp"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tare::tool {
namespace {

using file_header = ElfW(Ehdr);
using program_header = ElfW(Phdr);
using section_header = ElfW(Shdr);
using symbol = ElfW(Sym);

constexpr unsigned char native_class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;

// The machine that this tool itself was built for.
#if defined(__x86_64__)
constexpr int native_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int native_machine = EM_AARCH64;
#elif defined(__powerpc64__)
constexpr int native_machine = EM_PPC64;
#elif defined(__riscv)
constexpr int native_machine = EM_RISCV;
#elif defined(__i386__)
constexpr int native_machine = EM_386;
#else
constexpr int native_machine = EM_NONE;  // not known: not checked
#endif

bool same_text(const char *table, std::size_t size, std::size_t offset, const char *name) {
    const std::size_t length = std::strlen(name) + 1;
    return offset < size && size - offset >= length && std::memcmp(table + offset, name, length) == 0;
}

}  // namespace

elf_file::elf_file(const std::string &path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    struct stat status;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        kind_ = file_kind::other;
        void *map = status.st_size > 0 ? mmap(nullptr, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
        if (map != MAP_FAILED) {
            data_ = static_cast<const unsigned char *>(map);
            size_ = status.st_size;
            kind_ = look();
        }
    }
    close(fd);
}

elf_file::~elf_file() {
    if (data_)
        munmap(const_cast<unsigned char *>(data_), size_);
}

// `count` elements at `offset`, or nothing if the file ends before.
template <typename T> const T *elf_file::at(std::size_t offset, std::size_t count) const {
    if (offset > size_ || (size_ - offset) / sizeof(T) < count || offset % alignof(T) != 0)
        return nullptr;
    return reinterpret_cast<const T *>(data_ + offset);
}

file_kind elf_file::look() const {
    if (size_ >= 2 && std::memcmp(data_, "#!", 2) == 0)
        return file_kind::script;
    if (size_ < EI_NIDENT || std::memcmp(data_, ELFMAG, SELFMAG) != 0)
        return file_kind::other;
    if (data_[EI_CLASS] != native_class)
        return file_kind::foreign_elf;
    const auto *header = at<file_header>(0);
    if (!header)
        return file_kind::other;
    const bool native = native_machine == EM_NONE || header->e_machine == native_machine;
    return native ? file_kind::elf : file_kind::foreign_elf;
}

std::string elf_file::interpreter() const {
    if (kind_ != file_kind::elf)
        return "";
    const auto *header = at<file_header>(0);
    const auto *segments = at<program_header>(header->e_phoff, header->e_phnum);
    for (std::size_t i = 0; segments && i < header->e_phnum; ++i) {
        if (segments[i].p_type != PT_INTERP)
            continue;
        const char *text = at<char>(segments[i].p_offset, segments[i].p_filesz);
        return text ? std::string(text, strnlen(text, segments[i].p_filesz)) : "";
    }
    return "";
}

bool elf_file::has_symbol(const char *name, bool defined) const {
    if (kind_ != file_kind::elf)
        return false;
    const auto *header = at<file_header>(0);
    const auto *sections = at<section_header>(header->e_shoff, header->e_shnum);
    for (std::size_t i = 0; sections && i < header->e_shnum; ++i)
        if (sections[i].sh_type == SHT_DYNSYM && table_has(i, name, defined))
            return true;
    return false;
}

bool elf_file::table_has(std::size_t section, const char *name, bool defined) const {
    const auto *header = at<file_header>(0);
    const auto *sections = at<section_header>(header->e_shoff, header->e_shnum);
    const section_header &table = sections[section];
    if (table.sh_link >= header->e_shnum)
        return false;
    const section_header &strings = sections[table.sh_link];
    const std::size_t count = table.sh_size / sizeof(symbol);
    const auto *symbols = at<symbol>(table.sh_offset, count);
    const char *text = at<char>(strings.sh_offset, strings.sh_size);
    if (!symbols || !text)
        return false;
    return std::any_of(symbols, symbols + count, [&](const symbol &s) {
        return (s.st_shndx != SHN_UNDEF) == defined && same_text(text, strings.sh_size, s.st_name, name);
    });
}

}  // namespace tare::tool
