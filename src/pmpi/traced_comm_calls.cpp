// SPDX-License-Identifier: BSD-3-Clause
#include "traced_comm_calls.hpp"

#include "declared_time.hpp"

namespace tare::pmpi::traced {
namespace {

followed_request operation_on(enum tare_trace_operation operation, std::uint32_t comm)
{
    followed_request r;
    r.sent_bytes = r.received_bytes = 0;
    r.comm = comm;
    r.peer = TARE_TRACE_ROOT_NONE;
    r.tag = operation;
    r.is_traced = r.is_collective = true;
    return r;
}

std::uint32_t number_if(MPI_Comm comm) { return comm == MPI_COMM_NULL ? TARE_TRACE_NONE : comm_number(comm); }

}  // namespace

// The collective call that makes or frees one, and the event of that in it.
void comm_call::write(const moved_bytes &) const
{
    if (in_.comm == TARE_TRACE_NONE)
        return;
    write_plain(TARE_TRACE_COLLECTIVE_BEGIN, 0, TARE_MOMENT_ENTER);
    if (comm_ != TARE_TRACE_NONE)
        write_plain(in_.tag == TARE_TRACE_CREATE_HANDLE ? TARE_TRACE_COMM_CREATE : TARE_TRACE_COMM_DESTROY, comm_,
                    TARE_MOMENT_LEAVE);
    write_collective(TARE_TRACE_COLLECTIVE_END, in_);
}

void comm_call::note(enum tare_trace_operation operation, std::uint32_t in, std::uint32_t comm)
{
    in_ = operation_on(operation, in);
    comm_ = comm;
}

void comm_make::returned(int rc)
{
    if (!state.knows_comms || rc != MPI_SUCCESS)
        return;
    const declared_time time;
    known::made_of(parent_, *comm_);
    note(TARE_TRACE_CREATE_HANDLE, comm_number(parent_), number_if(*comm_));
}

void comm_create_group::returned(int rc)
{
    if (!state.knows_comms || rc != MPI_SUCCESS)
        return;
    const declared_time time;
    known::made_by_some(parent_, tag_, *comm_);
    note(TARE_TRACE_CREATE_HANDLE, number_if(*comm_), number_if(*comm_));
}

void intercomm_create::returned(int rc)
{
    if (!state.knows_comms || rc != MPI_SUCCESS)
        return;
    const declared_time time;
    known::made_by_two(tag_, *comm_);
    note(TARE_TRACE_CREATE_HANDLE, number_if(*comm_), number_if(*comm_));
}

void comm_idup::returned(int rc)
{
    if (!state.knows_comms || rc != MPI_SUCCESS)
        return;
    const declared_time time;
    known::made_like(parent_, *comm_);
    is_begun_ = is_on();
}

void comm_idup::write(const moved_bytes &) const
{
    if (!is_begun_)
        return;
    followed_request r = operation_on(TARE_TRACE_CREATE_HANDLE, comm_number(parent_));
    r.made = number_if(*comm_);
    r.number = requests::follow(*request_, r);
    write_started(r, {});
}

void comm_free::returned(int rc)
{
    if (!state.knows_comms || rc != MPI_SUCCESS)
        return;
    known::freed(handle_, summary_.identity);
    note(TARE_TRACE_DESTROY_HANDLE, summary_.number, summary_.number);
}

void comm_set_name::returned(int rc)
{
    if (is_on() && rc == MPI_SUCCESS)
        known::named(comm_, name_);
}

}  // namespace tare::pmpi::traced
