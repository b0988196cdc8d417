// SPDX-License-Identifier: BSD-3-Clause
// What `tare bench` runs: programs, transports and modes of this installation.
#include "bench.hpp"

#include "bench_words.hpp"
#include "command.hpp"
#include "installation.hpp"
#include "process.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace tare::tool {
namespace {

namespace fs = std::filesystem;

using texts = std::vector<std::string>;

const std::string install_anew = "install Tare completely, or anew";

bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

// ---- programs ----

// One of each kind: the others go the same ways.
const texts usual_programs = {
    "latency", "latency_persistent", "bw", "bibw", "mbw_mr", "latency_mt", "partitioned_latency",
    "put_latency", "put_bw", "get_latency", "acc_latency", "get_acc_latency", "fop_latency", "cas_latency",
    "barrier", "bcast", "reduce", "allreduce", "allgather", "alltoall", "alltoallv", "scan", "neighbor_alltoall",
    "ibarrier", "ibcast", "iallreduce", "ialltoall", "allreduce_persistent"};
const texts few_programs = {"latency", "bw", "put_latency", "barrier", "allreduce"};

struct effort {
    int small, large;  // iterations
};

effort effort_of(const std::string &program, bool is_network) {
    if (has(program, "bw"))
        return is_network ? effort{40, 8} : effort{200, 20};
    if (program.front() == 'i' || program == "latency_mt" || has(program, "partitioned"))
        return is_network ? effort{200, 20} : effort{1000, 100};
    return is_network ? effort{400, 40} : effort{4000, 200};
}

bool has_sizes(const std::string &program) {
    return !has(program, "barrier") && program != "fop_latency" && program != "cas_latency";
}

bool is_collective(const std::string &program) {
    return !has(program, "latency") && !has(program, "bw") && program != "multi_lat";
}

// All sizes of the one that the plot shows.
texts size_options(const std::string &program, bool quick) {
    if (!has_sizes(program))
        return {};
    if (program == "latency")
        return {"-m", quick ? "8:65536" : "1:1048576", "--growth", quick ? "8" : "2"};
    return {"-m", quick ? "16:4096" : is_collective(program) ? "16:65536" : "16:1048576", "--growth", "16"};
}

std::string per_size(int small, int large) { return std::to_string(small) + ":" + std::to_string(large); }

// ---- transports ----

// Where a module's MPICH is: the stage of a build tree, or the installation.
std::string mpi_folder(const installation &place, const std::string &module, bool is_patched) {
    const std::string separator = place.is_build_tree() ? "-" : "/";
    const std::string base = place.is_build_tree() ? place.lib_dir() + "/../mpich/stage" : place.bin_dir() + "/..";
    const fs::path folder = base + (module == "ucx" ? separator + "ucx" : "") +
                            (is_patched ? "" : separator + "unpatched");
    const fs::path libraries = (folder / "lib").lexically_normal();
    return is_file(libraries / "libmpi.so.12") ? libraries.parent_path().string() : "";
}

const bench_transport known_transports[] = {
    {"shm", "shared memory of a node", {}, "ofi", ""},
    {"tcp", "libfabric, tcp;ofi_rxm", {"MPIR_CVAR_NOLOCAL=1", "FI_PROVIDER=tcp;ofi_rxm"}, "ofi", ""},
    {"ucx-shm", "UCX, posix", {"UCX_TLS=posix,self"}, "ucx", ""},
    {"ucx-tcp", "UCX, tcp", {"UCX_TLS=tcp,self"}, "ucx", ""},
};

texts names_of(const std::vector<bench_transport> &transports) {
    texts names;
    for (const bench_transport &t : transports)
        names.push_back(t.name);
    return names;
}

// ---- what was asked for ----

refusal choose_transports(const bench_wish &wish, bench_plan &plan) {
    const std::vector<bench_transport> there = bench_transports();
    if (there.empty())
        return {exit_failed, no_mpich};
    refusal refused = refuse_unknown("--over", wish.transports, names_of(there));
    for (const bench_transport &t : there)
        if (wish.transports.empty() ? !wish.quick || t.name == there.front().name : contains(wish.transports, t.name))
            plan.transports.push_back(t);
    return refused;
}

refusal choose_programs(const bench_wish &wish, bench_plan &plan) {
    plan.programs = !wish.programs.empty() ? wish.programs : wish.quick ? few_programs : usual_programs;
    if (plan.programs == texts{"all"})
        plan.programs = bench_programs();
    return refuse_unknown("--programs", plan.programs, bench_programs());
}

refusal find_files(bench_plan &plan) {
    const installation place;
    plan.program_dir = place.is_build_tree() ? place.lib_dir() + "/bench" : place.bin_dir();
    plan.libtare = place.library();
    plan.tare_lib_dir = fs::path(plan.libtare).parent_path();
    plan.layer = place.layer("tare");
    for (const std::string &program : plan.programs)
        if (!is_file(plan.program_dir + "/tare_" + program))
            return {exit_failed, plan.program_dir + "/tare_" + program + " is missing: " + install_anew};
    if (plan.libtare.empty() || plan.layer.empty())
        return {exit_failed, "cannot find " + (plan.libtare.empty() ? "libtare.so" : place.layer_place("tare")) +
                                 ": " + install_anew};
    return {};
}

}  // namespace

std::vector<bench_transport> bench_transports() {
    const installation place;
    std::vector<bench_transport> result;
    for (bench_transport t : known_transports) {
        const std::string module = t.mpi;
        t.mpi = mpi_folder(place, module, true);
        t.unpatched = mpi_folder(place, module, false);
        if (!t.mpi.empty())
            result.push_back(t);
    }
    return result;
}

const texts &bench_modes() {
    static const texts modes = {off_mode, "header", "datatype", "message", "copy"};
    return modes;
}

const texts &bench_programs() {
    static const texts programs = [] {
        texts result;
        std::istringstream words(TARE_BENCHMARKS);
        for (std::string word; words >> word;)
            result.push_back(word.substr(word.find('_') + 1));
        return result;
    }();
    return programs;
}

refusal make_bench_plan(const bench_wish &wish, bench_plan &plan) {
    plan.modes = wish.modes.empty() ? bench_modes() : wish.modes;
    plan.declared = wish.declared;
    plan.quick = wish.quick;
    for (const refusal &refused :
         {refuse_unknown("--mode", wish.modes, bench_modes()), refuse_unknown("--declare", {wish.declared},
                                                                              {"none", "event", "overhead"}),
          choose_programs(wish, plan), choose_transports(wish, plan), find_files(plan), refuse_few_cores()})
        if (refused.status != exit_good)
            return refused;
    return {};
}

texts bench_builds(const bench_plan &plan, const bench_transport &over) {
    texts result = {over.unpatched.empty() ? off_mode : base_build};
    for (const std::string &mode : plan.modes)
        if (mode != result.front())
            result.push_back(mode);
    return result;
}

texts bench_command(const bench_plan &plan, const bench_transport &over, const std::string &program,
                    const std::string &build, const std::string &turn) {
    const bool is_patched = build != base_build;
    const bool is_above = is_patched && build != off_mode && build != "header";
    const effort times = effort_of(program, over.name != "shm");
    texts words = {"env", "LD_LIBRARY_PATH=" + (is_patched ? over.mpi : over.unpatched) + "/lib:" + plan.tare_lib_dir,
                   "TARE_MODE=" + (is_patched ? build : off_mode), "TARE_PROFILE=0"};
    words.insert(words.end(), over.settings.begin(), over.settings.end());
    words.insert(words.end(), {over.mpi + "/bin/mpiexec", "-bind-to", "core", "-n", "2"});
    if (is_above)
        words.insert(words.end(), {"env", "LD_PRELOAD=" + plan.layer + ":" + plan.libtare});
    words.insert(words.end(), {plan.program_dir + "/tare_" + program, "--declare", plan.declared, "--json", "--turn",
                               turn, "-i", per_size(times.small, times.large), "-x",
                               per_size(times.small / 10, times.large / 10 + 1)});
    const texts sizes = size_options(program, plan.quick);
    words.insert(words.end(), sizes.begin(), sizes.end());
    return words;
}

}  // namespace tare::tool
