// SPDX-License-Identifier: BSD-3-Clause
// Memory for what the carriers keep of messages: items come and go by the million, so it is never given back. An item
// stays where it is, since the MPI library may be sending from it.
//
// Threads: callers serialise.
#ifndef TARE_PMPI_ITEM_POOL_HPP
#define TARE_PMPI_ITEM_POOL_HPP

#include "layer.hpp"

#include <cstddef>
#include <new>

namespace tare::pmpi {

template <typename Item> class item_pool {
  public:
    item_pool() = default;
    item_pool(const item_pool &) = delete;
    item_pool &operator=(const item_pool &) = delete;

    // As it was given back; a new one is all zero, but for what Item initialises.
    Item *take()
    {
        if (free_ == nullptr)
            grow();
        cell *c = free_;
        free_ = c->next_free;
        return c;
    }

    void give_back(Item *item)
    {
        auto *c = static_cast<cell *>(item);
        c->next_free = free_;
        free_ = c;
    }

  private:
    struct cell : Item {
        cell *next_free;
    };

    void grow()
    {
        constexpr std::size_t block = 64;
        auto *fresh = new (std::nothrow) cell[block]();
        if (fresh == nullptr)
            die("no memory for what the carrier keeps of messages: %zu bytes", block * sizeof(cell));
        for (std::size_t i = block; i-- > 0;)
            give_back(&fresh[i]);
    }

    cell *free_ = nullptr;
};

}  // namespace tare::pmpi

#endif
