// SPDX-License-Identifier: BSD-3-Clause
// While this lives, a file that would become larger than the process may write (RLIMIT_FSIZE) is an error like any
// other and not the signal that ends the process.
#ifndef TARE_LIB_FILE_SIZE_GUARD_HPP
#define TARE_LIB_FILE_SIZE_GUARD_HPP

#include <cerrno>
#include <csignal>
#include <ctime>
#include <pthread.h>

namespace tare {

class file_size_guard {
  public:
    file_size_guard() noexcept
    {
        sigemptyset(&signal_);
        sigaddset(&signal_, SIGXFSZ);
        pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    }
    // What came meanwhile was for this thread. A program that blocks the signal itself keeps it.
    ~file_size_guard()
    {
        const int saved_errno = errno;
        constexpr timespec at_once = {0, 0};
        if (!sigismember(&before_, SIGXFSZ))
            sigtimedwait(&signal_, nullptr, &at_once);
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        errno = saved_errno;
    }
    file_size_guard(const file_size_guard &) = delete;
    file_size_guard &operator=(const file_size_guard &) = delete;

  private:
    sigset_t signal_;
    sigset_t before_;
};

}  // namespace tare

#endif
