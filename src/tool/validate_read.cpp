// SPDX-License-Identifier: BSD-3-Clause
// The figures of one run, from the files that it has left.
#include "validate.hpp"

#include "figures.hpp"
#include "profile.hpp"
#include "runs.hpp"

#include <charconv>
#include <fstream>
#include <sstream>

namespace tare::tool {
namespace {

namespace key = profile::key;

std::string baseline_file(const std::string &folder, int rank) {
    return folder + "/baseline." + std::to_string(rank);
}

std::int64_t to_number(const std::string &text, const std::string &where) {
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size())
        throw run_error(where + ": '" + text + "' is not a number of ns");
    return value;
}

figure plain_figure(std::int64_t ns) {
    return {ns, ns, ns, 0};
}

figure &figure_of(observation &run, const std::string &region, int rank) {
    auto &figures = run.regions[region];
    figures.resize(run.ranks);
    return figures[rank];
}

// "NAME CALLS NS"
void read_line(const std::string &line, int rank, const std::string &path, observation &into) {
    std::istringstream words(line);
    std::string name, calls, ns;
    if (!(words >> name >> calls >> ns))
        throw run_error(path + ": '" + line + "' is not a name, a number of calls and a time");
    figure_of(into, name, rank) = plain_figure(to_number(ns, path));
}

// The first line gives the number of ranks.
void read_baseline_rank(const std::string &folder, int rank, observation &into) {
    const std::string path = baseline_file(folder, rank);
    std::ifstream file(path);
    std::string line, tool, what;
    int ranks = 0;
    if (!std::getline(file, line))
        throw run_error("rank " + std::to_string(rank) + " has left no time: the program must run from MPI_Init "
                             "to MPI_Finalize, and be one into which libraries can be preloaded");
    if (!(std::istringstream(line) >> tool >> what >> ranks) || what != "baseline" || rank >= ranks)
        throw run_error(path + ": '" + line + "' is not the first line of a baseline");
    into.ranks = ranks;
    while (std::getline(file, line))
        read_line(line, rank, path, into);
}

// The program's own time is in the metadata, which all threads of a rank have the same.
void take_total(const profile::thread &t, const std::string &folder, measured_and_compensated &into) {
    if (t.attribute(key::total).empty())
        throw run_error("rank " + std::to_string(t.rank) + " has measured no time between MPI_Init and "
                             "MPI_Finalize: the program must call both");
    const auto value = [&](const char *name) { return to_number(t.attribute(name), folder + ": " + name); };
    figure_of(into.measured, total_region, t.rank) = plain_figure(value(key::total));
    figure_of(into.compensated, total_region, t.rank) = {value(key::total_compensated), value(key::total_lo),
                                                         value(key::total_hi), value(key::total_residue)};
}

// Threads of a rank are summed up, as in the baseline.
void add_row(const profile::row &r, int rank, measured_and_compensated &into) {
    figure &m = figure_of(into.measured, r.region, rank);
    figure &c = figure_of(into.compensated, r.region, rank);
    m.ns += r.incl_ns;
    m.lo_ns = m.hi_ns = m.ns;
    c.ns += r.incl_comp_ns;
    c.lo_ns = plus(c.lo_ns, r.lo_ns);
    c.hi_ns = plus(c.hi_ns, r.hi_ns);
    c.residue_ns += r.residue_ns;
}

void check_ranks(const profile::run &run) {
    std::vector<bool> seen(run.ranks(), false);
    for (const profile::thread &t : run.threads) {
        if (t.rank >= run.ranks())
            throw run_error("rank " + std::to_string(t.rank) + " has left a profile, and is one too many");
        seen[t.rank] = true;
    }
    for (int rank = 0; rank < run.ranks(); ++rank)
        if (!seen[rank])
            throw run_error("rank " + std::to_string(rank) + " has left no profile");
}

}  // namespace

observation read_baseline(const std::string &folder) {
    observation result;
    result.ranks = 1;
    for (int rank = 0; rank < result.ranks; ++rank)
        read_baseline_rank(folder, rank, result);
    return result;
}

measured_and_compensated read_profile(const std::string &folder) {
    const profile::run run = profile::read_directory(folder);
    check_ranks(run);
    measured_and_compensated result;
    result.measured.ranks = result.compensated.ranks = run.ranks();
    result.measured.mode = result.compensated.mode = run.attribute(key::mode);
    for (const profile::thread &t : run.threads) {
        take_total(t, folder, result);
        for (const profile::row &r : t.rows) {
            if (r.group == "MPI")
                add_row(r, t.rank, result);
            if (r.region == profile::repeated_region)
                result.compensated.repeated_probes += r.calls;
        }
    }
    return result;
}

}  // namespace tare::tool
