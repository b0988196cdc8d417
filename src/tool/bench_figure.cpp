// SPDX-License-Identifier: BSD-3-Clause
// The figure of `tare bench`: what each mode adds to the latency, by size.
#include "bench.hpp"

#include "bench_plot.hpp"

#include <set>
#include <sstream>

namespace tare::tool {
namespace {

constexpr std::int64_t largest_shown = 65536;  // above, what the memory does hides everything
constexpr int panel_width = 640, panel_height = 400;

// Named data "$d0": size, nanoseconds more, lo, hi.
bool write_data(const bench_result &result, const std::string &transport, const std::string &mode, int number,
                std::ostream &script) {
    const double ns_of_us = 1000;
    bool has_any = false;
    double base_us = 0;
    std::ostringstream lines;
    for (const bench_row &row : result.rows) {
        if (row.key.transport != transport || row.key.program != "latency" || row.key.size > largest_shown)
            continue;
        if (!row.against)
            base_us = row.median_us;
        if (row.mode != mode || !row.against)
            continue;
        const ratio &r = *row.against;
        lines << row.key.size << ' ' << ns_of_us * base_us * (r.value - 1) << ' '
              << ns_of_us * base_us * (r.lo.value_or(r.value) - 1) << ' '
              << ns_of_us * base_us * (r.hi.value_or(r.value) - 1) << '\n';
        has_any = true;
    }
    if (has_any)
        script << "$d" << number << " << EOD\n" << lines.str() << "EOD\n";
    return has_any;
}

std::string panel(const bench_result &result, const std::string &transport, int &number) {
    std::ostringstream data, plot;
    int style = 1;
    for (const std::string &mode : result.modes) {
        if (mode != result.base.at(transport) && write_data(result, transport, mode, number, data)) {
            plot << (plot.str().empty() ? "plot " : ", ") << "$d" << number << " using 1:2:3:4 with yerrorlines ls "
                 << style << " title " << plot_text(mode);
            ++number;
        }
        ++style;
    }
    if (plot.str().empty())
        return "";
    return data.str() + "set title " + plot_text("Over " + transport) + "\nset ylabel " +
           plot_text("ns more than " + result.base.at(transport)) + "\n" + plot.str() + "\n";
}

}  // namespace

void plot_bench(const bench_result &result, const std::string &file) {
    std::string panels;
    int count = 0, number = 0;
    for (const auto &[transport, base] : result.base) {
        const std::string added = panel(result, transport, number);
        panels += added;
        count += !added.empty();
    }
    const int columns = count > 1 ? 2 : 1, lines = (count + columns - 1) / columns;
    const std::string script =
        "set logscale x 2\nset xlabel 'message, bytes'\nset key left top\nset yrange [*:*]\n"
        "set multiplot layout " + std::to_string(lines) + "," + std::to_string(columns) +
        " title 'Latency that a carrier adds, one way'\n" + panels + "unset multiplot\n";
    write_plot(script, file, panel_width * columns, panel_height * lines);
}

}  // namespace tare::tool
