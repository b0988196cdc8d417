// SPDX-License-Identifier: BSD-3-Clause
// The event core behind simulate(): a heap of events, processes that run one statement per event, packets between
// them. Every event costs O(log n); nothing ever looks at all processes but a barrier, once for all of them.
//
// Events come in the order of time, arrivals before processes that resume at the same instant. So whatever has
// arrived by `now` is in the receiver's hands, and a wildcard receive needs no look-ahead.
//
// Polls. A process polls when it enters a call and, while it is blocked, all the time; after a call that can block it
// polls once more. An eager message that a blocked call asks for is seen when it arrives, any other at the next of
// the instants of entry and exit. Rendezvous packets are acted upon at entries and while blocked.
#ifndef TARE_SIM_ENGINE_HPP
#define TARE_SIM_ENGINE_HPP

#include <queue>
#include <unordered_map>
#include <vector>

#include "simulation.hpp"

namespace sim {

// Ids in order of arrival.
class fifo {
  public:
    bool empty() const { return head_ == ids_.size(); }
    std::int32_t front() const { return ids_[head_]; }
    void push(std::int32_t id) { ids_.push_back(id); }

    std::int32_t pop()
    {
        const std::int32_t id = ids_[head_++];
        if (empty()) {
            ids_.clear();
            head_ = 0;
        }
        return id;
    }

  private:
    std::vector<std::int32_t> ids_;
    std::size_t head_ = 0;
};

// Records addressed by small numbers, used again when released.
template <typename record> class pool {
  public:
    std::int32_t take()
    {
        if (free_.empty()) {
            records_.emplace_back();
            return static_cast<std::int32_t>(records_.size() - 1);
        }
        const std::int32_t id = free_.back();
        free_.pop_back();
        records_[static_cast<std::size_t>(id)] = record();
        return id;
    }
    void release(std::int32_t id) { free_.push_back(id); }
    record& operator[](std::int32_t id) { return records_[static_cast<std::size_t>(id)]; }

  private:
    std::vector<record> records_;
    std::vector<std::int32_t> free_;
};

enum class packet_kind { eager, rts, cts, data };

struct packet {
    packet_kind kind = packet_kind::eager;
    std::int32_t from = 0;
    std::int32_t to = 0;
    std::int32_t step = 0;       // of the sender
    std::int32_t transfer = -1;  // of rts, cts, data
    bool stop = false;
    arrival stamp{};
};

// A rendezvous between Isend and Irecv. See model.md's "Rendezvous and synchronous sends".
struct transfer {
    std::int32_t sender = 0;
    std::int32_t receiver = 0;
    arrival rts{};          // with the sender's delay at Isend
    delays match_delay{};   // D_M, carried by CTS
};

// A posted receive.
struct posted_receive {
    ps at = 0;
    delays delay{};
};

struct channel {
    fifo eager;
    fifo rts;     // transfers that found no receive
    fifo posted;  // receives that found no transfer
};

enum class state { running, in_recv, in_recvany, in_barrier, in_rendezvous, in_wait, done };

struct process {
    std::int32_t number = 0;
    const program* prog = nullptr;
    std::int32_t step = 0;
    std::size_t next = 0;              // statement
    state doing = state::running;
    bool exit_poll = false;
    bool stopping = false;
    ps now = 0;
    ps entry = 0;                      // of the current call
    delays delay{};
    joins waiting;                     // of the current call
    std::vector<std::int32_t> wanted;  // sources that a recv still waits for
    std::vector<std::int32_t> unseen;  // eager packets that arrived and no poll has seen
    std::vector<std::int32_t> control; // rendezvous packets that arrived and no poll has acted upon
    fifo arrived;                      // eager packets in order of arrival, for recvany
    bool wildcard = false;             // uses recvany, so `arrived` is kept
    bool sends_rendezvous = false;     // direction of the blocking rendezvous it is in
    std::int32_t partner = -1;         // of that rendezvous
    std::int32_t source = -1;          // of the last message received, and its step there
    std::int32_t source_step = 0;
    std::int32_t outstanding = 0;      // requests
    std::vector<arrival> completed;    // edges of requests that completed and wait will join with
    ps latest_match = INT64_MIN;       // of wildcard matches, compensated arrival
    process_result account;
};

class engine {
  public:
    engine(const scenario& s, const cost_table& costs, bool instrumented);
    outcome run();

  private:
    struct event {
        ps at;
        std::uint64_t order;  // arrivals before resumes, then first come, first served
        std::int32_t id;      // packet or process
    };
    struct later {
        bool operator()(const event& a, const event& b) const
        {
            return a.at != b.at ? a.at > b.at : a.order > b.order;
        }
    };

    // The event loop.
    void push(ps at, std::uint64_t kind, std::int32_t id);
    void schedule(const process& p);
    void resume(process& p);
    const statement* next_statement(process& p);
    void execute(process& p, const statement& s);
    [[noreturn]] void deadlocked() const;

    // Local time.
    void compute(process& p, ps cost, std::int64_t events);
    void spend(process& p, ps cost);
    ps cost_of(std::int32_t number, std::int32_t step) const;

    // Calls.
    void poll(process& p);
    void enter(process& p, state doing);
    void leave(process& p, ps at, const joins& waited, ps cost);
    void barrier(process& p, ps cost);
    std::int32_t peer_of(const process& p, const peer& who) const;

    // Eager messages.
    void arrive(std::int32_t id);
    void arrive_eager(std::int32_t id);
    void send(process& p, std::int32_t to, bool stop);
    void receive(process& p, const std::vector<peer>& sources);
    void receive_any(process& p);
    void match(process& p, std::int32_t id);
    void match_any(process& p, std::int32_t id);
    void count_inversion(process& p, const arrival& a);

    // Rendezvous.
    void meet(process& p, std::int32_t partner, bool sends);
    void exchange(process& sender, process& receiver);
    void isend(process& p, std::int32_t to);
    void irecv(process& p, std::int32_t from);
    void wait(process& p);
    void progress(process& p, std::int32_t id, ps seen);
    void match_transfer(process& p, std::int32_t transfer_id, const posted_receive& posted);
    void send_data(process& p, const packet& cts);
    void complete(process& p, const arrival& edge);
    void try_leave_wait(process& p);
    void send_control(packet_kind kind, std::int32_t transfer_id, const delays& stamp);

    channel& channel_of(std::int32_t to, std::int32_t from);

    const scenario& scenario_;
    const cost_table& costs_;
    const ps overhead_;
    ps now_ = 0;
    std::uint64_t sequence_ = 0;
    std::int64_t handled_ = 0;
    std::priority_queue<event, std::vector<event>, later> events_;
    std::vector<process> processes_;
    pool<packet> packets_;
    pool<transfer> transfers_;
    pool<posted_receive> posted_;
    std::unordered_map<std::uint64_t, channel> channels_;
    std::int32_t in_barrier_ = 0;
    joins barrier_;
    inversion_count inversions_;
};

}  // namespace sim

#endif
