// SPDX-License-Identifier: BSD-3-Clause
// The program that `tare exec` is asked to run: where it is, whether a library can be preloaded into it, and which
// MPI it loads.
#ifndef TARE_TOOL_PROGRAM_HPP
#define TARE_TOOL_PROGRAM_HPP

#include <string>
#include <vector>

namespace tare::tool {

struct refusal {
    int status = 0;  // 0: none
    std::string sentence;
};

std::string base_name(const std::string &path);

// mpiexec and its like, by name.
bool starts_ranks(const std::string &name);

// mpiexec and its like are not what is to be measured (exit_usage).
refusal refuse_starter(const std::string &name);

// Finds `name` as execvp would. Fills `path`, or says why not (exit_not_found, exit_cannot_execute).
refusal find_program(const std::string &name, std::string &path);

// Why nothing can be preloaded into this program (exit_usage), if so.
refusal refuse_program(const std::string &path);

struct mpi_library {
    std::string path;
    std::string family;  // of all_families()
    bool carries_header = false;
};

struct program_facts {
    bool known = false;          // a native ELF program whose libraries the loader has listed
    bool wants_probe = false;    // compiled with -finstrument-functions, or a library of it is
    bool runs_java = false;      // the launcher of a Java virtual machine
    bool has_mpi = false;
    mpi_library mpi;
};

program_facts look_into(const std::string &path);

}  // namespace tare::tool

#endif
