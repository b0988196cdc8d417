// SPDX-License-Identifier: BSD-3-Clause
#ifndef TARE_PMPI_SMALL_ARRAY_HPP
#define TARE_PMPI_SMALL_ARRAY_HPP

#include "layer.hpp"

#include <algorithm>
#include <new>
#include <type_traits>

namespace tare::pmpi {

// `count` values, on the stack if they are few.
template <typename T, int few_count = 16> class small_array {
    static_assert(std::is_trivially_destructible_v<T>);

  public:
    explicit small_array(int count) : small_array(count, unset())
    {
        if (many_ == nullptr)
            std::fill_n(few_, std::max(count, 0), T{});
    }
    // The caller sets them.
    struct unset {};
    // cppcheck-suppress uninitMemberVar
    small_array(int count, unset)
    {
        if (__builtin_expect(count <= few_count, 1))
            return;
        many_ = new (std::nothrow) T[static_cast<unsigned>(count)]();
        if (many_ == nullptr)
            die("no memory for the %d requests of one call", count);
    }
    ~small_array() { delete[] many_; }
    small_array(const small_array &) = delete;
    small_array &operator=(const small_array &) = delete;
    T *data() { return many_ ? many_ : few_; }
    const T *data() const { return many_ ? many_ : few_; }

  private:
    T few_[few_count];
    T *many_ = nullptr;
};

}  // namespace tare::pmpi

#endif
