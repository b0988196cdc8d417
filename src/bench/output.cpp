// SPDX-License-Identifier: BSD-3-Clause
#include "output.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace tare::bench {
namespace {

// OSU's widths: scripts cut its tables by column.
constexpr int size_width = 10;
constexpr int field_width = 18;

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

void print_string(const std::string &text) {
    std::putchar('"');
    for (const char character : text) {
        const unsigned char c = static_cast<unsigned char>(character);
        if (c == '"' || c == '\\')
            std::printf("\\%c", c);
        else if (c < 0x20)
            std::printf("\\u%04x", c);
        else
            std::putchar(c);
    }
    std::putchar('"');
}

void print_member(const char *key, const std::string &value) {
    std::printf(", \"%s\": ", key);
    print_string(value);
}

void print_json_row(const bench_case &bench, const options &wanted, const row &line) {
    std::printf("{\"size\": %d, \"iterations\": %d, \"samples_us\": [", line.size, line.iterations);
    for (std::size_t i = 0; i < line.samples_us.size(); ++i)
        std::printf("%s%.4f", i == 0 ? "" : ", ", line.samples_us[i]);
    std::printf("], \"median_us\": %.4f, \"mad_us\": %.4f, \"p99_us\": %.4f", line.median_us, line.mad_us, line.p99_us);
    for (const column &one : bench.columns)
        if (one.json_key != nullptr)
            std::printf(", \"%s\": %.4f", one.json_key, one.figure(line));
    if (wanted.validates)
        print_member("validation", line.is_right ? "pass" : "fail");
    std::printf("}");
}

// Where there are no sizes the first heading stands behind "# ", and its figure ends below it.
int width_of(const bench_case &bench, const column &one) {
    const bool is_lone = bench.max_bytes == 0 && &one == &bench.columns.front();
    return is_lone ? static_cast<int>(std::strlen(one.heading)) + 2 : one.width;
}

bool is_shown(const column &one, const options &wanted) {
    switch (one.when) {
    case shown::always: return true;
    case shown::with_full: return wanted.full;
    case shown::with_tail: return wanted.has_tail;
    case shown::with_rate: return wanted.has_rate != 0;
    }
    return false;
}

}  // namespace

void print_table_header(const bench_case &bench, const options &wanted, int ranks) {
    std::printf("# Tare %s v%s\n", bench.title.c_str(), TARE_VERSION);
    if (bench.note != nullptr)
        std::printf("%s", bench.note(wanted, ranks).c_str());
    if (bench.max_bytes != 0)
        std::printf("%-*s", size_width, "# Size");
    for (const column &one : bench.columns) {
        if (bench.max_bytes == 0 && &one == &bench.columns.front())
            std::printf("# %s", one.heading);
        else if (is_shown(one, wanted))
            std::printf("%*s", one.width, one.heading);
    }
    if (wanted.validates)
        std::printf("%*s", field_width, "Validation");
    std::printf("\n");
    std::fflush(stdout);
}

void print_table_row(const bench_case &bench, const options &wanted, const row &line) {
    if (bench.max_bytes != 0)
        std::printf("%-*d", size_width, line.size);
    for (const column &one : bench.columns)
        if (is_shown(one, wanted))
            std::printf("%*.*f", width_of(bench, one), one.precision, one.figure(line));
    if (wanted.validates)
        std::printf("%*s", field_width, line.is_right ? "Pass" : "Fail");
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
        print_json_row(bench, wanted, rows[i]);
    }
    std::printf("\n]}\n");
    std::fflush(stdout);
}

}  // namespace tare::bench
