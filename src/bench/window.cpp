// SPDX-License-Identifier: BSD-3-Clause
#include "window.hpp"

namespace tare::bench {

window::window(const side &self, bool is_origin, bool is_target)
    : self_(self), is_origin_(is_origin), is_target_(is_target), sync_(self.wanted->one_sided.sync),
      memory_(self.receive_buffer) {
    make();
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    const int other = target();
    MPI_Group_incl(world, 1, &other, &others_);
    MPI_Group_free(&world);
    if (sync_ == epoch::fence)
        MPI_Win_fence(0, handle_);
    if (has_lasting_lock())
        MPI_Win_lock(MPI_LOCK_SHARED, target(), 0, handle_);
}

window::~window() {
    if (has_lasting_lock())
        MPI_Win_unlock(target(), handle_);
    MPI_Group_free(&others_);
    if (self_.wanted->one_sided.kind == window_kind::dynamic)
        MPI_Win_detach(handle_, memory_);
    MPI_Win_free(&handle_);
}

void window::make() {
    const MPI_Aint bytes = static_cast<MPI_Aint>(self_.bytes);
    switch (self_.wanted->one_sided.kind) {
    case window_kind::create:
        MPI_Win_create(memory_, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &handle_);
        break;
    case window_kind::allocate:
        MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory_, &handle_);
        break;
    case window_kind::dynamic:
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &handle_);
        MPI_Win_attach(handle_, memory_, bytes);
        MPI_Aint own = 0;
        MPI_Get_address(memory_, &own);
        MPI_Sendrecv(&own, 1, MPI_AINT, target(), 0, &target_place_, 1, MPI_AINT, target(), 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
}

// With flushes one lock holds for all iterations.
bool window::has_lasting_lock() const {
    return is_origin_ && (sync_ == epoch::flush || sync_ == epoch::flush_local);
}

// A fence ends the iteration before, too.
void window::open() {
    if (sync_ == epoch::fence)
        return;
    if (sync_ != epoch::pscw)
        return open_passive();
    if (is_target_) {
        before_call(self_.tool);
        MPI_Win_post(others_, 0, handle_);
    }
    if (is_origin_) {
        before_call(self_.tool);
        MPI_Win_start(others_, 0, handle_);
    }
}

void window::open_passive() {
    if (!is_origin_ || has_lasting_lock())
        return;
    before_call(self_.tool);
    if (sync_ == epoch::lock)
        MPI_Win_lock(MPI_LOCK_SHARED, target(), 0, handle_);
    else
        MPI_Win_lock_all(0, handle_);
}

void window::close() {
    if (sync_ == epoch::fence) {
        before_call(self_.tool);
        MPI_Win_fence(0, handle_);
        return;
    }
    if (sync_ != epoch::pscw)
        return close_passive();
    if (is_origin_) {
        before_call(self_.tool);
        MPI_Win_complete(handle_);
    }
    if (is_target_) {
        before_call(self_.tool);
        MPI_Win_wait(handle_);
    }
}

void window::settle() {
    if (is_origin_ && sync_ == epoch::flush_local)
        MPI_Win_flush(target(), handle_);
}

void window::close_passive() {
    if (!is_origin_)
        return;
    before_call(self_.tool);
    switch (sync_) {
    case epoch::lock: MPI_Win_unlock(target(), handle_); break;
    case epoch::lock_all: MPI_Win_unlock_all(handle_); break;
    case epoch::flush: MPI_Win_flush(target(), handle_); break;
    default: MPI_Win_flush_local(target(), handle_); break;
    }
}

}  // namespace tare::bench
