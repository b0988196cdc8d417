// SPDX-License-Identifier: BSD-3-Clause
#include "output.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

namespace tare::kernels {
namespace {

struct column {
    const char *heading;
    const char *member;
    std::int64_t outcome::*value;
};

const column columns[] = {
    {"total", "total_ns", &outcome::total},
    {"compensated", "total_comp_ns", &outcome::total_comp},
    {"from", "total_lo_ns", &outcome::total_lo},
    {"to", "total_hi_ns", &outcome::total_hi},
    {"in MPI", "wait_ns", &outcome::wait},
    {"compensated", "wait_comp_ns", &outcome::wait_comp},
    {"work", "work_ns", &outcome::work},
    {"overhead", "overhead_ns", &outcome::overhead},
    {"stolen", "stolen_ns", &outcome::stolen},
};

double milliseconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-6; }

const char *variable(const char *name, const char *preset) {
    const char *value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : preset;
}

void print_json_row(std::size_t lap, std::size_t rank, const outcome &r) {
    std::printf("{\"lap\": %zu, \"rank\": %zu", lap, rank);
    for (const column &c : columns)
        std::printf(", \"%s\": %" PRId64, c.member, r.*c.value);
    std::printf(", \"inversions\": %" PRId64 "}", r.inversions);
}

void print_table_row(std::size_t rank, const outcome &r) {
    std::printf("%6zu", rank);
    for (const column &c : columns)
        std::printf(" %12.3f", milliseconds(r.*c.value));
    std::printf(" %10" PRId64 "\n", r.inversions);
}

}  // namespace

void print_list() {
    std::printf("%-12s%8s%7s%6s%6s  %s\n", "kernel", "size", "steps", "ranks", "rank",
                "what it does; what its size counts");
    for (int i = 0; i < kernel_count; ++i) {
        const kernel_kind &k = *all_kernels[i];
        std::printf("%-12s%8d%7d%6d%6d  %s; %s\n", k.name, k.size, k.steps, k.ranks, k.probed, k.title, k.size_is);
    }
}

// A bound may be as good as none.
void print_table(const options &wanted, const finding &found) {
    std::printf("# %s: %s, size %d, %d steps; probes on rank %d %d %%, on others %d %%\n", wanted.kind->name,
                wanted.kind->title, wanted.size, wanted.steps, wanted.probed, wanted.dilation_pct,
                wanted.dilation_of(wanted.probed == 0 ? 1 : 0));
    std::printf("# result %016" PRIx64 ", right; times in ms\n# %srank", found.hash, wanted.laps > 1 ? "lap  " : "");
    for (const column &c : columns)
        std::printf(" %12s", c.heading);
    std::printf(" inversions\n");
    for (std::size_t lap = 0; lap < found.laps.size(); ++lap)
        for (std::size_t rank = 0; rank < found.laps[lap].size(); ++rank) {
            if (wanted.laps > 1)
                std::printf("%5zu", lap);
            print_table_row(rank, found.laps[lap][rank]);
        }
}

void print_json(const options &wanted, const finding &found) {
    const bool is_repairable = wanted.kind->repairable_ranks >= static_cast<int>(found.laps.front().size());
    std::printf("{\"tare\": \"%s\", \"schema\": 1, \"command\": \"tare_kernel\", ", TARE_VERSION);
    std::printf("\"mode\": \"%s\", \"rule\": \"%s\",\n", variable("TARE_MODE", "off"), variable("TARE_RULE", "exact"));
    std::printf(" \"kernel\": \"%s\", \"repairable\": %s, \"size\": %d, \"steps\": %d, \"dilation_pct\": %d, "
                "\"others_pct\": %d, \"laps\": %d,\n \"result\": \"%016" PRIx64 "\", \"rows\": [",
                wanted.kind->name, is_repairable ? "true" : "false", wanted.size, wanted.steps, wanted.dilation_pct,
                wanted.others_pct, wanted.laps, found.hash);
    for (std::size_t lap = 0; lap < found.laps.size(); ++lap)
        for (std::size_t rank = 0; rank < found.laps[lap].size(); ++rank) {
            std::printf(lap == 0 && rank == 0 ? "\n  " : ",\n  ");
            print_json_row(lap, rank, found.laps[lap][rank]);
        }
    std::printf("\n]}\n");
}

}  // namespace tare::kernels
