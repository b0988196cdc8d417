// SPDX-License-Identifier: BSD-3-Clause
// Writes the profile of a run that never was, of as many ranks and regions as wished:
//
//   many_regions DIRECTORY RANKS REGIONS SLOWER
//
// Exclusive times fall from region to region and differ from rank to rank; the compensated time of the region
// `kernel_2` is longer by SLOWER per cent. Every region has removed time, every tenth waits and has bounds. Files that
// are the same on many ranks are one file with many names: eight ranks differ, the others are like one of them.
#include "profile.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace fs = std::filesystem;
using namespace tare::profile;

namespace {

constexpr int differing_ranks = 8;

std::string region_name(int i)
{
    char name[96];
    std::snprintf(name, sizeof name, "app::solver<double>::level_%d::kernel_%d(double*, double const*, int)", i % 17, i);
    return i % 10 == 9 ? "MPI_Call_" + std::to_string(i) + "()" : name;
}

row make_row(int i, int rank, int slower)
{
    row r;
    r.region = region_name(i);
    r.group = i % 10 == 9 ? "MPI" : "TAU_USER";
    r.calls = 1000 + i;
    r.excl_comp_ns = 50'000'000 / (i + 1) * (10 + rank % differing_ranks) / 10;
    if (i == 2)
        r.excl_comp_ns += r.excl_comp_ns * slower / 100;
    r.removed_ns = r.calls * 31 + rank % differing_ranks;
    r.excl_ns = r.incl_ns = r.excl_comp_ns + r.removed_ns;
    r.incl_comp_ns = r.lo_ns = r.hi_ns = r.excl_comp_ns;
    if (i % 10 == 9) {
        r.wait_ns = r.wait_excl_ns = r.excl_ns / 2;
        r.wait_comp_ns = r.wait_comp_excl_ns = r.excl_comp_ns / 2;
        r.lo_ns -= 10;
        r.hi_ns += 10;
    }
    return r;
}

void add_to_root(row &root, const row &r)
{
    root.subrs += r.calls;
    root.incl_ns += r.incl_ns;
    root.incl_comp_ns += r.incl_comp_ns;
    root.removed_ns += r.removed_ns;
    root.wait_ns += r.wait_ns;
    root.wait_comp_ns += r.wait_comp_ns;
    root.lo_ns += r.lo_ns;
    root.hi_ns += r.hi_ns;
}

thread make_thread(int rank, int ranks, int regions, int slower)
{
    thread t;
    t.rank = rank;
    t.metadata = {{key::version, "0.1.0"}, {key::run_id, "made up"}, {key::ranks, std::to_string(ranks)},
                  {key::mode, "header"},   {key::rule, "exact"},     {key::host, "nowhere"}};
    row root;
    root.region = root_region;
    root.group = "TAU_DEFAULT";
    root.calls = 1;
    t.rows.push_back(root);
    for (int i = 0; i < regions; i++) {
        t.rows.push_back(make_row(i, rank, slower));
        add_to_root(t.rows.front(), t.rows.back());
    }
    return t;
}

void name_again(const std::string &directory, int rank)
{
    for (const fs::directory_entry &folder : fs::directory_iterator(directory)) {
        const auto file = [&](int of) { return folder.path() / ("profile." + std::to_string(of) + ".0.0"); };
        fs::create_hard_link(file(rank % differing_ranks), file(rank));
    }
}

}  // namespace

int main(int argc, char **argv)
{
    if (argc != 5) {
        std::fprintf(stderr, "usage: many_regions DIRECTORY RANKS REGIONS SLOWER\n");
        return 2;
    }
    const int ranks = std::atoi(argv[2]);
    for (int rank = 0; rank < ranks; rank++) {
        if (rank < differing_ranks)
            write_thread(argv[1], make_thread(rank, ranks, std::atoi(argv[3]), std::atoi(argv[4])));
        else
            name_again(argv[1], rank);
    }
}
