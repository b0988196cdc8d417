// SPDX-License-Identifier: BSD-3-Clause
#include "bench_plot.hpp"

#include "beside.hpp"
#include "profile.hpp"
#include "runs.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace tare::tool {
namespace {

namespace fs = std::filesystem;

bool ends_with(const std::string &text, const std::string &end) {
    return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// The colours of Okabe and Ito, which differ for people who do not see all colours, too; on a ground of their own, so
// that the plot can be read on a dark page.
std::string head(const std::string &file, int width, int height) {
    const std::string size = std::to_string(width) + "," + std::to_string(height);
    std::string text = ends_with(file, ".svg")
                           ? "set terminal svg size " + size + " font 'sans-serif,13' background '#ffffff'\n"
                           : "set terminal pngcairo size " + size + " font 'sans,11' background '#ffffff'\n";
    text += "set output " + plot_text(file) + "\n"
            "set encoding utf8\nset border 3\nset tics nomirror\nset grid ytics lc rgb '#dddddd'\n";
    const char *const colours[] = {"#000000", "#0072B2", "#D55E00", "#009E73",
                                   "#CC79A7", "#E69F00", "#56B4E9", "#999999"};
    for (std::size_t i = 0; i < std::size(colours); ++i) {
        const std::string number = std::to_string(i + 1);
        text += "set style line " + number + " lw 2 pt " + std::to_string(i + 4) + " ps 0.7 lc rgb '" + colours[i] +
                "'\n";
    }
    return text;
}

std::string target_of(const std::string &file) {
    try {
        return link_target(file);
    } catch (const profile::error &e) {
        throw run_error(e.what());
    }
}

// gnuplot would follow any link, and let everybody read.
void put_in_place(const std::string &drawn, const std::string &file) {
    const std::string target = target_of(file);
    std::string beside;
    std::FILE *out = open_beside(target, beside);
    std::stringstream text;
    text << std::ifstream(drawn, std::ios::binary).rdbuf();
    const bool is_written = out && std::fwrite(text.str().data(), 1, text.str().size(), out) == text.str().size();
    const bool is_closed = out && std::fclose(out) == 0;
    if (is_written && is_closed && std::rename(beside.c_str(), target.c_str()) == 0)
        return;
    const int reason = errno;
    unlink(beside.c_str());
    throw run_error("cannot write " + file + ": " + std::strerror(reason));
}

bool is_there(const std::string &program) {
    const run_folder folder("");
    return run_to_end({program, "--version"}, folder.path() + "/out").empty();
}

}  // namespace

std::string plot_file_error(const std::string &file) {
    if (!ends_with(file, ".svg") && !ends_with(file, ".png"))
        return "the name of a plot ends in .svg or .png";
    const fs::path folder = fs::absolute(file).parent_path();
    if (!fs::is_directory(folder))
        return folder.string() + " is no folder";
    return is_there("gnuplot") ? "" : "gnuplot, which draws it, is missing: install the package gnuplot-nox";
}

void write_plot(const std::string &script, const std::string &file, int width, int height) {
    const run_folder folder("");
    const std::string path = folder.path() + "/plot";
    const std::string drawn = folder.path() + "/drawn" + fs::path(file).extension().string();
    std::ofstream(path) << head(drawn, width, height) << script;
    const std::string wrong = run_to_end({"gnuplot", path}, folder.path() + "/out");
    if (wrong.empty() && fs::is_regular_file(drawn))
        return put_in_place(drawn, file);
    std::string said;
    for (const std::string &line : last_lines(folder.path() + "/out.err"))
        said += (said.empty() ? ": " : " ") + line;
    throw run_error("cannot draw " + file + ": gnuplot " + (wrong.empty() ? "wrote nothing" : wrong) + said);
}

std::string plot_text(const std::string &text) {
    std::string result = "'";
    for (const char c : text)
        result += c == '\'' ? std::string("''") : std::string(1, c);
    return result + "'";
}

}  // namespace tare::tool
