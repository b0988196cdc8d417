// SPDX-License-Identifier: BSD-3-Clause
#ifndef TARE_SYMBOLS_MAPPED_FILE_HPP
#define TARE_SYMBOLS_MAPPED_FILE_HPP

#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tare::symbols {

// A file in memory. Everything taken from it is checked against its size.
class mapped_file {
  public:
    explicit mapped_file(const std::string &path)
    {
        const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);    // it may be a pipe
        struct stat status;
        if (fd < 0)
            return;
        if (fstat(fd, &status) == 0 && status.st_size > 0) {
            void *memory = mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
            if (memory != MAP_FAILED) {
                data_ = static_cast<const char *>(memory);
                size_ = static_cast<std::size_t>(status.st_size);
            }
        }
        close(fd);
    }
    ~mapped_file()
    {
        if (data_ != nullptr)
            munmap(const_cast<char *>(data_), size_);
    }
    mapped_file(const mapped_file &) = delete;
    mapped_file &operator=(const mapped_file &) = delete;

    // `count` objects at an offset, or nullptr if they are not all in the file.
    template <typename T> const T *at(std::uint64_t offset, std::uint64_t count) const
    {
        if (offset > size_ || offset % alignof(T) != 0 || count > (size_ - offset) / sizeof(T))
            return nullptr;
        return reinterpret_cast<const T *>(data_ + offset);
    }

    std::size_t size() const { return size_; }

  private:
    const char *data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace tare::symbols

#endif
