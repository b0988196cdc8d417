// SPDX-License-Identifier: BSD-3-Clause
// A file that is written from its beginning to its end.
#ifndef TARE_PROFILE_TEXT_FILE_HPP
#define TARE_PROFILE_TEXT_FILE_HPP

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace tare::profile {

// Errors: tare::profile::error, as in profile.hpp. A file that was not closed need not be whole.
class text_file {
  public:
    // New, in the place of what has that name in the folder; `path` is what errors say.
    text_file(const std::string &path, const std::string &name, int folder);
    explicit text_file(const std::string &path);
    ~text_file();
    text_file(const text_file &) = delete;
    text_file &operator=(const text_file &) = delete;

    // Room for so many characters; `wrote` tells where they end.
    char *room(std::size_t characters)
    {
        if (characters > size_ - used_)
            make_room(characters);
        return buffer_.get() + used_;
    }
    void wrote(const char *end) { used_ = static_cast<std::size_t>(end - buffer_.get()); }
    void add(std::string_view text);
    void close();

  private:
    [[noreturn]] void fail();
    void make_room(std::size_t characters);
    void write_out();

    std::string path_;
    int descriptor_;
    std::unique_ptr<char[]> buffer_;     // no vector, which would fill it with zeros
    std::size_t size_;
    std::size_t used_ = 0;
};

}  // namespace tare::profile

#endif
