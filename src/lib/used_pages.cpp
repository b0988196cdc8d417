// SPDX-License-Identifier: BSD-3-Clause
#include "used_pages.hpp"

#include "own_memory.hpp"
#include "region.hpp"
#include "signals_wait.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <iterator>
#include <mutex>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tare {
namespace {

constexpr int most_samples = 64;         // of one piece of memory: move_pages takes some 100 ns for each
constexpr int most_pieces = 1024;        // of the process: what is declared behind them is not looked at
constexpr int nowhere = -1;

struct piece {
    std::uint32_t region;
    std::uintptr_t start, end;           // whole pages
    int samples;
    int node[most_samples];
};

std::mutex looking;
piece *pieces;                           // under this lock, and so are changes of these
std::atomic<int> piece_count{0};
std::atomic<int> refused{0};

std::uintptr_t page_size()
{
    static const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    return size;
}

std::uint64_t pages_of(const piece &p) { return (p.end - p.start) / page_size(); }

// Without a list of nodes nothing is moved. A page that was not touched, or only read, is nowhere.
bool ask_kernel(const piece &p, int (&node)[most_samples])
{
    void *pages[most_samples];
    for (int i = 0; i < p.samples; i++)
        pages[i] = reinterpret_cast<void *>(p.start + pages_of(p) * static_cast<unsigned>(i) /
                                                          static_cast<unsigned>(p.samples) * page_size());
    return syscall(SYS_move_pages, 0, static_cast<unsigned long>(p.samples), pages, nullptr, node, 0) == 0;
}

struct counts {
    int touched = 0, migrated = 0, remote = 0;
};

// By a thread on this node; below 0: it does not use them now.
bool look_at(piece &p, int own_node, counts &found)
{
    int node[most_samples];
    if (!ask_kernel(p, node))
        return false;
    for (int i = 0; i < p.samples; i++) {
        const int now = std::max(node[i], nowhere);
        found.touched += now != nowhere && p.node[i] == nowhere;
        found.migrated += now != nowhere && p.node[i] != nowhere && p.node[i] != now;
        found.remote += now != nowhere && own_node >= 0 && now != own_node;
        p.node[i] = now;
    }
    return true;
}

// As many as the samples stand for.
std::uint64_t scaled(const piece &p, int samples)
{
    const auto all = static_cast<std::uint64_t>(p.samples);
    return (pages_of(p) * static_cast<std::uint64_t>(samples) + all / 2) / all;
}

int own_node()
{
    unsigned core = 0, node = 0;
    return getcpu(&core, &node) == 0 ? static_cast<int>(node) : nowhere;
}

// The program's errno is none of its business.
void look(std::uint32_t region, bool is_left, tare_trace_pages_t &seen)
{
    if (!has_used_pages())
        return;
    const int saved_errno = errno;
    const std::lock_guard<std::mutex> lock(looking);
    for (int i = 0; i < piece_count; i++) {
        piece &p = pieces[i];
        counts found;
        if (p.region != region || !look_at(p, is_left ? own_node() : nowhere, found))
            continue;
        seen.first_touched += scaled(p, found.touched);
        seen.migrated += scaled(p, found.migrated);
        seen.remote += scaled(p, found.remote);
    }
    errno = saved_errno;
}

// nullptr: it is a new one.
piece *find_piece(std::uint32_t region, std::uintptr_t start)
{
    for (int i = 0; i < piece_count; i++)
        if (pieces[i].region == region && pieces[i].start == start)
            return &pieces[i];
    return nullptr;
}

bool has_room()
{
    if (pieces == nullptr)
        pieces = static_cast<piece *>(map_memory(most_pieces * sizeof(piece)));
    return pieces != nullptr && piece_count < most_pieces;
}

piece make_piece(std::uint32_t region, std::uintptr_t start, std::uintptr_t end)
{
    piece p{region, start, end, 0, {}};
    p.samples = static_cast<int>(std::min<std::uint64_t>(pages_of(p), most_samples));
    std::fill(std::begin(p.node), std::end(p.node), nowhere);
    return p;
}

// As its pages are now.
void add_piece(std::uint32_t region, std::uintptr_t start, std::uintptr_t end)
{
    piece *p = find_piece(region, start);
    if (p == nullptr ? !has_room() : p->end == end)
        return;
    piece made = make_piece(region, start, end);
    counts before;
    if (!look_at(made, nowhere, before))
        return refused.store(errno);
    if (p == nullptr)
        p = &pieces[piece_count++];
    *p = made;
}

}  // namespace

void use_pages(const char *region, const void *start, std::size_t bytes) noexcept
{
    const tare_region_t *used_by = find_or_make_region(region, TARE_GROUP_USER);
    const auto from = reinterpret_cast<std::uintptr_t>(start);
    const std::uintptr_t first = from / page_size() * page_size();
    const std::uintptr_t end = (from + (bytes - 1)) / page_size() * page_size() + page_size();
    if (used_by == nullptr || from + (bytes - 1) < from || end <= first)
        return;
    const int saved_errno = errno;
    {
        const quiet_lock lock(looking);          // a handler may have regions
        add_piece(used_by->number, first, end);
    }
    errno = saved_errno;
}

bool has_used_pages() noexcept { return piece_count.load(std::memory_order_relaxed) != 0; }

int pages_refused() noexcept { return refused.load(std::memory_order_relaxed); }

void thread_pages::enter(std::uint32_t region) noexcept
{
    if (depth_ < most_open)
        open_[depth_] = region;
    depth_++;
    look(region, false, seen_);
}

void thread_pages::leave() noexcept
{
    leave_unseen();
    if (depth_ < most_open)
        look(open_[depth_], true, seen_);
}

}  // namespace tare
