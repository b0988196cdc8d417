// SPDX-License-Identifier: BSD-3-Clause
// The call paths of one thread: what has been summed up for each chain of the `depth` innermost regions that was open.
//
// A path has a number and knows its innermost region and the path that it was first entered from, which ends with the
// regions before it: so its regions are found by going back. A path shorter than `depth` begins with the thread's root
// and can be entered from one path only. One of `depth` regions is entered from all that differ only further out, so it
// is looked for by its regions the first time that it is entered from one of them; then the pair is remembered.
//
// Threads: as the recorder that owns it, which also orders what a copy sees.
#ifndef TARE_LIB_PATHS_HPP
#define TARE_LIB_PATHS_HPP

#include "live.hpp"

#include <cstddef>
#include <cstdint>

namespace tare {

class path_record {
  public:
    static constexpr std::uint32_t block_size = 256;     // paths
    static constexpr std::uint32_t block_limit = 512;
    static constexpr std::uint32_t path_limit = block_size * block_limit;    // on one thread: at most 40 MiB in all

    // Kept: as the recorder's.
    path_record(std::uint32_t depth, bool kept) noexcept : depth_(depth), kept_(kept) {}
    ~path_record();
    path_record(const path_record &) = delete;
    path_record &operator=(const path_record &) = delete;

    // One for each region that the recorder opens, and closes. What is entered on a path for which there is no room is
    // counted as lost.
    void push(std::uint32_t region) noexcept;
    void pop(const sample &spent) noexcept;
    void call_again() noexcept;

    // To a copy that has its frames already.
    void copy_to(recorded &result) const;
    std::uint32_t count() const noexcept { return count_; }

    // Where its parts are, for who reads it as bytes.
    static void describe(live_path_layout &layout) noexcept;

  private:
    // The path that a region leads to from another; path 0: this slot is free.
    struct step {
        std::uint32_t from;
        std::uint32_t region;
        std::uint32_t path;
    };
    struct chunk {
        chunk *older;
        std::uint64_t unused;
    };

    path_sum &at(std::uint32_t path) noexcept { return blocks_[path / block_size][path % block_size]; }
    bool begin() noexcept;
    std::uint32_t find(std::uint32_t from, std::uint32_t region) noexcept;
    std::uint32_t make(std::uint32_t from, std::uint32_t region) noexcept;
    std::uint32_t add(std::uint32_t from, std::uint32_t region, std::uint32_t length) noexcept;
    std::uint32_t find_by_regions(std::uint32_t from, std::uint32_t region) noexcept;
    bool is_open_chain(std::uint32_t path) noexcept;
    std::uint64_t hash_of_chain(std::uint32_t path) noexcept;
    step &slot_of(std::uint32_t from, std::uint32_t region) noexcept;
    void remember(std::uint32_t from, std::uint32_t region, std::uint32_t path) noexcept;
    bool make_room_for_step() noexcept;
    bool make_room_for_chain() noexcept;
    void grow_open() noexcept;
    void *take(std::size_t bytes) noexcept;

    const std::uint32_t depth_;
    const bool kept_;
    std::uint32_t open_count_ = 0;
    std::uint32_t open_capacity_ = 0;
    open_path *open_ = nullptr;
    std::uint32_t count_ = 0;
    path_sum *blocks_[block_limit] = {};
    std::int64_t lost_ = 0;
    step *steps_ = nullptr;
    std::uint32_t step_slots_ = 0;           // a power of two; at most half of them are taken
    std::uint32_t step_count_ = 0;
    std::uint32_t *chains_ = nullptr;        // the paths of `depth` regions, by their regions
    std::uint32_t chain_slots_ = 0;
    std::uint32_t chain_count_ = 0;
    chunk *chunks_ = nullptr;                // not kept: what has been taken
};

}  // namespace tare

#endif
