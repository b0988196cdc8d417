// SPDX-License-Identifier: BSD-3-Clause
#include "safe_file.hpp"

#include "profile.hpp"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace tare::profile {
namespace {

constexpr mode_t file_modes[] = {0600, 0640, 0644};
constexpr mode_t folder_modes[] = {0700, 0750, 0755};
int shared_with = 0;

bool is_folder(const std::string &path)
{
    struct stat found;
    return stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

bool is_link(const std::string &path)
{
    struct stat found;
    return lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode);
}

// Made by somebody else where everybody may make one.
bool is_planted(int folder)
{
    struct stat own, around;
    return fstat(folder, &own) == 0 && own.st_uid != geteuid() && fstatat(folder, "..", &around, 0) == 0 &&
           (around.st_mode & S_IWOTH) != 0;
}

}  // namespace

void share_files(int access) { shared_with = access; }
mode_t file_mode() { return file_modes[shared_with]; }
mode_t folder_mode() { return folder_modes[shared_with]; }

void make_folder(const std::string &path)
{
    int reason = 0;
    for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
        reason = mkdir(path.substr(0, end).c_str(), folder_mode()) == 0 || errno == EEXIST ? 0 : errno;
        if (end == std::string::npos)
            break;
    }
    if (is_folder(path))
        return;
    throw error("the folder " + path + " cannot be made: " +
                (reason != 0 ? std::strerror(reason) : "something else has its name"));
}

held_folder::held_folder(const std::string &path)
    : descriptor_(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
{
    const int reason = errno;
    if (descriptor_ >= 0 && !is_planted(descriptor_))
        return;
    if (descriptor_ < 0)
        throw error("cannot use the folder " + path + ": " +
                    (is_link(path) ? "it is a symbolic link" : std::strerror(reason)));
    close(descriptor_);
    throw error("cannot use the folder " + path + ": another user has made it, where everybody may");
}

held_folder::~held_folder()
{
    if (descriptor_ >= 0)
        close(descriptor_);
}

int make_new_file(const std::string &name, int folder)
{
    unlinkat(folder, name.c_str(), 0);
    return openat(folder, name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, file_mode());
}

bool is_there(const std::string &name, int folder)
{
    struct stat found;
    return fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
}

std::string beginning_of(const std::string &name, std::size_t bytes, int folder)
{
    const int file = openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat found;
    std::string text(bytes, '\0');
    ssize_t size = 0;
    if (file >= 0 && fstat(file, &found) == 0 && S_ISREG(found.st_mode))
        size = pread(file, text.data(), bytes, 0);
    if (file >= 0)
        close(file);
    text.resize(static_cast<std::size_t>(size > 0 ? size : 0));
    return text;
}

}  // namespace tare::profile
