// SPDX-License-Identifier: BSD-3-Clause
#include "constants.hpp"

#include "bytes.hpp"
#include "exit_board.hpp"
#include "exits.hpp"
#include "known_comms.hpp"

namespace tare::pmpi {
namespace {

char data[8];
MPI_Status status;
volatile std::int64_t data_count = sizeof data;

// A wrapper that calls no MPI but what its note asks for.
template <typename Bytes, typename Whom>
__attribute__((noinline)) void wrapper(call c, const Bytes &bytes, const Whom &whom)
{
    const entry how = enter_user_call(c);
    tare_measure_trial_work();
    leave(c, how, __builtin_return_address(0), MPI_SUCCESS, bytes, whom);
}

template <typename Bytes> void wrapped_calls(int n, call c, const Bytes &bytes)
{
    const aside_notes aside;
    for (int i = 0; i < n; i++)
        wrapper(c, bytes, waits_for<awaited::all>{});
}

// All of these wait: the notes alone make the difference.
void calls_without_data(int n) { wrapped_calls(n, call::Barrier, no_bytes{}); }

void sends(int n)
{
    wrapped_calls(n, call::Send, [] { return bytes::send(data, data_count, MPI_BYTE, 0, 0, MPI_COMM_SELF); });
}

void receives(int n)
{
    wrapped_calls(n, call::Recv,
                  [] { return bytes::recv(data, data_count, MPI_BYTE, 0, 0, MPI_COMM_SELF, &status); });
}

void calls_with_a_buffer(int n)
{
    wrapped_calls(n, call::Bcast, [] { return bytes::bcast(data, data_count, MPI_BYTE, 0, MPI_COMM_SELF); });
}

void exits(int n)
{
    static exits_of_comm others;
    static known::operations all;
    const aside_notes aside;
    all.exits = &others;
    for (int i = 0; i < n; i++)
        wrapper(call::Barrier, no_bytes{}, waits_for_all_on(all));
}

struct part {
    unsigned bit;
    const char *name;
    tare_measure_calls_t calls;
};
constexpr part parts[] = {{noted_send, "mpi send", sends},
                          {noted_receive, "mpi receive", receives},
                          {noted_buffer, "mpi buffer", calls_with_a_buffer},
                          {noted_exit, "mpi exit", exits}};

bool is_wanted()
{
    return is_recorded() && tare_measure_settings()->overhead == TARE_OVERHEAD_CALIBRATED;
}

}  // namespace

void calibrate_constants()
{
    if (!is_wanted())
        return;
    const std::int64_t started_ns = clock_ns();
    real.Status_set_elements_x(&status, MPI_BYTE, sizeof data);
    double ns[noted_all + 1] = {};
    for (const part &p : parts)
        ns[p.bit] = tare_measure_constant(p.name, p.calls, calls_without_data);
    for (unsigned i = 1; i <= noted_all; i++) {
        double sum_ns = 0;
        for (const part &p : parts)
            sum_ns += i & p.bit ? ns[p.bit] : 0;
        tare_measure_note_cost(i, sum_ns);
    }
    tare_measure_overhead(clock_ns() - started_ns);
}

void calibrate_again(bool in_mpi)
{
    if (tare_measure_calibrate_again() != 0 && in_mpi)
        calibrate_constants();
}

}  // namespace tare::pmpi
