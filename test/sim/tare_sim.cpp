// SPDX-License-Identifier: BSD-3-Clause
// Runs scenarios and prints what each estimator makes of them, beside what is expected.
#include <getopt.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "row.hpp"

#ifndef TARE_VERSION
#error "TARE_VERSION comes from the Makefile"
#endif
#ifndef TARE_SIM_SCENARIOS
#error "TARE_SIM_SCENARIOS is the folder of the scenario files"
#endif

namespace {

const char help[] =
    "Usage: tare_sim [OPTION]... [FILE]...\n"
    "Simulates message passing programs with and without instrumentation, and prints the signed error in percent of\n"
    "the measured run time and of each estimator of the uninstrumented run time. FILE holds scenarios; without any,\n"
    "those of Tare's own tests are run. Column 'worst' is the largest relative error that the exact rule makes in\n"
    "any process's end time, for any seed.\n"
    "\n"
    "  -s, --scenario NAME  only this scenario; may be repeated\n"
    "  -l, --list           names and titles of the scenarios, nothing is run\n"
    "  -p, --per-process    instead of the table a line per scenario: error of the run time, and in parentheses the\n"
    "                       mean absolute error of the processes' end times\n"
    "  -h, --help           this text\n"
    "  -V, --version        the version\n"
    "\n"
    "Exit status: 0 all as expected, 1 some errors are not as expected, 2 bad input.\n";

struct choice {
    std::vector<std::string> names;
    std::vector<std::string> files;
    bool list = false;
    bool per_process = false;
};

[[noreturn]] void give_up(const std::string& sentence)
{
    std::fprintf(stderr, "tare_sim: %s\n", sentence.c_str());
    std::exit(2);
}

choice parse_options(int argc, char** argv)
{
    static const option options[] = {
        {"scenario", required_argument, nullptr, 's'}, {"list", no_argument, nullptr, 'l'},
        {"per-process", no_argument, nullptr, 'p'},    {"help", no_argument, nullptr, 'h'},
        {"version", no_argument, nullptr, 'V'},        {nullptr, 0, nullptr, 0},
    };
    choice c;
    for (int key; (key = getopt_long(argc, argv, "s:lphV", options, nullptr)) != -1;) {
        switch (key) {
        case 's': c.names.push_back(optarg); break;
        case 'l': c.list = true; break;
        case 'p': c.per_process = true; break;
        case 'h': std::fputs(help, stdout); std::exit(0);
        case 'V': std::puts("tare_sim (Tare) " TARE_VERSION); std::exit(0);
        default: std::fputs("Try 'tare_sim --help'.\n", stderr); std::exit(2);
        }
    }
    c.files.assign(argv + optind, argv + argc);
    if (c.files.empty()) {
        for (const char* name : {"model", "rendezvous", "scale"})
            c.files.push_back(std::string(TARE_SIM_SCENARIOS "/") + name + ".scenario");
    }
    return c;
}

std::vector<sim::scenario> read_all(const choice& c)
{
    std::vector<sim::scenario> all;
    for (const std::string& file : c.files) {
        for (sim::scenario& s : sim::read_scenarios(file))
            all.push_back(std::move(s));
    }
    if (c.names.empty())
        return all;
    std::vector<sim::scenario> chosen;
    for (const std::string& name : c.names) {
        const std::size_t before = chosen.size();
        for (const sim::scenario& s : all) {
            if (s.name == name)
                chosen.push_back(s);
        }
        if (chosen.size() == before)
            give_up("there is no scenario '" + name + "'; 'tare_sim --list' names all");
    }
    return chosen;
}

// -0.00 is no news.
double shown(double percent) { return percent > -0.005 && percent <= 0 ? 0 : percent; }

void print_head()
{
    std::printf("signed error of the run time in percent\n%-40s %10s", "case", "measured");
    for (std::size_t e = 0; e < sim::table_columns; ++e)
        std::printf(" %10s", sim::estimators[e].name);
    std::printf(" %10s %10s\n", "inversions", "worst");
}

void print_cell(const sim::scenario& s, std::size_t column)
{
    for (const sim::expectation& x : s.expected) {
        if (x.column == column) {
            std::printf(" %+10.2f", shown(x.percent));
            return;
        }
    }
    std::printf(" %10s", ".");
}

void print_row(const sim::scenario& s, const sim::row& r)
{
    std::printf("%-40s %+10.2f", s.title.c_str(), shown(r.measured.run_time));
    for (std::size_t e = 0; e < sim::table_columns; ++e)
        std::printf(" %+10.2f", shown(r.estimated[e].run_time));
    std::printf(" %10lld %10.1e\n%-40s", static_cast<long long>(r.inversions.count), r.worst_exact, "    expected");
    print_cell(s, sim::measured_column);
    for (std::size_t e = 0; e < sim::table_columns; ++e)
        print_cell(s, e);
    std::printf(" %10s\n", !s.inversions ? "." : *s.inversions ? "some" : "none");
}

void print_per_process(const sim::scenario& s, const sim::row& r)
{
    std::printf("%-34smeasured %+7.2f%% (%.2f)", s.title.c_str(), shown(r.measured.run_time), r.measured.per_process);
    for (std::size_t e = 0; e < sim::table_columns; ++e)
        std::printf(" %s %+7.2f%% (%.2f)", sim::estimators[e].name, shown(r.estimated[e].run_time),
                    r.estimated[e].per_process);
    std::printf("\n");
}

bool run_and_print(const sim::scenario& s, bool per_process)
{
    const sim::row r = sim::run_scenario(s);
    if (per_process)
        print_per_process(s, r);
    else
        print_row(s, r);
    std::fflush(stdout);
    const std::string wrong = sim::deviations(s, r);
    if (!wrong.empty())
        std::fprintf(stderr, "tare_sim: scenario '%s' is not as expected:\n%s", s.name.c_str(), wrong.c_str());
    return wrong.empty();
}

int run(const choice& c)
{
    const std::vector<sim::scenario> all = read_all(c);
    if (!c.list && !c.per_process)
        print_head();
    std::size_t wrong = 0;
    for (const sim::scenario& s : all) {
        if (c.list)
            std::printf("%-40s %s\n", s.name.c_str(), s.title.c_str());
        else
            wrong += !run_and_print(s, c.per_process);
    }
    if (!c.list && !c.per_process)
        std::printf("%zu scenarios as expected, %zu not\n", all.size() - wrong, wrong);
    return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        return run(parse_options(argc, argv));
    } catch (const std::exception& e) {
        give_up(e.what());
    }
}
