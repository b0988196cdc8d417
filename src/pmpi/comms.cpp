// SPDX-License-Identifier: BSD-3-Clause
#include "comms.hpp"

#include "declared_time.hpp"
#include "handle_hash.hpp"
#include "muted.hpp"

#include <unistd.h>
#include <vector>

namespace tare::pmpi {

known_comm last_comm;

namespace {

// Made in MPI_Init, so that a process without a carrier pays nothing.
struct comm_tables {
    handle_table<MPI_Comm, comm_record *> by_handle;
    std::vector<comm_record *> all;  // those that are only held, too
    std::uint32_t made = 0;
};
comm_tables *comms;

// While the tool uses a communicator of the program's: its errors come back.
class errors_returned {
  public:
    explicit errors_returned(MPI_Comm comm) : comm_(comm)
    {
        real.Comm_get_errhandler(comm_, &users_);
        real.Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    }
    ~errors_returned()
    {
        real.Comm_set_errhandler(comm_, users_);
        real.Errhandler_free(&users_);
    }
    errors_returned(const errors_returned &) = delete;
    errors_returned &operator=(const errors_returned &) = delete;

  private:
    const MPI_Comm comm_;
    MPI_Errhandler users_ = MPI_ERRHANDLER_NULL;
};

// All members come here, and the first one's sentence will do.
[[noreturn]] void end_without_twin(const comm_record *c)
{
    constexpr useconds_t other_ranks_wait_us = 500000;
    if (c->rank != 0)
        usleep(other_ranks_wait_us);
    die("rank %d: the MPI library cannot make another communicator: a carrier above MPI needs a second one beside "
        "each of the program's; use TARE_MODE=header or off", state.rank);
}

void make_twin(comm_record *c, MPI_Comm comm)
{
    const muted_thread muted;
    {
        const errors_returned on(comm);
        if (real.Comm_split(comm, 0, c->rank, &c->twin) != MPI_SUCCESS)
            end_without_twin(c);
    }
    real.Comm_set_errhandler(c->twin, MPI_ERRORS_RETURN);
}

// Without its twin.
comm_record *describe(MPI_Comm comm)
{
    comm_record *c = new comm_record{};
    int inter = 0;
    c->twin = MPI_COMM_NULL;
    c->twin_request = MPI_REQUEST_NULL;
    real.Comm_rank(comm, &c->rank);
    real.Comm_size(comm, &c->size);
    real.Comm_test_inter(comm, &inter);
    c->inter = inter != 0;
    if (c->inter)
        real.Comm_remote_size(comm, &c->remote_size);
    return c;
}

// A record that is there already is of a communicator that another thread is freeing; that thread has it in hand.
void put(MPI_Comm comm, comm_record *c)
{
    shared_lock lock;
    last_comm.record = nullptr;
    comms->by_handle.take(comm);
    comms->by_handle.put(comm, c);
    c->number = ++comms->made;
    c->place = comms->all.size();
    comms->all.push_back(c);
}

void complete_twin(comm_record *c)
{
    const muted_thread muted;
    if (real.Wait(&c->twin_request, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        end_without_twin(c);
    real.Comm_set_errhandler(c->twin, MPI_ERRORS_RETURN);
}

void free_twin(comm_record *c)
{
    drop_twins(c->twins);
    if (c->twin_request != MPI_REQUEST_NULL)
        complete_twin(c);
    const muted_thread muted;
    real.Comm_free(&c->twin);
}

// The MPI library has freed the communicator; its handle may be another one's by now.
void forget(MPI_Comm handle, comm_record *c)
{
    shared_lock lock;
    last_comm.record = nullptr;
    if (comms->by_handle.find(handle) == c)
        comms->by_handle.take(handle);
    c->freed = true;
    if (c->users == 0)
        end_record(c);
}

comm_record *look_up(MPI_Comm comm)
{
    shared_lock lock;
    return comm_of(comm);
}

// Of a communicator that the MPI library is about to duplicate without waiting. Null: it will say what is wrong.
comm_record *begin_twin(MPI_Comm parent)
{
    const comm_record *p = look_up(parent);
    if (p == nullptr)
        return nullptr;
    const muted_thread muted;
    comm_record *c = describe(parent);
    if (real.Comm_idup(p->twin, &c->twin, &c->twin_request) != MPI_SUCCESS)
        end_without_twin(c);
    return c;
}

// Both MPI libraries know the handle now, and give it to the program when the duplicate is complete.
int finish_idup(int rc, const MPI_Comm *newcomm, comm_record *c)
{
    if (rc != MPI_SUCCESS || *newcomm == MPI_COMM_NULL)
        die("rank %d: MPI_Comm_idup failed or told nothing about the new communicator, so it cannot be carried; use "
            "TARE_MODE=header or off", state.rank);
    put(*newcomm, c);
    return rc;
}

}  // namespace

comm_record *look_up_comm(MPI_Comm comm)
{
    comm_record *c = comms->by_handle.find(comm);
    if (c != nullptr && __builtin_expect(c->twin_request != MPI_REQUEST_NULL, 0))
        complete_twin(c);
    last_comm = {comm, c};
    return c;
}

void end_record(comm_record *c)
{
    free_twin(c);
    comm_record *last = comms->all.back();
    comms->all[c->place] = last;
    last->place = c->place;
    comms->all.pop_back();
    delete c;
}

void made_comm(MPI_Comm comm)
{
    if (comm == MPI_COMM_NULL)
        return;
    const declared_time time;
    comm_record *c = describe(comm);
    make_twin(c, comm);
    put(comm, c);
}

void start_comms()
{
    comms = new comm_tables;
    made_comm(MPI_COMM_WORLD);
    made_comm(MPI_COMM_SELF);
}

void stop_comms()
{
    for (comm_record *c : comms->all) {
        free_twin(c);
        delete c;
    }
    delete comms;
    comms = nullptr;
    last_comm.record = nullptr;
}

namespace carried {

int comm_idup(decltype(&MPI_Comm_idup) library, MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
    comm_record *c = begin_twin(comm);
    const int rc = library(comm, newcomm, request);
    return c == nullptr ? rc : finish_idup(rc, newcomm, c);
}

#if MPI_VERSION >= 4
int comm_idup_with_info(decltype(&MPI_Comm_idup_with_info) library, MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm,
                        MPI_Request *request)
{
    comm_record *c = begin_twin(comm);
    const int rc = library(comm, info, newcomm, request);
    return c == nullptr ? rc : finish_idup(rc, newcomm, c);
}
#endif

// A function that the program attached to the communicator may still use it inside the MPI library's call.
int comm_free(decltype(&MPI_Comm_free) library, MPI_Comm *comm)
{
    if (comm == nullptr || *comm == MPI_COMM_NULL)
        return library(comm);
    const MPI_Comm handle = *comm;
    comm_record *c = look_up(handle);
    const int rc = library(comm);
    if (c != nullptr && rc == MPI_SUCCESS)
        forget(handle, c);
    return rc;
}

}  // namespace carried

}  // namespace tare::pmpi
