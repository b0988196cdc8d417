// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include "command.hpp"
#include "elf.hpp"
#include "process.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace tare::tool {
namespace {

// Programs that start ranks: measured themselves they would show nothing, and pass the libraries on to their helpers.
const char *const starters[] = {"mpiexec", "mpirun", "srun", "prun", "orterun", "prterun", "aprun", "jsrun", "ibrun"};

refusal why_not_executable(const std::string &path) {
    if (is_directory(path))
        return {exit_cannot_execute, "'" + path + "' is a directory: name a program in it"};
    return {exit_cannot_execute, "'" + path + "' is not executable: " + std::strerror(errno)};
}

bool can_run(const std::string &path) {
    return access(path.c_str(), X_OK) == 0 && is_file(path);
}

// Looks along PATH. A file that is there and cannot be run is remembered, as shells do.
refusal search_path(const std::string &name, std::string &path) {
    const char *folders = std::getenv("PATH");
    std::istringstream stream(folders ? folders : "/usr/bin:/bin");
    refusal result{exit_not_found, "'" + name + "' is in no folder of PATH: for a program here write ./" + name};
    for (std::string folder; std::getline(stream, folder, ':');) {
        const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
        if (can_run(candidate)) {
            path = candidate;
            return {};
        }
        if (result.status == exit_not_found && is_file(candidate))
            result = {exit_cannot_execute, "'" + candidate + "' is not executable: " + std::strerror(EACCES)};
    }
    return result;
}

// The loader drops preloaded libraries for programs that run with another identity than their caller's.
const char *privilege(const std::string &path) {
    struct stat status;
    if (stat(path.c_str(), &status) != 0)
        return nullptr;
    if (status.st_mode & S_ISUID)
        return "set-uid";
    if ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP))
        return "set-gid";
    return getxattr(path.c_str(), "security.capability", nullptr, 0) > 0 ? "given capabilities" : nullptr;
}

// The files in a listing of the loader: "\tlibm.so.6 => /lib/libm.so.6 (0x...)" or "\t/lib/ld.so (0x...)". A relative
// path comes of a relative one in LD_LIBRARY_PATH; what has no path is not a file.
std::vector<std::string> paths_in(const std::string &listing) {
    std::vector<std::string> paths;
    for (const std::string &line : lines_of(listing)) {
        const std::size_t arrow = line.find("=> ");
        const std::size_t begin = arrow == std::string::npos ? line.find_first_not_of('\t') : arrow + 3;
        const std::size_t end = line.rfind(" (0x");
        if (begin == std::string::npos || end == std::string::npos || begin >= end)
            continue;
        const std::string path = line.substr(begin, end - begin);
        if (path.find('/') != std::string::npos)
            paths.push_back(path);
    }
    return paths;
}

// Whose libmpi it is says the library itself: the file's name is the same for several.
void look_at_mpi(const std::string &path, const elf_file &file, program_facts &facts) {
    if (facts.has_mpi || base_name(path).rfind("libmpi", 0) != 0 || !file.exports("PMPI_Init"))
        return;
    facts.has_mpi = true;
    facts.mpi.path = path;
    facts.mpi.carries_header = file.exports("tare_transport_v1");
    const bool open_mpi = file.exports("ompi_mpi_comm_world");
    facts.mpi.family = facts.mpi.carries_header ? "tare" : open_mpi ? "openmpi" : "mpich";
}

// The other programs of a JDK have the same library, and take no options of the virtual machine's.
bool is_java(const std::string &path, const elf_file &program) {
    std::error_code error;
    return program.imports("JLI_Launch") && std::filesystem::canonical(path, error).filename() == "java";
}

}  // namespace

std::string base_name(const std::string &path) {
    return path.substr(path.rfind('/') + 1);
}

// mpiexec, and with what distributions put behind: mpiexec.hydra, mpirun.openmpi, mpiexec_mpt.
bool starts_ranks(const std::string &name) {
    const std::string base = base_name(name);
    return std::any_of(std::begin(starters), std::end(starters), [&](const std::string &starter) {
        return base.rfind(starter, 0) == 0 && (base.size() == starter.size() || strchr("._-", base[starter.size()]));
    });
}

refusal refuse_starter(const std::string &name) {
    if (!starts_ranks(name))
        return {};
    return {exit_usage, "'" + name + "' starts the ranks and is not what is to be measured: put 'tare exec' behind"
                        " its options, as in " + base_name(name) + " -n 2 tare exec ./app"};
}

refusal find_program(const std::string &name, std::string &path) {
    if (name.empty())
        return {exit_not_found, "the program's name is empty"};
    if (name.find('/') == std::string::npos)
        return search_path(name, path);
    path = name;
    if (can_run(name))
        return {};
    struct stat status;
    if (stat(name.c_str(), &status) != 0)
        return {exit_not_found, "cannot find '" + name + "': " + std::strerror(errno)};
    errno = EACCES;
    return why_not_executable(name);
}

refusal refuse_program(const std::string &path) {
    const elf_file file(path);
    if (file.kind() == file_kind::foreign_elf)
        return {exit_usage, "'" + path + "' is built for another machine or word size than Tare's libraries"};
    if (const char *what = privilege(path))
        return {exit_usage, "'" + path + "' is " + what + ", and the loader preloads nothing into such a program:"
                            " run a copy without that"};
    if (file.kind() == file_kind::elf && file.interpreter().empty())
        return {exit_usage, "'" + path + "' is linked statically, and nothing can be preloaded into it:"
                            " link it dynamically"};
    return {};
}

program_facts look_into(const std::string &path) {
    program_facts facts;
    const elf_file program(path);
    if (program.kind() != file_kind::elf)
        return facts;
    // By a link, as it mostly is called, its libraries are not found.
    facts.runs_java = is_java(path, program);
    const auto listing = output_of({program.interpreter(), "--list", path});
    if (!listing)
        return facts;
    facts.known = true;
    facts.wants_probe = program.imports("__cyg_profile_func_enter");
    for (const std::string &library : paths_in(*listing)) {
        const elf_file file(library);
        facts.wants_probe = facts.wants_probe || file.imports("__cyg_profile_func_enter");
        look_at_mpi(library, file, facts);
    }
    return facts;
}

}  // namespace tare::tool
