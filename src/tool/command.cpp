// SPDX-License-Identifier: BSD-3-Clause
#include "command.hpp"

#include "table.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <getopt.h>
#include <numeric>

namespace tare::tool {
namespace {

std::string full_name(const std::string &command) {
    return command.empty() ? "tare" : "tare " + command;
}

// Levenshtein's distance: letters put in, left out or replaced.
std::size_t distance(const std::string &a, const std::string &b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

}  // namespace

void print_version() {
    std::printf("tare (Tare) %s\n"
                "Licence: BSD-3-Clause. There is no warranty.\n",
                TARE_VERSION);
}

int fail(const std::string &command, int status, const std::string &sentence) {
    std::fprintf(stderr, "%s: %s\n", full_name(command).c_str(), printable(sentence).c_str());
    return status;
}

void say_usage_error(const std::string &command, const std::string &sentence) {
    fail(command, exit_usage, sentence + " (see '" + full_name(command) + " --help')");
}

std::string nearest(const std::string &word, const std::vector<std::string> &known) {
    std::string best;
    std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (const std::string &candidate : known) {
        const std::size_t d = distance(word, candidate);
        if (d < least && d < candidate.size()) {
            least = d;
            best = candidate;
        }
    }
    return best;
}

std::string joined(const std::vector<std::string> &words) {
    std::string text;
    for (const std::string &word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text;
}

std::optional<int> whole_number(const std::string &text) {
    constexpr std::size_t most_digits = 9;
    const bool is_whole = !text.empty() && text.size() <= most_digits &&
                          std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
    return is_whole ? std::optional<int>(std::stoi(text)) : std::nullopt;
}

bool read_number(const std::string &text, double least, double most, double &value) {
    char *end = nullptr;
    value = std::strtod(text.c_str(), &end);
    return !text.empty() && *end == '\0' && std::isfinite(value) && value >= least && value <= most;
}

int set_number(const char *command, const char *name, const std::string &text, std::optional<int> &value) {
    value = whole_number(text);
    return value ? -1 : usage_error(command, std::string(name) + "=" + text + " is not a whole number from 0 on");
}

int set_region(const char *command, const std::string &text, std::string &region) {
    region = text;
    return text.empty() ? usage_error(command, "--region needs the name of a region") : -1;
}

std::string option_error(int result, const std::string &word) {
    const bool is_long = word.rfind("--", 0) == 0;
    const std::string letter = {'-', static_cast<char>(optopt)};
    const std::string name = is_long || optopt == 0 ? word.substr(0, word.find('=')) : letter;
    if (result == ':')
        return "option " + name + " needs a value";
    if (is_long && optopt != 0)
        return "option " + name + " takes no value";
    return "unknown option " + name;
}

}  // namespace tare::tool
