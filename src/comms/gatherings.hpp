// SPDX-License-Identifier: BSD-3-Clause
// Which calls are one collective operation, and who in it gets what is sent. Of a nonblocking one a trace says only when it
// is complete which it is, and on which communicator: it is counted when those are that its process had begun before.
#ifndef TARE_COMMS_GATHERINGS_HPP
#define TARE_COMMS_GATHERINGS_HPP

#include "meetings.hpp"
#include "transfer.hpp"

#include <array>
#include <deque>
#include <functional>

namespace tare::comms {

// Those of each kind come in one order on all processes of a communicator, whatever is between them.
enum class beginning { blocking, nonblocking, persistent };

struct wanted {
    transfer_pointer what;
    std::uint32_t from, to;              // ranks
};

// What a process sends in an operation, and what it wants.
struct contribution {
    std::uint32_t communicator = unknown, process = unknown, operation = 0;
    std::uint32_t rank = unknown, size = 0;      // in the communicator
    std::uint32_t root = unknown;        // a rank
    end_pointer sender;
    std::vector<sent_part> parts;        // by rank where what is sent is divided, else one; none: nobody gets any of it
    std::vector<wanted> wanting;
};

class gatherings {
  public:
    using listener = std::function<void(const transfer_pointer &, const end_pointer &sender, const sent_part &)>;
    struct turn;
    using turn_pointer = std::shared_ptr<turn>;

    // to: is given each transfer whose sender has come.
    explicit gatherings(listener to) : to_(std::move(to)) {}

    // In the order in which a process begins them. Each ends, in any order, or is given up: then it is none of them.
    turn_pointer begin(std::uint32_t process, beginning how);
    void end(const turn_pointer &t, contribution what);
    void give_up(const turn_pointer &t) { end(t, {}); }

    // Transfers whose sender has not come, or is not known because of a call that has not ended.
    std::uint64_t unpaired() const;

  private:
    struct slot {                        // of a rank
        end_pointer sender;              // nullptr: it has not come
        std::vector<sent_part> parts;
        std::vector<wanted> wanting;     // its data
    };
    struct gathering {
        std::uint32_t operation;
        std::vector<slot> slots;
    };
    using queue = std::deque<turn_pointer>;

    void join(beginning how, contribution &c);
    void connect(const slot &from, const wanted &w);

    const listener to_;
    std::map<std::pair<std::uint32_t, beginning>, queue> queues_;        // by process
    std::array<match::meetings<gathering>, 3> meetings_;
    std::uint64_t mismatched_ = 0;
};

}  // namespace tare::comms

#endif
