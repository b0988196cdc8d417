// SPDX-License-Identifier: BSD-3-Clause
// The events of calls on windows, as traced.hpp has those of messages.
#ifndef TARE_PMPI_TRACED_WINDOW_CALLS_HPP
#define TARE_PMPI_TRACED_WINDOW_CALLS_HPP

#include "bytes.hpp"
#include "traced.hpp"
#include "traced_windows.hpp"

namespace tare::pmpi::traced {

class window_call {
  public:
    void returned(int rc) { rc_ = rc; }

  protected:
    bool is_good() const { return rc_ == MPI_SUCCESS; }

  private:
    int rc_ = MPI_SUCCESS;
};

// --- that make, name and free them ---

class win_create : public window_call {
  public:
    win_create(const void *, std::int64_t, std::int64_t, MPI_Info, MPI_Comm comm, const MPI_Win *win) : comm_(comm), win_(win)
    {
    }
    win_create(MPI_Info, MPI_Comm comm, const MPI_Win *win) : comm_(comm), win_(win) {}
    void returned(int rc);
    void write(const moved_bytes &) const;

  protected:
    win_create(MPI_Comm comm, const MPI_Win *win) : comm_(comm), win_(win), is_allocated_(true) {}

  private:
    const MPI_Comm comm_;
    const MPI_Win *const win_;
    const bool is_allocated_ = false;
};

class win_allocate : public win_create {
  public:
    win_allocate(std::int64_t, std::int64_t, MPI_Info, MPI_Comm comm, const void *, const MPI_Win *win) : win_create(comm, win)
    {
    }
};

class win_free : public window_call {
  public:
    explicit win_free(const MPI_Win *win)
    {
        if (is_on() && win != nullptr)
            handle_ = *win, window_ = summary_of_window(*win);
    }
    void returned(int rc);
    void write(const moved_bytes &) const;

  private:
    MPI_Win handle_{};
    window_summary window_;
};

class win_set_name : public window_call {
  public:
    win_set_name(MPI_Win win, const char *name) : win_(win), name_(name) {}
    void returned(int rc)
    {
        if (is_on() && rc == MPI_SUCCESS)
            window_named(win_, name_);
    }
    void write(const moved_bytes &) const {}

  private:
    const MPI_Win win_;
    const char *const name_;
};

// --- operations; the last argument of those that have a request is that ---

class rma_call : public window_call {
  protected:
    rma_call(int target, MPI_Win win, const MPI_Request *request) : target_(target), win_(win), request_(request) {}
    void begin(std::uint32_t kind, std::int64_t sent, std::int64_t received, int atomic = 0) const
    {
        if (is_good() && target_ != MPI_PROC_NULL)
            begin_operation(win_, {kind, target_, sent, received, atomic}, request_);
    }
    static int fetching(MPI_Op op)
    {
        return op == MPI_REPLACE ? TARE_TRACE_SWAP
               : op == MPI_SUM   ? TARE_TRACE_FETCH_AND_ADD
                                 : TARE_TRACE_FETCH_AND_ACCUMULATE;
    }

  private:
    const int target_;
    const MPI_Win win_;
    const MPI_Request *const request_;
};

class put : public rma_call {
  public:
    put(const void *, std::int64_t count, MPI_Datatype type, int target, std::int64_t, std::int64_t, MPI_Datatype,
        MPI_Win win, const MPI_Request *request = nullptr)
        : rma_call(target, win, request), count_(count), type_(type)
    {
    }
    void write(const moved_bytes &) const { begin(TARE_TRACE_RMA_PUT, bytes::size_of(count_, type_), 0); }

  private:
    const std::int64_t count_;
    const MPI_Datatype type_;
};

class get : public rma_call {
  public:
    get(const void *, std::int64_t count, MPI_Datatype type, int target, std::int64_t, std::int64_t, MPI_Datatype,
        MPI_Win win, const MPI_Request *request = nullptr)
        : rma_call(target, win, request), count_(count), type_(type)
    {
    }
    void write(const moved_bytes &) const { begin(TARE_TRACE_RMA_GET, 0, bytes::size_of(count_, type_)); }

  private:
    const std::int64_t count_;
    const MPI_Datatype type_;
};

class accumulate : public rma_call {
  public:
    accumulate(const void *, std::int64_t count, MPI_Datatype type, int target, std::int64_t, std::int64_t, MPI_Datatype,
               MPI_Op, MPI_Win win, const MPI_Request *request = nullptr)
        : rma_call(target, win, request), count_(count), type_(type)
    {
    }
    void write(const moved_bytes &) const
    {
        begin(TARE_TRACE_RMA_ATOMIC, bytes::size_of(count_, type_), 0, TARE_TRACE_ACCUMULATE);
    }

  private:
    const std::int64_t count_;
    const MPI_Datatype type_;
};

// With MPI_NO_OP nothing is sent, and what stands for it in the call means nothing.
class get_accumulate : public rma_call {
  public:
    get_accumulate(const void *, std::int64_t count, MPI_Datatype type, const void *, std::int64_t result_count,
                   MPI_Datatype result_type, int target, std::int64_t, std::int64_t, MPI_Datatype, MPI_Op op, MPI_Win win,
                   const MPI_Request *request = nullptr)
        : rma_call(target, win, request), count_(count), result_count_(result_count), type_(type),
          result_type_(result_type), op_(op)
    {
    }
    void write(const moved_bytes &) const
    {
        begin(TARE_TRACE_RMA_ATOMIC, op_ == MPI_NO_OP ? 0 : bytes::size_of(count_, type_),
              bytes::size_of(result_count_, result_type_), fetching(op_));
    }

  private:
    const std::int64_t count_, result_count_;
    const MPI_Datatype type_, result_type_;
    const MPI_Op op_;
};

class fetch_and_op : public rma_call {
  public:
    fetch_and_op(const void *, const void *, MPI_Datatype type, int target, std::int64_t, MPI_Op op, MPI_Win win)
        : rma_call(target, win, nullptr), type_(type), op_(op)
    {
    }
    void write(const moved_bytes &) const
    {
        const std::int64_t each = bytes::size_of(1, type_);
        begin(TARE_TRACE_RMA_ATOMIC, op_ == MPI_NO_OP ? 0 : each, each, fetching(op_));
    }

  private:
    const MPI_Datatype type_;
    const MPI_Op op_;
};

// Both the value and what it is compared with are sent.
class compare_and_swap : public rma_call {
  public:
    compare_and_swap(const void *, const void *, const void *, MPI_Datatype type, int target, std::int64_t, MPI_Win win)
        : rma_call(target, win, nullptr), type_(type)
    {
    }
    void write(const moved_bytes &) const
    {
        const std::int64_t each = bytes::size_of(1, type_);
        begin(TARE_TRACE_RMA_ATOMIC, 2 * each, each, TARE_TRACE_COMPARE_AND_SWAP);
    }

  private:
    const MPI_Datatype type_;
};

// --- synchronisation ---

class win_fence : public window_call {
  public:
    win_fence(int, MPI_Win win) : win_(win) {}
    void write(const moved_bytes &) const;

  private:
    const MPI_Win win_;
};

// MPI_Win_start and MPI_Win_post: an epoch begins for a group.
class epoch_begin : public window_call {
  protected:
    epoch_begin(MPI_Group group, MPI_Win win) : group_(group), win_(win) {}
    void write(std::uint32_t window_summary::*which) const;

    const MPI_Group group_;
    const MPI_Win win_;
};

class win_start : public epoch_begin {
  public:
    win_start(MPI_Group group, int, MPI_Win win) : epoch_begin(group, win) {}
    void returned(int rc);
    void write(const moved_bytes &) const { epoch_begin::write(&window_summary::access); }
};

class win_post : public epoch_begin {
  public:
    win_post(MPI_Group group, int, MPI_Win win) : epoch_begin(group, win) {}
    void returned(int rc);
    void write(const moved_bytes &) const { epoch_begin::write(&window_summary::exposure); }
};

class win_complete : public window_call {
  public:
    explicit win_complete(MPI_Win win) : win_(win) {}
    void write(const moved_bytes &) const;

  private:
    const MPI_Win win_;
};

class win_wait : public window_call {
  public:
    explicit win_wait(MPI_Win win) : win_(win) {}
    win_wait(MPI_Win win, const int *flag) : win_(win), flag_(flag) {}
    void write(const moved_bytes &) const;

  private:
    const MPI_Win win_;
    const int *const flag_ = nullptr;
};
using win_test = win_wait;

class win_lock : public window_call {
  public:
    win_lock(int kind, int target, int, MPI_Win win) : win_(win), target_(target), is_shared_(kind == MPI_LOCK_SHARED) {}
    void write(const moved_bytes &) const;

  protected:
    win_lock(int target, bool is_shared, MPI_Win win) : win_(win), target_(target), is_shared_(is_shared) {}

  private:
    const MPI_Win win_;
    const int target_;
    const bool is_shared_;
};

class win_lock_all : public win_lock {
  public:
    win_lock_all(int, MPI_Win win) : win_lock(all_targets, true, win) {}
};

// MPI_Win_flush and its kin, of one process or of all.
template <completed how> class win_complete_at : public window_call {
  public:
    win_complete_at(int target, MPI_Win win) : win_(win), target_(target) {}
    explicit win_complete_at(MPI_Win win) : win_(win) {}
    void write(const moved_bytes &) const
    {
        if (is_good() && target_ != MPI_PROC_NULL)
            complete_operations(win_, target_, how);
    }

  protected:
    const MPI_Win win_;
    const int target_ = all_targets;
};
using win_flush = win_complete_at<completed::everywhere>;
using win_flush_local = win_complete_at<completed::at_origin>;

class win_unlock : public win_flush {
  public:
    using win_flush::win_flush;
    void write(const moved_bytes &moved) const;
};

class win_sync : public window_call {
  public:
    explicit win_sync(MPI_Win win) : win_(win) {}
    void write(const moved_bytes &) const;

  private:
    const MPI_Win win_;
};

}  // namespace tare::pmpi::traced

#endif
