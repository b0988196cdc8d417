// SPDX-License-Identifier: BSD-3-Clause
// What calls that make, free and name communicators say of them (known_comms.hpp), and their events, as traced.hpp has
// those of messages.
#ifndef TARE_PMPI_TRACED_COMM_CALLS_HPP
#define TARE_PMPI_TRACED_COMM_CALLS_HPP

#include "traced.hpp"

namespace tare::pmpi::traced {

class comm_call {
  public:
    void write(const moved_bytes &) const;

  protected:
    // A collective operation on `in`; `comm` has been made by it, or freed. TARE_TRACE_NONE: it is not known.
    void note(enum tare_trace_operation operation, std::uint32_t in, std::uint32_t comm);

  private:
    followed_request in_;
    std::uint32_t comm_ = TARE_TRACE_NONE;
};

template <typename Last> Last last_of(Last last) { return last; }
template <typename First, typename... Rest> auto last_of(const First &, Rest... rest) { return last_of(rest...); }

class comm_make : public comm_call {
  public:
    template <typename... Rest> explicit comm_make(MPI_Comm parent, Rest... rest) : parent_(parent), comm_(last_of(rest...)) {}
    void returned(int rc);

  private:
    const MPI_Comm parent_;
    const MPI_Comm *const comm_;
};

class comm_idup {
  public:
    comm_idup(MPI_Comm parent, const MPI_Comm *comm, const MPI_Request *request)
        : parent_(parent), comm_(comm), request_(request)
    {
    }
    comm_idup(MPI_Comm parent, MPI_Info, const MPI_Comm *comm, const MPI_Request *request)
        : comm_idup(parent, comm, request)
    {
    }
    void returned(int rc);
    void write(const moved_bytes &) const;

  private:
    const MPI_Comm parent_;
    const MPI_Comm *const comm_;
    const MPI_Request *const request_;
    bool is_begun_ = false;
};

class comm_create_group : public comm_call {
  public:
    comm_create_group(MPI_Comm parent, MPI_Group, int tag, const MPI_Comm *comm) : parent_(parent), tag_(tag), comm_(comm) {}
    void returned(int rc);

  private:
    const MPI_Comm parent_;
    const int tag_;
    const MPI_Comm *const comm_;
};

class intercomm_create : public comm_call {
  public:
    intercomm_create(MPI_Comm, int, MPI_Comm, int, int tag, const MPI_Comm *comm) : tag_(tag), comm_(comm) {}
    void returned(int rc);

  private:
    const int tag_;
    const MPI_Comm *const comm_;
};

class comm_free : public comm_call {
  public:
    explicit comm_free(const MPI_Comm *comm)
    {
        if (state.knows_comms && comm != nullptr && *comm != MPI_COMM_NULL)
            handle_ = *comm, summary_ = summary_of(*comm);
    }
    void returned(int rc);

  private:
    MPI_Comm handle_{};
    known::comm_summary summary_ = known::unknown_comm;
};

class comm_set_name : public comm_call {
  public:
    comm_set_name(MPI_Comm comm, const char *name) : comm_(comm), name_(name) {}
    void returned(int rc);

  private:
    const MPI_Comm comm_;
    const char *const name_;
};

}  // namespace tare::pmpi::traced

#endif
