// SPDX-License-Identifier: BSD-3-Clause
#include "validate_cases.hpp"

#include "command.hpp"
#include "installation.hpp"
#include "preload.hpp"
#include "tare_env.h"
#include "tare_transport.h"
#include "runs.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace tare::tool {
namespace {

// What the measured runs would refuse, before the first baseline has run.
refusal refuse_environment(const validate_wish &wish) {
    tare_settings_t settings;
    char message[512];
    if (tare_env_read(&settings, message, sizeof message) != 0)
        return {exit_failed, message};
    if (wish.mode.empty() && settings.mode_is_set && settings.mode == TARE_MODE_OFF)
        return {exit_failed, "TARE_MODE=off carries nothing, so every rule would be local: unset it, or give "
                             "--mode=header, datatype, message or copy"};
    return {};
}

refusal plan_baseline(const validate_wish &wish, validate_plan &result) {
    std::vector<std::string> words;
    if (!split_words(wish.baseline, words))
        return {exit_usage, "--baseline=" + wish.baseline + ": a quote is not closed"};
    if (words.empty() && !wish.baseline.empty())
        return {exit_usage, "--baseline=" + wish.baseline + " holds no command"};
    return result.baseline.read(words.empty() ? wish.command : words);
}

// The library of the MPI that the baseline loads. A program that is not found from here may be found by the ranks.
refusal plan_preload(validate_plan &result, const installation &place) {
    std::string path;
    program_facts facts;
    if (find_program(result.baseline.program(), path).status == exit_good) {
        refusal refused = refuse_program(path);
        if (refused.status != exit_good)
            return refused;
        facts = look_into(path);
    }
    const std::string family = facts.has_mpi ? facts.mpi.family : "tare";
    const std::string library = place.baseline(family);
    if (library.empty())
        return {exit_failed, "cannot find libtare-baseline.so for the MPI family " + family + " in " +
                             place.lib_dir() + ": install Tare completely, or anew"};
    result.preload = preload_value({library}, std::getenv("LD_PRELOAD"));
    return refuse_names({library});
}

// What the user has set for the measured runs must not slow the baseline.
std::vector<std::string> baseline_command(const validate_plan &p, const std::string &folder) {
    return p.baseline.with({"env", "-u", "TARE_INJECT", "-u", "TARE_TRACE", "TARE_MODE=off", "TARE_PROFILE=0",
                            "LIBTARE_BASELINE_DIR=" + folder, "LD_PRELOAD=" + p.preload});
}

std::vector<std::string> measured_command(const validate_plan &p, validate_case which, const std::string &folder) {
    const char *rule = case_names[which == case_repeated ? case_exact : which];
    std::vector<std::string> words = {"env", "TARE_PROFILE=1", "TARE_PROFILE_FORMAT=tau",
                                      "TARE_PROFILE_DIR=" + folder, std::string("TARE_RULE=") + rule};
    if (!p.mode.empty())
        words.push_back("TARE_MODE=" + p.mode);
    if (p.repeats > 0)
        words.push_back("TARE_REPEAT_PROBES=" + std::to_string(which == case_repeated ? p.repeats : 0));
    words.insert(words.end(), {p.tool, "exec"});
    return p.measured.with(words);
}

std::vector<std::string> command_of(const validate_plan &p, validate_case which, const std::string &folder) {
    return which == case_baseline ? baseline_command(p, folder) : measured_command(p, which, folder);
}

// The cases that are runs, in turn. The two that are extrapolated from follow one another.
std::vector<validate_case> runs_of(const validate_plan &p) {
    std::vector<validate_case> result = {case_baseline, case_local, case_published, case_exact};
    if (p.repeats > 0)
        result.push_back(case_repeated);
    return result;
}

// On stderr: on a terminal what is being done, elsewhere a line a round.
class progress {
  public:
    explicit progress(int rounds) : rounds_(rounds), terminal_(isatty(STDERR_FILENO)) {}
    ~progress() { clear(); }
    progress(const progress &) = delete;
    progress &operator=(const progress &) = delete;

    void begin(int round, const char *what) {
        if (!terminal_)
            return;
        std::fprintf(stderr, "\r\033[Kround %d of %d, %s, %lld s", round, rounds_, what, seconds());
        shown_ = true;
    }

    void end_round(int round) {
        if (!terminal_)
            std::fprintf(stderr, "tare validate: round %d of %d done, %lld s\n", round, rounds_, seconds());
    }

    void clear() {
        if (shown_)
            std::fputs("\r\033[K", stderr);
        shown_ = false;
    }

  private:
    using clock = std::chrono::steady_clock;

    long long seconds() const {
        return std::chrono::duration_cast<std::chrono::seconds>(clock::now() - started_).count();
    }

    int rounds_;
    bool terminal_;
    bool shown_ = false;
    clock::time_point started_ = clock::now();
};

class campaign {
  public:
    campaign(const validate_plan &p, const validate_wish &wish)
        : plan_(p), rounds_(wish.rounds), folder_(wish.keep), progress_(wish.rounds) {}

    // Throws run_error and interrupted.
    void run_all() {
        for (round_ = 1; round_ <= rounds_; ++round_) {
            for (const validate_case which : runs_of(plan_))
                run(which);
            progress_.end_round(round_);
        }
    }

    const observations &runs() const { return runs_; }

  private:
    // "round 2, exact"
    std::string name(validate_case which) const {
        return "round " + std::to_string(round_) + ", " + case_names[which];
    }

    void run(validate_case which) {
        progress_.begin(round_, case_names[which]);
        const std::string folder = folder_.make("round-" + std::to_string(round_) + "-" + case_names[which]);
        const std::vector<std::string> command = command_of(plan_, which, folder);
        const std::string wrong = run_to_end(command, folder + "/output");
        if (!wrong.empty())
            give_up(which, folder, wrong + ": " + shell_line(command));
        try {
            read(which, folder);
        } catch (const std::runtime_error &e) {
            give_up(which, folder, e.what());
        }
    }

    void read(validate_case which, const std::string &folder) {
        if (which == case_baseline)
            return keep(which, read_baseline(folder));
        measured_and_compensated found = read_profile(folder);
        if (which == case_repeated && found.compensated.repeated_probes == 0)
            throw run_error("no probe was repeated: the program enters no function with hooks (tarecc) and no "
                                 "region (tare.h)");
        if (which == case_exact)
            keep(case_instrumented, std::move(found.measured));
        keep(which, std::move(found.compensated));
    }

    void keep(validate_case which, observation &&found) {
        const int first = runs_[case_baseline].empty() ? found.ranks : runs_[case_baseline].front().ranks;
        if (found.ranks != first)
            throw run_error("this run had " + std::to_string(found.ranks) + " ranks, and the first baseline " +
                                 std::to_string(first) + ": all must have the same");
        runs_[which].push_back(std::move(found));
    }

    [[noreturn]] void give_up(validate_case which, const std::string &folder, const std::string &why) {
        progress_.clear();
        for (const std::string &line : last_lines(folder + "/output.err"))
            std::fprintf(stderr, "    | %s\n", line.c_str());
        throw run_error(name(which) + ": " + why);
    }

    const validate_plan &plan_;
    const int rounds_;
    int round_ = 1;
    observations runs_;
    run_folder folder_;
    progress progress_;
};

}  // namespace

refusal make_plan(const validate_wish &wish, validate_plan &result) {
    refusal environment = refuse_environment(wish);
    if (environment.status != exit_good)
        return environment;
    const installation place;
    result.tool = place.bin_dir() + "/tare";
    result.mode = wish.mode;
    result.repeats = wish.second_order;
    refusal refused = result.measured.read(wish.command);
    if (refused.status == exit_good)
        refused = plan_baseline(wish, result);
    if (refused.status == exit_good)
        refused = plan_preload(result, place);
    return refused;
}

void print_plan(const validate_plan &p) {
    for (const validate_case which : runs_of(p))
        std::printf("%s: %s\n", case_names[which], shell_line(command_of(p, which, "DIR")).c_str());
}

validation run_cases(const validate_wish &wish, const validate_plan &plan) {
    const signal_guard guard;
    campaign all(plan, wish);
    all.run_all();
    const observation &exact = all.runs()[case_exact].front();
    validation result = {wish.rounds, exact.ranks, exact.mode, shell_line(wish.command), wish.baseline,
                         make_rows(all.runs(), plan.repeats), {}};
    if (plan.repeats > 0)
        result.growth = find_growth(all.runs(), plan.repeats);
    return result;
}

}  // namespace tare::tool
