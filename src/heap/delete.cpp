// SPDX-License-Identifier: BSD-3-Clause
// Those of libstdc++ would call free in its own name.
#include "memory.hpp"

#include <new>

using namespace tare::heap;

void operator delete(void *block) noexcept { given_back(block, FROM); }
void operator delete[](void *block) noexcept { given_back(block, FROM); }
void operator delete(void *block, std::size_t) noexcept { given_back(block, FROM); }
void operator delete[](void *block, std::size_t) noexcept { given_back(block, FROM); }
void operator delete(void *block, const std::nothrow_t &) noexcept { given_back(block, FROM); }
void operator delete[](void *block, const std::nothrow_t &) noexcept { given_back(block, FROM); }
void operator delete(void *block, std::align_val_t) noexcept { given_back(block, FROM); }
void operator delete[](void *block, std::align_val_t) noexcept { given_back(block, FROM); }
void operator delete(void *block, std::size_t, std::align_val_t) noexcept { given_back(block, FROM); }
void operator delete[](void *block, std::size_t, std::align_val_t) noexcept { given_back(block, FROM); }
void operator delete(void *block, std::align_val_t, const std::nothrow_t &) noexcept { given_back(block, FROM); }
void operator delete[](void *block, std::align_val_t, const std::nothrow_t &) noexcept { given_back(block, FROM); }
