// SPDX-License-Identifier: BSD-3-Clause
// The events of calls that start, complete and give up requests, as traced.hpp has those of messages.
#ifndef TARE_PMPI_TRACED_REQUESTS_HPP
#define TARE_PMPI_TRACED_REQUESTS_HPP

#include "traced.hpp"
#include "traced_buffers.hpp"

namespace tare::pmpi::traced {

// --- persistent ones: bytes.hpp has begun to follow them in the same note ---

class send_init : public message_call {
  public:
    send_init(const void *, std::int64_t, MPI_Datatype, int dest, int tag, MPI_Comm comm, const MPI_Request *request)
        : with_{dest, tag, comm}, request_(request)
    {
    }
    void write(const moved_bytes &) const
    {
        if (!is_good())
            return;
        followed_request r = received_from(with_.rank, with_.tag, comm_number(with_.comm));
        keep_place(r);
        requests::describe(*request_, r);
        keep_buffers(*request_);
    }

  private:
    const partner with_;
    const MPI_Request *const request_;
};
using recv_init = send_init;

// Partitions of one message, which a start begins and the end of its request ends.
class partitioned_init {
  public:
    void returned(int rc) { rc_ = rc; }
    void write(const moved_bytes &) const
    {
        if (rc_ == MPI_SUCCESS && with_.rank != MPI_PROC_NULL)
            describe();
    }

  protected:
    partitioned_init(bool sends, int partitions, std::int64_t count, MPI_Datatype type, const partner &with,
                     const MPI_Request *request)
        : sends_(sends), count_(partitions * count), type_(type), with_(with), request_(request)
    {
    }

  private:
    void describe() const;

    const bool sends_;
    const std::int64_t count_;
    const MPI_Datatype type_;
    const partner with_;
    const MPI_Request *const request_;
    int rc_ = MPI_SUCCESS;
};

class psend_init : public partitioned_init {
  public:
    psend_init(const void *, int partitions, std::int64_t count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Info,
               const MPI_Request *request)
        : partitioned_init(true, partitions, count, type, {dest, tag, comm}, request)
    {
    }
};

class precv_init : public partitioned_init {
  public:
    precv_init(const void *, int partitions, std::int64_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Info, const MPI_Request *request)
        : partitioned_init(false, partitions, count, type, {source, tag, comm}, request)
    {
    }
};

class startall : public message_call {
  public:
    startall(int count, const MPI_Request *requests)
    {
        if (is_on() && count > 0 && requests != nullptr)
            begin(count, requests);
    }
    void write(const moved_bytes &) const
    {
        if (before_ && is_good())
            write_all();
    }

  private:
    struct kept {
        explicit kept(int n) : count(n), before(n), origins(n) {}
        int count;
        std::uint64_t sent = 0;          // the thread's latest number
        small_array<MPI_Request> before;
        small_array<tare_trace_origin_t> origins;
    };

    void begin(int count, const MPI_Request *requests);
    void write_all() const;

    const MPI_Request *requests_ = nullptr;
    std::optional<kept> before_;
};

class start : public startall {
  public:
    explicit start(const MPI_Request *request) : startall(1, request) {}
};

class cancel : public message_call {
  public:
    explicit cancel(const MPI_Request *request) : request_(request) {}
    void returned(int rc)
    {
        if (is_on() && rc == MPI_SUCCESS)
            requests::cancel(*request_);
    }
    void write(const moved_bytes &) const {}

  private:
    const MPI_Request *const request_;
};

class request_free : public message_call {
  public:
    explicit request_free(const MPI_Request *request) : request_(is_on() && request != nullptr ? *request : MPI_REQUEST_NULL)
    {
    }
    void returned(int rc)
    {
        if (is_on() && rc == MPI_SUCCESS)
            requests::forget(request_);
    }
    void write(const moved_bytes &) const {}

  private:
    const MPI_Request request_;
};

// --- those that complete ---

// The requests of one call that are followed. Those that turn out not to be complete are put back at its end.
template <int few> class taken_requests {
  public:
    taken_requests(int count, MPI_Request *requests)
        : count_(count), requests_(requests), taken_(count, typename small_array<taken_request, few>::unset())
    {
        if (state.numbered)
            numbers_.emplace(count, requests);
        requests::take(count, requests, taken_.data());
        if (state.carrier)
            self.arriving_of = origins_.emplace(count).data();
    }
    ~taken_requests()
    {
        self.arriving_of = self.arriving = nullptr;
        requests::put_back(count_, requests_, taken_.data());
    }
    taken_requests(const taken_requests &) = delete;
    taken_requests &operator=(const taken_requests &) = delete;

    MPI_Status *statuses() { return own_.emplace(count_).data(); }
    // error: its own, or MPI_SUCCESS.
    void end(int i, const MPI_Status *status, int error)
    {
        if (i >= 0 && i < count_)
            taken_.data()[i].ended = has_come(error) ? status : nothing_came();
    }
    // After a call that completes all or has failed: then the handles of those that are complete are null.
    void end_all(int rc, const MPI_Status *statuses)
    {
        for (int i = 0; i < count_; i++)
            if (rc == MPI_SUCCESS || is_ended(i, rc, statuses[i]))
                end(i, &statuses[i], is_in_statuses(rc) ? statuses[i].MPI_ERROR : rc);
    }
    // is_test: nothing was complete that the call asked for.
    void write(bool is_test) const
    {
        if (numbers_)
            numbers_->log.sort();
        const taken_request *taken = taken_.data();
        for (int i = 0; i < count_; i++) {
            const followed_request *r = taken[i].followed;
            if (r == nullptr || !r->is_traced)
                continue;
            if (taken[i].ended != nullptr)
                write_ended(*r, taken[i].ended, origin_of(i));
            else if (is_test)
                write_test(*r);
        }
    }

  private:
    // What the transport tells of the messages that come.
    struct numbered {
        numbered(int count, const MPI_Request *requests) : before(count), entries(count), log(entries.data(), count)
        {
            std::copy_n(requests, count, before.data());
        }
        small_array<MPI_Request, few> before;            // the call may have changed the handles
        small_array<tare_received_t, few> entries;
        received_log log;
    };

    tare_trace_origin_t origin_of(int i) const
    {
        if (origins_)
            return origins_->data()[i];
        return numbers_ ? numbers_->log.origin_of(numbers_->before.data()[i]) : tare_trace_origin_t{};
    }

    // A persistent one keeps its handle.
    bool is_ended(int i, int rc, const MPI_Status &status) const
    {
        const followed_request *r = taken_.data()[i].followed;
        if (r == nullptr || !r->persistent)
            return r != nullptr && requests_[i] == MPI_REQUEST_NULL;
        return count_ == 1 || (is_in_statuses(rc) && status.MPI_ERROR != MPI_ERR_PENDING);
    }

    const int count_;
    MPI_Request *const requests_;
    small_array<taken_request, few> taken_;
    std::optional<small_array<MPI_Status, few>> own_;                    // where the program ignores them
    std::optional<small_array<tare_trace_origin_t, few>> origins_;       // with a carrier
    std::optional<numbered> numbers_;                                    // of the transport
};

// Where the program ignores the status, or statuses, the call gets our own.
template <int few> class completing {
  public:
    completing(int count, MPI_Request *requests, MPI_Status *&statuses, bool ignored)
    {
        if (is_on() && count > 0 && requests != nullptr)
            take(count, requests, statuses, ignored);
    }
    completing(const completing &) = delete;
    completing &operator=(const completing &) = delete;

    void write(const moved_bytes &) const
    {
        if (taken_)
            taken_->write(is_test_);
    }

  protected:
    std::optional<taken_requests<few>> taken_;
    bool is_test_ = false;       // and has failed

  private:
    __attribute__((noinline)) void take(int count, MPI_Request *requests, MPI_Status *&statuses, bool ignored)
    {
        taken_.emplace(count, requests);
        if (ignored)
            statuses = taken_->statuses();
    }
};

class wait : public completing<1> {
  public:
    wait(MPI_Request *request, MPI_Status *&status)
        : completing(1, request, status, status == MPI_STATUS_IGNORE), status_(status)
    {
    }
    void returned(int rc)
    {
        if (taken_)
            taken_->end_all(rc, status_);
    }

  protected:
    MPI_Status *const &status_;
};

class test : public wait {
  public:
    test(MPI_Request *request, const int *flag, MPI_Status *&status) : wait(request, status), flag_(flag) {}
    void returned(int rc)
    {
        is_test_ = rc == MPI_SUCCESS && !*flag_;
        if (!is_test_)
            wait::returned(rc);
    }

  private:
    const int *const flag_;
};

class waitall : public completing<16> {
  public:
    waitall(int count, MPI_Request *requests, MPI_Status *&statuses)
        : completing(count, requests, statuses, statuses == MPI_STATUSES_IGNORE), statuses_(statuses)
    {
    }
    void returned(int rc)
    {
        if (taken_)
            taken_->end_all(rc, statuses_);
    }

  protected:
    MPI_Status *const &statuses_;
};

class testall : public waitall {
  public:
    testall(int count, MPI_Request *requests, const int *flag, MPI_Status *&statuses)
        : waitall(count, requests, statuses), flag_(flag)
    {
    }
    void returned(int rc)
    {
        is_test_ = rc == MPI_SUCCESS && !*flag_;
        if (!is_test_)
            waitall::returned(rc);
    }

  private:
    const int *const flag_;
};

class waitany : public completing<16> {
  public:
    waitany(int count, MPI_Request *requests, const int *index, MPI_Status *&status)
        : completing(count, requests, status, status == MPI_STATUS_IGNORE), index_(index), status_(status)
    {
    }
    // One that failed is named by its index, too.
    void returned(int rc)
    {
        if (taken_ && *index_ != MPI_UNDEFINED)
            taken_->end(*index_, status_, rc);
    }

  protected:
    const int *const index_;
    MPI_Status *const &status_;
};

class testany : public waitany {
  public:
    testany(int count, MPI_Request *requests, const int *index, const int *flag, MPI_Status *&status)
        : waitany(count, requests, index, status), flag_(flag)
    {
    }
    void returned(int rc)
    {
        is_test_ = rc == MPI_SUCCESS && !*flag_;
        if (!is_test_)
            waitany::returned(rc);
    }

  private:
    const int *const flag_;
};

class waitsome : public completing<16> {
  public:
    waitsome(int count, MPI_Request *requests, const int *done, const int *indices, MPI_Status *&statuses)
        : completing(count, requests, statuses, statuses == MPI_STATUSES_IGNORE), done_(done), indices_(indices),
          statuses_(statuses)
    {
    }
    void returned(int rc)
    {
        for (int i = 0; taken_ && *done_ != MPI_UNDEFINED && i < *done_; i++)
            taken_->end(indices_[i], &statuses_[i], is_in_statuses(rc) ? statuses_[i].MPI_ERROR : rc);
        is_test_ = rc == MPI_SUCCESS && *done_ == 0;
    }

  private:
    const int *const done_;
    const int *const indices_;
    MPI_Status *const &statuses_;
};
using testsome = waitsome;

}  // namespace tare::pmpi::traced

#endif
