// SPDX-License-Identifier: BSD-3-Clause
// What MPI's libraries set for signals that the virtual machine needs is set back.
#ifndef TARE_JAVA_HANDLERS_HPP
#define TARE_JAVA_HANDLERS_HPP

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>

namespace tare::java {

// Networks' libraries want to tell of crashes, already when they are loaded, but a null pointer in Java is a SIGSEGV
// that the machine expects. Those that are known can be asked not to, unless the user wants it: PSM, PSM2 and UCX.
inline void ask_for_no_handlers()
{
    setenv("IPATH_NO_BACKTRACE", "1", 0);
    setenv("HFI_NO_BACKTRACE", "1", 0);
    setenv("UCX_ERROR_SIGNALS", "", 0);
}

// While this lives handlers may be set all the same; then they are as before.
class handlers_stay {
  public:
    handlers_stay()
    {
        for (std::size_t i = 0; i < signals.size(); i++)
            sigaction(signals[i], nullptr, &before_[i]);
    }
    ~handlers_stay()
    {
        for (std::size_t i = 0; i < signals.size(); i++)
            sigaction(signals[i], &before_[i], nullptr);
    }
    handlers_stay(const handlers_stay &) = delete;
    handlers_stay &operator=(const handlers_stay &) = delete;

  private:
    static constexpr std::array signals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE,  SIGPIPE,
                                           SIGXFSZ, SIGHUP, SIGINT, SIGTERM, SIGQUIT};
    std::array<struct sigaction, signals.size()> before_;
};

}  // namespace tare::java

#endif
