// SPDX-License-Identifier: BSD-3-Clause
// The requests and statuses of one call that completes requests.
//
// What a call may complete is taken out of the table before the MPI library is asked: the library may give the handle
// away again, to another thread, as soon as the request is complete. What turns out not to be complete is put back.
#ifndef TARE_PMPI_TAKEN_HPP
#define TARE_PMPI_TAKEN_HPP

#include "carrier.hpp"
#include "collective.hpp"
#include "small_array.hpp"

namespace tare::pmpi::carried {

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
        if (__builtin_expect(self.arriving_of != nullptr, 0))
            self.arriving = self.arriving_of + i;
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

}  // namespace tare::pmpi::carried

#endif
