// SPDX-License-Identifier: BSD-3-Clause
#include "page_file.hpp"

#include "beside.hpp"
#include "profile.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace tare::tool {
namespace fs = std::filesystem;
namespace {

bool begins_with(const std::string &path, const std::string &marker) {
    std::string beginning(marker.size(), '\0');
    std::ifstream in(path, std::ios::binary);
    in.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
    return in && beginning == marker;
}

}  // namespace

page_file::page_file(const std::string &path, const std::string &maker)
    : path_(path), place_(path == "-" ? path : link_target(path)),
      beginning_("<!DOCTYPE html><!-- made by " + maker + " -->\n") {
    std::error_code failure;
    const fs::file_status found = path == "-" ? fs::file_status() : fs::status(path, failure);
    if (path == "-")
        file_ = stdout;
    else if (found.type() == fs::file_type::none)
        throw profile::error("cannot write " + path_ + ": " + failure.message());
    else if (fs::is_directory(found))
        throw profile::error("cannot write " + path_ + ": it is a directory");
    else if (fs::is_regular_file(found) && !begins_with(path, beginning_))
        throw profile::error(path_ + " was not made by " + maker + " and will not be overwritten");
    else if (fs::exists(found) && !fs::is_regular_file(found))
        file_ = open_special(path);
    else
        file_ = open_beside(place_, beside_);
    if (!file_)
        fail();
}

page_file::~page_file() {
    if (file_ && file_ != stdout)
        std::fclose(file_);
    if (!beside_.empty())
        unlink(beside_.c_str());
}

void page_file::fail() const { throw profile::error("cannot write " + path_ + ": " + std::strerror(errno)); }

void page_file::put(std::string_view text) {
    write(beginning_);
    beginning_.clear();
    write(text);
}

void page_file::write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size() && file_ != stdout)
        fail();
}

void page_file::finish() {
    if (file_ == stdout)
        return;
    std::FILE *file = file_;
    file_ = nullptr;
    if (std::fclose(file) != 0 || (!beside_.empty() && std::rename(beside_.c_str(), place_.c_str()) != 0))
        fail();
    beside_.clear();
}

}  // namespace tare::tool
