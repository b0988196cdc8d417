// SPDX-License-Identifier: BSD-3-Clause
// The command line of every benchmark: OSU's options, checked strictly, and what came of them.
#ifndef TARE_BENCH_OPTIONS_HPP
#define TARE_BENCH_OPTIONS_HPP

#include <string>

#include "by_hand.hpp"
#include "declare.hpp"
#include "layout.hpp"
#include "turns.hpp"

namespace tare::bench {

struct bench_case;

// Messages above this size are "large": they get fewer iterations unless -i or -x says otherwise.
constexpr int large_message_bytes = 8192;

struct counts {
    int small;
    int large;

    int for_size(int size) const { return size > large_message_bytes ? large : small; }
};

// What a benchmark must have for an option to make sense; bits of bench_case::features.
enum feature : unsigned {
    has_window = 1,
    has_pairs = 2,
    has_threads = 4,
    has_test_calls = 8,
    has_epochs = 16,
    has_layout = 32,
    has_modes = 64,         // --ssend and --any-source
    has_blocking = 128,     // sends and receives that --nonblocking can replace
    has_partitions = 256,
    has_neighbours = 512,
    has_by_hand = 1024,
    has_buffers = 2048,     // a window that could have a buffer for each message
};

// Of one-sided calls, by OSU's names and in the order of epoch_names.
enum class epoch { lock, flush, flush_local, lock_all, fence, pscw };
enum class window_kind { create, allocate, dynamic };
enum class neighbourhood { cart, graph };

struct one_sided_defaults {
    epoch sync = epoch::flush;
    window_kind kind = window_kind::allocate;
};

struct options {
    int min_bytes;
    int max_bytes;
    int growth = 2;  // each size is so many times the one before
    counts iterations;
    counts warmup;
    int window;  // messages in flight; 0 where the benchmark has no window
    one_sided_defaults one_sided;
    int pairs = 0;  // 0: as many as the ranks make
    int senders = 1;
    int receivers = 2;
    int test_calls = 0;
    int partitions = 8;
    int memory_bytes = 0;  // the most that both buffers of a rank take; 0: whatever there is
    int has_rate = 1;
    layout placing;
    neighbourhood neighbours = neighbourhood::cart;
    bool is_synchronous = false;
    bool is_nonblocking = false;
    bool is_from_any = false;
    bool has_own_buffers = false;  // each message of a window
    bool has_tail = false;         // each iteration is a sample, for percentiles
    bool validates = false;
    declaration declared = declaration::none;
    scheme by_hand = scheme::nothing;
    turn_place turn;
    bool full = false;
    bool json = false;
    bool help = false;
    bool version = false;
    std::string error;  // one sentence; empty if the command line is good
};

const char *name_of(epoch sync);
const char *name_of(window_kind kind);

options parse_options(const bench_case &bench, int argc, char **argv);
void print_help(const bench_case &bench);
void print_version(const bench_case &bench);

}  // namespace tare::bench

#endif
