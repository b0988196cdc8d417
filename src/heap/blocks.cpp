// SPDX-License-Identifier: BSD-3-Clause
#include "blocks.hpp"

#include "caller.hpp"
#include "loaded_place.hpp"
#include "site_name.hpp"
#include "tare.h"
#include "trace_event.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <string>

namespace tare::heap {
namespace {

// While this thread is saying something.
thread_local bool is_saying __attribute__((tls_model("initial-exec")));

class saying {
  public:
    saying() noexcept { is_saying = true; }
    ~saying()
    {
        is_saying = false;
        errno = saved_errno_;
    }
    saying(const saying &) = delete;
    saying &operator=(const saying &) = delete;

  private:
    const int saved_errno_ = errno;
};

// Places that make memory, and what what they make is called. Slots are only ever filled; what finds none has no place.
struct place {
    std::atomic<const void *> from;
    std::atomic<const char *> name;
};
constexpr std::size_t place_count = 1 << 12;
place places[place_count];
constexpr const char *elsewhere = TARE_TRACE_HEAP_NAME "?";

// nullptr: there is no room.
place *place_of(const void *from) noexcept
{
    const auto address = reinterpret_cast<std::uintptr_t>(from);
    const std::size_t first = address ^ address >> 12;
    for (std::size_t i = 0; i < place_count; i++) {
        place &p = places[(first + i) % place_count];
        const void *there = nullptr;
        if (p.from.load(std::memory_order_acquire) == from || p.from.compare_exchange_strong(there, from) || there == from)
            return &p;
    }
    return nullptr;
}

// What the runtime of a language makes inside of its own functions may be for anybody, libtare among them, which may hold a lock
// that telling of it needs. What a program makes by templates and new is made in its own code.
bool is_of_a_runtime(const std::string &module)
{
    const std::string file = module.substr(module.rfind('/') + 1);
    const char *const begins[] = {"libstdc++.", "libgfortran.", "libgcc_s."};
    return std::any_of(std::begin(begins), std::end(begins), [&](const char *begin) { return file.rfind(begin, 0) == 0; });
}

// Never freed: as sites of calls are named, so that its line can be found. Empty: what it makes is not told of.
// nullptr: there is no memory for it.
const char *make_name(const void *from) noexcept
{
    try {
        const symbols::loaded_place p = symbols::place_of_return(from);
        if (is_of_a_runtime(p.module))
            return "";
        return strdup((TARE_TRACE_HEAP_NAME + symbols::text_of_site(p)).c_str());
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

const char *name_of(const void *from) noexcept
{
    place *p = place_of(from);
    if (p == nullptr)
        return elsewhere;
    const char *name = p->name.load(std::memory_order_acquire);
    if (name == nullptr)
        p->name.store(name = make_name(from), std::memory_order_release);
    return name == nullptr ? elsewhere : name;
}

// What libraries make for themselves is no data of the program.
bool is_told(const void *block, std::size_t bytes, const void *from) noexcept
{
    return block != nullptr && bytes >= least_bytes && !is_saying && !symbols::is_of_a_library(from);
}

// say(name) of a block that is told of.
template <typename Say> void tell(const void *block, std::size_t bytes, const void *from, Say say) noexcept
{
    if (!is_told(block, bytes, from))
        return;
    const saying now;
    if (const char *name = name_of(from); name[0] != '\0')
        say(name);
}

}  // namespace

void note_made(const void *block, std::size_t bytes, const void *from) noexcept
{
    tell(block, bytes, from, [&](const char *name) { tare_data(name, block, bytes, TARE_TRACE_HEAP_DATA); });
}

void note_freed(const void *block, const void *from) noexcept
{
    tell(block, least_bytes, from, [&](const char *) { tare_data(elsewhere, block, 0, nullptr); });
}

void note_moved(const void *block, std::size_t bytes, const void *before, std::size_t bytes_before, const void *from) noexcept
{
    // Where it stays what is in it stays, too.
    if (block == before) {
        if (bytes > bytes_before)
            note_made(static_cast<const char *>(block) + bytes_before, bytes - bytes_before, from);
        return;
    }
    note_made(block, bytes, from);
    const std::size_t kept = std::min(bytes, bytes_before);
    if (before == nullptr || block == nullptr || kept < least_bytes)
        return;
    tell(block, kept, from, [&](const char *) { tare_copied(block, before, kept); });
    note_freed(before, from);
}

}  // namespace tare::heap

// libtare looks for this: without it nobody tells of the heap.
extern "C" const int tare_heap_is_told = 1;
