// SPDX-License-Identifier: BSD-3-Clause
// Runs one kernel: laps, each with its steps inside the clock, the check of the result, what each rank found.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "output.hpp"
#include "part.hpp"

namespace tare::kernels {
namespace {

constexpr int exit_failed = 1;
constexpr int exit_bad_usage = 2;

bool everywhere(bool here) {
    int all = here;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all != 0;
}

int fail(int rank, int status, const std::string &sentence) {
    if (rank == 0)
        std::fprintf(stderr, "tare_kernel: %s\n", sentence.c_str());
    return status;
}

std::string refuse(const options &wanted, int ranks) {
    if (!wanted.error.empty())
        return wanted.error + " (see --help)";
    if (ranks < 2)
        return std::string(wanted.kind->name) + " needs at least 2 ranks: start it by mpiexec -n 2";
    if (wanted.probed >= ranks)
        return "--rank " + std::to_string(wanted.probed) + ": there are ranks 0 to " + std::to_string(ranks - 1);
    const std::int64_t least = std::int64_t{wanted.kind->least_size} * ranks;
    if (wanted.size < least)
        return "--size " + std::to_string(wanted.size) + ": " + wanted.kind->name + " on " + std::to_string(ranks) +
               " ranks needs at least " + std::to_string(least);
    return {};
}

std::vector<outcome> run_laps(process &self, kernel &job, int steps, int laps) {
    std::vector<outcome> all;
    self.warm_up();
    for (int lap = 0; lap < laps; ++lap) {
        self.meet();
        self.begin();
        for (int i = 0; i < steps / laps; ++i)
            job.step(self, lap * (steps / laps) + i);
        all.push_back(self.end());
    }
    return all;
}

finding gather(const process &self, const std::vector<outcome> &mine, std::uint64_t hash) {
    finding all;
    std::vector<std::uint64_t> hashes(self.ranks);
    for (const outcome &lap : mine) {
        all.laps.emplace_back(self.ranks);
        MPI_Gather(&lap, sizeof lap, MPI_BYTE, all.laps.back().data(), sizeof lap, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    MPI_Gather(&hash, 1, MPI_UINT64_T, hashes.data(), 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    for (const std::uint64_t one : hashes)
        all.hash = joined(all.hash, one);
    return all;
}

int run(const options &wanted, int rank) {
    tool_calls tool;
    const std::string load_error = wanted.dilation_pct == 0 ? "" : load_tool(tool);
    if (!everywhere(load_error.empty()))
        return fail(rank, exit_failed, load_error.empty() ? "another rank could not load libtare" : load_error);
    process self({wanted.dilation_of(rank), !wanted.own_clock}, tool);
    const std::unique_ptr<kernel> job = wanted.kind->make(self, wanted.size);
    const std::vector<outcome> mine = run_laps(self, *job, wanted.steps, wanted.laps);
    const verdict result = job->check(self, wanted.steps);
    const bool is_right = everywhere(result.is_right);
    const finding all = gather(self, mine, result.hash);
    if (!is_right)
        return fail(rank, exit_failed, std::string(wanted.kind->name) + ": the result is wrong");
    if (rank == 0)
        (wanted.json ? print_json : print_table)(wanted, all);
    return EXIT_SUCCESS;
}

// --help and its like are answered without MPI, so a launcher's word for the rank keeps them from being repeated.
bool is_first_process() {
    for (const char *name : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"}) {
        const char *rank = std::getenv(name);
        if (rank)
            return std::strcmp(rank, "0") == 0;
    }
    return true;
}

int answer(request what) {
    if (!is_first_process())
        return EXIT_SUCCESS;
    if (what == request::help)
        print_help();
    else if (what == request::list)
        print_list();
    else
        std::printf("tare_kernel (Tare) %s\n", TARE_VERSION);
    return EXIT_SUCCESS;
}

int start(const options &wanted) {
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const std::string refused = refuse(wanted, ranks);
    return refused.empty() ? run(wanted, rank) : fail(rank, exit_bad_usage, refused);
}

}  // namespace
}  // namespace tare::kernels

int main(int argc, char **argv) {
    using namespace tare::kernels;
    const options wanted = parse_options(argc, argv);
    if (wanted.error.empty() && wanted.what != request::run)
        return answer(wanted.what);
    MPI_Init(&argc, &argv);
    const int status = start(wanted);
    MPI_Finalize();
    return status;
}
