// SPDX-License-Identifier: BSD-3-Clause
// Plots, drawn by gnuplot.
#ifndef TARE_TOOL_BENCH_PLOT_HPP
#define TARE_TOOL_BENCH_PLOT_HPP

#include <string>

namespace tare::tool {

// Why no plot can be written to this file, in one sentence, before anything is measured; or nothing.
std::string plot_file_error(const std::string &file);

// Draws what the script says into the file, .svg or .png. The script sets no terminal and no output; it finds the
// line styles 1 to 8, in colours that can be told apart by everybody. `width` and `height` in pixels. Throws run_error.
void write_plot(const std::string &script, const std::string &file, int width, int height);

// A text in quotes for a script.
std::string plot_text(const std::string &text);

}  // namespace tare::tool

#endif
