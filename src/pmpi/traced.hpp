// SPDX-License-Identifier: BSD-3-Clause
// The events of a trace that MPI calls give. An object of the class that the word `trace=` of calls.tab names is
// there around the MPI library's call; it is made with the call's arguments, which it may change: a status that is
// ignored becomes one that is not. `returned` looks at what the call gave back, and `write` runs in the note of the
// call. Without a trace each of these is a branch.
//
// What begins has the time at which its call was entered; what a call waits for, that at which it was left. Messages
// to and from MPI_PROC_NULL are none; those on a communicator that is not known are left out.
#ifndef TARE_PMPI_TRACED_HPP
#define TARE_PMPI_TRACED_HPP

#include "bytes.hpp"
#include "known_comms.hpp"
#include "received_log.hpp"
#include "requests.hpp"
#include "small_array.hpp"

#include <optional>

namespace tare::pmpi::traced {

using known::comm_number;
using known::summary_of;

inline bool is_on() { return __builtin_expect(state.traced, 0); }

// --- traced.cpp ---

int class_of(int rc);
// Whether a receive that gave this back has taken a message: one that was too long is gone, too.
inline bool has_come(int rc) { return rc == MPI_SUCCESS || class_of(rc) == MPI_ERR_TRUNCATE; }
inline bool is_in_statuses(int rc) { return rc != MPI_SUCCESS && class_of(rc) == MPI_ERR_IN_STATUS; }
// What a message carries that the call in progress has sent, as far as the layer knows without a carrier. origin: as the
// core says it, 0 where it has not numbered it.
tare_trace_origin_t origin_of_send(std::uint64_t origin);

// A status of a receive that failed.
const MPI_Status *nothing_came();

// On a communicator, by its number; TARE_TRACE_NONE: it is not known.
void write_send(std::uint32_t comm, const tare_trace_message_t &message, const tare_trace_origin_t &origin,
                bool has_request);
// number: of the request, if it has one.
void write_receive(std::uint32_t comm, std::uint64_t number, const MPI_Status *status, std::int64_t bytes,
                   const tare_trace_origin_t &origin, bool has_request);
void write_started(const followed_request &r, const tare_trace_origin_t &origin);
void write_ended(const followed_request &r, const MPI_Status *status, const tare_trace_origin_t &origin);
// It was tested, and is not complete.
void write_test(const followed_request &r);
void write_request(std::uint32_t kind, std::uint64_t number, enum tare_measure_moment when);
void write_collective(std::uint32_t kind, const followed_request &r);
// Of nothing but a communicator, or of nothing.
void write_plain(std::uint32_t kind, std::uint32_t comm, enum tare_measure_moment when);

inline followed_request sent_to(int dest, int tag, MPI_Comm comm, std::int64_t bytes)
{
    followed_request r;
    r.sent_bytes = bytes;
    r.peer = dest;
    r.tag = tag;
    r.comm = comm_number(comm);
    r.is_traced = true;
    return r;
}

inline followed_request received_from(int source, int tag, std::uint32_t comm)
{
    followed_request r;
    r.received_bytes = 0;
    r.peer = source;
    r.tag = tag;
    r.comm = comm;
    r.is_traced = true;
    return r;
}

// Where the call in progress receives, if users are looked for: what its request is for is there when that has ended.
void keep_place(followed_request &r);

// --- around a call ---

// A carrier tells what the messages of the call carry, or the transport: one that it sends at most, and one that it
// receives.
class message_call {
  public:
    message_call()
    {
        if (is_on() && (state.carrier || state.numbered))
            ask();
    }
    ~message_call()
    {
        if (asks_)
            self.sending = self.arriving = nullptr;
    }
    message_call(const message_call &) = delete;
    message_call &operator=(const message_call &) = delete;

    void returned(int rc) { rc_ = rc; }

  protected:
    bool is_good() const { return rc_ == MPI_SUCCESS; }
    bool has_message() const { return has_come(rc_); }
    tare_trace_origin_t sent() const { return asks_ ? sent_ : origin_of_send(number_of_sent()); }
    tare_trace_origin_t received() const
    {
        return log_ ? log_->origin() : asks_ ? received_ : tare_trace_origin_t{};
    }

    void write_sent(int dest, int tag, MPI_Comm comm, std::int64_t bytes) const
    {
        if (is_good() && dest != MPI_PROC_NULL)
            write_send(comm_number(comm), {static_cast<std::uint64_t>(bytes), 0, dest, tag}, sent(), false);
    }
    // What is known of a call that went well is not asked for again.
    void write_received(std::uint32_t comm, const MPI_Status *status, std::int64_t bytes) const
    {
        if (has_message())
            write_receive(comm, 0, status, is_good() ? bytes : bytes::received(status), received(), false);
    }
    void follow_send(int dest, int tag, MPI_Comm comm, std::int64_t bytes, MPI_Request request) const;
    void follow_receive(int source, int tag, std::uint32_t comm, MPI_Request request) const;

  private:
    void ask();
    std::uint64_t number_of_sent() const
    {
        const std::uint64_t latest = latest_sent();
        return latest != sent_before_ ? latest : 0;
    }

    int rc_ = MPI_SUCCESS;
    bool asks_ = false;                  // the carrier
    std::uint64_t sent_before_ = 0;      // the thread's latest number
    tare_trace_origin_t sent_, received_;
    tare_received_t entry_;
    std::optional<received_log> log_;    // the transport's
};

// Whom a message goes to, or comes from.
struct partner {
    int rank, tag;
    MPI_Comm comm;
};

class send : public message_call {
  public:
    send(const void *, std::int64_t, MPI_Datatype, int dest, int tag, MPI_Comm comm) : to_{dest, tag, comm} {}
    void write(const moved_bytes &moved) const { write_sent(to_.rank, to_.tag, to_.comm, moved.sent); }

  private:
    const partner to_;
};

class isend : public message_call {
  public:
    isend(const void *, std::int64_t, MPI_Datatype, int dest, int tag, MPI_Comm comm, const MPI_Request *request)
        : to_{dest, tag, comm}, request_(request)
    {
    }
    void write(const moved_bytes &moved) const
    {
        if (is_good())
            follow_send(to_.rank, to_.tag, to_.comm, moved.sent, *request_);
    }

  private:
    const partner to_;
    const MPI_Request *const request_;
};

class recv : public message_call {
  public:
    recv(const void *, std::int64_t, MPI_Datatype, int, int, MPI_Comm comm, MPI_Status *const &status)
        : comm_(comm), status_(status)
    {
    }
    void write(const moved_bytes &moved) const { write_received(comm_number(comm_), status_, moved.received); }

  private:
    const MPI_Comm comm_;
    MPI_Status *const &status_;
};

class irecv : public message_call {
  public:
    irecv(const void *, std::int64_t, MPI_Datatype, int source, int tag, MPI_Comm comm, const MPI_Request *request)
        : from_{source, tag, comm}, request_(request)
    {
    }
    void write(const moved_bytes &) const
    {
        if (is_good())
            follow_receive(from_.rank, from_.tag, comm_number(from_.comm), *request_);
    }

  private:
    const partner from_;
    const MPI_Request *const request_;
};

class sendrecv : public message_call {
  public:
    sendrecv(const void *, std::int64_t, MPI_Datatype, int dest, int sendtag, const void *, std::int64_t, MPI_Datatype,
             int, int, MPI_Comm comm, MPI_Status *const &status)
        : to_{dest, sendtag, comm}, status_(status)
    {
    }
    void write(const moved_bytes &moved) const
    {
        write_sent(to_.rank, to_.tag, to_.comm, moved.sent);
        write_received(comm_number(to_.comm), status_, moved.received);
    }

  private:
    const partner to_;
    MPI_Status *const &status_;
};

class sendrecv_replace : public sendrecv {
  public:
    sendrecv_replace(const void *buf, std::int64_t count, MPI_Datatype type, int dest, int sendtag, int source,
                     int recvtag, MPI_Comm comm, MPI_Status *const &status)
        : sendrecv(buf, count, type, dest, sendtag, buf, count, type, source, recvtag, comm, status)
    {
    }
};

// One request for two messages. Its status need not tell what was received (MPICH 4.0.2): a receive is known by what the
// call says, and not known if that is a wildcard.
class isendrecv {
  public:
    isendrecv(const void *, std::int64_t, MPI_Datatype, int dest, int sendtag, const void *, std::int64_t, MPI_Datatype,
              int source, int recvtag, MPI_Comm comm, const MPI_Request *request)
        : to_{dest, sendtag, comm}, from_{source, recvtag, comm}, request_(request)
    {
    }
    void returned(int rc) { rc_ = rc; }
    void write(const moved_bytes &moved) const
    {
        if (is_on() && rc_ == MPI_SUCCESS)
            follow(moved);
    }

  private:
    void follow(const moved_bytes &moved) const;

    const partner to_, from_;
    const MPI_Request *const request_;
    int rc_ = MPI_SUCCESS;
};

class isendrecv_replace : public isendrecv {
  public:
    isendrecv_replace(const void *buf, std::int64_t count, MPI_Datatype type, int dest, int sendtag, int source,
                      int recvtag, MPI_Comm comm, const MPI_Request *request)
        : isendrecv(buf, count, type, dest, sendtag, buf, count, type, source, recvtag, comm, request)
    {
    }
};

// Of a message that a probe has matched the communicator is known to who probed.
class mprobe : public message_call {
  public:
    mprobe(int, int, MPI_Comm comm, const MPI_Message *message, const MPI_Status *) : comm_(comm), message_(message) {}
    mprobe(int, int, MPI_Comm comm, const int *flag, const MPI_Message *message, const MPI_Status *)
        : comm_(comm), message_(message), flag_(flag)
    {
    }
    void returned(int rc)
    {
        if (is_on() && rc == MPI_SUCCESS && (flag_ == nullptr || *flag_))
            note_matched();
    }
    void write(const moved_bytes &) const {}

  private:
    void note_matched() const;

    const MPI_Comm comm_;
    const MPI_Message *const message_;
    const int *const flag_ = nullptr;
};

class matched_call : public message_call {
  protected:
    explicit matched_call(const MPI_Message *message)
    {
        if (is_on())
            comm_ = take_matched(*message);
    }
    std::uint32_t comm_ = TARE_TRACE_NONE;

  private:
    static std::uint32_t take_matched(MPI_Message message);
};

class mrecv : public matched_call {
  public:
    mrecv(const void *, std::int64_t, MPI_Datatype, const MPI_Message *message, MPI_Status *const &status)
        : matched_call(message), status_(status)
    {
    }
    void write(const moved_bytes &moved) const { write_received(comm_, status_, moved.received); }

  private:
    MPI_Status *const &status_;
};

class imrecv : public matched_call {
  public:
    imrecv(const void *, std::int64_t, MPI_Datatype, const MPI_Message *message, const MPI_Request *request)
        : matched_call(message), request_(request)
    {
    }
    void write(const moved_bytes &) const
    {
        if (is_good() && comm_ != TARE_TRACE_NONE)
            follow_receive(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, *request_);
    }

  private:
    const MPI_Request *const request_;
};

}  // namespace tare::pmpi::traced

#endif
