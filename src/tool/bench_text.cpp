// SPDX-License-Identifier: BSD-3-Clause
// The benchmarks' figures for people.
#include "bench.hpp"

#include "command.hpp"
#include "table.hpp"

#include <algorithm>
#include <cstdio>

namespace tare::tool {
namespace {

using texts = std::vector<std::string>;

std::string number_text(const char *form, double value) {
    char text[64];
    std::snprintf(text, sizeof text, form, value);
    return text;
}

// "1.013 ±0.004"
std::string ratio_text(const ratio &r) {
    const auto half = r.half_width();
    return number_text("%.3f", r.value) + (half ? number_text(" ±%.3f", *half) : "");
}

std::string size_text(std::int64_t bytes) {
    if (bytes >= 1048576 && bytes % 1048576 == 0)
        return std::to_string(bytes / 1048576) + " MiB";
    if (bytes >= 1024 && bytes % 1024 == 0)
        return std::to_string(bytes / 1024) + " KiB";
    return bytes == 0 ? "" : std::to_string(bytes) + " B";
}

// The rows of one place follow one another, the base first.
bool are_together(const bench_row &a, const bench_row &b) { return !(a.key < b.key) && !(b.key < a.key); }

texts shown_modes(const bench_result &result, const std::string &base) {
    texts modes;
    for (const std::string &mode : result.modes)
        if (mode != base)
            modes.push_back(mode);
    return modes;
}

using rows_at = std::vector<const bench_row *>;

std::string cell_of(const rows_at &rows, const std::string &mode) {
    for (const bench_row *row : rows)
        if (row->mode == mode && row->against)
            return ratio_text(*row->against);
    return "-";
}

std::vector<rows_at> grouped(const bench_result &result, const std::string &transport) {
    std::vector<rows_at> groups;
    for (const bench_row &row : result.rows) {
        if (row.key.transport != transport)
            continue;
        if (groups.empty() || !are_together(*groups.back().front(), row))
            groups.emplace_back();
        groups.back().push_back(&row);
    }
    return groups;
}

// ---- what follows from the rows ----

struct size_class {
    const char *name;
    std::int64_t least, most;
};
const size_class classes[] = {{"up to 1 KiB", 0, 1024}, {"to 64 KiB", 1025, 65536}, {"above", 65537, INT64_MAX}};

// The geometric mean over all programs, and over sizes of a class.
std::string mean_cell(const std::vector<rows_at> &groups, const size_class &of, const std::string &mode) {
    std::vector<double> ratios;
    for (const rows_at &rows : groups)
        for (const bench_row *row : rows)
            if (row->mode == mode && row->against && row->key.size >= of.least && row->key.size <= of.most)
                ratios.push_back(row->against->value);
    return ratios.empty() ? "-" : number_text("%.3f", geometric_mean(ratios));
}

void add_means(table &t, const std::vector<rows_at> &groups, const texts &modes) {
    for (const size_class &of : classes) {
        texts cells = {"geometric mean", of.name, ""};
        bool has_any = false;
        for (const std::string &mode : modes) {
            cells.push_back(mean_cell(groups, of, mode));
            has_any = has_any || cells.back() != "-";
        }
        if (has_any)
            t.add(cells);
    }
}

const bench_row *find_mode(const rows_at &rows, const std::string &mode) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const bench_row *r) { return r->mode == mode; });
    return found == rows.end() ? nullptr : *found;
}

// Whether each carrier above MPI costs more than the header at every size up to 64 KiB.
void print_order(const bench_result &result, const std::string &transport) {
    for (const std::string &mode : result.modes) {
        texts cheaper;
        int sizes = 0;
        for (const rows_at &rows : grouped(result, transport)) {
            const bench_row *header = find_mode(rows, "header"), *other = find_mode(rows, mode);
            const bench_key &key = rows.front()->key;
            const bool is_shown = key.program == "latency" && key.size <= 65536;
            if (!is_shown || mode == off_mode || header == other || !header || !other)
                continue;
            ++sizes;
            if (ratio_of_pairs(other->samples_us, header->samples_us).value <= 1)
                cheaper.push_back(size_text(key.size));
        }
        if (sizes > 0)
            std::printf("tare_latency, %d sizes up to 64 KiB: %s is dearer than header %s%s\n", sizes, mode.c_str(),
                        cheaper.empty() ? "at all of them" : "but not at ", joined(cheaper).c_str());
    }
}

void print_transport(const bench_result &result, const std::string &transport) {
    const std::string &base = result.base.at(transport);
    const texts modes = shown_modes(result, base);
    const std::vector<rows_at> groups = grouped(result, transport);
    std::vector<column> columns = {{"program", false, 0, true}, {"size"}, {base + " us"}};
    for (const std::string &mode : modes)
        columns.push_back({mode});
    table t(columns);
    for (const rows_at &rows : groups) {
        const bench_key &key = rows.front()->key;
        texts cells = {"tare_" + key.program, size_text(key.size), number_text("%.3f", rows.front()->median_us)};
        for (const std::string &mode : modes)
            cells.push_back(cell_of(rows, mode));
        t.add(cells);
    }
    add_means(t, groups, modes);
    std::printf("\nOver %s\n", transport.c_str());
    print_left_out_columns(t.print(look_at_stdout()));
    print_order(result, transport);
}

void print_head(const bench_result &result) {
    std::printf("Benchmarks of two ranks, each on a core of its own; before each MPI call %s\n",
                result.declared == "none"    ? "nothing is declared"
                : result.declared == "event" ? "a cost and a time stamp are declared"
                                             : "a cost is declared");
    std::printf("%s\n%d round%s, --seed=%d\n", machine_name().c_str(), result.rounds, result.rounds == 1 ? "" : "s",
                result.seed);
}

void print_foot(const bench_result &result) {
    std::printf("\nus: median of the rounds, each the median of a process's batches; of bandwidth programs the\n"
                "time of a window. Modes: time as a part of %s's, geometric mean of the rounds with its\n"
                "95 %% interval.\n",
                result.base.begin()->second.c_str());
    if (result.rounds == 1)
        std::printf("One round has no interval: take more (--rounds).\n");
    std::printf("%s\n", result.machine.sentence().c_str());
    if (result.busy_blocks > 0)
        std::printf("In %zu of %zu blocks that was more than 2 %%: the machine was not quiet, and the figures hold\n"
                    "that, too.\n", result.busy_blocks, result.blocks);
}

}  // namespace

void print_bench(const bench_result &result) {
    print_head(result);
    if (result.interrupted)
        std::printf("Interrupted: these are the rounds so far, and the blocks of the last one.\n");
    for (const auto &[transport, base] : result.base)
        if (!grouped(result, transport).empty())
            print_transport(result, transport);
    print_foot(result);
    for (const auto &[transport, base] : result.base)
        if (base != base_build) {
            std::printf("There is no unpatched MPICH to compare with over %s: build it by ./quickstart --unpatched.\n",
                        transport.c_str());
            break;
        }
}

void print_bench_list() {
    std::printf("Programs: %s\n", joined(bench_programs()).c_str());
    std::printf("Modes: %s\n", joined(bench_modes()).c_str());
    for (const bench_transport &over : bench_transports())
        std::printf("Transport %s: %s%s\n", over.name.c_str(), over.meaning.c_str(),
                    over.unpatched.empty() ? " (without an unpatched build)" : "");
}

}  // namespace tare::tool
