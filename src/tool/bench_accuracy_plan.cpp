// SPDX-License-Identifier: BSD-3-Clause
// What `tare bench --accuracy` runs: kernels of this installation, dilations, modes and rules.
#include "bench_accuracy.hpp"

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

const texts known_modes = {"header", "datatype", "message", "copy"};
const texts known_rules = {"exact", "published", "local"};

refusal find_files(accuracy_plan &plan) {
    const installation place;
    const std::vector<bench_transport> there = bench_transports();
    if (there.empty())
        return {exit_failed, no_mpich};
    plan.over = there.front();
    plan.program = (place.is_build_tree() ? place.lib_dir() + "/kernels" : place.bin_dir()) + "/tare_kernel";
    plan.libtare = place.library();
    plan.layer = place.layer("tare");
    plan.libraries = plan.over.mpi + "/lib:" + fs::path(plan.libtare).parent_path().string();
    if (!is_file(plan.program))
        return {exit_failed, plan.program + " is missing: install Tare completely, or anew"};
    if (plan.libtare.empty() || plan.layer.empty())
        return {exit_failed, "cannot find " + (plan.libtare.empty() ? "libtare.so" : place.layer_place("tare")) +
                                 ": install Tare completely, or anew"};
    return {};
}

// Those that the program has: a row each, below a heading, with the name and the ranks in it.
refusal read_kernels(const accuracy_plan &plan, std::vector<accuracy_kernel> &known) {
    const auto list = output_of({"/usr/bin/env", "LD_LIBRARY_PATH=" + plan.libraries, plan.program, "--list"});
    const texts lines = list ? lines_of(*list) : texts();
    for (std::size_t i = 1; i < lines.size(); ++i) {
        std::istringstream words(lines[i]);
        accuracy_kernel kernel;
        int size = 0, steps = 0;
        if (words >> kernel.name >> size >> steps >> kernel.ranks)
            known.push_back(kernel);
    }
    return known.empty() ? refusal{exit_failed, plan.program + " --list names no kernel"} : refusal{};
}

refusal choose_kernels(const accuracy_wish &wish, accuracy_plan &plan) {
    std::vector<accuracy_kernel> known;
    refusal refused = read_kernels(plan, known);
    texts names;
    for (const accuracy_kernel &kernel : known) {
        names.push_back(kernel.name);
        if (wish.kernels.empty() || contains(wish.kernels, kernel.name))
            plan.kernels.push_back(kernel);
    }
    return refused.status != exit_good ? refused : refuse_unknown("--kernel", wish.kernels, names);
}

void choose_cases(const accuracy_wish &wish, accuracy_plan &plan) {
    const texts modes = !wish.modes.empty() ? wish.modes : wish.quick ? texts{"header"} : known_modes;
    const texts rules = wish.rules.empty() ? known_rules : wish.rules;
    std::vector<int> dilations = wish.dilations;
    if (dilations.empty())
        dilations = wish.quick ? std::vector<int>{500} : std::vector<int>{20, 100, 500};
    std::sort(dilations.begin(), dilations.end());
    dilations.erase(std::unique(dilations.begin(), dilations.end()), dilations.end());
    plan.cases = {accuracy_case()};
    for (const int dilation_pct : dilations)
        for (const std::string &mode : known_modes)
            for (const std::string &rule : known_rules)
                if (contains(modes, mode) && contains(rules, rule) && (mode == "header" || rule == "exact"))
                    plan.cases.push_back({dilation_pct, mode, rule});
}

}  // namespace

refusal make_accuracy_plan(const accuracy_wish &wish, accuracy_plan &plan) {
    plan.rounds = wish.rounds != 0 ? wish.rounds : wish.quick ? 3 : 5;
    choose_cases(wish, plan);
    for (const refusal &refused :
         {refuse_unknown("--mode", wish.modes, known_modes), refuse_unknown("--rule", wish.rules, known_rules)})
        if (refused.status != exit_good)
            return refused;
    if (plan.cases.size() == 1)
        return {exit_usage, "rules other than exact are for header mode, which --mode leaves out"};
    refusal refused = find_files(plan);
    if (refused.status == exit_good)
        refused = choose_kernels(wish, plan);
    return refused.status != exit_good ? refused : refuse_few_cores();
}

texts accuracy_command(const accuracy_plan &plan, const accuracy_kernel &kernel, const accuracy_case &of) {
    texts words = {"env", "LD_LIBRARY_PATH=" + plan.libraries, "TARE_MODE=" + of.mode, "TARE_RULE=" + of.rule};
    words.insert(words.end(), plan.over.settings.begin(), plan.over.settings.end());
    words.push_back(plan.over.mpi + "/bin/mpiexec");
    // More ranks than cores would wait for a core of their own.
    if (kernel.ranks <= 2)
        words.insert(words.end(), {"-bind-to", "core"});
    words.insert(words.end(), {"-n", std::to_string(kernel.ranks)});
    if (of.mode != "off" && of.mode != "header")
        words.insert(words.end(), {"env", "LD_PRELOAD=" + plan.layer + ":" + plan.libtare});
    words.insert(words.end(), {plan.program, "--json", "--laps", std::to_string(laps_of_run), "--dilation",
                               std::to_string(of.dilation_pct), kernel.name});
    return words;
}

}  // namespace tare::tool
