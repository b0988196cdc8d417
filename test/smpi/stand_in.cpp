// SPDX-License-Identifier: BSD-3-Clause
#include "stand_in.hpp"

#include "clock.hpp"
#include "tare_measure.h"

#include <cstdlib>
#include <ctime>

namespace stand_in {

hooks around_calls;

void spend_overhead(std::int64_t ns)
{
    simulated::sleep(ns);
    tare_core_table.overhead_add(ns, 0);
}

namespace {

struct environment {
    environment() { is_wrong = tare_env_read(&settings, error, sizeof error) != 0; }

    tare_settings_t settings{};
    char error[512] = "";
    bool is_wrong;
};

const environment &variables()
{
    static const environment read_once;
    return read_once;
}

std::int64_t clock_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * simulated::s + t.tv_nsec;
}

int a_region;

}  // namespace
}  // namespace stand_in

using namespace stand_in;

extern "C" {

const tare_transport_v1_table_t *tare_measure_core(void) { return &tare_core_table; }

// MPI_Init comes here once: what the environment says to the core.
void tare_measure_adopt(void *)
{
    const tare_settings_t &s = variables().settings;
    tare_core_table.configure(s.mode, s.rule, 0);
    tare_core_table.global->account_waits = 1;
}

const tare_settings_t *tare_measure_settings(void) { return &variables().settings; }
const char *tare_measure_settings_error(void) { return variables().is_wrong ? variables().error : nullptr; }

int tare_measure_is_on(void) { return around_calls.on; }
void tare_measure_overhead(int64_t ns) { tare_core_table.overhead_add(ns, 0); }

tare_region_t *tare_measure_region(const char *, const char *)
{
    return reinterpret_cast<tare_region_t *>(&a_region);
}

void tare_measure_enter_mpi(tare_region_t *)
{
    spend_overhead(around_calls.enter_ns);
    tare_core_table.event(clock_ns());
}

void tare_measure_leave_noted(tare_region_t *, unsigned, tare_measure_note_t, void *)
{
    spend_overhead(around_calls.leave_ns);
}

// --- nothing is written, kept, traced or calibrated ---

void tare_measure_initialized(int, int, const char *) {}
void tare_measure_total_begin(void) {}
void tare_measure_total_end(void) {}
void tare_measure_finalizing(void) {}
void tare_measure_metadata(const char *, const char *) {}
void tare_measure_say_at_end(const char *) {}
int tare_measure_wants_formats(void) { return 0; }
int tare_measure_is_written(void) { return 0; }
int tare_measure_make_formats(int) { return 0; }
void tare_measure_end_profile(void) {}
void tare_measure_pause(int) {}
int tare_measure_is_traced(void) { return 0; }
std::uint32_t tare_measure_thread_number(void) { return 0; }
void tare_measure_trace(const tare_trace_record *, tare_measure_moment) {}
std::uint32_t tare_measure_trace_group(const std::uint32_t *, std::uint32_t) { return 0; }
std::uint32_t tare_measure_trace_text(const char *) { return 0; }
void tare_data(const char *, const void *, std::size_t, const char *) {}
void tare_uses(const char *, const void *, std::size_t) {}
std::uint32_t tare_measure_trace_define(const tare_trace_definition *) { return 0; }
void tare_measure_trace_name(std::uint32_t, std::uint32_t, const char *) {}
void tare_measure_calibrate(enum tare_measure_way, tare_measure_calls_t, tare_measure_calls_t) {}
int tare_measure_calibrate_again(void) { return 0; }
double tare_measure_constant(const char *, tare_measure_calls_t, tare_measure_calls_t) { return 0; }
void tare_measure_note_cost(unsigned, double) {}
void tare_measure_trial_work(void) {}
void tare_measure_notes_from(tare_measure_collect_t) {}
void tare_measure_show_notes(void *, const tare_measure_notes_layout_t *) {}
int tare_measure_is_kept(const void *) { return 0; }
void tare_measure_add_site(void *, const tare_measure_site_t *) {}
void tare_measure_add_messages(void *, int, int64_t, int64_t) {}
void tare_measure_add_peer(void *, const tare_measure_peer_t *) {}
void tare_measure_add_waiting(void *, const tare_measure_waiting_t *) {}
void *tare_measure_note_memory(size_t bytes) { return std::calloc(1, bytes); }
void tare_flush(void) {}

}  // extern "C"
