// SPDX-License-Identifier: BSD-3-Clause
// Nothing gets lost: of random programs (recursion, leaves that do not match, overheads of both signs, waits, pauses,
// threads) every nanosecond of every counter of the core is in the profile, once. Each is played by a process of its
// own (player.cpp) and its profile read back.
//
// What the files cannot hold is known and accounted for: columns are not negative, so a negative exclusive compensated
// time is 0 there and its amount is in the residue; a row's bounds are widened to contain its compensated time.
//
// With call paths of any depth, what the paths of a region have is together what the region has.
//
// The programs are the same in every run; for others, and more of them: RC_PARAMS="max_success=10000".
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "profile.hpp"

namespace {

using tare::profile::row;

struct step {
    char what;
    std::int64_t value;
};

using program = std::vector<step>;

std::ostream &operator<<(std::ostream &out, const step &s)
{
    out << s.what << s.value;
    return s.what == 'o' ? out << '.' << 3000000000u : out;
}

constexpr int regions = 5;

rc::Gen<step> one(char what, std::int64_t least, std::int64_t most)
{
    const auto values = rc::gen::inRange<std::int64_t>(least, most + 1);
    return rc::gen::map(values, [what](std::int64_t v) { return step{what, v}; });
}

rc::Gen<step> any_step(bool may_pause)
{
    return rc::gen::weightedOneOf<step>({{10, one('e', 0, regions - 1)},
                                         {10, one('l', 0, regions - 1)},
                                         {3, one('E', 0, 1)},
                                         {2, one('L', 0, 1)},
                                         {2, one('P', 0, 1)},
                                         {6, one('o', -20000, 60000)},
                                         {4, one('w', 0, 3000)},
                                         {2, one('j', -20000, 100000)},
                                         {2, one('J', -20000, 100000)},
                                         {may_pause ? 2u : 0u, one('p', 0, 1)}});
}

// What the core said of a thread at its end.
struct core_end {
    std::int64_t delay_ns, lo_ns, hi_ns, residue_ns, wait_ns, wait_compensated_ns;
};

struct played {
    std::map<int, core_end> ends;                        // by the number in the program
    std::map<int, tare::profile::thread> profiles;
};

std::string text_of(const program &p)
{
    std::ostringstream text;
    for (const step &s : p)
        text << s << ' ';
    return text.str();
}

std::map<int, core_end> ends_in(std::FILE *output)
{
    std::map<int, core_end> ends;
    int number;
    core_end e;
#define NS " %" SCNd64
    while (std::fscanf(output, "%d" NS NS NS NS NS NS, &number, &e.delay_ns, &e.lo_ns, &e.hi_ns, &e.residue_ns,
                       &e.wait_ns, &e.wait_compensated_ns) == 7)
        ends[number] = e;
    return ends;
}

const row *row_of(const tare::profile::thread &t, const std::string &region)
{
    for (const row &r : t.rows)
        if (r.region == region)
            return &r;
    return nullptr;
}

played play(const std::vector<program> &threads, int callpath_depth = 0)
{
    const std::string folder = "conservation.profile";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    std::string command = "TARE_MODE=header TARE_PROFILE=1 TARE_PROFILE_DIR=" + folder +
                          " TARE_CALLPATH=" + std::to_string(callpath_depth) + " ./player";
    for (const program &p : threads)
        command += " '" + text_of(p) + "'";
    std::FILE *output = popen(command.c_str(), "r");
    played result;
    result.ends = ends_in(output);
    RC_ASSERT(pclose(output) == 0);
    for (const tare::profile::thread &t : tare::profile::read_directory(folder).threads)
        for (std::size_t i = 0; i < threads.size(); i++)
            if (row_of(t, "thread " + std::to_string(i)) != nullptr)
                result.profiles[static_cast<int>(i)] = t;
    std::filesystem::remove_all(folder);
    RC_ASSERT(result.ends.size() == threads.size());
    RC_ASSERT(result.profiles.size() == threads.size());
    return result;
}

std::int64_t sum(const tare::profile::thread &t, std::int64_t row::*member)
{
    std::int64_t total = 0;
    for (const row &r : t.rows)
        total += r.*member;
    return total;
}

void thread_is_conserved(const tare::profile::thread &t, const core_end &end)
{
    const row &root = t.rows.front();
    RC_ASSERT(root.region == tare::profile::root_region);
    RC_ASSERT(root.removed_ns == end.delay_ns);
    RC_ASSERT(root.wait_ns == end.wait_ns);
    RC_ASSERT(root.wait_comp_ns == end.wait_compensated_ns);
    RC_ASSERT(sum(t, &row::excl_ns) == root.incl_ns);
    RC_ASSERT(sum(t, &row::wait_excl_ns) == root.wait_ns);
    RC_ASSERT(sum(t, &row::wait_comp_excl_ns) == root.wait_comp_ns);
    // The residue in the file is the core's and what was cut off of the compensated times.
    const std::int64_t cut_off_ns = sum(t, &row::excl_comp_ns) - root.incl_comp_ns;
    RC_ASSERT(cut_off_ns >= 0);
    RC_ASSERT(sum(t, &row::residue_ns) == end.residue_ns + cut_off_ns);
    RC_ASSERT(end.lo_ns <= end.delay_ns);
    RC_ASSERT(end.delay_ns <= end.hi_ns);
    RC_ASSERT(root.lo_ns <= root.incl_ns - end.hi_ns);
    RC_ASSERT(root.incl_ns - end.lo_ns <= root.hi_ns);
}

// How many threads had what the programs are made to bring about.
struct {
    int residue, cut_off, bounds, negative_delay, waits, paths;
} seen;

void note(const tare::profile::thread &t, const core_end &end)
{
    seen.residue += end.residue_ns != 0;
    seen.cut_off += sum(t, &row::residue_ns) != end.residue_ns;
    seen.bounds += end.lo_ns < end.hi_ns;
    seen.negative_delay += end.delay_ns < 0;
    seen.waits += end.wait_ns != 0;
    seen.paths += t.paths.size() > t.rows.size();
}

void row_is_conserved(const row &r)
{
    RC_ASSERT(r.incl_ns == r.incl_comp_ns + r.removed_ns);
    RC_ASSERT(r.excl_ns >= 0);
    RC_ASSERT(r.excl_ns <= r.incl_ns);
    RC_ASSERT(r.wait_ns >= r.wait_excl_ns);
    RC_ASSERT(r.wait_ns <= r.incl_ns);
    RC_ASSERT(r.lo_ns <= r.incl_comp_ns);
    RC_ASSERT(r.incl_comp_ns <= r.hi_ns);
}

using members = std::vector<std::int64_t>;

// What regions divide among themselves. The compensated time that a column cut off is in the residue.
members parts_of(const row &r)
{
    return {r.calls, r.subrs, r.excl_ns, r.wait_excl_ns, r.wait_comp_excl_ns, r.excl_comp_ns - r.residue_ns};
}

void paths_add_up_to_regions(const tare::profile::thread &t)
{
    std::map<std::string, members> of_paths;
    for (const row &r : t.paths) {
        members &sum = of_paths.try_emplace(tare::profile::last_of_path(r.region), 6).first->second;
        const members parts = parts_of(r);
        std::transform(sum.begin(), sum.end(), parts.begin(), sum.begin(), std::plus<>());
    }
    // The root is its own path.
    for (const row &r : t.rows)
        if (r.region != tare::profile::root_region)
            RC_ASSERT(of_paths[r.region] == parts_of(r));
    RC_ASSERT(of_paths.size() == t.rows.size() - 1);
}

void everything_is_conserved(const std::vector<program> &threads, int callpath_depth = 0)
{
    const played p = play(threads, callpath_depth);
    for (const auto &[number, profile] : p.profiles) {
        thread_is_conserved(profile, p.ends.at(number));
        note(profile, p.ends.at(number));
        for (const row &r : profile.rows)
            row_is_conserved(r);
        for (const row &r : profile.paths)
            row_is_conserved(r);
        RC_ASSERT(profile.paths.empty() == (callpath_depth < 2));
        if (callpath_depth > 1)
            paths_add_up_to_regions(profile);
    }
}

// The regions that a program calls, as a stack says it: a leave ends its region and what was not left inside it.
std::map<std::string, std::int64_t> calls_of(const program &p)
{
    std::map<std::string, std::int64_t> calls{{tare::profile::root_region, 1}, {"thread 0", 1}};
    std::vector<std::pair<std::string, bool>> open{{tare::profile::root_region, true}};
    bool is_paused = false;
    for (const step &s : p) {
        const bool is_mpi = s.what == 'E' || s.what == 'L';
        const std::string name = (is_mpi ? "MPI " : "region ") + std::to_string(s.value);
        if (s.what == 'p')
            is_paused = s.value == 1;
        if (s.what == 'e' || s.what == 'E') {
            open.emplace_back(name, !is_paused);
            if (!is_paused)
                calls[name]++;
        }
        const auto is_it = [&name](const auto &o) { return o.first == name; };
        if ((s.what == 'l' || s.what == 'L') && std::any_of(open.begin(), open.end(), is_it)) {
            while (open.back().first != name)
                open.pop_back();
            open.pop_back();
        }
    }
    return calls;
}

program any_program(bool may_pause)
{
    return *rc::gen::scale(0.6, rc::gen::container<program>(any_step(may_pause)));
}

void one_thread_is_conserved()
{
    everything_is_conserved({any_program(true)});
}

void threads_are_conserved_each_for_itself()
{
    std::vector<program> threads(*rc::gen::inRange<std::size_t>(2, 5));
    std::generate(threads.begin(), threads.end(), [] { return any_program(true); });
    everything_is_conserved(threads);
}

void call_paths_are_conserved_with_any_depth()
{
    std::vector<program> threads(*rc::gen::inRange<std::size_t>(1, 4));
    std::generate(threads.begin(), threads.end(), [] { return any_program(true); });
    everything_is_conserved(threads, *rc::gen::element(2, 3, 4, 10, 1000));
}

void every_call_is_counted_once()
{
    program p = any_program(true);
    // A poll that failed may go on in the next one.
    p.erase(std::remove_if(p.begin(), p.end(), [](const step &s) { return s.what == 'P'; }), p.end());
    const played result = play({p});
    std::map<std::string, std::int64_t> calls;
    for (const row &r : result.profiles.at(0).rows)
        calls[r.region] = r.calls;
    RC_ASSERT(calls == calls_of(p));
}

int number;
bool all_good = true;

void tell(const char *name, bool good)
{
    std::printf("%sok %d - %s\n", good ? "" : "not ", ++number, name);
    std::fflush(stdout);
    all_good = all_good && good;
}

void check(const char *name, void (*property)()) { tell(name, rc::check(name, property)); }

bool programs_bring_about_what_is_tested()
{
    std::printf("# threads with residue: %d, with cut off times: %d, with bounds: %d, with negative delay: %d, with "
                "waits: %d, with more paths than regions: %d\n",
                seen.residue, seen.cut_off, seen.bounds, seen.negative_delay, seen.waits, seen.paths);
    return seen.residue > 0 && seen.cut_off > 0 && seen.bounds > 0 && seen.negative_delay > 0 && seen.waits > 0 &&
           seen.paths > 0;
}

}  // namespace

#define CHECK(property) check(#property, property)

int main()
{
    setenv("RC_PARAMS", "seed=20 max_success=40", 0);
    CHECK(one_thread_is_conserved);
    CHECK(threads_are_conserved_each_for_itself);
    CHECK(call_paths_are_conserved_with_any_depth);
    CHECK(every_call_is_counted_once);
    tell("programs_bring_about_what_is_tested", programs_bring_about_what_is_tested());
    std::printf("1..%d\n", number);
    return all_good ? 0 : 1;
}
