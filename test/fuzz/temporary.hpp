// SPDX-License-Identifier: BSD-3-Clause
// An input as a file, for readers that want one: in memory, and gone with its object.
#ifndef TARE_TEST_FUZZ_TEMPORARY_HPP
#define TARE_TEST_FUZZ_TEMPORARY_HPP

#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

#include "holds.hpp"

namespace fuzz {

class temporary {
  public:
    explicit temporary(std::string_view content) : fd_(memfd_create("input", MFD_CLOEXEC))
    {
        HOLDS(fd_ >= 0);
        HOLDS(write(fd_, content.data(), content.size()) == static_cast<ssize_t>(content.size()));
    }
    ~temporary() { close(fd_); }
    temporary(const temporary &) = delete;
    temporary &operator=(const temporary &) = delete;

    std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

  private:
    int fd_;
};

}  // namespace fuzz

#endif
