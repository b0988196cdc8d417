// SPDX-License-Identifier: BSD-3-Clause
// What the subcommands of `tare trace` share: the module that knows OTF2, and how they read an archive.
#ifndef TARE_TOOL_TRACE_HPP
#define TARE_TOOL_TRACE_HPP

#include "command.hpp"
#include "trace_module.h"

#include <getopt.h>
#include <string>
#include <vector>

namespace tare::tool {

constexpr const char *default_trace = "tare-trace";

// nullptr: this Tare was built without OTF2, which has been said then. `command` is who says it.
const tare_trace_module_t *find_trace_module(const char *command = "trace");

void trace_remark(const std::string &sentence, const char *command = "trace");

// Takes the option that getopt_long has found, which is none of -h and -V. Gives back a status where it is refused, else
// -1.
using take_trace_option = int (*)(int option, void *wish);

// What stands behind `tare trace ACTION`: options, and a path, default_trace if there is none. Gives back a status where
// that ends the command, else -1. Short options begin with "+:hV".
struct trace_arguments {
    const char *short_options;
    const option *long_options;
    void (*print_help)();
    take_trace_option take;
    const char *command = "trace";
};
int read_trace_arguments(int argc, char **argv, const trace_arguments &arguments, void *wish, std::string &path);
// The same with as many paths as there are.
int read_trace_arguments(int argc, char **argv, const trace_arguments &arguments, void *wish,
                         std::vector<std::string> &paths);

// argv[0] is the action.
int run_trace_chrome(int argc, char **argv);
int run_trace_cut(int argc, char **argv);
int run_trace_match(int argc, char **argv);
int run_trace_merge(int argc, char **argv);
int run_trace_print(int argc, char **argv);
int run_trace_show(int argc, char **argv);
int run_trace_stats(int argc, char **argv);

}  // namespace tare::tool

#endif
