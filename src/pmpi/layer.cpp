// SPDX-License-Identifier: BSD-3-Clause
#include "layer.hpp"

#include "found_uses.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace tare::pmpi {

layer_state state;
__thread thread_state self __attribute__((tls_model("initial-exec")));
std::recursive_mutex shared_lock::mutex_;

namespace {

// Made at first use, and again by another thread at worst: tare_measure_region returns the same for the same name.
std::atomic<tare_region_t *> regions[calls];

tare_region_t *region_of(call c)
{
    std::atomic<tare_region_t *> &slot = regions[static_cast<unsigned>(c)];
    tare_region_t *region = slot.load(std::memory_order_acquire);
    if (region == nullptr) {
        region = tare_measure_region(facts[static_cast<unsigned>(c)].region, TARE_GROUP_MPI);
        slot.store(region, std::memory_order_release);
    }
    return region;
}

// What a wrapper costs beyond libtare's own hooks is calibrated with a wrapper that calls no MPI.
int short_call(const void *, int, int, int, int, int, void *)
{
    tare_measure_trial_work();
    return 0;
}
int (*volatile library_call)(const void *, int, int, int, int, int, void *) = short_call;

__attribute__((noinline)) int wrapper(const void *a, int b, int c, int d, int e, int f, void *g)
{
    const entry how = enter_user_call(call::Init);
    const int rc = library_call(a, b, c, d, e, f, g);
    leave(call::Init, how, __builtin_return_address(0));
    return rc;
}
int (*volatile wrapped_call)(const void *, int, int, int, int, int, void *) = wrapper;

void plain_calls(int n)
{
    const aside_notes aside;
    for (int i = 0; i < n; i++)
        library_call(&state, i, 2, 3, 4, 5, nullptr);
}

void wrapped_calls(int n)
{
    const aside_notes aside;
    for (int i = 0; i < n; i++)
        wrapped_call(&state, i, 2, 3, 4, 5, nullptr);
}

__attribute__((constructor)) void load() { tare_measure_calibrate(TARE_WAY_MPI, wrapped_calls, plain_calls); }

}  // namespace

void die(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "tare: %s\n", text);
    fflush(nullptr);
    _exit(1);
}

void enter_measured(call c)
{
    if (__builtin_expect(pieces_received != 0, 0))
        tell_found_uses();
    tare_measure_enter_mpi(region_of(c));
}

void leave_measured(call c, unsigned end, tare_measure_note_t note, void *what)
{
    tare_measure_leave_noted(region_of(c), end, note, what);
    if (__builtin_expect(pieces_received != 0, 0))
        protect_received();
}

// The first call of the process, or a call from inside another one.
entry enter_slowly(call c, const void *caller)
{
    if (!bound.load(std::memory_order_acquire) && !bind())
        die("%s was called, but this process has loaded no MPI library", facts[static_cast<unsigned>(c)].symbol + 1);
    if (self.depth > 0 && !is_users_code(caller))
        return entry::raw;
    return enter_user_call(c);
}

// Most often all ranks come here. The first one speaks at once and ends the job before the others do; and the
// launcher gets the time to pass its sentence on, since it drops what it has not read yet when a rank aborts.
void refuse(call c)
{
    constexpr useconds_t other_ranks_wait_us = 3000000, launcher_reads_us = 200000;
    if (state.rank != 0)
        usleep(other_ranks_wait_us);
    fprintf(stderr, "tare: rank %d: %s is not carried by TARE_MODE=%s; use TARE_MODE=header or off\n", state.rank,
            facts[static_cast<unsigned>(c)].symbol + 1,
            tare_env_mode_name(static_cast<int>(state.core->global->mode)));
    fflush(nullptr);
    usleep(launcher_reads_us);
    real.Abort(MPI_COMM_WORLD, 1);
    _exit(1);
}

}  // namespace tare::pmpi
