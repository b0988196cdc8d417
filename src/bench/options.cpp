// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <cctype>
#include <climits>
#include <cstdio>
#include <getopt.h>
#include <optional>

#include "engine.hpp"

namespace tare::bench {
namespace {

constexpr int max_count = 1000000000;
constexpr int max_window = 100000;
constexpr int json_option = 1000;
constexpr int declare_option = 1001;
constexpr int turn_option = 1002;
constexpr int by_hand_option = 1003;

const option long_options[] = {
    {"message-size", required_argument, nullptr, 'm'},
    {"iterations", required_argument, nullptr, 'i'},
    {"warmup", required_argument, nullptr, 'x'},
    {"window-size", required_argument, nullptr, 'W'},
    {"full", no_argument, nullptr, 'f'},
    {"json", no_argument, nullptr, json_option},
    {"declare", required_argument, nullptr, declare_option},
    {"turn", required_argument, nullptr, turn_option},
    {"by-hand", required_argument, nullptr, by_hand_option},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'v'},
    {nullptr, 0, nullptr, 0},
};

std::optional<int> parse_int(const std::string &text, int low, int high) {
    if (text.empty())
        return std::nullopt;
    long long value = 0;
    for (const char c : text) {
        if (!std::isdigit(static_cast<unsigned char>(c)))
            return std::nullopt;
        value = value * 10 + (c - '0');
        if (value > high)
            return std::nullopt;
    }
    return value < low ? std::nullopt : std::optional<int>(static_cast<int>(value));
}

std::string range(int low, int high) {
    return "a whole number from " + std::to_string(low) + " to " + std::to_string(high);
}

// MAX, MIN:MAX, MIN: or :MAX, as OSU reads them; a part left out keeps its default.
bool parse_sizes(const std::string &text, int least, options &result) {
    const auto colon = text.find(':');
    const bool pair = colon != std::string::npos;
    const std::string low = pair ? text.substr(0, colon) : "";
    const std::string high = pair ? text.substr(colon + 1) : text;
    if (low.empty() && high.empty())
        return false;
    const auto min_bytes = low.empty() ? result.min_bytes : parse_int(low, least, INT_MAX);
    const auto max_bytes = high.empty() ? result.max_bytes : parse_int(high, least, INT_MAX);
    if (!min_bytes || !max_bytes || *min_bytes > *max_bytes)
        return false;
    result.min_bytes = *min_bytes;
    result.max_bytes = *max_bytes;
    return true;
}

std::string sizes_error(const std::string &text, int least) {
    return "-m " + text + ": give MAX, MIN:MAX or MIN: in bytes, " + std::to_string(least) +
           " <= MIN <= MAX <= " + std::to_string(INT_MAX);
}

void set_sizes(int least, options &result) {
    if (!parse_sizes(optarg, least, result))
        result.error = sizes_error(optarg, least);
}

std::string number_error(char name, const char *text, int low, int high) {
    return std::string("-") + name + " " + text + ": give " + range(low, high);
}

void set_count(char name, int low, counts &target, options &result) {
    const auto value = parse_int(optarg, low, max_count);
    if (value)
        target = {*value, *value};
    else
        result.error = number_error(name, optarg, low, max_count);
}

void set_window(options &result) {
    const auto value = parse_int(optarg, 1, max_window);
    if (value)
        result.window = *value;
    else
        result.error = number_error('W', optarg, 1, max_window);
}

template <typename Value>
void set_word(const char *option, const std::optional<Value> &value, const char *allowed, Value &target,
              options &result) {
    if (value)
        target = *value;
    else
        result.error = std::string(option) + " " + optarg + ": give " + allowed;
}

void set_declared(options &result) {
    set_word("--declare", parse_declaration(optarg), "none, event or overhead", result.declared, result);
}

void set_by_hand(options &result) {
    set_word("--by-hand", parse_scheme(optarg), "nothing, datatype, message or copy", result.by_hand, result);
}

void set_turn(options &result) {
    if (!parse_turn(optarg, result.turn))
        result.error = std::string("--turn ") + optarg + ": give FILE:NUMBER:RUNS, 0 <= NUMBER < RUNS <= " +
                       std::to_string(most_runs);
}

void apply(const bench_case &bench, int option, const std::string &word, options &result) {
    switch (option) {
    case 'm': set_sizes(bench.min_bytes, result); break;
    case 'i': set_count('i', 1, result.iterations, result); break;
    case 'x': set_count('x', 0, result.warmup, result); break;
    case 'W': set_window(result); break;
    case 'f': result.full = true; break;
    case json_option: result.json = true; break;
    case declare_option: set_declared(result); break;
    case turn_option: set_turn(result); break;
    case by_hand_option: set_by_hand(result); break;
    case 'h': result.help = true; break;
    case 'v': result.version = true; break;
    case ':': result.error = word + " needs a value"; break;
    default: result.error = "unknown option " + word; break;
    }
}

// getopt names a bad short option by its letter alone, a bad long one by the word it stood in.
std::string current_word(char **argv, int word_index) {
    const std::string word = argv[word_index];
    return word.rfind("--", 0) == 0 || optopt == 0 ? word : std::string("-") + static_cast<char>(optopt);
}

void refuse_foreign(const bench_case &bench, int option, options &result) {
    if (option == 'W' && bench.window == 0)
        result.error = "unknown option -W: this benchmark has no window";
    if (option == 'm' && bench.max_bytes == 0)
        result.error = "unknown option -m: this benchmark has no sizes";
    if (option == by_hand_option && !bench.has_by_hand)
        result.error = "unknown option --by-hand: only tare_latency has it";
}

void print_default(const bench_case &bench, const counts &value) {
    if (bench.max_bytes == 0)
        std::printf(" (default %d)\n", value.small);
    else
        std::printf("\n%32s(default %d, above %d bytes %d)\n", "", value.small, large_message_bytes, value.large);
}

}  // namespace

options parse_options(const bench_case &bench, int argc, char **argv) {
    options result;
    result.min_bytes = bench.min_bytes;
    result.max_bytes = bench.max_bytes;
    result.iterations = bench.iterations;
    result.warmup = bench.warmup;
    result.window = bench.window;
    opterr = 0;
    optind = 1;
    while (result.error.empty()) {
        const int word_index = optind;
        const int option = getopt_long(argc, argv, "+:m:i:x:W:fhv", long_options, nullptr);
        if (option == -1)
            break;
        apply(bench, option, current_word(argv, word_index), result);
        refuse_foreign(bench, option, result);
    }
    if (result.error.empty() && optind < argc)
        result.error = std::string("unexpected argument ") + argv[optind];
    return result;
}

void print_help(const bench_case &bench) {
    std::printf("Usage: mpiexec -n 2 %s [OPTION]...\n%s\n\n", bench.program, bench.summary);
    if (bench.max_bytes != 0)
        std::printf("  -m, --message-size [MIN:]MAX  sizes in bytes, doubling from MIN to MAX (default %d:%d)\n",
                    bench.min_bytes, bench.max_bytes);
    std::printf("  -i, --iterations ITER         timed iterations%s", bench.max_bytes == 0 ? "" : " of each size");
    print_default(bench, bench.iterations);
    std::printf("  -x, --warmup ITER             iterations before the clock starts");
    print_default(bench, bench.warmup);
    if (bench.window != 0)
        std::printf("  -W, --window-size SIZE        messages in flight (default %d)\n", bench.window);
    std::printf("  -f, --full                    also the least and the greatest sample, and the iterations\n"
                "      --json                    one JSON object with the raw samples\n"
                "      --declare none|event|overhead\n"
                "                                what each rank declares by tare.h before each MPI call: nothing; a\n"
                "                                cost (rank 0 10 ns, rank 1 20 ns) and a time stamp; the cost only\n"
                "                                (default none: then libtare is not even loaded)\n"
                "      --turn FILE:NUMBER:RUNS   run NUMBER (from 0) of RUNS that are started at the same time with\n"
                "                                the same options, on other libraries or in other modes: they share\n"
                "                                FILE, which is new, and measure in turn, a batch each\n");
    if (bench.has_by_hand)
        std::printf("      --by-hand nothing|datatype|message|copy   (default nothing)\n"
                    "                                16 bytes go along with each message by plain MPI calls: in one\n"
                    "                                datatype, in a second message, in one buffer\n");
    std::printf("  -h, --help                    print this and exit\n"
                "  -v, --version                 print the version and exit\n\n");
    std::printf("The iterations of a size are timed in %d batches (fewer if there are fewer iterations), so that\n"
                "reading the clock costs next to nothing. A sample is the mean of its batch; the figure printed is\n"
                "the median of the samples. In --json mad_us is the median absolute deviation from it.\n",
                max_samples);
}

void print_version(const bench_case &bench) {
    std::printf("%s (Tare) %s\n", bench.program, TARE_VERSION);
}

}  // namespace tare::bench
