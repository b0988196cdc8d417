// SPDX-License-Identifier: BSD-3-Clause
#include "table.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tare::tool {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t least_flexible = 24;

// Columns on the screen: continuation bytes of UTF-8 take none.
std::size_t shown_width(const std::string &text) {
    return std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; });
}

// "solve(int, double)": "solve()". The brackets that close last; a name without any stays as it is.
std::string without_arguments(const std::string &name) {
    const std::size_t end = name.rfind(')');
    std::size_t begin = end == std::string::npos ? 0 : end;
    for (int open = 1; open > 0 && begin > 0;) {
        --begin;
        open += name[begin] == ')' ? 1 : name[begin] == '(' ? -1 : 0;
    }
    return name[begin] == '(' ? name.substr(0, begin + 1) + name.substr(end) : name;
}

// Regions of one program begin alike, and what tells them apart is the last part of their names.
std::string cut_name(const std::string &text, std::size_t width) {
    std::string name = shown_width(text) <= width ? text : without_arguments(text);
    if (shown_width(name) <= width)
        return name;
    std::size_t begin = name.size();
    for (std::size_t shown = 0; begin > 0 && shown + 3 < width; ++shown)
        do
            --begin;
        while (begin > 0 && (static_cast<unsigned char>(name[begin]) & 0xc0) == 0x80);
    return "..." + name.substr(begin);
}

// The indentation of a tree stays, if there is room.
std::string cut(const std::string &text, std::size_t width) {
    if (shown_width(text) <= width)
        return text;
    const std::size_t indentation = std::min(text.find_first_not_of(' '), width / 2);
    return text.substr(0, indentation) + cut_name(text.substr(indentation), width - indentation);
}

std::string padded(const std::string &text, std::size_t width, bool right) {
    const std::string space(width - std::min(width, shown_width(text)), ' ');
    return right ? space + text : text + space;
}

}  // namespace

screen look_at_stdout() {
    screen result;
    result.terminal = isatty(STDOUT_FILENO);
    if (!result.terminal)
        return result;
    winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        result.width = size.ws_col;
    const char *kind = std::getenv("TERM");
    const char *refused = std::getenv("NO_COLOR");
    result.colours = kind && std::strcmp(kind, "dumb") != 0 && !(refused && *refused);
    return result;
}

std::string printable(const std::string &text) {
    std::string result = text;
    for (char &c : result)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            c = '?';
    return result;
}

void print_left_out_columns(const std::vector<std::string> &headings) {
    if (headings.empty())
        return;
    std::printf("No room for:");
    for (const std::string &heading : headings)
        std::printf(" %s", heading.c_str());
    std::printf(" (use a wider terminal, a pipe, or --json)\n");
}

std::vector<std::size_t> table::widths() const {
    std::vector<std::size_t> result;
    for (const column &c : columns_)
        result.push_back(shown_width(c.heading));
    for (const auto &row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i)
            result[i] = std::max(result[i], shown_width(row[i]));
    return result;
}

// The columns that fit side by side into `limit` (0: all do), if those that may be cut are cut to the least.
table::indices table::fitting(const std::vector<std::size_t> &widths, std::size_t limit) const {
    indices kept(columns_.size());
    std::iota(kept.begin(), kept.end(), 0);
    const auto needed = [&] {
        std::size_t sum = 0;
        for (const std::size_t i : kept)
            sum += gap + (columns_[i].flexible ? std::min(widths[i], least_flexible) : widths[i]);
        return sum - gap;
    };
    while (limit > 0 && needed() > limit) {
        const auto heaviest = std::max_element(kept.begin(), kept.end(), [&](std::size_t a, std::size_t b) {
            return columns_[a].weight < columns_[b].weight;
        });
        if (columns_[*heaviest].weight == 0)
            break;
        kept.erase(heaviest);
    }
    return kept;
}

// What is too wide for `limit` goes off the flexible columns, down to their least.
void table::shrink(std::vector<std::size_t> &widths, const indices &kept, std::size_t limit) const {
    std::size_t sum = gap * (kept.size() - 1);
    for (const std::size_t i : kept)
        sum += widths[i];
    for (const std::size_t i : kept) {
        if (!columns_[i].flexible || sum <= limit)
            continue;
        const std::size_t least = std::min(widths[i], least_flexible);
        const std::size_t less = std::max(least, widths[i] - std::min(widths[i], sum - limit));
        sum -= widths[i] - less;
        widths[i] = less;
    }
}

std::vector<std::string> table::headings() const {
    std::vector<std::string> words;
    for (const column &c : columns_)
        words.push_back(c.heading);
    return words;
}

void table::print_row(const std::vector<std::string> &cells, const indices &kept,
                      const std::vector<std::size_t> &widths, bool bold) const {
    std::string line;
    for (const std::size_t i : kept) {
        line.append(i == kept[0] ? 0 : gap, ' ');
        line += padded(cut(cells[i], widths[i]), widths[i], columns_[i].right);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    std::printf("%s%s%s\n", bold ? "\033[1m" : "", line.c_str(), bold ? "\033[0m" : "");
}

std::vector<std::string> table::print(const screen &where) const {
    std::vector<std::size_t> width = widths();
    const std::size_t limit = where.width > 0 ? where.width : 0;
    const indices kept = fitting(width, limit);
    if (limit > 0)
        shrink(width, kept, limit);
    print_row(headings(), kept, width, where.colours);
    for (const auto &row : rows_)
        print_row(row, kept, width, false);
    std::vector<std::string> left_out;
    for (std::size_t i = 0; i < columns_.size(); ++i)
        if (std::find(kept.begin(), kept.end(), i) == kept.end())
            left_out.push_back(columns_[i].heading);
    return left_out;
}

}  // namespace tare::tool
