// SPDX-License-Identifier: BSD-3-Clause
// What the tool needs to know of a program or library before anything runs it, read from the file itself.
#ifndef TARE_TOOL_ELF_HPP
#define TARE_TOOL_ELF_HPP

#include <cstddef>
#include <string>

namespace tare::tool {

enum class file_kind {
    elf,         // a program or library of this machine
    foreign_elf, // of another machine or word size
    script,      // begins with #!
    other,
    unreadable,  // may still be executable
};

// A file mapped for reading. Every look into it is checked against its size: the files are the user's.
class elf_file {
  public:
    explicit elf_file(const std::string &path);
    ~elf_file();
    elf_file(const elf_file &) = delete;
    elf_file &operator=(const elf_file &) = delete;

    file_kind kind() const { return kind_; }

    // The loader that the program asks for; empty for a static program.
    std::string interpreter() const;

    // Whether the dynamic symbol table holds `name`, with code behind it or wanting it from elsewhere.
    bool exports(const char *name) const { return has_symbol(name, true); }
    bool imports(const char *name) const { return has_symbol(name, false); }

  private:
    template <typename T> const T *at(std::size_t offset, std::size_t count = 1) const;
    bool has_symbol(const char *name, bool defined) const;
    bool table_has(std::size_t section, const char *name, bool defined) const;
    file_kind look() const;

    const unsigned char *data_ = nullptr;
    std::size_t size_ = 0;
    file_kind kind_ = file_kind::unreadable;
};

}  // namespace tare::tool

#endif
