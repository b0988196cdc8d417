// SPDX-License-Identifier: BSD-3-Clause
// Requests that are started, completed and given up with a carrier above MPI. A request may be completed by any of
// these functions, so all of them look for carried ones (taken.hpp).
#include "carried.hpp"
#include "collective.hpp"
#include "taken.hpp"

namespace tare::pmpi::carried {

namespace {

// The parcel's part of a start, before and after the MPI library's.
void begin_start(parcel *p)
{
    if (p == nullptr)
        return;
    if (is_collective(p))
        start_collective(p);
    else if (receives(p))
        in_use->post(p);
    else
        in_use->depart(p);
}

// Open MPI may put another request in the place of one whose last message is still under way inside.
void end_start(parcel *p, MPI_Request before, MPI_Request request, int rc)
{
    if (p == nullptr || rc != MPI_SUCCESS)
        return;
    if (request != before) {
        forget_request(before);
        follow(request, p);
    }
    p->request = request;
    p->active = true;
    if (p->role == direction::send)
        in_use->departed(p);
}

}  // namespace

int start(decltype(&MPI_Start) library, MPI_Request *request)
{
    const MPI_Request before = request == nullptr ? MPI_REQUEST_NULL : *request;
    parcel *p = find_request(before);
    if (p == nullptr || p->active)
        return library(request);
    carrier_cost cost;
    if (p->role == direction::send)
        in_use->load(p);
    cost.library_called();
    int rc;
    {
        order_lock order;
        begin_start(p);
        rc = library(request);
        cost.library_returned();
        end_start(p, before, *request, rc);
    }
    cost.done();
    return rc;
}

int startall(decltype(&MPI_Startall) library, int count, MPI_Request *requests)
{
    if (count < 0 || requests == nullptr)
        return library(count, requests);
    carrier_cost cost;
    small_array<parcel *> parcels(count);
    small_array<MPI_Request> before(count);
    for (int i = 0; i < count; i++) {
        before.data()[i] = requests[i];
        parcel *p = find_request(requests[i]);
        parcels.data()[i] = p != nullptr && !p->active ? p : nullptr;
        if (parcels.data()[i] != nullptr && p->role == direction::send)
            in_use->load(p);
    }
    cost.library_called();
    int rc;
    {
        order_lock order;
        for (int i = 0; i < count; i++)
            begin_start(parcels.data()[i]);
        rc = library(count, requests);
        cost.library_returned();
        for (int i = 0; i < count; i++)
            end_start(parcels.data()[i], before.data()[i], requests[i], rc);
    }
    cost.done();
    return rc;
}

// A receive that has been cancelled matches nothing any more, though nobody has waited for it.
int cancel(decltype(&MPI_Cancel) library, MPI_Request *request)
{
    const int rc = library(request);
    parcel *p = rc == MPI_SUCCESS ? find_request(*request) : nullptr;
    if (p == nullptr || !receives(p))
        return rc;
    p->cancelled = true;
    int complete = 0, cancelled = 0;
    MPI_Status status{};
    real.Request_get_status(*request, &complete, &status);
    if (complete)
        real.Test_cancelled(&status, &cancelled);
    if (cancelled)
        in_use->withdraw(p);
    return rc;
}

int wait(decltype(&MPI_Wait) library, MPI_Request *request, MPI_Status *status)
{
    carrier_cost cost;
    taken_requests taken(1, request);
    if (!taken.any())
        return library(request, status);
    MPI_Status own = {};
    MPI_Status *known = known_status(status, &own);
    cost.library_called();
    const int rc = wait_for(request, taken.of(0), known);
    cost.library_returned();
    taken.finish(0, known, cost.returned_ns());
    cost.done();
    return rc;
}

int test(decltype(&MPI_Test) library, MPI_Request *request, int *flag, MPI_Status *status)
{
    carrier_cost cost;
    taken_requests taken(1, request);
    if (!taken.any())
        return library(request, flag, status);
    MPI_Status own = {};
    MPI_Status *known = known_status(status, &own);
    cost.library_called();
    int rc = MPI_SUCCESS;
    *flag = 0;
    {
        order_lock order;
        if (!taken.need_order() || taken.may_complete(0))
            rc = library(request, flag, known);
        if (*flag || rc != MPI_SUCCESS)
            taken.settle(0, known);
    }
    cost.library_returned();
    if (*flag || rc != MPI_SUCCESS)
        taken.finish(0, known, cost.returned_ns());
    cost.done();
    return rc;
}

int waitall(decltype(&MPI_Waitall) library, int count, MPI_Request *requests, MPI_Status *statuses)
{
    carrier_cost cost;
    taken_requests taken(count, requests);
    if (!taken.any())
        return library(count, requests, statuses);
    known_statuses known(count, statuses);
    cost.library_called();
    const int rc = wait_and_settle([&] { return library(count, requests, known.data()); },
                                   [&](int *done) { return real.Testall(count, requests, done, known.data()); },
                                   [&](int code) { taken.settle_all(code, known.data()); });
    cost.library_returned();
    taken.finish_all(rc, known.data(), cost.returned_ns());
    cost.done();
    return rc;
}

int testall(decltype(&MPI_Testall) library, int count, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
    carrier_cost cost;
    taken_requests taken(count, requests);
    if (!taken.any())
        return library(count, requests, flag, statuses);
    known_statuses known(count, statuses);
    cost.library_called();
    int rc = MPI_SUCCESS;
    *flag = 0;
    {
        order_lock order;
        if (visible_requests visible(count, requests, taken); !visible.any_hidden())
            rc = library(count, requests, flag, known.data());
        if (*flag || rc != MPI_SUCCESS)
            taken.settle_all(rc, known.data());
    }
    cost.library_returned();
    if (*flag || rc != MPI_SUCCESS)
        taken.finish_all(rc, known.data(), cost.returned_ns());
    cost.done();
    return rc;
}

int waitany(decltype(&MPI_Waitany) library, int count, MPI_Request *requests, int *index, MPI_Status *status)
{
    carrier_cost cost;
    taken_requests taken(count, requests);
    if (!taken.any())
        return library(count, requests, index, status);
    MPI_Status own = {};
    own.MPI_SOURCE = MPI_PROC_NULL;
    *index = MPI_UNDEFINED;
    cost.library_called();
    const int rc = wait_and_settle([&] { return library(count, requests, index, &own); },
                                   [&](int *done) { return real.Testany(count, requests, index, done, &own); },
                                   [&](int) { taken.settle(*index, &own); });
    cost.library_returned();
    taken.finish(*index, &own, cost.returned_ns());
    give_status(own, status);
    cost.done();
    return rc;
}

int testany(decltype(&MPI_Testany) library, int count, MPI_Request *requests, int *index, int *flag,
            MPI_Status *status)
{
    carrier_cost cost;
    taken_requests taken(count, requests);
    if (!taken.any())
        return library(count, requests, index, flag, status);
    MPI_Status own = {};
    own.MPI_SOURCE = MPI_PROC_NULL;
    *index = MPI_UNDEFINED;
    cost.library_called();
    int rc;
    {
        order_lock order;
        visible_requests visible(count, requests, taken);
        rc = library(count, visible.data(), index, flag, &own);
        if (visible.any_hidden() && *index == MPI_UNDEFINED)
            *flag = 0;
        taken.settle(*index, &own);
    }
    cost.library_returned();
    taken.finish(*index, &own, cost.returned_ns());
    if (*flag)
        give_status(own, status);
    cost.done();
    return rc;
}

int waitsome(decltype(&MPI_Waitsome) library, int count, MPI_Request *requests, int *done, int *indices,
             MPI_Status *statuses)
{
    carrier_cost cost;
    taken_requests taken(count, requests);
    if (!taken.any())
        return library(count, requests, done, indices, statuses);
    known_statuses known(count, statuses);
    *done = MPI_UNDEFINED;
    const auto test = [&](int *any) {
        const int code = real.Testsome(count, requests, done, indices, known.data());
        *any = *done != 0;
        return code;
    };
    cost.library_called();
    const int rc = wait_and_settle([&] { return library(count, requests, done, indices, known.data()); }, test,
                                   [&](int) { taken.settle_some(*done, indices, known.data()); });
    cost.library_returned();
    taken.finish_some(*done, indices, known.data(), cost.returned_ns());
    cost.done();
    return rc;
}

int testsome(decltype(&MPI_Testsome) library, int count, MPI_Request *requests, int *done, int *indices,
             MPI_Status *statuses)
{
    carrier_cost cost;
    taken_requests taken(count, requests);
    if (!taken.any())
        return library(count, requests, done, indices, statuses);
    known_statuses known(count, statuses);
    *done = MPI_UNDEFINED;
    cost.library_called();
    int rc;
    {
        order_lock order;
        visible_requests visible(count, requests, taken);
        rc = library(count, visible.data(), done, indices, known.data());
        if (visible.any_hidden() && *done == MPI_UNDEFINED)
            *done = 0;
        taken.settle_some(*done, indices, known.data());
    }
    cost.library_returned();
    taken.finish_some(*done, indices, known.data(), cost.returned_ns());
    cost.done();
    return rc;
}

int request_free(decltype(&MPI_Request_free) library, MPI_Request *request)
{
    parcel *p = request == nullptr ? nullptr : find_request(*request);
    if (p == nullptr)
        return library(request);
    forget_request(*request);
    if (p->persistent && !p->active) {
        release_parcel(p);
        return library(request);
    }
    abandon(*request, p);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

// The request stays: the join is made now, and not again when it is completed.
int request_get_status(decltype(&MPI_Request_get_status) library, MPI_Request request, int *flag, MPI_Status *status)
{
    parcel *p = find_request(request);
    if (p == nullptr || p->role == direction::send || (p->persistent && !p->active))
        return library(request, flag, status);
    carrier_cost cost;
    MPI_Status own = {};
    MPI_Status *known = known_status(status, &own);
    cost.library_called();
    const int rc = library(request, flag, known);
    cost.library_returned();
    if (rc == MPI_SUCCESS && *flag)
        *flag = is_collective(p) ? is_whole_collective(p) : in_use->is_whole(p, known);
    if (rc == MPI_SUCCESS && *flag)
        is_collective(p) ? finish_collective(p, cost.returned_ns()) : receive_parcel(p, known, cost.returned_ns());
    cost.done();
    return rc;
}

int type_free(decltype(&MPI_Type_free) library, MPI_Datatype *type)
{
    if (type != nullptr && *type != MPI_DATATYPE_NULL)
        in_use->drop_type(*type);
    return library(type);
}

}  // namespace tare::pmpi::carried
