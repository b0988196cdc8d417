// SPDX-License-Identifier: BSD-3-Clause
// The functions behind those that are defined here.
#ifndef TARE_THREADS_NEXT_HPP
#define TARE_THREADS_NEXT_HPP

#include <atomic>
#include <utility>

namespace tare::threads {

// `version`: of a symbol that has several. Ends the process with one sentence if nobody has it.
void *find_next(const char *name, const char *version, const char *library) noexcept;

// Found when it is called first, or by look(): whose caller may hold the loader's lock then, must not wait for it later.
// Any thread at any time.
template <typename Function> class next_function {
  public:
    constexpr explicit next_function(const char *name, const char *version = nullptr,
                                     const char *library = nullptr) noexcept
        : name_(name), version_(version), library_(library)
    {
    }
    Function *look() noexcept
    {
        Function *f = found_.load(std::memory_order_acquire);
        if (f == nullptr) {
            f = reinterpret_cast<Function *>(find_next(name_, version_, library_));
            found_.store(f, std::memory_order_release);
        }
        return f;
    }
    template <typename... Arguments> auto operator()(Arguments &&...arguments)
    {
        return look()(std::forward<Arguments>(arguments)...);
    }

  private:
    const char *const name_, *const version_, *const library_;
    std::atomic<Function *> found_{nullptr};
};

}  // namespace tare::threads

#endif
