// SPDX-License-Identifier: BSD-3-Clause
#include "process.hpp"

#include <vector>

namespace tare::kernels {
namespace {

constexpr int largest_bytes = 1 << 20;

}  // namespace

// A handle of MPI_T counts from when it is made.
inversion_count::inversion_count() {
    int provided = 0, index = 0, count = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session_);
    is_there_ = MPI_T_pvar_get_index("tare_inversions", MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS &&
                MPI_T_pvar_handle_alloc(session_, index, nullptr, &handle_, &count) == MPI_SUCCESS;
}

inversion_count::~inversion_count() {
    MPI_T_pvar_session_free(&session_);
    MPI_T_finalize();
}

std::int64_t inversion_count::read() const {
    std::uint64_t value = 0;
    if (is_there_)
        MPI_T_pvar_read(session_, handle_, &value);
    return static_cast<std::int64_t>(value);
}

process::process(const probing &wanted, const tool_calls &tool)
    : tool_(tool), dilation_pct_(wanted.dilation_pct), stamps_(wanted.stamps && tool.event_ns != nullptr) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

// Declares what it really took, as a probe does that reads the clock at its beginning and its end.
void process::probe(std::int64_t work_ns) {
    if (dilation_pct_ == 0)
        return;
    const std::int64_t took_ns = watch_.spin(work_ns * dilation_pct_ / 100);
    tool_.overhead_add(took_ns);
    result_.overhead += took_ns;
}

bounded process::delay() const {
    if (tool_.delay_ns == nullptr)
        return {};
    return {tool_.delay_ns(), tool_.delay_lo_ns(), tool_.delay_hi_ns()};
}

void process::warm_up() {
    constexpr int times = 4;
    std::vector<char> sent(largest_bytes, 1), received(largest_bytes, 1);
    for (int i = 0; i < times; ++i)
        MPI_Sendrecv(sent.data(), largest_bytes, MPI_BYTE, (rank + 1) % ranks, 0, received.data(), largest_bytes,
                     MPI_BYTE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void process::meet() {
    constexpr std::int64_t head_start_ns = 1'000'000;
    MPI_Barrier(MPI_COMM_WORLD);
    std::int64_t start = now_ns() + head_start_ns;
    MPI_Bcast(&start, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    // Clocks of other hosts are not comparable: then nobody waits.
    watch_.spin(std::min(start - now_ns(), head_start_ns));
}

void process::begin() {
    result_ = {};
    start_inversions_ = inversions_.read();
    start_delay_ = delay();
    watch_.begin();
    start_comp_ns_ = compensated_ns();
    start_ns_ = now_ns();
}

outcome process::end() {
    outcome &r = result_;
    r.total = now_ns() - start_ns_;
    r.total_comp = compensated_ns() - start_comp_ns_;
    const bounded now = delay();
    r.total_lo = r.total_comp - (now.hi - now.value) - (start_delay_.value - start_delay_.lo);
    r.total_hi = r.total_comp + (now.value - now.lo) + (start_delay_.hi - start_delay_.value);
    r.stolen = watch_.stolen_ns();
    r.inversions = inversions_.read() - start_inversions_;
    return r;
}

}  // namespace tare::kernels
