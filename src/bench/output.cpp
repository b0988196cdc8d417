// SPDX-License-Identifier: BSD-3-Clause
#include "output.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tare::bench {
namespace {

// OSU's widths: scripts cut its tables by column.
constexpr int size_width = 10;
constexpr int field_width = 18;
constexpr int lone_width = 17;  // of the figure where there are no sizes
constexpr int count_width = 12;
constexpr int precision = 2;

const char *environment_or(const char *name, const char *otherwise) {
    const char *value = std::getenv(name);
    return value && *value ? value : otherwise;
}

// The carrier and the rule that this run had: MPI_Init has refused any value that is not allowed, so the two
// words can be printed as they stand.
const char *effective_mode() {
    return environment_or("TARE_MODE", "off");
}

const char *effective_rule() {
    return std::strcmp(effective_mode(), "off") == 0 ? "local" : environment_or("TARE_RULE", "exact");
}

void print_field(double value, int width = field_width) {
    std::printf("%*.*f", width, precision, value);
}

void print_string(const char *text) {
    std::putchar('"');
    for (; *text; ++text) {
        const unsigned char c = static_cast<unsigned char>(*text);
        if (c == '"' || c == '\\')
            std::printf("\\%c", c);
        else if (c < 0x20)
            std::printf("\\u%04x", c);
        else
            std::putchar(c);
    }
    std::putchar('"');
}

void print_member(const char *key, const char *value) {
    std::printf(", \"%s\": ", key);
    print_string(value);
}

void print_json_row(const bench_case &bench, int window, const row &line) {
    std::printf("{\"size\": %d, \"iterations\": %d, \"samples_us\": [", line.size, line.iterations);
    for (std::size_t i = 0; i < line.samples_us.size(); ++i)
        std::printf("%s%.4f", i == 0 ? "" : ", ", line.samples_us[i]);
    std::printf("], \"median_us\": %.4f, \"mad_us\": %.4f", line.median_us, line.mad_us);
    if (bench.json_figure)
        std::printf(", \"%s\": %.4f", bench.json_figure, bench.figure(line.median_us, line, window));
    std::printf("}");
}

}  // namespace

void print_table_header(const bench_case &bench, bool full) {
    std::printf("# Tare %s v%s\n", bench.title, TARE_VERSION);
    if (bench.max_bytes == 0)
        std::printf("# %s", bench.column);
    else
        std::printf("%-*s%*s", size_width, "# Size", field_width, bench.column);
    if (full)
        std::printf("%*s%*s%*s", field_width, bench.full_min, field_width, bench.full_max, count_width, "Iterations");
    std::printf("\n");
    std::fflush(stdout);
}

void print_table_row(const bench_case &bench, const options &wanted, const row &line) {
    const bool has_sizes = bench.max_bytes != 0;
    if (has_sizes)
        std::printf("%-*d", size_width, line.size);
    print_field(bench.figure(line.median_us, line, wanted.window), has_sizes ? field_width : lone_width);
    if (wanted.full) {
        const auto ends = std::minmax_element(line.samples_us.begin(), line.samples_us.end());
        const double first = bench.figure(*ends.first, line, wanted.window);
        const double last = bench.figure(*ends.second, line, wanted.window);
        print_field(std::min(first, last));
        print_field(std::max(first, last));
        std::printf("%*d", count_width, line.iterations);
    }
    std::printf("\n");
    std::fflush(stdout);
}

void print_json(const bench_case &bench, const options &wanted, const std::vector<row> &rows) {
    std::printf("{\"tare\": \"%s\", \"schema\": 1", TARE_VERSION);
    print_member("command", bench.program);
    print_member("mode", effective_mode());
    print_member("rule", effective_rule());
    print_member("declare", name_of(wanted.declared));
    print_member("by_hand", name_of(wanted.by_hand));
    std::printf(", \"rows\": [");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::printf(i == 0 ? "\n  " : ",\n  ");
        print_json_row(bench, wanted.window, rows[i]);
    }
    std::printf("\n]}\n");
    std::fflush(stdout);
}

}  // namespace tare::bench
