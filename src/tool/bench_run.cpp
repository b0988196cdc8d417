// SPDX-License-Identifier: BSD-3-Clause
// The runs of `tare bench`. A block is one program on one transport: its builds are there at the same time and measure
// in turn, a batch each. A round is all blocks, in an order of its own.
#include "bench.hpp"

#include "bench_words.hpp"
#include "command.hpp"
#include "json_in.hpp"
#include "profile.hpp"
#include "runs.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <unistd.h>

namespace tare::tool {
namespace {

constexpr int least_rounds = 3;  // of those that time allows: fewer say nothing of chance

struct place {
    const bench_transport *over;
    std::string program;

    std::string name() const { return over->name + ", tare_" + program; }
};

// A build's median by size, as the program has printed it.
using figures = std::map<std::int64_t, double>;

figures read_figures(const std::string &path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    figures result;
    parse_json(text.str(), path, "rows", [&](const json_value &row) {
        result[row.integer_at("size", path)] = row.number_at("median_us", path);
    });
    return result;
}

// A batch can be shorter than the last digit that programs print.
bool are_usable(const figures &found) {
    return !found.empty() && std::all_of(found.begin(), found.end(), [](const auto &f) { return f.second > 0; });
}

// Who has waited in vain for another run names it (src/bench/turns.cpp).
std::size_t who_failed(const std::vector<std::string> &said, std::size_t number, std::size_t builds) {
    const std::string words = " has waited a minute for run ";
    for (const std::string &line : said)
        if (const std::size_t at = line.find(words); at != std::string::npos)
            if (const std::size_t awaited = std::strtoul(line.c_str() + at + words.size(), nullptr, 10); awaited < builds)
                return awaited;
    return number;
}

class stopwatch {
  public:
    double seconds() const { return std::chrono::duration<double>(clock::now() - started_).count(); }

  private:
    using clock = std::chrono::steady_clock;
    clock::time_point started_ = clock::now();
};

class bench_campaign {
  public:
    bench_campaign(const bench_wish &wish, const bench_plan &plan)
        : plan_(plan), rounds_(wish.rounds), limit_s_(60 * wish.minutes), terminal_(isatty(STDERR_FILENO)) {
        result_.declared = plan.declared;
        result_.seed = wish.seed ? *wish.seed : static_cast<int>(std::random_device{}() & 0x7fffffff);
        random_.seed(static_cast<unsigned>(result_.seed));
        for (const bench_transport &over : plan.transports)
            for (const std::string &program : plan.programs)
                places_.push_back({&over, program});
    }

    bench_result run() {
        forget_settings();
        const signal_guard guard;
        try {
            while (wants_another_round())
                run_round();
        } catch (const interrupted &e) {
            result_.interrupted = e.signal;
        }
        clear_progress();
        return finish();
    }

  private:
    bool wants_another_round() const {
        const int done = result_.rounds;
        if (rounds_ != 0)
            return done < rounds_;
        return done < least_rounds || watch_.seconds() * (done + 1) / done <= limit_s_;
    }

    void run_round() {
        std::vector<place> order = places_;
        std::shuffle(order.begin(), order.end(), random_);
        for (std::size_t i = 0; i < order.size(); ++i) {
            show_progress(i + 1, order[i]);
            run_block(order[i]);
        }
        ++result_.rounds;
        if (!terminal_)
            std::fprintf(stderr, "tare bench: round %d done, %.0f s\n", result_.rounds, watch_.seconds());
    }

    // Again without a build that has failed, until the others have gone through.
    void run_block(const place &at) {
        for (;;) {
            std::vector<std::string> builds = builds_of(at);
            if (builds.size() < 2)
                return;
            std::shuffle(builds.begin(), builds.end(), random_);
            const machine_watch watch;
            const bool is_done = try_block(at, builds);
            ++result_.blocks;
            result_.busy_blocks += !watch.so_far().was_quiet();
            if (is_done)
                return;
        }
    }

    std::vector<std::string> builds_of(const place &at) const {
        std::vector<std::string> result = bench_builds(plan_, *at.over);
        if (failed_.count({at.name(), result.front()}))
            return {};
        const auto has_failed = [&](const std::string &build) { return failed_.count({at.name(), build}) > 0; };
        result.erase(std::remove_if(result.begin(), result.end(), has_failed), result.end());
        return result;
    }

    bool try_block(const place &at, const std::vector<std::string> &builds) {
        const run_folder folder("");
        std::vector<std::vector<std::string>> commands;
        std::vector<std::string> paths;
        for (std::size_t i = 0; i < builds.size(); ++i) {
            const std::string turn = folder.path() + "/turn:" + std::to_string(i) + ":" + std::to_string(builds.size());
            commands.push_back(bench_command(plan_, *at.over, at.program, builds[i], turn));
            paths.push_back(folder.path() + "/" + builds[i]);
        }
        const std::vector<std::string> wrong = run_together(commands, paths);
        std::vector<figures> found(builds.size());
        bool is_good = true;
        for (std::size_t i = 0; i < builds.size(); ++i)
            is_good = take(at, builds, i, paths[i], wrong[i], found[i]) && is_good;
        for (std::size_t i = 0; is_good && i < builds.size(); ++i)
            for (const auto &[size, us] : found[i])
                samples_[{at.over->name, at.program, size}][builds[i]].push_back(us);
        return is_good;
    }

    // Reads what a build has found, or notes why there is nothing.
    bool take(const place &at, const std::vector<std::string> &builds, std::size_t number, const std::string &path,
              const std::string &wrong, figures &found) {
        if (wrong == ended_with_others)
            return false;
        std::string why = wrong;
        try {
            if (why.empty())
                found = read_figures(path + ".out");
            if (why.empty() && !are_usable(found))
                why = "printed no times";
        } catch (const profile::error &) {
            why = "printed no JSON";
        }
        if (why.empty())
            return true;
        const std::vector<std::string> said = last_lines(path + ".err");
        const std::string &build = builds[who_failed(said, number, builds.size())];
        failed_.insert({at.name(), build});
        result_.failures.push_back(at.name() + ", " + build + ": " + why +
                                   (said.empty() ? "" : ": " + said.front()));
        return false;
    }

    bench_result finish() {
        for (const bench_transport &over : plan_.transports)
            result_.base[over.name] = bench_builds(plan_, over).front();
        for (const place &at : places_)
            for (const auto &[key, by_build] : samples_)
                if (key.transport == at.over->name && key.program == at.program)
                    add_rows(key, by_build);
        result_.modes = plan_.modes;
        result_.machine = machine_.so_far();
        return result_;
    }

    void add_rows(const bench_key &key, const std::map<std::string, std::vector<double>> &by_build) {
        const std::string &base = result_.base[key.transport];
        std::vector<std::string> order = {base};
        for (const std::string &mode : plan_.modes)
            if (mode != base)
                order.push_back(mode);
        for (const std::string &build : order) {
            const auto samples = by_build.find(build);
            if (samples == by_build.end())
                continue;
            bench_row row{key, build, samples->second, median_of(samples->second), deviation_of(samples->second), {}};
            if (build != base)
                row.against = ratio_of_pairs(samples->second, by_build.at(base));
            result_.rows.push_back(row);
        }
    }

    void show_progress(std::size_t block, const place &at) {
        if (!terminal_)
            return;
        std::fprintf(stderr, "\r\033[Kround %d, block %zu of %zu (%s), %.0f s", result_.rounds + 1, block,
                     places_.size(), at.name().c_str(), watch_.seconds());
    }

    void clear_progress() const {
        if (terminal_)
            std::fputs("\r\033[K", stderr);
    }

    const bench_plan &plan_;
    const int rounds_;
    const double limit_s_;
    const bool terminal_;
    std::vector<place> places_;
    std::mt19937 random_;
    stopwatch watch_;
    machine_watch machine_;
    std::set<std::pair<std::string, std::string>> failed_;  // place, build
    std::map<bench_key, std::map<std::string, std::vector<double>>> samples_;
    bench_result result_;
};

}  // namespace

bench_result run_bench_plan(const bench_wish &wish, const bench_plan &plan) {
    return bench_campaign(wish, plan).run();
}

}  // namespace tare::tool
