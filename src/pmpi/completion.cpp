// SPDX-License-Identifier: BSD-3-Clause
// Probing and completion with the datatype carrier.
//
// A request may be completed by any of these functions, so all of them look for carried ones. What a call may
// complete is taken out of the table before the MPI library is asked: the library may give the handle away again, to
// another thread, as soon as the request is complete. What turns out not to be complete is put back.
#include "carried.hpp"

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
            die("no memory for the requests of TARE_MODE=datatype");
    }
    ~small_array() { delete[] many_; }
    small_array(const small_array &) = delete;
    small_array &operator=(const small_array &) = delete;
    T *data() { return many_ ? many_ : few_; }

  private:
    static constexpr int few_count = 16;
    T few_[few_count] = {};
    T *many_ = nullptr;
};

// The carried requests among those of one call. Whatever the call did not complete goes back into the table.
class taken_requests {
  public:
    taken_requests(int count, MPI_Request *requests)
        : count_(count < 0 || requests == nullptr ? 0 : count), requests_(requests), stamped_(count_)
    {
        take_requests(count_, requests, stamped_.data());
        for (int i = 0; i < count_; i++)
            any_ |= stamped_.data()[i] != nullptr;
    }

    ~taken_requests()
    {
        for (int i = 0; any_ && i < count_; i++)
            put_back(requests_[i], stamped_.data()[i]);
    }

    taken_requests(const taken_requests &) = delete;
    taken_requests &operator=(const taken_requests &) = delete;

    bool any() const { return any_; }

    // The MPI library sets the handle of a complete request to null.
    void finish_if_complete(int i, MPI_Status *status, std::int64_t returned_ns)
    {
        stamped *&s = stamped_.data()[i];
        if (s == nullptr || requests_[i] != MPI_REQUEST_NULL)
            return;
        finish_request(s, status, returned_ns);
        s = nullptr;
    }

    // `statuses` holds one for each request.
    void finish_all_complete(MPI_Status *statuses, std::int64_t returned_ns)
    {
        for (int i = 0; i < count_; i++)
            finish_if_complete(i, &statuses[i], returned_ns);
    }

    // `statuses` holds one for each of the requests named by `indices`.
    void finish_some(int done, const int *indices, MPI_Status *statuses, std::int64_t returned_ns)
    {
        for (int i = 0; i < done; i++)
            finish_if_complete(indices[i], &statuses[i], returned_ns);
    }

  private:
    const int count_;
    MPI_Request *const requests_;
    small_array<stamped *> stamped_;
    bool any_ = false;
};

// Statuses that are always there: the user's, or ours where the user ignores them.
class known_statuses {
  public:
    known_statuses(int count, MPI_Status *users)
        : users_(users), own_(users == MPI_STATUSES_IGNORE && count > 0 ? count : 0)
    {
    }
    MPI_Status *data() { return users_ == MPI_STATUSES_IGNORE ? own_.data() : users_; }

  private:
    MPI_Status *const users_;
    small_array<MPI_Status> own_;
};

MPI_Status *known_or(MPI_Status *users, MPI_Status *own) { return users == MPI_STATUS_IGNORE ? own : users; }

bool some(int done) { return done != MPI_UNDEFINED && done > 0; }

}  // namespace

int probe(decltype(&MPI_Probe) library, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    const int rc = library(source, tag, comm, status);
    if (rc == MPI_SUCCESS && status != MPI_STATUS_IGNORE)
        correct_count(status);
    return rc;
}

int iprobe(decltype(&MPI_Iprobe) library, int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    const int rc = library(source, tag, comm, flag, status);
    if (rc == MPI_SUCCESS && *flag && status != MPI_STATUS_IGNORE)
        correct_count(status);
    return rc;
}

int mprobe(decltype(&MPI_Mprobe) library, int source, int tag, MPI_Comm comm, MPI_Message *message,
           MPI_Status *status)
{
    const int rc = library(source, tag, comm, message, status);
    if (rc != MPI_SUCCESS)
        return rc;
    note_matched(*message, comm);
    if (status != MPI_STATUS_IGNORE)
        correct_count(status);
    return rc;
}

int improbe(decltype(&MPI_Improbe) library, int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
            MPI_Status *status)
{
    const int rc = library(source, tag, comm, flag, message, status);
    if (rc != MPI_SUCCESS || !*flag)
        return rc;
    note_matched(*message, comm);
    if (status != MPI_STATUS_IGNORE)
        correct_count(status);
    return rc;
}

int wait(decltype(&MPI_Wait) library, MPI_Request *request, MPI_Status *status)
{
    carrier_cost cost;
    taken_requests taken(1, request);
    if (!taken.any())
        return library(request, status);
    MPI_Status own = {};
    MPI_Status *known = known_or(status, &own);
    cost.library_called();
    const int rc = library(request, known);
    cost.library_returned();
    taken.finish_if_complete(0, known, cost.returned_ns());
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
    MPI_Status *known = known_or(status, &own);
    cost.library_called();
    const int rc = library(request, flag, known);
    cost.library_returned();
    taken.finish_if_complete(0, known, cost.returned_ns());
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
    const int rc = library(count, requests, known.data());
    cost.library_returned();
    taken.finish_all_complete(known.data(), cost.returned_ns());
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
    const int rc = library(count, requests, flag, known.data());
    cost.library_returned();
    taken.finish_all_complete(known.data(), cost.returned_ns());
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
    MPI_Status *known = known_or(status, &own);
    *index = MPI_UNDEFINED;
    cost.library_called();
    const int rc = library(count, requests, index, known);
    cost.library_returned();
    if (*index != MPI_UNDEFINED)
        taken.finish_if_complete(*index, known, cost.returned_ns());
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
    MPI_Status *known = known_or(status, &own);
    *index = MPI_UNDEFINED;
    cost.library_called();
    const int rc = library(count, requests, index, flag, known);
    cost.library_returned();
    if (*index != MPI_UNDEFINED)
        taken.finish_if_complete(*index, known, cost.returned_ns());
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
    cost.library_called();
    const int rc = library(count, requests, done, indices, known.data());
    cost.library_returned();
    if (some(*done))
        taken.finish_some(*done, indices, known.data(), cost.returned_ns());
    cost.done();
    return rc;
}

int testsome(decltype(&MPI_Testsome) library, int count, MPI_Request *requests, int *done, int *indices,
             MPI_Status *statuses)
{
    return waitsome(library, count, requests, done, indices, statuses);
}

int request_free(decltype(&MPI_Request_free) library, MPI_Request *request)
{
    stamped *s = nullptr;
    if (request != nullptr)
        take_requests(1, request, &s);
    if (s == nullptr)
        return library(request);
    abandon(*request, s);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

// The request stays: the join is made now, and not again when it is completed.
int request_get_status(decltype(&MPI_Request_get_status) library, MPI_Request request, int *flag, MPI_Status *status)
{
    stamped *s = nullptr;
    take_requests(1, &request, &s);
    if (!receives(s)) {
        put_back(request, s);
        return library(request, flag, status);
    }
    carrier_cost cost;
    MPI_Status own = {};
    MPI_Status *known = known_or(status, &own);
    cost.library_called();
    const int rc = library(request, flag, known);
    cost.library_returned();
    if (rc == MPI_SUCCESS && *flag)
        look_at_receive(s, known, cost.returned_ns());
    put_back(request, s);
    cost.done();
    return rc;
}

int type_free(decltype(&MPI_Type_free) library, MPI_Datatype *type)
{
    if (type != nullptr && *type != MPI_DATATYPE_NULL)
        drop_type(*type);
    return library(type);
}

}  // namespace tare::pmpi::carried
