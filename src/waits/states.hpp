// SPDX-License-Identifier: BSD-3-Clause
// What a wait is called: the one table of wait states, and of the calls that wait so. A trace tells who a call has
// waited for. A profile knows the call alone: its state is what every wait in that call may be named, and no guess.
#ifndef TARE_WAITS_STATES_HPP
#define TARE_WAITS_STATES_HPP

#include "region_names.hpp"
#include "waiting.hpp"

#include <cstddef>
#include <string_view>

namespace tare::waits {

enum state {
    late_sender,
    wrong_order_same,
    wrong_order_different,
    late_receiver,
    late_partner,
    wait_at_barrier,
    wait_at_nxn,
    late_broadcast,
    early_reduce,
    early_scan,
    late_neighbor,
    wait_at_create,
    wait_at_free,
    wait_at_fence,
    late_post,
    early_wait,
    wait_for_lock,
    wait_at_init,
    wait_at_finalize,
    wait_at_communicator,
    wait_at_file,
    wait_at_omp_barrier,
    wait_at_omp_end,
    omp_critical_contention,
    omp_lock_contention,
    omp_atomic_contention,
    mutex_contention,
    wait_for_condition,
    wait_at_thread_barrier,
    wait_for_thread,
    other_wait,
    state_count
};

struct state_words {
    const char *name;
    const char *metric;                  // Scalasca's unique name of it; tare_...: it has none
    const char *meaning;                 // behind "waiting"
};

inline constexpr state_words states[state_count] = {
    {"late sender", "mpi_latesender", "in a receive or probe, for the message to be sent"},
    {"late sender, wrong order, same source", "mpi_lswo_same",
     "in a receive, for the message to be sent, though the same process had sent another one before that is received later"},
    {"late sender, wrong order, different sources", "mpi_lswo_different",
     "in a receive, for the message to be sent, though another process had sent one before that is received later"},
    {"late receiver", "mpi_latereceiver", "in a send, for the receiver to take the message"},
    {"late partner", "tare_late_partner",
     "in MPI_Wait, MPI_Test, MPI_Sendrecv: for a sender, a receiver or a nonblocking collective operation, not known "
     "which"},
    {"wait at barrier", "mpi_barrier_wait", "in a barrier, for the last one that enters"},
    {"wait at N x N", "mpi_wait_nxn", "in a collective operation from all to all, for the last one that enters"},
    {"late broadcast", "mpi_latebroadcast", "in a collective operation from one to all, for the root"},
    {"early reduce", "mpi_earlyreduce", "in a collective operation from all to one, for those that send"},
    {"early scan", "mpi_earlyscan", "in a scan, for the ranks before"},
    {"late neighbor", "tare_late_neighbor", "in a collective operation among neighbors, for these"},
    {"wait at window create", "mpi_rma_wait_at_create", "where a window is made, for the others"},
    {"wait at window free", "mpi_rma_wait_at_free", "where a window is freed, for the others"},
    {"wait at fence", "mpi_rma_wait_at_fence", "in MPI_Win_fence, for the others"},
    {"late post", "mpi_rma_late_post", "in MPI_Win_start or MPI_Win_complete, for the targets"},
    {"early wait", "mpi_rma_early_wait", "in MPI_Win_wait or MPI_Win_test, for the origins to complete"},
    {"wait for lock", "tare_rma_wait_for_lock",
     "where a window is locked, unlocked or flushed: for who has the lock or for the target, not known which"},
    {"wait at init", "tare_wait_at_init", "in MPI_Init, for the others"},
    {"wait at finalize", "mpi_finalize_wait", "in MPI_Finalize, for the others"},
    {"wait at communicator", "tare_wait_at_communicator",
     "where a communicator is made or left, or processes are spawned or met, for the others"},
    {"wait at file", "tare_wait_at_file", "in a collective operation on a file, for the others"},
    {"wait at OpenMP barrier", "omp_ebarrier_wait",
     "in an OpenMP barrier, also that of a worksharing construct, for the last thread"},
    {"wait at OpenMP region end", "omp_ibarrier_wait", "where a parallel region ends, for the last thread"},
    {"OpenMP critical contention", "omp_lock_contention_critical",
     "for another thread to leave a critical construct"},
    {"OpenMP lock contention", "omp_lock_contention_api", "for another thread to unset a lock"},
    {"OpenMP atomic contention", "tare_omp_atomic_contention", "for another thread to leave an atomic construct"},
    {"mutex contention", "pthread_lock_contention_mutex_lock", "for another thread to unlock a mutex"},
    {"wait for condition", "tare_pthread_wait_for_condition", "in pthread_cond_wait, for the signal and the mutex"},
    {"wait at thread barrier", "tare_pthread_barrier_wait", "in pthread_barrier_wait, for the last thread"},
    {"wait for thread", "tare_pthread_wait_for_thread", "in pthread_join, for the thread to end"},
    {"other wait", "tare_other_wait", "in another call"},
};
static_assert(states[state_count - 1].name != nullptr, "each state has words");

// What some of these waits have behind them: who has waited leaves later than the first one that does.
struct completion_words {
    state behind;
    const char *name;
    const char *metric;                  // Scalasca's
};
inline constexpr completion_words completions[] = {
    {wait_at_barrier, "barrier completion", "mpi_barrier_completion"},
    {wait_at_nxn, "N x N completion", "mpi_nxn_completion"},
};

// nullptr: nothing is.
constexpr const completion_words *completion_behind(state s)
{
    for (const completion_words &words : completions)
        if (words.behind == s)
            return &words;
    return nullptr;
}

struct waiting_call {
    std::string_view begins;             // the name of the region, small, without "mpi_"; of other regions all of it
    state why;                           // state_count: it does not wait
};

// The first that fits: a longer name stands before what it begins with.
inline constexpr waiting_call mpi_calls[] = {
    {"allgather", wait_at_nxn},
    {"allreduce", wait_at_nxn},
    {"alltoall", wait_at_nxn},
    {"barrier", wait_at_barrier},
    {"bcast", late_broadcast},
    {"bsend", late_receiver},
    {"cart_create", wait_at_communicator},
    {"cart_sub", wait_at_communicator},
    {"comm_accept", wait_at_communicator},
    {"comm_connect", wait_at_communicator},
    {"comm_create_errhandler", state_count},
    {"comm_create_keyval", state_count},
    {"comm_create", wait_at_communicator},
    {"comm_disconnect", wait_at_communicator},
    {"comm_dup", wait_at_communicator},
    {"comm_join", wait_at_communicator},
    {"comm_spawn", wait_at_communicator},
    {"comm_split", wait_at_communicator},
    {"dist_graph_create", wait_at_communicator},
    {"exscan", early_scan},
    {"file_", wait_at_file},
    {"finalized", state_count},
    {"finalize", wait_at_finalize},
    {"gather", early_reduce},
    {"graph_create", wait_at_communicator},
    {"improbe", late_sender},
    {"initialized", state_count},
    {"init", wait_at_init},
    {"intercomm_", wait_at_communicator},
    {"iprobe", late_sender},
    {"mprobe", late_sender},
    {"mrecv", late_sender},
    {"neighbor_", late_neighbor},
    {"parrived", late_sender},
    {"probe", late_sender},
    {"recv", late_sender},
    {"reduce_local", state_count},
    {"reduce_scatter", wait_at_nxn},
    {"reduce", early_reduce},
    {"request_get_status", late_partner},
    {"rsend", late_receiver},
    {"scan", early_scan},
    {"scatter", late_broadcast},
    {"sendrecv", late_partner},
    {"send", late_receiver},
    {"session_finalize", wait_at_finalize},
    {"ssend", late_receiver},
    {"test_cancelled", state_count},
    {"test", late_partner},
    {"wait", late_partner},
    {"win_allocate", wait_at_create},
    {"win_complete", late_post},
    {"win_create_errhandler", state_count},
    {"win_create_keyval", state_count},
    {"win_create", wait_at_create},
    {"win_fence", wait_at_fence},
    {"win_flush", wait_for_lock},
    {"win_free_keyval", state_count},
    {"win_free", wait_at_free},
    {"win_lock", wait_for_lock},
    {"win_start", late_post},
    {"win_test", early_wait},
    {"win_unlock", wait_for_lock},
    {"win_wait", early_wait},
};

// src/threads
inline constexpr waiting_call thread_calls[] = {
    {"omp atomic", omp_atomic_contention},
    {"omp barrier", wait_at_omp_barrier},
    {"omp critical", omp_critical_contention},
    {"omp parallel end", wait_at_omp_end},
    {"omp set lock", omp_lock_contention},
    {"pthread_barrier_wait()", wait_at_thread_barrier},
    {"pthread_cond_wait()", wait_for_condition},
    {"pthread_join()", wait_for_thread},
    {"pthread_mutex_lock()", mutex_contention},
};

inline constexpr waiting_call no_waiting_call = {{}, state_count};
// MPI_Recv_init waits for nobody.
constexpr waiting_call call_behind_prefix(std::string_view name)
{
    if (holds_small(name, "_init"))
        return no_waiting_call;
    for (const waiting_call &c : mpi_calls)
        if (begins_small(name, c.begins))
            return c;
    return no_waiting_call;
}

// As the profile has it and as the archive has it, without "()".
constexpr bool is_thread_call(std::string_view name, std::string_view region)
{
    constexpr std::string_view end = "()";
    return name == region || (name.size() == region.size() + end.size() && name.substr(0, region.size()) == region &&
                              name.substr(region.size()) == end);
}

// The region as any tool names it: MPI_Recv, MPI_Recv(), mpi_recv_.
constexpr waiting_call call_of(std::string_view region)
{
    if (is_mpi_call(region))
        return call_behind_prefix(region.substr(mpi_prefix.size()));
    for (const waiting_call &c : thread_calls)
        if (is_thread_call(c.begins, region))
            return c;
    return no_waiting_call;
}

// Of a wait of which nothing but the region is known.
constexpr state state_of(std::string_view region)
{
    const state why = call_of(region).why;
    return why == state_count ? other_wait : why;
}

// The same of a wait for a message, whose order the profile tells.
constexpr state state_in_order(state why, profile::message_order order)
{
    switch (order) {
    case profile::message_order::wrong_same: return wrong_order_same;
    case profile::message_order::wrong_different: return wrong_order_different;
    default: return why;
    }
}

}  // namespace tare::waits

#endif
