// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <getopt.h>

#include "engine.hpp"
#include "option_values.hpp"

namespace tare::bench {
namespace {

const option long_options[] = {
    {"message-size", required_argument, nullptr, 'm'},
    {"growth", required_argument, nullptr, growth_option},
    {"iterations", required_argument, nullptr, 'i'},
    {"warmup", required_argument, nullptr, 'x'},
    {"window-size", required_argument, nullptr, 'W'},
    {"buffer-num", required_argument, nullptr, 'b'},
    {"mem-limit", required_argument, nullptr, 'M'},
    {"pairs", required_argument, nullptr, 'p'},
    {"print-rate", required_argument, nullptr, 'R'},
    {"threads", required_argument, nullptr, threads_option},
    {"test-calls", required_argument, nullptr, test_calls_option},
    {"sync-option", required_argument, nullptr, 's'},
    {"win-option", required_argument, nullptr, 'w'},
    {"ddt", required_argument, nullptr, 'D'},
    {"neighborhood", required_argument, nullptr, 'N'},
    {"ssend", no_argument, nullptr, ssend_option},
    {"nonblocking", no_argument, nullptr, nonblocking_option},
    {"any-source", no_argument, nullptr, any_source_option},
    {"partitions", required_argument, nullptr, partitions_option},
    {"validation", no_argument, nullptr, 'c'},
    {"full", no_argument, nullptr, 'f'},
    {"tail-lat", no_argument, nullptr, 'z'},
    {"json", no_argument, nullptr, json_option},
    {"declare", required_argument, nullptr, declare_option},
    {"turn", required_argument, nullptr, turn_option},
    {"by-hand", required_argument, nullptr, by_hand_option},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'v'},
    {nullptr, 0, nullptr, 0},
};

// What only some benchmarks take, and what the others say of it.
struct restriction {
    int option;
    feature needed;
    const char *refusal;
};

const restriction restrictions[] = {
    {'W', has_window, "-W: this benchmark has no window"},
    {'b', has_buffers, "-b: this benchmark has no window of messages"},
    {'p', has_pairs, "-p: only tare_mbw_mr has pairs to choose"},
    {'R', has_pairs, "-R: only tare_mbw_mr prints a rate"},
    {threads_option, has_threads, "--threads: only tare_latency_mt has it"},
    {test_calls_option, has_test_calls, "--test-calls: only nonblocking collectives have it"},
    {'s', has_epochs, "-s: only one-sided benchmarks have it"},
    {'w', has_epochs, "-w: only one-sided benchmarks have it"},
    {'D', has_layout, "-D: this benchmark has contiguous data"},
    {'N', has_neighbours, "-N: only neighborhood collectives have it"},
    {ssend_option, has_modes, "--ssend: this benchmark has no send that could be synchronous"},
    {any_source_option, has_modes, "--any-source: this benchmark has no receive that could take any source"},
    {nonblocking_option, has_blocking, "--nonblocking: this benchmark has no blocking sends"},
    {partitions_option, has_partitions, "--partitions: only tare_partitioned_latency has it"},
    {by_hand_option, has_by_hand, "--by-hand: only tare_latency has it"},
};

// getopt names a bad short option by its letter alone, a bad long one by the word it stood in.
std::string current_word(char **argv, int word_index) {
    const std::string word = argv[word_index];
    return word.rfind("--", 0) == 0 || optopt == 0 ? word : std::string("-") + static_cast<char>(optopt);
}

// -t means one thing or the other.
int own_option(const bench_case &bench, int option) {
    if (option != 't')
        return option;
    if ((bench.features & has_threads) != 0)
        return threads_option;
    return (bench.features & has_test_calls) != 0 ? static_cast<int>(test_calls_option) : '?';
}

void refuse_foreign(const bench_case &bench, int option, options &result) {
    const bool is_of_sizes = option == 'm' || option == 'M' || option == growth_option;
    const std::string name = option == growth_option ? "--growth" : std::string("-") + static_cast<char>(option);
    if (is_of_sizes && bench.min_bytes == bench.max_bytes)
        result.error = "unknown option " + name + ": this benchmark has " +
                       (bench.max_bytes == 0 ? "no sizes" : "one size");
    if (option == 'z' && !have_tail(bench.columns))
        result.error = "unknown option -z: this benchmark prints no latencies";
    if (option == 'c' && bench.max_bytes == 0)
        result.error = "unknown option -c: this benchmark has no data";
    for (const restriction &only : restrictions)
        if (option == only.option && (bench.features & only.needed) == 0)
            result.error = std::string("unknown option ") + only.refusal;
}

// A stamp by hand goes along with a plain blocking message.
void refuse_mixture(options &result) {
    const bool is_plain = result.placing.is_plain() && !result.is_synchronous && !result.is_nonblocking &&
                          !result.is_from_any && !result.validates;
    if (result.by_hand != scheme::nothing && !is_plain)
        result.error = std::string("--by-hand ") + name_of(result.by_hand) +
                       " goes with none of -c, -D, --ssend, --nonblocking and --any-source";
}

}  // namespace

options parse_options(const bench_case &bench, int argc, char **argv) {
    options result{};
    result.min_bytes = bench.min_bytes;
    result.max_bytes = bench.max_bytes;
    result.iterations = bench.iterations;
    result.warmup = bench.warmup;
    result.window = bench.window;
    result.one_sided = bench.one_sided;
    opterr = 0;
    optind = 1;
    while (result.error.empty()) {
        const int word_index = optind;
        optopt = 0;
        const int option = getopt_long(argc, argv, "+:m:i:x:W:b:M:p:R:t:s:w:D:N:cfzhv", long_options, nullptr);
        if (option == -1)
            break;
        if (option == 't')
            optopt = 't';
        const int own = own_option(bench, option);
        apply_option(bench, own, current_word(argv, word_index), result);
        refuse_foreign(bench, own, result);
    }
    if (result.error.empty() && optind < argc)
        result.error = std::string("unexpected argument ") + argv[optind];
    if (result.error.empty())
        refuse_mixture(result);
    return result;
}

}  // namespace tare::bench
