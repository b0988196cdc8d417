// SPDX-License-Identifier: BSD-3-Clause
// The runs of `tare bench --accuracy`. A round is every case of every kernel: kernel by kernel, so that the truth and
// what is compared with it are near in time, and the cases of each in an order of their own.
#include "bench_accuracy.hpp"

#include "bench_words.hpp"
#include "json_in.hpp"
#include "profile.hpp"
#include "runs.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <unistd.h>

namespace tare::tool {
namespace {

struct member {
    const char *name;
    std::int64_t kernel_times::*value;
};
const member members[] = {
    {"total_ns", &kernel_times::total},       {"total_comp_ns", &kernel_times::total_comp},
    {"total_lo_ns", &kernel_times::total_lo}, {"total_hi_ns", &kernel_times::total_hi},
    {"wait_ns", &kernel_times::wait},         {"wait_comp_ns", &kernel_times::wait_comp},
    {"work_ns", &kernel_times::work},         {"overhead_ns", &kernel_times::overhead},
    {"stolen_ns", &kernel_times::stolen},     {"inversions", &kernel_times::inversions},
};

// Rows are in the order of laps, and of ranks in each.
kernel_run read_run(const std::string &path, int ranks) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    kernel_run result;
    const json_value head = parse_json(text.str(), path, "rows", [&](const json_value &row) {
        if (result.laps.empty() || static_cast<int>(result.laps.back().size()) == ranks)
            result.laps.emplace_back();
        result.laps.back().emplace_back();
        for (const member &m : members)
            result.laps.back().back().*m.value = row.integer_at(m.name, path);
    });
    result.result = head.text_at("result", path);
    const json_value *repairable = head.find("repairable");
    result.is_repairable = repairable == nullptr || repairable->integer != 0;
    const bool is_whole = std::all_of(result.laps.begin(), result.laps.end(), [&](const kernel_lap &lap) {
        return static_cast<int>(lap.size()) == ranks &&
               std::all_of(lap.begin(), lap.end(), [](const kernel_times &t) { return t.total > 0; });
    });
    if (result.laps.empty() || !is_whole)
        throw run_error("printed no times of " + std::to_string(ranks) + " ranks");
    return result;
}

// "jacobi, 500 %, header exact"
std::string name_of(const accuracy_kernel &kernel, const accuracy_case &of) {
    if (of.is_truth())
        return kernel.name + " without probes";
    return kernel.name + ", " + std::to_string(of.dilation_pct) + " %, " + of.mode + " " + of.rule;
}

class accuracy_campaign {
  public:
    accuracy_campaign(const accuracy_wish &wish, const accuracy_plan &plan)
        : plan_(plan), terminal_(isatty(STDERR_FILENO)), folder_("") {
        result_.seed = wish.seed ? *wish.seed : static_cast<int>(std::random_device{}() & 0x7fffffff);
        random_.seed(static_cast<unsigned>(result_.seed));
    }

    accuracy_result run() {
        forget_settings();
        const signal_guard guard;
        try {
            while (result_.rounds < plan_.rounds)
                run_round();
        } catch (const interrupted &e) {
            result_.interrupted = e.signal;
        }
        clear_progress();
        for (const accuracy_kernel &kernel : plan_.kernels)
            if (const auto found = runs_.find(kernel.name); found != runs_.end())
                for (const accuracy_row &row : accuracy_rows(kernel.name, plan_.cases, found->second))
                    result_.rows.push_back(row);
        result_.machine = machine_.so_far();
        return result_;
    }

  private:
    void run_round() {
        for (const accuracy_kernel &kernel : plan_.kernels)
            if (!failed_.count(kernel.name))
                try_cases_of(kernel);
        ++result_.rounds;
        if (!terminal_)
            std::fprintf(stderr, "tare bench: round %d of %d done, %.0f s\n", result_.rounds, plan_.rounds,
                         seconds());
    }

    void try_cases_of(const accuracy_kernel &kernel) {
        try {
            const auto cases = run_cases_of(kernel);
            kernel_runs &all = runs_[kernel.name];
            ++all.rounds;
            for (const auto &[of, found] : cases)
                for (const kernel_run &run : found) {
                    all.laps[of].insert(all.laps[of].end(), run.laps.begin(), run.laps.end());
                    all.is_repairable = run.is_repairable;
                }
        } catch (const run_error &e) {
            failed_.insert(kernel.name);
            result_.failures.emplace_back(e.what());
        }
    }

    // The truth, two cases, the truth, two cases, ...: all are compared with it, so what a run of it has by chance, or
    // by the machine's mood, would be in every row of the kernel.
    std::vector<accuracy_case> order_of_round() {
        std::vector<accuracy_case> cases(plan_.cases.begin() + 1, plan_.cases.end()), order;
        std::shuffle(cases.begin(), cases.end(), random_);
        for (const accuracy_case &of : cases) {
            if (order.size() % 3 == 0)
                order.push_back(plan_.cases.front());
            order.push_back(of);
        }
        return order;
    }

    // All or none: a case is compared with the truth of its rounds.
    std::map<accuracy_case, std::vector<kernel_run>> run_cases_of(const accuracy_kernel &kernel) {
        std::map<accuracy_case, std::vector<kernel_run>> found;
        for (const accuracy_case &of : order_of_round()) {
            show_progress(kernel, of);
            const machine_watch watch;
            found[of].push_back(run_one(kernel, of));
            ++result_.runs;
            result_.busy_runs += !watch.so_far().was_quiet();
        }
        return found;
    }

    kernel_run run_one(const accuracy_kernel &kernel, const accuracy_case &of) {
        const std::string path = folder_.path() + "/run";
        std::string wrong = run_to_end(accuracy_command(plan_, kernel, of), path);
        kernel_run found;
        try {
            if (wrong.empty())
                found = read_run(path + ".out", kernel.ranks);
        } catch (const profile::error &) {
            wrong = "printed no JSON";
        } catch (const run_error &e) {
            wrong = e.what();
        }
        const std::vector<std::string> said = last_lines(path + ".err");
        if (!wrong.empty())
            throw run_error(name_of(kernel, of) + ": " + wrong + (said.empty() ? "" : ": " + said.front()));
        refuse_other_result(kernel, of, found);
        return found;
    }

    // Whatever was run first: a wrong result says so by itself, this is one that only differs.
    void refuse_other_result(const accuracy_kernel &kernel, const accuracy_case &of, const kernel_run &found) {
        std::string &expected = results_.emplace(kernel.name, found.result).first->second;
        if (expected != found.result)
            throw run_error(name_of(kernel, of) + ": the result is " + found.result + ", and was " + expected +
                            " in an earlier run");
    }

    double seconds() const { return std::chrono::duration<double>(clock::now() - started_).count(); }

    void show_progress(const accuracy_kernel &kernel, const accuracy_case &of) {
        if (terminal_)
            std::fprintf(stderr, "\r\033[Kround %d of %d, %s, %.0f s", result_.rounds + 1, plan_.rounds,
                         name_of(kernel, of).c_str(), seconds());
    }

    void clear_progress() const {
        if (terminal_)
            std::fputs("\r\033[K", stderr);
    }

    using clock = std::chrono::steady_clock;

    const accuracy_plan &plan_;
    const bool terminal_;
    run_folder folder_;
    std::mt19937 random_;
    clock::time_point started_ = clock::now();
    machine_watch machine_;
    std::set<std::string> failed_;
    std::map<std::string, kernel_runs> runs_;
    std::map<std::string, std::string> results_;
    accuracy_result result_;
};

}  // namespace

accuracy_result run_accuracy(const accuracy_wish &wish, const accuracy_plan &plan) {
    return accuracy_campaign(wish, plan).run();
}

}  // namespace tare::tool
