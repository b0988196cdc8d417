// SPDX-License-Identifier: BSD-3-Clause
// While this lives, no signal is handled on this thread. A handler may have hooks, and would wait for a lock that is
// held here.
#ifndef TARE_LIB_SIGNALS_WAIT_HPP
#define TARE_LIB_SIGNALS_WAIT_HPP

#include <cerrno>
#include <csignal>
#include <mutex>
#include <pthread.h>

namespace tare {

// All but the one that file_size_guard takes.
inline void let_signals_wait(sigset_t &before) noexcept
{
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &all, &before);
}

class signals_wait {
  public:
    signals_wait() noexcept { let_signals_wait(before_); }
    ~signals_wait()
    {
        const int saved_errno = errno;
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        errno = saved_errno;
    }
    signals_wait(const signals_wait &) = delete;
    signals_wait &operator=(const signals_wait &) = delete;

  private:
    sigset_t before_;
};

// A lock that handlers may want, too.
class quiet_lock {
  public:
    explicit quiet_lock(std::mutex &m) : lock_(m) {}

  private:
    signals_wait signals_;       // before the lock is taken, until it is given back
    std::lock_guard<std::mutex> lock_;
};

}  // namespace tare

#endif
