// SPDX-License-Identifier: BSD-3-Clause
// The files that `tare convert` reads and writes, and which format one is.
#ifndef TARE_TOOL_CONVERT_FILE_HPP
#define TARE_TOOL_CONVERT_FILE_HPP

#include "convert.hpp"

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace tare::tool {

struct file_format {
    const char *name;
    const char *suffix;                // tells the format where only a file's name does
    void (*write)(const content &c, const write_wish &wish, std::FILE *to);
    content (*read)(const std::string &text, const std::string &where);
    bool (*is_ours)(std::string_view beginning);     // whether tare convert wrote what begins so
    bool is_binary;
};

const std::vector<file_format> &file_formats();
std::vector<std::string> format_names();

// Null: there is none.
const file_format *find_format(const std::string &name);
const file_format *format_by_suffix(const std::string &path);
const file_format *format_by_beginning(std::string_view beginning);

// Errors of all that follows: profile::error.

// The whole of a file or a pipe; "-" is standard input.
std::string read_input(const std::string &path);

// A file that replaces another only when it is whole, and only one that tare convert has written, unless forced.
// Devices and pipes are written as they are.
class output_file {
  public:
    output_file(const std::string &path, bool force);
    ~output_file();
    output_file(const output_file &) = delete;
    output_file &operator=(const output_file &) = delete;

    std::FILE *stream() const { return stream_; }
    void close();

  private:
    [[noreturn]] void fail() const;

    std::string path_;                 // as it was given
    std::string target_;               // where its links lead to
    std::string temporary_;            // empty: written in place
    std::FILE *stream_ = nullptr;
};

// What output_file would refuse, without opening what is no plain file.
void check_output_file(const std::string &path, bool force);

}  // namespace tare::tool

#endif
