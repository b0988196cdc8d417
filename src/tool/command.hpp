// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of `tare`, their exit statuses, and what they share in talking to the user.
//
// Conventions: argv[0] of a subcommand is its own name. --help and --version go to stdout and give 0. Whatever is
// wrong is one sentence on stderr.
#ifndef TARE_TOOL_COMMAND_HPP
#define TARE_TOOL_COMMAND_HPP

#include <optional>
#include <string>
#include <vector>

namespace tare::tool {

constexpr int exit_good = 0;
constexpr int exit_failed = 1;
constexpr int exit_usage = 2;
constexpr int exit_cannot_execute = 126;  // as shells do
constexpr int exit_not_found = 127;

int run_exec(int argc, char **argv);
int run_report(int argc, char **argv);
int run_info(int argc, char **argv);
int run_validate(int argc, char **argv);
int run_compare(int argc, char **argv);
int run_convert(int argc, char **argv);
int run_bench(int argc, char **argv);
int run_trace(int argc, char **argv);
int run_waits(int argc, char **argv);
int run_comms(int argc, char **argv);

void print_version();

// "tare COMMAND: SENTENCE" on stderr; gives back `status`. An empty command stands for `tare` itself.
int fail(const std::string &command, int status, const std::string &sentence);

// The same with where to look for help, and exit_usage.
void say_usage_error(const std::string &command, const std::string &sentence);
inline int usage_error(const std::string &command, const std::string &sentence) {
    say_usage_error(command, sentence);
    return exit_usage;
}

// The known word that is most like `word`, or nothing if none is near.
std::string nearest(const std::string &word, const std::vector<std::string> &known);

// "a, b, c"
std::string joined(const std::vector<std::string> &words);

// The values of options: digits, not so many that they could overflow an int; or any number from least to most.
std::optional<int> whole_number(const std::string &text);
bool read_number(const std::string &text, double least, double most, double &value);

// Takes the value of `name`, an option of this command. Gives back a status where it is refused, else -1.
int set_number(const char *command, const char *name, const std::string &text, std::optional<int> &value);
int set_region(const char *command, const std::string &text, std::string &region);

// What getopt_long has just refused: "unknown option -x", "option --rank needs a value". `word` is argv[optind] as it
// was before the call. Call with opterr = 0 and short options that begin with ':' (or "+:").
std::string option_error(int result, const std::string &word);

}  // namespace tare::tool

#endif
