// SPDX-License-Identifier: BSD-3-Clause
#include "option_values.hpp"

#include <climits>
#include <getopt.h>
#include <optional>

#include "numbers.hpp"

namespace tare::bench {
namespace {

constexpr int max_count = 1000000000;
constexpr int max_window = 100000;
constexpr int max_pairs = 1000000;
constexpr int max_threads = 128;
constexpr int max_partitions = 1024;
constexpr int max_growth = 1024;

constexpr epoch epochs[] = {epoch::lock, epoch::flush, epoch::flush_local, epoch::lock_all, epoch::fence, epoch::pscw};
constexpr window_kind kinds[] = {window_kind::create, window_kind::allocate, window_kind::dynamic};
constexpr const char *neighbourhood_names[] = {"cart", "graph"};

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

void set_sizes(int least, options &result) {
    if (!parse_sizes(optarg, least, result))
        result.error = std::string("-m ") + optarg + ": give MAX, MIN:MAX or MIN: in bytes, " + std::to_string(least) +
                       " <= MIN <= MAX <= " + std::to_string(INT_MAX);
}

void set_number(const char *option, int low, int high, int &target, options &result) {
    const auto value = parse_int(optarg, low, high);
    if (value)
        target = *value;
    else
        result.error = std::string(option) + " " + optarg + ": give " + range(low, high);
}

// COUNT, or SMALL:LARGE.
void set_counts(const char *option, int low, counts &target, options &result) {
    const std::string text = optarg;
    const auto colon = text.find(':');
    const auto small = parse_int(text.substr(0, colon), low, max_count);
    const auto large = colon == std::string::npos ? small : parse_int(text.substr(colon + 1), low, max_count);
    if (small && large)
        target = {*small, *large};
    else
        result.error = std::string(option) + " " + text + ": give " + range(low, max_count) +
                       (colon == std::string::npos ? "" : ", and one for messages above " +
                                                              std::to_string(large_message_bytes) + " bytes");
}

// RECEIVERS or SENDERS:RECEIVERS, as OSU reads them.
void set_threads(options &result) {
    const std::string text = optarg;
    const auto colon = text.find(':');
    const auto senders = colon == std::string::npos ? result.senders : parse_int(text.substr(0, colon), 1, max_threads);
    const auto receivers = parse_int(colon == std::string::npos ? text : text.substr(colon + 1), 1, max_threads);
    if (!senders || !receivers) {
        result.error = "-t " + text + ": give RECEIVERS or SENDERS:RECEIVERS, each " + range(1, max_threads);
        return;
    }
    result.senders = *senders;
    result.receivers = *receivers;
}

template <typename Value>
void set_word(const char *option, const std::optional<Value> &value, const char *allowed, Value &target,
              options &result) {
    if (value)
        target = *value;
    else
        result.error = std::string(option) + " " + optarg + ": give " + allowed;
}

template <typename Value, std::size_t count>
std::optional<Value> parse_name(const Value (&values)[count]) {
    for (const Value value : values)
        if (std::string(optarg) == name_of(value))
            return value;
    return std::nullopt;
}

std::optional<neighbourhood> parse_neighbourhood(const std::string &word) {
    for (const neighbourhood where : {neighbourhood::cart, neighbourhood::graph})
        if (word == neighbourhood_names[static_cast<int>(where)])
            return where;
    return std::nullopt;
}

std::optional<bool> parse_buffers(const std::string &word) {
    return word == "single" || word == "multiple" ? std::optional(word == "multiple") : std::nullopt;
}

void set_turn(options &result) {
    if (!parse_turn(optarg, result.turn))
        result.error = std::string("--turn ") + optarg + ": give FILE:NUMBER:RUNS, 0 <= NUMBER < RUNS <= " +
                       std::to_string(most_runs);
}

void set_layout(options &result) {
    if (!parse_layout(optarg, result.placing))
        result.error = std::string("-D ") + optarg +
                       ": give cont, vect[:STRIDE:BLOCK] or indx[:STRIDE:BLOCK] in bytes, 1 <= BLOCK <= STRIDE <= " +
                       std::to_string(most_stride_bytes);
}

void apply_words(int option, options &result) {
    switch (option) {
    case 's':
        return set_word("-s", parse_name(epochs), "lock, flush, flush_local, lock_all, fence or pscw",
                        result.one_sided.sync, result);
    case 'w':
        return set_word("-w", parse_name(kinds), "create, allocate or dynamic", result.one_sided.kind, result);
    case 'b':
        return set_word("-b", parse_buffers(optarg), "single or multiple", result.has_own_buffers, result);
    case 'N':
        return set_word("-N", parse_neighbourhood(optarg), "cart or graph", result.neighbours, result);
    case declare_option:
        return set_word("--declare", parse_declaration(optarg), "none, event or overhead", result.declared, result);
    default:
        return set_word("--by-hand", parse_scheme(optarg), "nothing, datatype, message or copy", result.by_hand,
                        result);
    }
}

}  // namespace

const char *name_of(epoch sync) {
    constexpr const char *names[] = {"lock", "flush", "flush_local", "lock_all", "fence", "pscw"};
    return names[static_cast<int>(sync)];
}

const char *name_of(window_kind kind) {
    constexpr const char *names[] = {"create", "allocate", "dynamic"};
    return names[static_cast<int>(kind)];
}

void apply_option(const bench_case &bench, int option, const std::string &word, options &result) {
    switch (option) {
    case 'm': set_sizes(bench.min_bytes, result); break;
    case 'i': set_counts("-i", 1, result.iterations, result); break;
    case 'x': set_counts("-x", 0, result.warmup, result); break;
    case growth_option: set_number("--growth", 2, max_growth, result.growth, result); break;
    case 'W': set_number("-W", 1, max_window, result.window, result); break;
    case 'M': set_number("-M", 1, INT_MAX, result.memory_bytes, result); break;
    case 'p': set_number("-p", 1, max_pairs, result.pairs, result); break;
    case 'R': set_number("-R", 0, 1, result.has_rate, result); break;
    case threads_option: set_threads(result); break;
    case test_calls_option: set_number("-t", 0, max_count, result.test_calls, result); break;
    case partitions_option: set_number("--partitions", 1, max_partitions, result.partitions, result); break;
    case 'D': set_layout(result); break;
    case ssend_option: result.is_synchronous = true; break;
    case nonblocking_option: result.is_nonblocking = true; break;
    case any_source_option: result.is_from_any = true; break;
    case 'z': result.has_tail = true; break;
    case 'c': result.validates = true; break;
    case 'f': result.full = true; break;
    case json_option: result.json = true; break;
    case turn_option: set_turn(result); break;
    case 'h': result.help = true; break;
    case 'v': result.version = true; break;
    case ':': result.error = word + " needs a value"; break;
    case '?': result.error = "unknown option " + word; break;
    default: apply_words(option, result); break;
    }
}

}  // namespace tare::bench
