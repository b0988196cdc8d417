// SPDX-License-Identifier: BSD-3-Clause
// `tare info`: what is installed, and what the environment selects.
#include "command.hpp"
#include "info.hpp"
#include "json.hpp"
#include "table.hpp"
#include "tare_env.h"

#include <cstdio>
#include <getopt.h>

namespace tare::tool {
namespace {

enum { env_option = 1000, json_option, man_option };

const option long_options[] = {
    {"env", no_argument, nullptr, env_option},
    {"json", no_argument, nullptr, json_option},
    {"man", no_argument, nullptr, man_option},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
};

struct info_options {
    bool env = false;
    bool json = false;
    bool man = false;
};

void print_help() {
    std::printf("Usage: tare info [OPTION]...\n"
                "Say what is installed.\n"
                "\n"
                "      --env      print instead the variables that select what a run does, and their values here\n"
                "      --json     print one JSON object\n"
                "      --man      with --env: print what tare(7) says of each variable, in roff\n"
                "  -h, --help     print this and exit\n"
                "  -V, --version  print the version and exit\n"
                "\n"
                "The exit status is 1 if a variable holds a value that is not allowed.\n");
}

int read_options(int argc, char **argv, info_options &options) {
    opterr = 0;
    for (;;) {
        const std::string word = optind < argc ? argv[optind] : "";
        const int result = getopt_long(argc, argv, "+:hV", long_options, nullptr);
        if (result == -1)
            break;
        switch (result) {
        case env_option: options.env = true; break;
        case json_option: options.json = true; break;
        case man_option: options.man = true; break;
        case 'h': return print_help(), exit_good;
        case 'V': return print_version(), exit_good;
        default: return usage_error("info", option_error(result, word));
        }
    }
    if (optind < argc)
        return usage_error("info", std::string("unexpected argument '") + argv[optind] + "'");
    if (options.man && (!options.env || options.json))
        return usage_error("info", "--man goes with --env and without --json");
    return -1;
}

void print_items(const std::vector<info_item> &items) {
    for (const info_item &item : items)
        std::printf("%-12s %s\n", item.name.c_str(), item.value.c_str());
}

// A paragraph a variable: the meanings are sentences, and columns would not hold them.
void print_variables(const std::vector<variable_item> &items, const screen &where) {
    const char *bold = where.colours ? "\033[1m" : "";
    const char *plain = where.colours ? "\033[0m" : "";
    for (const variable_item &item : items) {
        const std::string value = item.is_set ? " = " + printable(item.value) : " (not set)";
        std::printf("%s%s%s%s\n", bold, item.name.c_str(), plain, value.c_str());
        for (const variable_fact &fact : facts_of(item))
            std::printf("    %s: %s\n", fact.name, fact.value.c_str());
        std::printf("    %s\n", item.meaning.c_str());
    }
}

// Says what is wrong with the environment, and gives back the exit status.
int check_environment() {
    char message[512];
    for (int n = 0; tare_env_warning(n, message, sizeof message); ++n)
        fail("info", exit_good, message);
    tare_settings_t settings;
    return tare_env_read(&settings, message, sizeof message) == 0 ? exit_good : fail("info", exit_failed, message);
}

}  // namespace

int run_info(int argc, char **argv) {
    info_options options;
    const int status = read_options(argc, argv, options);
    if (status >= 0)
        return status;
    if (options.man)
        return std::fputs(variables_roff().c_str(), stdout), exit_good;
    if (options.json)
        std::puts(options.env ? variables_json(variable_items()).c_str() : items_json(installed_items()).c_str());
    else if (options.env)
        print_variables(variable_items(), look_at_stdout());
    else
        print_items(installed_items());
    if (!options.json && !options.env)
        std::printf("\nNext: tare info --env\n");
    std::fflush(stdout);
    return options.env ? check_environment() : exit_good;
}

}  // namespace tare::tool
