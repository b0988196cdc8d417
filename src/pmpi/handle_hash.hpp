// SPDX-License-Identifier: BSD-3-Clause
// MPI handles as numbers, and a table from handles to values. A handle is an int in MPICH and a pointer in Open MPI.
//
// Threads: callers serialise. Memory: grows by doubling, never shrinks.
#ifndef TARE_PMPI_HANDLE_HASH_HPP
#define TARE_PMPI_HANDLE_HASH_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tare::pmpi {

constexpr std::uint64_t hash_factor = UINT64_C(0x9e3779b97f4a7c15);

template <typename Handle> std::uint64_t handle_bits(Handle handle)
{
    static_assert(sizeof handle <= sizeof(std::uint64_t), "handles are integers or pointers");
    std::uint64_t bits = 0;
    std::memcpy(&bits, &handle, sizeof handle);
    return bits;
}

template <typename Handle> std::uint64_t hash_handle(Handle handle) { return handle_bits(handle) * hash_factor; }

// Open addressing with linear probing. A handle is there at most once; Value{} means empty.
template <typename Handle, typename Value> class handle_table {
  public:
    std::size_t size() const { return size_; }

    // The handle must not be there.
    void put(Handle handle, Value value)
    {
        make_room();
        place(cell{handle, value});
        size_++;
    }

    // If it is not there; else gives back its value.
    Value put_if_new(Handle handle, Value value)
    {
        make_room();
        std::size_t i = home(handle);
        for (; cells_[i].value != Value{}; i = (i + 1) & mask())
            if (cells_[i].handle == handle)
                return cells_[i].value;
        cells_[i] = cell{handle, value};
        size_++;
        return Value{};
    }

    Value find(Handle handle) const
    {
        const std::size_t i = index_of(handle);
        return i == nowhere ? Value{} : cells_[i].value;
    }

    // Gives back the handle's value and removes it; Value{} if there is none.
    Value take(Handle handle)
    {
        const std::size_t i = index_of(handle);
        if (i == nowhere)
            return Value{};
        const Value value = cells_[i].value;
        close_gap(i);
        size_--;
        return value;
    }

  private:
    struct cell {
        Handle handle{};
        Value value{};
    };

    static constexpr std::size_t nowhere = SIZE_MAX;

    std::size_t mask() const { return cells_.size() - 1; }
    std::size_t home(Handle handle) const { return hash_handle(handle) >> 32 & mask(); }

    std::size_t index_of(Handle handle) const
    {
        if (size_ == 0)
            return nowhere;
        for (std::size_t i = home(handle); cells_[i].value != Value{}; i = (i + 1) & mask())
            if (cells_[i].handle == handle)
                return i;
        return nowhere;
    }

    void place(const cell &c)
    {
        std::size_t i = home(c.handle);
        while (cells_[i].value != Value{})
            i = (i + 1) & mask();
        cells_[i] = c;
    }

    // Moves later cells of the same run forward, so that no search ends too early.
    void close_gap(std::size_t gap)
    {
        for (std::size_t i = (gap + 1) & mask(); cells_[i].value != Value{}; i = (i + 1) & mask()) {
            const std::size_t h = home(cells_[i].handle);
            if (((i - h) & mask()) < ((i - gap) & mask()))
                continue;
            cells_[gap] = cells_[i];
            gap = i;
        }
        cells_[gap] = cell{};
    }

    void make_room()
    {
        if (__builtin_expect(2 * (size_ + 1) > cells_.size(), 0))
            grow();
    }

    __attribute__((noinline, cold)) void grow()
    {
        std::vector<cell> old(cells_.empty() ? 64 : 2 * cells_.size());
        old.swap(cells_);
        for (const cell &c : old)
            if (c.value != Value{})
                place(c);
    }

    std::vector<cell> cells_;
    std::size_t size_ = 0;
};

}  // namespace tare::pmpi

#endif
