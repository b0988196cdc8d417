// SPDX-License-Identifier: BSD-3-Clause
// Archives in POSIX's ustar format, of plain files with short names.
#ifndef TARE_TOOL_USTAR_HPP
#define TARE_TOOL_USTAR_HPP

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

namespace tare::tool {

// Errors: profile::error. Whether all could be written is the stream's to say.
class ustar_writer {
  public:
    explicit ustar_writer(std::FILE *to) : to_(to) {}

    // A member: its size, then as many bytes by `add`.
    void begin(const std::string &name, std::uint64_t size);
    void add(std::string_view bytes);
    void finish();

  private:
    void pad();

    std::FILE *to_;
    std::uint64_t size_ = 0;
};

// The members by name; they point into the archive. `where` names it.
std::map<std::string, std::string_view, std::less<>> read_ustar(std::string_view archive, const std::string &where);

// Whether a file that begins so may be such an archive, whose first member has this name.
bool is_ustar_of(std::string_view beginning, std::string_view first_member);

}  // namespace tare::tool

#endif
