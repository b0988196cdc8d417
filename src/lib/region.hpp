// SPDX-License-Identifier: BSD-3-Clause
// The regions of the process: one for each name. Looking one up takes no lock and allocates nothing; making one does.
#ifndef TARE_LIB_REGION_HPP
#define TARE_LIB_REGION_HPP

#include "filter.hpp"
#include "tare_measure.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tare {

// Excluded: by TARE_FILTER. Always: neither that nor TARE_THROTTLE is for it.
enum class selection : std::uint8_t { usual, excluded, always };

}  // namespace tare

struct tare_region {
    std::uint32_t number;                    // from 0, without gaps
    tare::selection selected;
    std::atomic<std::int64_t> inject_ns;     // TARE_INJECT on this rank; 0: nothing
    std::atomic<const char *> name;          // nullptr: not yet asked for
    const char *group;                       // others may have the same; never freed, like the region
    const void *what;                        // for resolve
    tare_measure_resolve_t resolve;
    tare_region_t *next;
};

namespace tare {

tare_region_t *find_or_make_region(const char *name, const char *group) noexcept;
tare_region_t *make_late_region(const void *what, tare_measure_resolve_t resolve, const char *group) noexcept;

// The region's name, found out now if it was not yet.
const char *name_of(tare_region_t &region);

// All regions, the newest first: follow `next`.
tare_region_t *newest_region() noexcept;

// TARE_FILTER: before the first region is made.
void set_filter(const filter::rules &rules) noexcept;
std::size_t excluded_regions() noexcept;

// TARE_INJECT. From now on new regions are matched with these rules, and the old ones are matched again.
void set_injection(const char *rules, int rank);

// Where the function of a late region is: all that a killed process can leave of its name.
void keep_place(const tare_region_t &region, const char *module, std::uint64_t offset, const char *symbol) noexcept;

// From now on what is made is also in the live file.
void keep_regions() noexcept;

// Between these two no region is made.
void hold_regions() noexcept;
void let_go_of_regions() noexcept;

class regions_stand_still {
  public:
    regions_stand_still() { hold_regions(); }
    ~regions_stand_still() { let_go_of_regions(); }
    regions_stand_still(const regions_stand_still &) = delete;
    regions_stand_still &operator=(const regions_stand_still &) = delete;
};

}  // namespace tare

#endif
