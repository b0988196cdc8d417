// SPDX-License-Identifier: BSD-3-Clause
// A page that is written to a file: whole, or not at all, and never over what is not one of ours.
#ifndef TARE_TOOL_PAGE_FILE_HPP
#define TARE_TOOL_PAGE_FILE_HPP

#include <cstdio>
#include <string>
#include <string_view>

namespace tare::tool {

// Errors: tare::profile::error.
class page_file {
  public:
    // Begins with the line that tells a page of this maker, a command of the tool. A file is first written beside its
    // place, under another name; devices and pipes are written as they are. "-" is stdout, whose errors main reports.
    page_file(const std::string &path, const std::string &maker);
    ~page_file();
    page_file(const page_file &) = delete;
    page_file &operator=(const page_file &) = delete;

    void put(std::string_view text);
    void finish();

  private:
    void write(std::string_view text);
    [[noreturn]] void fail() const;

    std::string path_;       // as it was asked for
    std::string place_;      // where it is to be in the end
    std::string beginning_;  // not written yet: comes before all else
    std::string beside_;     // where it is until then; empty: `file_` is the place
    std::FILE *file_ = nullptr;
};

}  // namespace tare::tool

#endif
