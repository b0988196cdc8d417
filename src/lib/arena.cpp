// SPDX-License-Identifier: BSD-3-Clause
#include "arena.hpp"

#include "file_size_guard.hpp"
#include "signals_wait.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace tare {
namespace {

constexpr std::size_t chunk = std::size_t{1} << 20;
constexpr std::size_t gap = std::size_t{1} << 16;      // between pieces: valgrind 3.19 stumbles over pieces that meet
constexpr std::size_t line = 64;
constexpr std::size_t most = std::size_t{1} << 30, least = std::size_t{1} << 26;     // addresses, not memory

std::mutex taking;
char *base = nullptr;
std::size_t reserved = 0;
std::size_t used = 0;
std::size_t usable = 0;                  // bytes that can be written to
std::atomic<std::size_t> kept{0};        // of those that are in the file, or will be
bool has_file = false;
bool is_file_full = false;               // or gone: what comes now is not in it
arena_file file{};
bool has_failed = false;                 // there is no range, or its end has been reached

live_header *header() noexcept { return reinterpret_cast<live_header *>(base); }

bool map_memory(char *at, std::size_t bytes, int protection) noexcept
{
    return mmap(at, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

// Room on the disk: without, the first touch of the memory would end the process. Where the file system cannot set it
// aside, the C library writes to every block.
bool fill_file(int descriptor, std::size_t from, std::size_t bytes) noexcept
{
    constexpr int attempts = 100;            // signals interrupt it
    const file_size_guard guard;
    int refused = EINTR;
    for (int i = 0; i < attempts && refused == EINTR; i++)
        refused = posix_fallocate(descriptor, static_cast<off_t>(from), static_cast<off_t>(bytes));
    errno = refused;
    return refused == 0;
}

void *map_shared(void *at, int fixed, int descriptor, std::size_t from, std::size_t bytes) noexcept
{
    return mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | fixed, descriptor, static_cast<off_t>(from));
}

bool map_file(int descriptor, std::size_t from, std::size_t bytes) noexcept
{
    return map_shared(base + from, MAP_FIXED, descriptor, from, bytes) != MAP_FAILED;
}

// A file system that refuses in its own code has already taken away what is there: so it is asked elsewhere first.
bool may_be_mapped(int descriptor) noexcept
{
    void *trial = map_shared(nullptr, 0, descriptor, 0, chunk);
    if (trial != MAP_FAILED)
        munmap(trial, chunk);
    return trial != MAP_FAILED;
}

bool grow_file(std::size_t from, std::size_t bytes) noexcept
{
    const int descriptor = file.open_again();
    const bool is_good = descriptor >= 0 && fill_file(descriptor, from, bytes) && map_file(descriptor, from, bytes);
    const int reason = errno;
    if (descriptor >= 0)
        close(descriptor);
    if (!is_good)
        file.cannot_grow(reason);
    return is_good;
}

bool reserve() noexcept
{
    for (reserved = most; reserved >= least; reserved /= 2) {
        void *range = mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (range == MAP_FAILED)
            continue;
        base = static_cast<char *>(range);
        return true;
    }
    return false;
}

void set_kept(std::size_t bytes) noexcept
{
    kept.store(bytes, std::memory_order_release);
    header()->kept = bytes;
}

// Room for so many bytes more than are used. Nothing lies in two pieces of a file.
bool make_room(std::size_t bytes) noexcept
{
    if (used + bytes <= usable)
        return true;
    const std::size_t from = has_file ? usable + gap : usable;
    const std::size_t more = (bytes + chunk - 1) / chunk * chunk;
    if (from + more > reserved)
        return false;
    if (has_file && !map_memory(base + usable, gap, PROT_READ))
        return false;
    const bool in_file = has_file && !is_file_full && grow_file(from, more);
    if (!in_file && !map_memory(base + from, more, PROT_READ | PROT_WRITE))
        return false;
    is_file_full = has_file && !in_file;
    used = has_file ? from : used;
    usable = from + more;
    if (!is_file_full)
        set_kept(usable);
    return true;
}

bool start() noexcept
{
    if (base != nullptr || has_failed)
        return base != nullptr;
    if (!reserve() || !make_room(sizeof(live_header))) {
        has_failed = true;
        return false;
    }
    std::memcpy(header()->magic, live_magic, sizeof live_magic);
    header()->version = live_version;
    header()->base = address_of(base);
    used = (sizeof(live_header) + line - 1) / line * line;
    return true;
}

bool write_all(int descriptor, const char *from, std::size_t bytes) noexcept
{
    while (bytes > 0) {
        const ssize_t written = write(descriptor, from, bytes);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        from += written;
        bytes -= static_cast<std::size_t>(written);
    }
    return true;
}

}  // namespace

void *arena_take(std::size_t bytes) noexcept
{
    const quiet_lock lock(taking);
    bytes = (bytes + line - 1) / line * line;
    if (!start() || has_failed || !make_room(bytes)) {
        has_failed = true;
        void *elsewhere = std::aligned_alloc(line, bytes);
        return elsewhere == nullptr ? nullptr : std::memset(elsewhere, 0, bytes);
    }
    void *memory = base + used;
    used += bytes;
    return memory;
}

const char *arena_copy(const char *text) noexcept
{
    const std::size_t bytes = std::strlen(text) + 1;
    void *memory = arena_take(bytes);
    return memory == nullptr ? nullptr : static_cast<const char *>(std::memcpy(memory, text, bytes));
}

live_header *arena_header() noexcept
{
    const quiet_lock lock(taking);
    return start() ? header() : nullptr;
}

bool arena_keeps(const void *p) noexcept
{
    return base != nullptr && p >= base && p < base + kept.load(std::memory_order_acquire);
}

bool arena_move_to(int descriptor, const arena_file &new_file) noexcept
{
    const quiet_lock lock(taking);
    if (!start()) {
        errno = ENOMEM;
        return false;
    }
    if (!fill_file(descriptor, 0, usable) || !may_be_mapped(descriptor) || !write_all(descriptor, base, used) ||
        !map_file(descriptor, 0, usable))
        return false;
    file = new_file;
    has_file = true;
    return true;
}

void arena_hold() noexcept { taking.lock(); }
void arena_let_go() noexcept { taking.unlock(); }

void arena_leave_file() noexcept
{
    if (!has_file)
        return;
    has_file = false;
    void *copy = mmap(nullptr, usable, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED) {
        has_failed = true;
        return;
    }
    std::memcpy(copy, base, used);
    if (mremap(copy, usable, usable, MREMAP_MAYMOVE | MREMAP_FIXED, base) == MAP_FAILED)
        has_failed = true;
}

}  // namespace tare
