// SPDX-License-Identifier: BSD-3-Clause
// Probing and completion with a carrier above MPI.
//
// A request may be completed by any of these functions, so all of them look for carried ones. What a call may
// complete is taken out of the table before the MPI library is asked: the library may give the handle away again, to
// another thread, as soon as the request is complete. What turns out not to be complete is put back.
#include "carried.hpp"
#include "collective.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <new>

namespace tare::pmpi::carried {

namespace {

// `count` values, on the stack if they are few.
template <typename T> class small_array {
  public:
    explicit small_array(int count)
    {
        if (count <= few_count)
            return;
        many_ = new (std::nothrow) T[static_cast<unsigned>(count)]();
        if (many_ == nullptr)
            die("no memory for the %d requests of one call", count);
    }
    ~small_array() { delete[] many_; }
    small_array(const small_array &) = delete;
    small_array &operator=(const small_array &) = delete;
    T *data() { return many_ ? many_ : few_; }
    const T *data() const { return many_ ? many_ : few_; }

  private:
    static constexpr int few_count = 16;
    T few_[few_count] = {};
    T *many_ = nullptr;
};

// The carried requests among those of one call. Whatever the call did not complete goes back into the table.
class taken_requests {
  public:
    taken_requests(int count, MPI_Request *requests)
        : count_(count < 0 || requests == nullptr ? 0 : count), requests_(requests), parcels_(count_)
    {
        take_requests(count_, requests, parcels_.data());
        for (int i = 0; i < count_; i++)
            note(parcels_.data()[i]);
    }

    ~taken_requests()
    {
        for (int i = 0; any_ && i < count_; i++)
            if (is_carried(i))
                put_back(requests_[i], parcels_.data()[i]);
    }

    taken_requests(const taken_requests &) = delete;
    taken_requests &operator=(const taken_requests &) = delete;

    bool any() const { return any_; }
    bool is_carried(int i) const { return parcels_.data()[i] != nullptr; }
    parcel *of(int i) const { return parcels_.data()[i]; }
    // A test may find something complete whose other part has not come.
    bool need_order() const { return has_collective_ || in_use->needs_order(); }

    // --- complete ones: by number, all, or those named by `indices`, with a status for each ---
    // `i` and `done` may be MPI_UNDEFINED, which is negative.

    // The MPI library has just completed them.
    void settle(int i, const MPI_Status *status)
    {
        if (i != MPI_UNDEFINED && is_carried(i) && !is_collective(of(i)))
            in_use->completed(of(i), status);
    }
    void settle_all(int rc, const MPI_Status *statuses)
    {
        for (int i = 0; i < count_; i++)
            if (is_complete(i, rc, statuses[i]))
                settle(i, &statuses[i]);
    }
    void settle_some(int done, const int *indices, const MPI_Status *statuses)
    {
        for (int i = 0; i < done; i++)
            settle(indices[i], &statuses[i]);
    }

    // The user gets them. All that one call has completed are settled before.
    void finish(int i, MPI_Status *status, std::int64_t returned_ns)
    {
        if (i == MPI_UNDEFINED || !is_carried(i))
            return;
        const bool stays = of(i)->persistent;
        finish_parcel(of(i), status, returned_ns);
        if (!stays)
            parcels_.data()[i] = nullptr;
    }
    void finish_all(int rc, MPI_Status *statuses, std::int64_t returned_ns)
    {
        int received = 0;
        for (int i = 0; i < count_; i++)
            received += is_carried(i) && of(i)->role != direction::send;
        for (int i = 0; i < count_; i++)
            if (is_complete(i, rc, statuses[i]))
                finish(i, &statuses[i], received > 1 ? among_several_ns : returned_ns);
    }
    void finish_some(int done, const int *indices, MPI_Status *statuses, std::int64_t returned_ns)
    {
        for (int i = 0; i < done; i++)
            finish(indices[i], &statuses[i], done > 1 ? among_several_ns : returned_ns);
    }

    // A request for which a test may say that it is complete.
    bool may_complete(int i)
    {
        parcel *p = of(i);
        if (p != nullptr && is_collective(p))
            return is_whole_collective(p);
        if (p == nullptr || !receives(p))
            return true;
        int complete = 0;
        MPI_Status status{};
        status.MPI_SOURCE = MPI_PROC_NULL;
        real.Request_get_status(requests_[i], &complete, &status);
        return complete && in_use->is_whole(p, &status);
    }

  private:
    void note(const parcel *p)
    {
        any_ |= p != nullptr;
        has_collective_ |= p != nullptr && is_collective(p);
    }

    // Of those that are carried, after a call that completes all. The MPI library sets the handle of a complete
    // request to null, unless it is persistent: then it is complete if the call has completed all that it could.
    bool is_complete(int i, int rc, const MPI_Status &status) const
    {
        if (!is_carried(i))
            return false;
        if (!of(i)->persistent)
            return requests_[i] == MPI_REQUEST_NULL;
        if (rc == MPI_SUCCESS)
            return true;
        int error = MPI_SUCCESS;
        real.Error_class(rc, &error);
        return error == MPI_ERR_IN_STATUS && status.MPI_ERROR != MPI_ERR_PENDING;
    }

    const int count_;
    MPI_Request *const requests_;
    small_array<parcel *> parcels_;
    bool any_ = false;
    bool has_collective_ = false;
};

// A test must not say that a message is there whose other part has not come, nor wait for it. So the MPI library is
// not asked for those: it sees null in their place.
class visible_requests {
  public:
    visible_requests(int count, MPI_Request *requests, taken_requests &taken)
        : count_(taken.need_order() ? count : 0), requests_(requests), visible_(count_), is_hidden_(count_)
    {
        for (int i = 0; i < count_; i++) {
            is_hidden_.data()[i] = !taken.may_complete(i);
            visible_.data()[i] = is_hidden_.data()[i] ? MPI_REQUEST_NULL : requests[i];
            hidden_ += is_hidden_.data()[i];
        }
    }
    ~visible_requests()
    {
        for (int i = 0; hidden_ > 0 && i < count_; i++)
            if (!is_hidden_.data()[i])
                requests_[i] = visible_.data()[i];
    }
    visible_requests(const visible_requests &) = delete;
    visible_requests &operator=(const visible_requests &) = delete;

    bool any_hidden() const { return hidden_ > 0; }
    MPI_Request *data() { return hidden_ > 0 ? visible_.data() : requests_; }

  private:
    const int count_;
    MPI_Request *const requests_;
    small_array<MPI_Request> visible_;
    small_array<bool> is_hidden_;
    int hidden_ = 0;
};

// Statuses that are always there: the user's, or ours where the user ignores them. Of a request for which nothing
// comes the source stays what it is here.
class known_statuses {
  public:
    known_statuses(int count, MPI_Status *users)
        : users_(users), own_(users == MPI_STATUSES_IGNORE && count > 0 ? count : 0)
    {
        for (int i = 0; i < count; i++)
            data()[i].MPI_SOURCE = MPI_PROC_NULL;
    }
    MPI_Status *data() { return users_ == MPI_STATUSES_IGNORE ? own_.data() : users_; }

  private:
    MPI_Status *const users_;
    small_array<MPI_Status> own_;
};

}  // namespace

int probe(decltype(&MPI_Probe) library, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    const int rc = library(source, tag, comm, status);
    if (rc == MPI_SUCCESS && status != MPI_STATUS_IGNORE)
        in_use->correct_probed(status);
    return rc;
}

int iprobe(decltype(&MPI_Iprobe) library, int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    const int rc = library(source, tag, comm, flag, status);
    look_at_abandoned();
    if (rc == MPI_SUCCESS && *flag && status != MPI_STATUS_IGNORE)
        in_use->correct_probed(status);
    return rc;
}

int mprobe(decltype(&MPI_Mprobe) library, int source, int tag, MPI_Comm comm, MPI_Message *message,
           MPI_Status *status)
{
    if (is_ordered())
        return wait_in_order([&](int *flag) {
            return improbe(real.Improbe, source, tag, comm, flag, message, status);
        });
    MPI_Status own = {};
    MPI_Status *known = status == MPI_STATUS_IGNORE ? &own : status;
    const int rc = library(source, tag, comm, message, known);
    if (rc != MPI_SUCCESS)
        return rc;
    note_matched(*message, known, comm);
    in_use->correct_probed(known);
    return rc;
}

int improbe(decltype(&MPI_Improbe) library, int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
            MPI_Status *status)
{
    MPI_Status own = {};
    MPI_Status *known = status == MPI_STATUS_IGNORE ? &own : status;
    look_at_abandoned();
    order_lock order;
    const int rc = library(source, tag, comm, flag, message, known);
    if (rc != MPI_SUCCESS || !*flag)
        return rc;
    note_matched(*message, known, comm);
    in_use->correct_probed(known);
    return rc;
}

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

// --- MPI_Bsend's buffer ---

namespace {

struct attached {
    void *larger = nullptr;
    void *users = nullptr;
    MPI_Count size = 0;
} attached_buffer;

}  // namespace

// As many messages as may lie in the user's buffer, each with what the carrier adds, and aligned.
void *larger_buffer(MPI_Count size, MPI_Count *larger_size)
{
    constexpr MPI_Count aligned = 32;
    const MPI_Count messages = size / std::max(MPI_BSEND_OVERHEAD, 1) + 1;
    *larger_size = size + messages * (in_use->more_bytes() + aligned);
    void *larger = *larger_size > INT_MAX ? nullptr : std::malloc(static_cast<std::size_t>(*larger_size));
    if (larger == nullptr)
        die("no memory for the buffer of MPI_Buffer_attach with room for what the carrier adds: %lld bytes",
            static_cast<long long>(*larger_size));
    return larger;
}

void keep_users_buffer(void *larger, void *users, MPI_Count size) { attached_buffer = {larger, users, size}; }

void users_buffer(void *larger, void **users, MPI_Count *size)
{
    if (larger == nullptr || larger != attached_buffer.larger)
        return;
    *users = attached_buffer.users;
    *size = attached_buffer.size;
    std::free(larger);
    attached_buffer = {};
}

}  // namespace tare::pmpi::carried
