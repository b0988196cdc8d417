// SPDX-License-Identifier: BSD-3-Clause
#include "bench_words.hpp"

#include "bench_machine.hpp"
#include "bench_plot.hpp"
#include "command.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <unistd.h>

namespace tare::tool {

bool contains(const std::vector<std::string> &list, const std::string &word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

std::vector<std::string> split_at_commas(const std::string &text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; std::getline(stream, word, ',');)
        words.push_back(word);
    return words;
}

int set_list(const char *option, const std::string &text, std::vector<std::string> &list) {
    list = split_at_commas(text);
    return list.empty() ? usage_error("bench", std::string(option) + " needs words with commas between them") : -1;
}

int set_whole(const char *option, const std::string &text, double least, double most, int &number) {
    double value = 0;
    if (!read_number(text, least, most, value) || value != std::floor(value)) {
        char range[80];
        std::snprintf(range, sizeof range, " is not a whole number from %.0f to %.0f", least, most);
        return usage_error("bench", option + ("=" + text) + range);
    }
    number = static_cast<int>(value);
    return -1;
}

int set_seed(const std::string &text, std::optional<int> &seed) {
    seed = 0;
    return set_whole("--seed", text, 0, 2147483647, *seed);
}

int set_plot(const std::string &file, std::string &plot) {
    const std::string wrong = plot_file_error(file);
    plot = file;
    return wrong.empty() ? -1 : usage_error("bench", "--plot=" + file + ": " + wrong);
}

refusal refuse_unknown(const char *option, const std::vector<std::string> &wished,
                       const std::vector<std::string> &known) {
    for (const std::string &word : wished)
        if (!contains(known, word))
            return {exit_usage, std::string(option) + "=" + word + " is not one of " + joined(known)};
    return {};
}

refusal refuse_few_cores() {
    const int cores = usable_cores();
    if (cores >= 2)
        return {};
    return {exit_failed, "two ranks need two cores, and this process may use " + std::to_string(cores)};
}

void forget_settings() {
    std::vector<std::string> names;
    for (char **variable = environ; *variable; ++variable) {
        const std::string name = std::string(*variable).substr(0, std::string(*variable).find('='));
        for (const char *begin : {"TARE_", "MPIR_CVAR_", "FI_", "UCX_"})
            if (name.rfind(begin, 0) == 0)
                names.push_back(name);
    }
    for (const std::string &name : names)
        unsetenv(name.c_str());
}

}  // namespace tare::tool
