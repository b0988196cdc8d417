// SPDX-License-Identifier: BSD-3-Clause
// The accuracy of kernels for people.
#include "bench_accuracy.hpp"

#include "bench_stats.hpp"
#include "command.hpp"
#include "table.hpp"

#include <cmath>
#include <cstdio>

namespace tare::tool {
namespace {

std::string number_text(const char *form, double value) {
    char text[64];
    std::snprintf(text, sizeof text, form, value);
    return text;
}

// "1 of its waiting"
std::string wait_whole(const accuracy_row &row, const accuracy_wait &wait) {
    return std::to_string(&wait - row.waits.data()) + (wait.is_of_total ? ", of total" : ", of waiting");
}

std::vector<std::string> cells_of(const accuracy_row &row) {
    const accuracy_wait &wait = row.worst_wait();
    return {row.kernel,
            std::to_string(row.of.dilation_pct),
            number_text("%+.1f", row.dilated_pct),
            row.of.mode,
            row.of.rule,
            number_text("%+.2f", row.error_pct),
            number_text("%.2f", row.spread_pct),
            number_text("%+.2f", wait.error_pct),
            wait_whole(row, wait),
            number_text("%+.2f", row.work_pct),
            row.inside_bounds ? "yes" : "no",
            std::to_string(row.inversions)};
}

std::vector<std::string> print_rows(const accuracy_result &result) {
    table rows({{"kernel", false},
                {"probes %"},
                {"dilation %", true, 3},
                {"mode", false},
                {"rule", false},
                {"total error %"},
                {"spread", true, 2},
                {"waiting error %"},
                {"of rank", false, 1},
                {"work %", true, 2},
                {"inside", false, 4},
                {"inversions", true, 5}});
    for (const accuracy_row &row : result.rows)
        rows.add(cells_of(row));
    return rows.print(look_at_stdout());
}

std::string rivals_text(const char *what, const accuracy_rivals &rivals) {
    std::string text;
    if (!rivals.nearer.empty())
        text += std::string(", ") + what + " nearer by " + joined(rivals.nearer);
    if (!rivals.as_near.empty())
        text += std::string(", ") + what + " as near by " + joined(rivals.as_near);
    return text;
}

// "2.30 ± 0.81 %": with half of the 95 % interval of the rounds' mean, where there are several.
std::string error_text(double error_pct, const std::vector<double> &rounds_pct) {
    const interval of_mean = interval_of_mean(rounds_pct);
    std::string text = number_text("%.2f", std::fabs(error_pct));
    if (of_mean.lo)
        text += number_text(" ± %.2f", of_mean.mean - *of_mean.lo);
    return text + " %";
}

void print_verdict(const accuracy_verdict &v) {
    std::printf("%s: ", v.kernel.c_str());
    if (!v.judged)
        return void(std::printf("not judged: header mode with the exact rule did not run\n"));
    const std::string total = error_text(v.judged->error_pct, v.judged->round_errors_pct);
    if (!v.is_repairable)
        return void(std::printf("not repairable: total off by %s, %lld inversions\n", total.c_str(),
                                static_cast<long long>(v.judged->inversions)));
    const accuracy_wait &worst = v.judged->worst_wait();
    const bool nothing_is_nearer = v.totals.nearer.empty() && v.waits.nearer.empty();
    const std::string rivals = rivals_text("total", v.totals) + rivals_text("waiting", v.waits);
    std::printf("%s: total off by %s (mark %g), waiting by %s (mark %g), work by %+.2f %%%s\n",
                v.total_holds && v.wait_holds && nothing_is_nearer ? "good"
                : v.total_holds && v.wait_holds                    ? "within the marks"
                                                                   : "missed",
                total.c_str(), total_mark_pct, error_text(worst.error_pct, worst.round_errors_pct).c_str(), wait_mark_pct,
                v.judged->work_pct, rivals.empty() ? ", nearest of all" : rivals.c_str());
}

void print_legend(const accuracy_result &result) {
    std::printf("\nprobes: what they cost, of the work on one rank; dilation: what that made of the run. Errors:\n"
                "medians of compensated times against those without probes; total: of the slowest rank, spread: between\n"
                "which the middle half of its laps lie;\n"
                "waiting: in MPI calls, of the rank where it is worst, per cent of its waiting where that is at\n"
                "least %g %% of the total, else of the total. work: how much longer the program's own work took\n"
                "with probes beside it, on the rank where that is most, which no rule takes out. inside: the\n"
                "bounds of the total reach the middle half of the laps without probes.\n",
                least_wait_pct);
    std::printf("%s\n", result.machine.sentence().c_str());
    if (result.busy_runs > 0)
        std::printf("In %zu of %zu runs that was more than 2 %%: the machine was not quiet, and the figures hold "
                    "that, too.\n", result.busy_runs, result.runs);
}

}  // namespace

void print_accuracy(const accuracy_result &result) {
    std::printf("Accuracy of compensated times in kernels with probes\n%s\n%d round%s, %d laps a run, --seed=%d\n\n",
                machine_name().c_str(), result.rounds, result.rounds == 1 ? "" : "s", laps_of_run, result.seed);
    if (result.interrupted)
        std::printf("Interrupted: these are the rounds so far, and the kernels of the last one.\n\n");
    if (result.rows.empty())
        return;
    const auto left_out = print_rows(result);
    print_legend(result);
    print_left_out_columns(left_out);
    std::printf("\nHeader mode, exact rule, the greatest dilation; ±: 95 %% interval of the rounds' mean. Others are nearer, or as\n"
                "near, where that of the difference by round is below 0, or holds it:\n");
    for (const accuracy_verdict &v : accuracy_verdicts(result))
        print_verdict(v);
}

}  // namespace tare::tool
