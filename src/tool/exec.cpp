// SPDX-License-Identifier: BSD-3-Clause
// `tare exec`: puts Tare's libraries in front of a program and becomes that program.
//
// Every rank of a job runs this. What is wrong with the job as a whole is said by one of them.
#include "command.hpp"
#include "installation.hpp"
#include "preload.hpp"
#include "program.hpp"
#include "tare_env.h"
#include "tare_env_own.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <getopt.h>
#include <unistd.h>

namespace tare::tool {
namespace {

const option long_options[] = {
    {"dry-run", no_argument, nullptr, 'n'},
    {"family", required_argument, nullptr, 'F'},
    {"help", no_argument, nullptr, 'h'},
    {"threads", no_argument, nullptr, 't'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
};

struct exec_options {
    bool dry_run = false;
    bool threads = false;
    std::string family;
    char **program = nullptr;
};

void print_help() {
    std::printf("Usage: tare exec [OPTION]... PROGRAM [ARGUMENT]...\n"
                "Run PROGRAM with Tare's libraries preloaded, so that it is measured and leaves a profile.\n"
                "\n"
                "  -n, --dry-run      print the variables that PROGRAM would get, and do not run it\n"
                "      --family=NAME  preload the MPI layer of this family (tare, mpich, openmpi) whatever\n"
                "                     MPI library PROGRAM loads\n"
                "  -t, --threads      follow also what the program's threads wait for from each other: POSIX\n"
                "                     threads and GCC's OpenMP\n"
                "  -h, --help         print this and exit\n"
                "  -V, --version      print the version and exit\n"
                "\n"
                "In a parallel job it stands behind mpiexec's options: mpiexec -n 2 tare exec ./app\n"
                "TARE_PROFILE is set to 1 unless it is set already; 'tare info --env' lists every variable.\n"
                "The exit status is PROGRAM's own; 127: PROGRAM not found, 126: not executable, 2: nothing can be\n"
                "preloaded into it, 1: a variable holds a value that is not allowed, or a library is missing.\n");
}

// The number of this process in its job, or on its node, as launchers give it before MPI_Init; 0 outside a job.
const std::vector<const char *> job_ranks = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK",
                                             "SLURM_PROCID"};
const std::vector<const char *> node_ranks = {"MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK",
                                              "MV2_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"};

long number_from(const std::vector<const char *> &names, long otherwise) {
    for (const char *name : names)
        if (const char *text = std::getenv(name))
            return std::atol(text);
    return otherwise;
}

// A launcher may kill the job when the first rank ends badly: those who say nothing leave the other time to speak.
constexpr useconds_t silent_rank_wait_us = 500000;

int fail_if_speaker(bool speaks, const refusal &refused) {
    if (speaks)
        return fail("exec", refused.status, refused.sentence);
    usleep(silent_rank_wait_us);
    return refused.status;
}

// What holds for the whole job is said by its first rank, what a node's files make so by the first rank there.
int fail_in_job(const refusal &refused) {
    return fail_if_speaker(number_from(job_ranks, 0) == 0, refused);
}

int fail_on_node(const refusal &refused) {
    return fail_if_speaker(number_from(node_ranks, number_from(job_ranks, 0)) == 0, refused);
}

std::string joined(const std::vector<std::string> &words) {
    std::string text;
    for (const std::string &word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text;
}

// Gives back a status where the command line ends the command, else -1.
int read_options(int argc, char **argv, exec_options &options) {
    opterr = 0;
    for (;;) {
        const std::string word = optind < argc ? argv[optind] : "";
        const int result = getopt_long(argc, argv, "+:nthV", long_options, nullptr);
        if (result == -1)
            break;
        switch (result) {
        case 'n': options.dry_run = true; break;
        case 'F': options.family = optarg; break;
        case 't': options.threads = true; break;
        case 'h': return print_help(), exit_good;
        case 'V': return print_version(), exit_good;
        default: return usage_error("exec", option_error(result, word));
        }
    }
    const auto &known = all_families();
    if (!options.family.empty() && std::find(known.begin(), known.end(), options.family) == known.end())
        return usage_error("exec", "--family=" + options.family + " is not one of " + joined(known));
    if (optind >= argc)
        return usage_error("exec", "a program to run is missing");
    options.program = argv + optind;
    return -1;
}

// The option that brings the agent into a Java virtual machine, unless the user has given it, with options of its own.
std::vector<std::string> java_options(const preload_plan &plan, char **words) {
    for (char **word = words; *word; ++word)
        if (std::strncmp(*word, "-agent", std::strlen("-agent")) == 0 && std::strstr(*word, "tare-jvmti"))
            return {};
    return plan.java_agent.empty() ? std::vector<std::string>() : std::vector{"-agentpath:" + plan.java_agent};
}

void print_plan(const program_facts &facts, const std::string &preload, const std::vector<std::string> &java) {
    if (facts.has_mpi)
        std::printf("# MPI library: %s (family %s)\n", facts.mpi.path.c_str(), facts.mpi.family.c_str());
    else
        std::printf("# MPI library: none seen\n");
    for (const std::string &option : java)
        std::printf("# option for java: %s\n", option.c_str());
    std::printf("TARE_PROFILE=%s\nLD_PRELOAD=%s\n", std::getenv("TARE_PROFILE"), preload.c_str());
}

// `options` stand before the program's own arguments.
int become(const std::string &path, char **argv, std::vector<std::string> &options) {
    std::vector<char *> words = {argv[0]};
    for (std::string &option : options)
        words.push_back(option.data());
    for (char **word = argv + 1; *word; ++word)
        words.push_back(*word);
    words.push_back(nullptr);
    execv(path.c_str(), words.data());
    if (errno == ENOEXEC)
        return fail("exec", exit_cannot_execute, "'" + path + "' is no program, and no script that begins with #!");
    const std::string hint = errno == ENOENT ? " (the interpreter that it names is missing)" : "";
    return fail("exec", exit_cannot_execute, "cannot start '" + path + "': " + std::strerror(errno) + hint);
}

int run(const exec_options &options) {
    const std::string name = options.program[0];
    std::string path;
    refusal refused = refuse_starter(name);
    if (refused.status == exit_good)
        refused = find_program(name, path);
    if (refused.status == exit_good)
        refused = refuse_program(path);
    if (refused.status != exit_good)
        return fail_on_node(refused);
    setenv("TARE_PROFILE", "1", 0);
    tare_settings_t settings;
    char message[512];
    if (tare_env_read(&settings, message, sizeof message) != 0)
        return fail_in_job({exit_failed, message});
    const program_facts facts = look_into(path);
    const unsigned records = settings.trace != 0 ? tare_env_trace_records() : 0;
    const bool has_heap = (records & TARE_RECORD_HEAP) != 0;
    const bool has_threads = options.threads || (records & TARE_RECORD_THREADS) != 0;
    const preload_plan plan =
        plan_preload(facts, settings, installation(), options.family, {has_threads, has_heap});
    if (plan.refused.status != exit_good)
        return fail_on_node(plan.refused);
    const std::string preload = preload_value(plan.libraries, std::getenv("LD_PRELOAD"));
    std::vector<std::string> java = java_options(plan, options.program);
    if (options.dry_run)
        return print_plan(facts, preload, java), exit_good;
    if (!preload.empty())
        setenv("LD_PRELOAD", preload.c_str(), 1);
    return become(path, options.program, java);
}

}  // namespace

int run_exec(int argc, char **argv) {
    exec_options options;
    const int status = read_options(argc, argv, options);
    return status >= 0 ? status : run(options);
}

}  // namespace tare::tool
