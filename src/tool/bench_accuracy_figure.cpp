// SPDX-License-Identifier: BSD-3-Clause
// The figure of `tare bench --accuracy`: how far off the waiting is, by kernel and rule, at the greatest dilation.
#include "bench_accuracy.hpp"

#include "bench_plot.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tare::tool {
namespace {

constexpr int base_width = 400, kernel_width = 90, height = 400;
constexpr double least_shown_pct = 0.1;

struct series {
    std::string mode, rule;
    std::string title() const { return mode == "header" ? rule + " rule" : mode; }
};

std::vector<series> series_of(const accuracy_result &result) {
    std::vector<series> all;
    for (const accuracy_row &row : result.rows) {
        const bool is_known = std::any_of(all.begin(), all.end(), [&](const series &s) {
            return s.mode == row.of.mode && s.rule == row.of.rule;
        });
        if (!is_known)
            all.push_back({row.of.mode, row.of.rule});
    }
    return all;
}

// The bars begin at the bottom of the logarithmic scale, so none is lower than that.
std::string figure_of(const accuracy_result &result, const std::string &kernel, const series &s, int dilation_pct) {
    for (const accuracy_row &row : result.rows)
        if (row.kernel == kernel && row.of.mode == s.mode && row.of.rule == s.rule &&
            row.of.dilation_pct == dilation_pct)
            return std::to_string(std::max(least_shown_pct, std::fabs(row.worst_wait().error_pct)));
    return "?";
}

std::vector<std::string> kernels_of(const accuracy_result &result) {
    std::vector<std::string> names;
    for (const accuracy_row &row : result.rows)
        if (row.is_repairable && (names.empty() || names.back() != row.kernel))
            names.push_back(row.kernel);
    return names;
}

}  // namespace

void plot_accuracy(const accuracy_result &result, const std::string &file) {
    int dilation_pct = 0;
    for (const accuracy_row &row : result.rows)
        dilation_pct = std::max(dilation_pct, row.of.dilation_pct);
    const std::vector<series> all = series_of(result);
    const std::vector<std::string> kernels = kernels_of(result);
    std::ostringstream script;
    script << "$d << EOD\n";
    for (const std::string &kernel : kernels) {
        script << kernel;
        for (const series &s : all)
            script << ' ' << figure_of(result, kernel, s, dilation_pct);
        script << '\n';
    }
    const std::string title = "Error of waiting, probes of " + std::to_string(dilation_pct) + " %";
    script << "EOD\nset title " << plot_text(title) << "\nset ylabel " << plot_text("per cent, worst rank")
           << "\nset logscale y\nset yrange [" << least_shown_pct << ":*]\nset style data histograms\n"
           << "set style histogram clustered gap 1\nset style fill solid 0.9 noborder\n"
           << "set key outside right top\nset xtics scale 0\nplot " << wait_mark_pct
           << " with lines lc rgb '#666666' dt 2 title " << plot_text("mark");
    for (std::size_t i = 0; i < all.size(); ++i)
        script << ", $d using " << i + 2 << ":xtic(1) ls " << i % 7 + 2 << " title " << plot_text(all[i].title());
    write_plot(script.str() + "\n", file, base_width + kernel_width * static_cast<int>(kernels.size()), height);
}

}  // namespace tare::tool
