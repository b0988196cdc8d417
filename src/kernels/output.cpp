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
    {"overhead", "overhead_ns", &outcome::overhead},
    {"stolen", "stolen_ns", &outcome::stolen},
};

double milliseconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-6; }

const char *variable(const char *name, const char *preset) {
    const char *value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : preset;
}

void print_json_row(int rank, const outcome &r) {
    std::printf("{\"rank\": %d", rank);
    for (const column &c : columns)
        std::printf(", \"%s\": %" PRId64, c.member, r.*c.value);
    std::printf(", \"inversions\": %" PRId64 "}", r.inversions);
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
    std::printf("# result %016" PRIx64 ", right; times in ms\n# rank", found.hash);
    for (const column &c : columns)
        std::printf(" %12s", c.heading);
    std::printf(" inversions\n");
    for (std::size_t i = 0; i < found.ranks.size(); ++i) {
        std::printf("%6zu", i);
        for (const column &c : columns)
            std::printf(" %12.3f", milliseconds(found.ranks[i].*c.value));
        std::printf(" %10" PRId64 "\n", found.ranks[i].inversions);
    }
}

void print_json(const options &wanted, const finding &found) {
    const bool is_repairable = wanted.kind->repairable_ranks >= static_cast<int>(found.ranks.size());
    std::printf("{\"tare\": \"%s\", \"schema\": 1, \"command\": \"tare_kernel\", ", TARE_VERSION);
    std::printf("\"mode\": \"%s\", \"rule\": \"%s\",\n", variable("TARE_MODE", "off"), variable("TARE_RULE", "exact"));
    std::printf(" \"kernel\": \"%s\", \"repairable\": %s, \"size\": %d, \"steps\": %d, \"dilation_pct\": %d, "
                "\"others_pct\": %d,\n \"result\": \"%016" PRIx64 "\", \"rows\": [",
                wanted.kind->name, is_repairable ? "true" : "false", wanted.size, wanted.steps, wanted.dilation_pct,
                wanted.others_pct, found.hash);
    for (std::size_t i = 0; i < found.ranks.size(); ++i) {
        std::printf(i == 0 ? "\n  " : ",\n  ");
        print_json_row(static_cast<int>(i), found.ranks[i]);
    }
    std::printf("\n]}\n");
}

}  // namespace tare::kernels
