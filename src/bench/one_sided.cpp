// SPDX-License-Identifier: BSD-3-Clause
// tare_put_latency and its kin: rank 0 calls operations on the memory of rank 1; with tare_put_bibw both do.
#include "one_sided_work.hpp"
#include "programs.hpp"

namespace tare::bench {
namespace {

constexpr int word_bytes = sizeof(long long);
constexpr one_sided_defaults passive = {epoch::flush, window_kind::allocate};  // OSU's
constexpr one_sided_defaults active = {epoch::fence, window_kind::create};

enum class shape { latency, window, word };

struct program {
    const char *name;
    const char *title;
    const char *what;  // that its summary speaks of
    operation does;
    shape form;
    int ways;
    one_sided_defaults defaults;
};

const program programs[] = {
    {"tare_put_latency", "MPI_Put Latency Test", "a put", operation::put, shape::latency, 1, active},
    {"tare_put_bw", "MPI_Put Bandwidth Test", "a window of puts", operation::put, shape::window, 1, passive},
    {"tare_put_bibw", "MPI_Put Bi-directional Bandwidth Test", "windows of puts", operation::put, shape::window, 2,
     active},
    {"tare_get_latency", "MPI_Get latency Test", "a get", operation::get, shape::latency, 1, passive},
    {"tare_get_bw", "MPI_Get Bandwidth Test", "a window of gets", operation::get, shape::window, 1, passive},
    {"tare_acc_latency", "MPI_Accumulate latency Test", "an accumulation of bytes", operation::acc, shape::latency, 1,
     passive},
    {"tare_get_acc_latency", "MPI_Get_accumulate latency Test", "an accumulation of bytes that gets what was there",
     operation::get_acc, shape::latency, 1, passive},
    {"tare_fop_latency", "MPI_Fetch_and_op latency Test", "a fetch-and-op of one word", operation::fop, shape::word, 1,
     passive},
    {"tare_cas_latency", "MPI_Compare_and_swap latency Test", "a compare-and-swap of one word", operation::cas,
     shape::word, 1, passive},
};

std::string note(const options &wanted, int) {
    constexpr const char *calls[] = {"lock/unlock", "flush", "flush_local", "lock_all/unlock_all", "fence",
                                     "post/start/complete/wait"};
    const bool is_dynamic = wanted.one_sided.kind == window_kind::dynamic;
    const char *kind = is_dynamic ? "create_dynamic" : name_of(wanted.one_sided.kind);
    return std::string("# Window creation: MPI_Win_") + kind + "\n# Synchronization: MPI_Win_" +
           calls[static_cast<int>(wanted.one_sided.sync)] + "\n";
}

// A rank that only locks does not know when the other's operations are there.
std::string refuse_passive(const bench_case &bench, const options &wanted, int) {
    if (wanted.one_sided.sync == epoch::fence || wanted.one_sided.sync == epoch::pscw)
        return {};
    return std::string("-s ") + name_of(wanted.one_sided.sync) + ": " + bench.program +
           " has two targets, so give fence or pscw";
}

bench_case case_of(const program &one) {
    bench_case bench = one.form == shape::window ? bandwidth_defaults() : latency_defaults();
    bench.program = one.name;
    bench.title = one.title;
    bench.summary = std::string(one.form == shape::window ? "Bandwidth of " : "Time of ") + one.what +
                    (one.ways == 2 ? " both ways" : " from rank 0 to rank 1") +
                    " and of what ends it, with OSU's options and output.";
    bench.min_bytes = one.form == shape::word ? word_bytes : 1;
    bench.max_bytes = one.form == shape::word ? word_bytes : largest_default_bytes;
    bench.features = has_epochs | (one.form == shape::window ? has_window : 0u);
    bench.is_passive = true;
    bench.events_per_iteration = 1;
    bench.ways = one.ways;
    bench.note = note;
    bench.refuse = one.ways == 2 ? refuse_passive : nullptr;
    bench.one_sided = one.defaults;
    bench.make = [&one](const side &self) { return std::make_unique<one_sided_work>(self, one.does, one.ways); };
    return bench;
}

}  // namespace

std::vector<bench_case> one_sided_programs() {
    std::vector<bench_case> all;
    for (const program &one : programs)
        all.push_back(case_of(one));
    return all;
}

}  // namespace tare::bench
