// SPDX-License-Identifier: BSD-3-Clause
#include "counters.hpp"

#include <cerrno>
#include <cstring>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace tare {
namespace {

constexpr std::uint64_t remote_reads = PERF_COUNT_HW_CACHE_NODE | PERF_COUNT_HW_CACHE_OP_READ << 8 |
                                       PERF_COUNT_HW_CACHE_RESULT_MISS << 16;

// As the kernel gives a group.
struct group_values {
    std::uint64_t count, enabled_ns, running_ns;
    std::uint64_t value[TARE_TRACE_COUNTED];
};

constexpr std::size_t size_of(int members) { return (3 + static_cast<std::size_t>(members)) * sizeof(std::uint64_t); }

// -1: the machine does not give it, or not to this user.
int open_counter(std::uint32_t type, std::uint64_t event, int leader) noexcept
{
    perf_event_attr wanted;
    std::memset(&wanted, 0, sizeof wanted);
    wanted.size = sizeof wanted;
    wanted.type = type;
    wanted.config = event;
    wanted.exclude_kernel = wanted.exclude_hv = 1;
    wanted.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return static_cast<int>(syscall(SYS_perf_event_open, &wanted, 0, -1, leader, PERF_FLAG_FD_CLOEXEC));
}

}  // namespace

thread_counters::thread_counters() noexcept
{
    const int saved_errno = errno;
    open();
    errno = saved_errno;
}

void thread_counters::open() noexcept
{
    if (!add(TARE_COUNTER_CYCLES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES))
        return;
    add(TARE_COUNTER_INSTRUCTIONS, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
    if (!add(TARE_COUNTER_STALLED, PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND))
        add(TARE_COUNTER_STALLED, PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND);
    add(TARE_COUNTER_MISSES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES);
    add(TARE_COUNTER_REMOTE, PERF_TYPE_HW_CACHE, remote_reads);
}

// A group of more than the core has places for is not counted at all: what does not fit any more is left out.
bool thread_counters::add(int counter, std::uint32_t type, std::uint64_t event) noexcept
{
    const int descriptor = open_counter(type, event, count_ == 0 ? -1 : members_[0].descriptor);
    if (descriptor < 0)
        return false;
    members_[count_++] = {counter, descriptor};
    group_values now;
    if (::read(members_[0].descriptor, &now, sizeof now) == static_cast<ssize_t>(size_of(count_)) && now.running_ns > 0)
        return true;
    ::close(members_[--count_].descriptor);
    return false;
}

void thread_counters::close() noexcept
{
    while (count_ > 0)
        ::close(members_[--count_].descriptor);
}

// The program's errno is none of its business.
void thread_counters::read(tare_trace_counters_t &now) const noexcept
{
    const int saved_errno = errno;
    now = {};
    timespec t;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0) {
        now.value[TARE_COUNTER_CORE_NS] = static_cast<std::uint64_t>(t.tv_sec * 1'000'000'000 + t.tv_nsec);
        now.known |= 1u << TARE_COUNTER_CORE_NS;
    }
    rusage used;
    if (getrusage(RUSAGE_THREAD, &used) == 0) {
        now.value[TARE_COUNTER_FAULTS] = static_cast<std::uint64_t>(used.ru_minflt + used.ru_majflt);
        now.known |= 1u << TARE_COUNTER_FAULTS;
    }
    if (count_ > 0)
        read_core(now);
    errno = saved_errno;
}

// While others share the core's places with it a group is not counted all the time, and says nothing then.
void thread_counters::read_core(tare_trace_counters_t &now) const noexcept
{
    group_values all;
    if (::read(members_[0].descriptor, &all, sizeof all) != static_cast<ssize_t>(size_of(count_)) ||
        all.running_ns != all.enabled_ns)
        return;
    for (int i = 0; i < count_; i++) {
        now.value[members_[i].counter] = all.value[i];
        now.known |= std::uint64_t{1} << members_[i].counter;
    }
}

}  // namespace tare
