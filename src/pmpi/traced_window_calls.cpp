// SPDX-License-Identifier: BSD-3-Clause
#include "traced_window_calls.hpp"

#include "declared_time.hpp"

namespace tare::pmpi::traced {
namespace {

bool is_known(const window_summary &w) { return w.number != TARE_TRACE_NONE; }

void begin_together() { write_plain(TARE_TRACE_RMA_COLLECTIVE_BEGIN, 0, TARE_MOMENT_ENTER); }

void end_together(enum tare_trace_operation operation, std::uint32_t window, std::uint32_t level)
{
    write_on_window(TARE_TRACE_RMA_COLLECTIVE_END, window, {level, 0, 0, operation}, TARE_MOMENT_LEAVE);
}

void sync_group(std::uint32_t window, std::uint32_t group, std::uint32_t level, enum tare_measure_moment when)
{
    if (group != TARE_TRACE_NONE)
        write_on_window(TARE_TRACE_RMA_GROUP_SYNC, window, {level, 0, static_cast<std::int32_t>(group), 0}, when);
}

// OTF2 has its own word for all of them.
void lock(std::uint32_t kind, std::uint32_t window, int target, int is_shared, enum tare_measure_moment when)
{
    write_on_window(kind, window, {0, 0, target == all_targets ? TARE_TRACE_ALL_TARGETS : target, is_shared}, when);
}

}  // namespace

void win_create::returned(int rc)
{
    window_call::returned(rc);
    if (!is_on() || rc != MPI_SUCCESS)
        return;
    const declared_time time;
    window_made(comm_, *win_, is_allocated_);
}

void win_create::write(const moved_bytes &) const
{
    const window_summary w = is_good() ? summary_of_window(*win_) : window_summary{};
    if (!is_known(w))
        return;
    begin_together();
    write_plain(TARE_TRACE_WINDOW_CREATE, w.number, TARE_MOMENT_LEAVE);
    end_together(is_allocated_ ? TARE_TRACE_CREATE_AND_ALLOCATE : TARE_TRACE_CREATE_HANDLE, w.number,
                 TARE_TRACE_SYNC_PROCESSES);
}

void win_free::returned(int rc)
{
    window_call::returned(rc);
    if (is_on() && rc == MPI_SUCCESS)
        window_freed(handle_, window_.number);
}

void win_free::write(const moved_bytes &) const
{
    if (!is_good() || !is_known(window_))
        return;
    begin_together();
    write_plain(TARE_TRACE_WINDOW_DESTROY, window_.number, TARE_MOMENT_LEAVE);
    end_together(window_.is_allocated ? TARE_TRACE_DESTROY_AND_DEALLOCATE : TARE_TRACE_DESTROY_HANDLE, window_.number,
                 TARE_TRACE_SYNC_PROCESSES);
}

void win_fence::write(const moved_bytes &) const
{
    const window_summary w = is_good() ? summary_of_window(win_) : window_summary{};
    if (!is_known(w))
        return;
    begin_together();
    complete_operations(win_, all_targets, completed::everywhere);
    end_together(TARE_TRACE_BARRIER, w.number, TARE_TRACE_SYNC_PROCESSES | TARE_TRACE_SYNC_MEMORY);
}

void win_start::returned(int rc)
{
    window_call::returned(rc);
    if (!is_on() || rc != MPI_SUCCESS)
        return;
    const declared_time time;
    window_started(win_, group_);
}

void win_post::returned(int rc)
{
    window_call::returned(rc);
    if (!is_on() || rc != MPI_SUCCESS)
        return;
    const declared_time time;
    window_posted(win_, group_);
}

void epoch_begin::write(std::uint32_t window_summary::*which) const
{
    const window_summary w = is_good() ? summary_of_window(win_) : window_summary{};
    if (is_known(w))
        sync_group(w.number, w.*which, TARE_TRACE_SYNC_NONE, TARE_MOMENT_ENTER);
}

// At the targets they may be on their way.
void win_complete::write(const moved_bytes &) const
{
    const window_summary w = is_good() ? summary_of_window(win_) : window_summary{};
    if (!is_known(w))
        return;
    complete_operations(win_, all_targets, completed::at_origin_for_good);
    sync_group(w.number, w.access, TARE_TRACE_SYNC_MEMORY, TARE_MOMENT_LEAVE);
}

void win_wait::write(const moved_bytes &) const
{
    if (!is_good() || (flag_ != nullptr && *flag_ == 0))
        return;
    if (const window_summary w = summary_of_window(win_); is_known(w))
        sync_group(w.number, w.exposure, TARE_TRACE_SYNC_MEMORY, TARE_MOMENT_LEAVE);
}

// MPI does not tell when the lock is there: operations wait for it.
void win_lock::write(const moved_bytes &) const
{
    const window_summary w = is_good() && target_ != MPI_PROC_NULL ? summary_of_window(win_) : window_summary{};
    if (is_known(w))
        lock(TARE_TRACE_RMA_REQUEST_LOCK, w.number, target_, is_shared_, TARE_MOMENT_ENTER);
}

void win_unlock::write(const moved_bytes &moved) const
{
    win_flush::write(moved);
    const window_summary w = is_good() && target_ != MPI_PROC_NULL ? summary_of_window(win_) : window_summary{};
    if (is_known(w))
        lock(TARE_TRACE_RMA_RELEASE_LOCK, w.number, target_, 0, TARE_MOMENT_LEAVE);
}

void win_sync::write(const moved_bytes &) const
{
    const window_summary w = is_good() ? summary_of_window(win_) : window_summary{};
    if (is_known(w))
        write_on_window(TARE_TRACE_RMA_SYNC, w.number, {0, 0, w.rank, 0}, TARE_MOMENT_LEAVE);
}

}  // namespace tare::pmpi::traced
