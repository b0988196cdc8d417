// SPDX-License-Identifier: BSD-3-Clause
// How files and folders are made, so that nobody else's link, pipe or file is written to, and nobody reads what the
// user has not shared.
#ifndef TARE_PROFILE_SAFE_FILE_HPP
#define TARE_PROFILE_SAFE_FILE_HPP

#include <fcntl.h>
#include <string>
#include <sys/types.h>

namespace tare::profile {

// Who may read what this process makes from now on: a value of enum tare_access_value. At first the owner alone.
void share_files(int access);
mode_t file_mode();
mode_t folder_mode();

// With those above it; good if it is there, be it by a link, which the user has put there. Errors: profile::error.
void make_folder(const std::string &path);

// A folder that is held while names in it are looked at, made and removed: what has its name by then does not matter.
class held_folder {
  public:
    // Not by a link. In a folder where everybody may write (/tmp) it must be this user's. Errors: profile::error.
    explicit held_folder(const std::string &path);
    held_folder(held_folder &&other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
    ~held_folder();
    held_folder(const held_folder &) = delete;
    held_folder &operator=(const held_folder &) = delete;

    int descriptor() const { return descriptor_; }

  private:
    int descriptor_;
};

// A new file, open for reading and writing, in the place of whatever has that name; -1 and errno.
int make_new_file(const std::string &name, int folder = AT_FDCWD);

// Something has this name, be it a link that leads nowhere.
bool is_there(const std::string &name, int folder = AT_FDCWD);

// The first bytes of a file, fewer where there are no more; none of what is no plain file, or a link. Does not wait.
std::string beginning_of(const std::string &name, std::size_t bytes, int folder = AT_FDCWD);

}  // namespace tare::profile

#endif
