// SPDX-License-Identifier: BSD-3-Clause
// tare.h, but for entering and leaving regions (measure.cpp).
#include "process.hpp"
#include "region.hpp"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

namespace {

const tare_transport_v1_table_t &core() { return *tare_measure_core(); }

}  // namespace

extern "C" {

void tare_overhead_add(int64_t ns) { core().overhead_add(ns, 0); }

void tare_event_ns(int64_t now_ns) { core().event(now_ns); }

int64_t tare_delay_ns(void) { return core().thread()->delay_ns; }

int64_t tare_delay_lo_ns(void) { return core().thread()->delay_lo_ns; }

int64_t tare_delay_hi_ns(void) { return core().thread()->delay_hi_ns; }

int64_t tare_now_ns(void) { return core().now_ns(); }

tare_region_t *tare_region(const char *name)
{
    return name == nullptr ? nullptr : tare::find_or_make_region(name, TARE_GROUP_USER);
}

tare_region_t *tare_measure_region(const char *name, const char *group)
{
    return tare::find_or_make_region(name, group);
}

int tare_measure_is_excluded(const tare_region_t *region) { return region->selected == tare::selection::excluded; }

void tare_measure_name_thread(const char *name) { tare::name_thread(name); }

tare_region_t *tare_measure_region_late(const void *what, tare_measure_resolve_t resolve, const char *group)
{
    return tare::make_late_region(what, resolve, group);
}

void tare_measure_place(tare_region_t *region, const char *module, uint64_t offset, const char *symbol)
{
    tare::keep_place(*region, module, offset, symbol);
}

int tare_mode(void) { return static_cast<int>(core().global->mode); }

const char *tare_version(void) { return PACKAGE_VERSION; }

void tare_flush(void)
{
    if (!tare::switches.recording)
        return;
    const std::int64_t start_ns = tare::clock_ns();
    tare::write_profile();
    tare::declare_since(start_ns);
}

}  // extern "C"
