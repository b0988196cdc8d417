// SPDX-License-Identifier: BSD-3-Clause
#include "beside.hpp"

#include "profile.hpp"
#include "safe_file.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace tare::tool {
namespace {

namespace fs = std::filesystem;

mode_t umask_now() {
    const mode_t mask = umask(077);
    umask(mask);
    return mask;
}

std::FILE *stream_of(int file) {
    std::FILE *stream = file < 0 ? nullptr : fdopen(file, "wb");
    if (file >= 0 && !stream)
        close(file);
    return stream;
}

}  // namespace

std::string link_target(const std::string &path) {
    struct stat found;
    if (lstat(path.c_str(), &found) != 0 || !S_ISLNK(found.st_mode))
        return path;
    if (found.st_uid != geteuid() && found.st_uid != 0)
        throw profile::error("cannot write " + path + ": it is a symbolic link that another user has made");
    std::error_code failure;
    const fs::path target = fs::canonical(path, failure);
    return failure ? path : target.string();     // a pipe, which has no name, or a link that leads nowhere
}

std::FILE *open_beside(const std::string &target, std::string &name) {
    name = target + ".new.XXXXXX";
    const int file = mkostemp(name.data(), O_CLOEXEC);
    if (file < 0)
        name.clear();
    else
        fchmod(file, profile::file_mode() & ~umask_now());
    return stream_of(file);
}

std::FILE *open_special(const std::string &path) {
    return stream_of(open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
}

}  // namespace tare::tool
