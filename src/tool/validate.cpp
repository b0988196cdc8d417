// SPDX-License-Identifier: BSD-3-Clause
// `tare validate`: runs a program without and with measurement in alternation, and prints how far off the reported
// times are.
#include "validate.hpp"

#include "command.hpp"
#include "json.hpp"
#include "validate_cases.hpp"
#include "runs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <getopt.h>

namespace tare::tool {
namespace {

enum { json_option = 1000, mode_option, keep_option, max_error_option, dry_run_option, second_order_option };

const option long_options[] = {
    {"baseline", required_argument, nullptr, 'b'},
    {"rounds", required_argument, nullptr, 'n'},
    {"mode", required_argument, nullptr, mode_option},
    {"max-error", required_argument, nullptr, max_error_option},
    {"second-order", optional_argument, nullptr, second_order_option},
    {"json", no_argument, nullptr, json_option},
    {"keep", required_argument, nullptr, keep_option},
    {"dry-run", no_argument, nullptr, dry_run_option},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
};

void print_help() {
    std::printf("Usage: tare validate [OPTION]... -- COMMAND [ARGUMENT]...\n"
                "Run COMMAND without measurement and with it, by each rule, in turn; print how far off the reported\n"
                "times are: the run time, and that in MPI_Send, MPI_Recv, MPI_Wait, MPI_Waitall and MPI_Barrier.\n"
                "\n"
                "  -b, --baseline=CMD   the truth is what this command takes, not COMMAND without Tare\n"
                "  -n, --rounds=N       runs of each case, 1 to 999 (default 5)\n"
                "      --mode=MODE      the carrier: header, datatype, message or copy (default: as tare exec\n"
                "                       chooses)\n"
                "      --max-error=P    exit 1 if the exact rule's total is off by more than P per cent\n"
                "      --second-order[=K]  run the exact rule also with each probe executed K times more, 1 to 9\n"
                "                       (default 1), and extrapolate to a probe that is executed no times\n"
                "      --json           print one JSON object, times in ns\n"
                "      --keep=DIR       leave profiles and output of the runs in DIR, which must be new or empty\n"
                "      --dry-run        print the command of each case, and do not run them\n"
                "  -h, --help           print this and exit\n"
                "  -V, --version        print the version and exit\n"
                "\n"
                "COMMAND is what starts the ranks, as in: tare validate -- mpiexec -n 2 ./app\n"
                "'tare exec' goes behind mpiexec's options, or where {} stands in COMMAND or CMD.\n");
}

int set_count(const std::string &option, const std::string &text, int most, int &count) {
    double value = 0;
    if (!read_number(text, 1, most, value) || value != std::floor(value))
        return usage_error("validate", option + "=" + text + " is not a whole number from 1 to " +
                                           std::to_string(most));
    count = static_cast<int>(value);
    return -1;
}

int set_max_error(const std::string &text, validate_wish &wish) {
    double value = 0;
    if (!read_number(text, 0, 1e9, value))
        return usage_error("validate", "--max-error=" + text + " is not a number of per cent from 0 on");
    wish.max_error_pct = value;
    return -1;
}

int set_mode(const std::string &text, validate_wish &wish) {
    const std::array<const char *, 4> known = {"header", "datatype", "message", "copy"};
    if (std::find(known.begin(), known.end(), text) == known.end())
        return usage_error("validate", "--mode=" + text + " is not one of header, datatype, message, copy");
    wish.mode = text;
    return -1;
}

int set_text(const char *option, const std::string &text, std::string &into) {
    into = text;
    return text.empty() ? usage_error("validate", std::string(option) + " needs a value that is not empty") : -1;
}

// Gives back a status where the command line ends the command, else -1.
int read_options(int argc, char **argv, validate_wish &wish) {
    opterr = 0;
    for (int status = -1; status < 0;) {
        const std::string word = optind < argc ? argv[optind] : "";
        const int result = getopt_long(argc, argv, "+:b:n:hV", long_options, nullptr);
        if (result == -1)
            break;
        const std::string value = optarg == nullptr ? "" : optarg;
        switch (result) {
        case 'b': status = set_text("--baseline", value, wish.baseline); break;
        case 'n': status = set_count("--rounds", value, 999, wish.rounds); break;
        case mode_option: status = set_mode(value, wish); break;
        case max_error_option: status = set_max_error(value, wish); break;
        case second_order_option:
            status = set_count("--second-order", optarg == nullptr ? "1" : value, 9, wish.second_order);
            break;
        case json_option: wish.json = true; break;
        case keep_option: status = set_text("--keep", value, wish.keep); break;
        case dry_run_option: wish.dry_run = true; break;
        case 'h': return print_help(), exit_good;
        case 'V': return print_version(), exit_good;
        default: return usage_error("validate", option_error(result, word));
        }
        if (status >= 0)
            return status;
    }
    if (optind >= argc)
        return usage_error("validate", "a command to run is missing: tare validate -- mpiexec -n 2 ./app");
    wish.command.assign(argv + optind, argv + argc);
    return -1;
}

int judge(const validation &result, const validate_wish &wish) {
    if (!wish.max_error_pct)
        return exit_good;
    const validate_row &total = result.total_of(case_exact);
    char text[160];
    std::snprintf(text, sizeof text, "the exact rule's total is off by %.4f %%, more than --max-error=%g",
                  total.error_pct.value_or(INFINITY), *wish.max_error_pct);
    const bool good = total.error_pct && std::fabs(*total.error_pct) <= *wish.max_error_pct;
    return good ? exit_good : fail("validate", exit_failed, text);
}

int validate(const validate_wish &wish, const validate_plan &p) {
    const validation result = run_cases(wish, p);
    if (wish.json)
        std::puts(validate_json(result).c_str());
    else
        print_validation(result);
    std::fflush(stdout);
    return judge(result, wish);
}

}  // namespace

int run_validate(int argc, char **argv) {
    validate_wish wish;
    const int status = read_options(argc, argv, wish);
    if (status >= 0)
        return status;
    validate_plan p;
    const refusal refused = make_plan(wish, p);
    if (refused.status == exit_usage)
        return usage_error("validate", refused.sentence);
    if (refused.status != exit_good)
        return fail("validate", refused.status, refused.sentence);
    if (wish.dry_run)
        return print_plan(p), exit_good;
    try {
        return validate(wish, p);
    } catch (const interrupted &e) {
        return end_by(e.signal);
    } catch (const run_error &e) {
        return fail("validate", exit_failed, e.what());
    }
}

}  // namespace tare::tool
