// SPDX-License-Identifier: BSD-3-Clause
// What an archive's events and locations are to who pairs messages.
#ifndef TARE_MATCH_EVENTS_HPP
#define TARE_MATCH_EVENTS_HPP

#include "archive.h"

#include <cstdint>
#include <vector>

namespace tare::match {

constexpr bool is_send(std::uint32_t kind) { return kind == TARE_ARCHIVE_SEND || kind == TARE_ARCHIVE_ISEND; }
constexpr bool is_receive(std::uint32_t kind) { return kind == TARE_ARCHIVE_RECV || kind == TARE_ARCHIVE_IRECV; }
constexpr bool is_message(std::uint32_t kind) { return is_send(kind) || is_receive(kind); }

// One-sided: a window comes or goes, or an operation on it.
constexpr bool is_operation(std::uint32_t kind)
{
    return kind == TARE_ARCHIVE_RMA_PUT || kind == TARE_ARCHIVE_RMA_GET || kind == TARE_ARCHIVE_RMA_ATOMIC;
}
constexpr bool is_on_window(std::uint32_t kind)
{
    return is_operation(kind) || kind == TARE_ARCHIVE_RMA_COMPLETE || kind == TARE_ARCHIVE_WINDOW_CREATE ||
           kind == TARE_ARCHIVE_WINDOW_DESTROY;
}

constexpr bool is_between_threads(std::uint32_t kind)
{
    return kind == TARE_ARCHIVE_THREAD_RELEASE || kind == TARE_ARCHIVE_THREAD_ACQUIRE || kind == TARE_ARCHIVE_THREAD_BEGIN;
}

// Where a location is.
struct place {
    std::uint32_t process = 0, thread = 0;
};

// By location.
inline std::vector<place> places_of(const tare_archive_t &archive)
{
    std::vector<place> places;
    for (std::size_t i = 0; i < archive.location_count; i++)
        places.push_back({archive.locations[i].process, archive.locations[i].thread});
    return places;
}

}  // namespace tare::match

#endif
