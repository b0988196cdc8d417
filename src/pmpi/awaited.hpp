// SPDX-License-Identifier: BSD-3-Clause
// Whom a call has waited for. Asked only for a call that has waited, after it has returned.
//
// A call that waits for a request has the request's handle alone. So what a request is for is remembered when it is
// made, in a table of fixed size, without a lock: what has lost its place there is not known. Of sends that are complete
// at once the MPI library may give all one handle, which then is for the latest; they hardly wait.
#ifndef TARE_PMPI_AWAITED_HPP
#define TARE_PMPI_AWAITED_HPP

#include "handle_hash.hpp"
#include "layer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace tare::pmpi::awaits {

inline awaited one(int rank, MPI_Comm comm) { return {awaited::one, rank, comm}; }

// --- awaited.cpp ---

void remember_bits(std::uint64_t request, const awaited &whom);
awaited find_bits(std::uint64_t request);

template <typename Handle> void remember(Handle request, const awaited &whom)
{
    remember_bits(handle_bits(request), whom);
}

// --- for=F of calls.tab ---

template <typename... Rest>
awaited send(const void *, std::int64_t, MPI_Datatype, int dest, int, MPI_Comm comm, const Rest &...)
{
    return one(dest, comm);
}

// Communicator and status are the last arguments.
template <typename... Arguments> awaited source(const Arguments &...arguments)
{
    constexpr std::size_t count = sizeof...(arguments);
    const std::tuple<const Arguments &...> all(arguments...);
    return one(std::get<count - 1>(all)->MPI_SOURCE, std::get<count - 2>(all));
}

// For whom it receives from. It is called for a message in either direction, but of the sends few wait.
template <typename... Rest>
awaited sendrecv(const void *, std::int64_t, MPI_Datatype, int dest, const Rest &...rest)
{
    const awaited from = source(rest...);
    return from.rank == MPI_PROC_NULL ? one(dest, from.comm) : from;
}

inline awaited iprobe(int, int, MPI_Comm comm, const int *, const MPI_Status *status)
{
    return one(status->MPI_SOURCE, comm);
}

inline awaited mprobe(int, int, MPI_Comm comm, const MPI_Message *, const MPI_Status *status)
{
    return one(status->MPI_SOURCE, comm);
}

// Root and communicator are the last arguments. The root itself waits for the others.
template <typename... Arguments> awaited root(const Arguments &...arguments)
{
    constexpr std::size_t count = sizeof...(arguments);
    const std::tuple<const Arguments &...> all(arguments...);
    const int rank = std::get<count - 2>(all);
    return {rank == MPI_ROOT ? awaited::all : awaited::root, rank, std::get<count - 1>(all)};
}

// --- asks=F: what the request, or the message, is for that a call has made ---

inline void ask_send(const void *, std::int64_t, MPI_Datatype, int dest, int, MPI_Comm comm,
                     const MPI_Request *request)
{
    remember(*request, one(dest, comm));
}

// Of any source: the status tells it.
inline void ask_receive(const void *, std::int64_t, MPI_Datatype, int source, int, MPI_Comm comm,
                        const MPI_Request *request)
{
    remember(*request, one(source, comm));
}

inline void ask_message(int, int, MPI_Comm comm, const MPI_Message *message, const MPI_Status *status)
{
    remember(*message, one(status->MPI_SOURCE, comm));
}

inline void ask_found_message(int, int, MPI_Comm comm, const int *flag, const MPI_Message *message,
                              const MPI_Status *status)
{
    if (*flag)
        remember(*message, one(status->MPI_SOURCE, comm));
}

// --- pending=C: there around a call, which may take the handle away ---

class wait {
  public:
    wait(entry how, const MPI_Request *request, const MPI_Status *status) : status_(status)
    {
        if (how == entry::measured && request != nullptr)
            request_ = *request;
    }
    wait(entry how, const MPI_Request *request, const int *, const MPI_Status *status) : wait(how, request, status) {}
    awaited operator()() const { return of(request_, status_); }

    static awaited of(MPI_Request request, const MPI_Status *status)
    {
        awaited whom = find_bits(handle_bits(request));
        if (whom.rank == MPI_ANY_SOURCE)
            whom.rank = status->MPI_SOURCE;
        return whom;
    }

  private:
    MPI_Request request_ = MPI_REQUEST_NULL;
    const MPI_Status *const status_;
};

// The first requests of several.
class first_requests {
  public:
    static constexpr int most = 64;

    first_requests(entry how, int count, const MPI_Request *requests)
        : count_(how != entry::measured || requests == nullptr ? 0 : std::min(count, most))
    {
        std::copy_n(requests, count_, requests_);
    }
    int count() const { return count_; }
    MPI_Request operator[](int i) const { return requests_[i]; }

  private:
    const int count_;
    MPI_Request requests_[most];
};

class waitany {
  public:
    waitany(entry how, int count, const MPI_Request *requests, const int *index, const MPI_Status *status)
        : requests_(how, count, requests), index_(index), status_(status)
    {
    }
    awaited operator()() const
    {
        const bool is_kept = *index_ >= 0 && *index_ < requests_.count();
        return is_kept ? wait::of(requests_[*index_], status_) : awaited{};
    }

  private:
    const first_requests requests_;
    const int *const index_;
    const MPI_Status *const status_;
};

// For whom it has waited last, where the core knows of which message that was.
class waitall {
  public:
    waitall(entry how, int count, const MPI_Request *requests, const MPI_Status *statuses)
        : requests_(are_messages_stamped() ? how : entry::counted, count, requests),
          has_all_(count <= first_requests::most), statuses_(statuses)
    {
    }
    awaited operator()(const tare_sent_t &last) const;

  private:
    const first_requests requests_;
    const bool has_all_;
    const MPI_Status *const statuses_;
};

class mrecv {
  public:
    mrecv(entry how, const void *, std::int64_t, MPI_Datatype, const MPI_Message *message, const MPI_Status *)
    {
        if (how == entry::measured && message != nullptr)
            message_ = *message;
    }
    awaited operator()() const { return find_bits(handle_bits(message_)); }

  private:
    MPI_Message message_ = MPI_MESSAGE_NULL;
};

}  // namespace tare::pmpi::awaits

#endif
