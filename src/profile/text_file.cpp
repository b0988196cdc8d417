// SPDX-License-Identifier: BSD-3-Clause
#include "text_file.hpp"

#include "profile.hpp"
#include "safe_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace tare::profile {
namespace {

constexpr std::size_t piece = std::size_t{1} << 17;

}  // namespace

text_file::text_file(const std::string &path) : text_file(path, path, AT_FDCWD) {}

text_file::text_file(const std::string &path, const std::string &name, int folder)
    : path_(path), descriptor_(make_new_file(name, folder)), buffer_(new char[piece]), size_(piece)
{
    if (descriptor_ < 0)
        fail();
}

text_file::~text_file()
{
    if (descriptor_ >= 0)
        ::close(descriptor_);
}

void text_file::fail() { throw error("cannot write " + path_ + ": " + std::strerror(errno)); }

void text_file::write_out()
{
    for (std::size_t done = 0; done < used_;) {
        const ssize_t written = write(descriptor_, buffer_.get() + done, used_ - done);
        if (written < 0 && errno != EINTR)
            fail();
        done += written < 0 ? 0 : static_cast<std::size_t>(written);
    }
    used_ = 0;
}

void text_file::make_room(std::size_t characters)
{
    write_out();
    if (characters <= size_)
        return;
    buffer_.reset(new char[characters]);
    size_ = characters;
}

void text_file::add(std::string_view text)
{
    char *at = room(text.size());
    wrote(std::copy(text.begin(), text.end(), at));
}

void text_file::close()
{
    write_out();
    const int descriptor = descriptor_;
    descriptor_ = -1;
    if (::close(descriptor) != 0)
        fail();
}

}  // namespace tare::profile
