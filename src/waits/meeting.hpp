// SPDX-License-Identifier: BSD-3-Clause
// Where processes and threads meet: the two ends of a message, collective operations, and what threads wait for.
#ifndef TARE_WAITS_MEETING_HPP
#define TARE_WAITS_MEETING_HPP

#include "path.hpp"
#include "states.hpp"

#include <memory>
#include <vector>

namespace tare::waits {

constexpr std::uint32_t nobody = UINT32_MAX;

// When a process came there, and how.
struct arrival {
    bool has_come = false;
    std::int64_t ns = 0;
    std::shared_ptr<const path> how;
};

// A send or a receive: it comes where its call is entered, of a nonblocking one the call that begins it.
struct message_end {
    arrival own;
    std::int64_t begun_ns = INT64_MIN;   // when it comes, as soon as it has been read; never: nobody knows
    std::shared_ptr<message_end> other;  // nullptr: not known yet, or nobody asks any more
    std::uint32_t peer = nobody;         // of a send: the process that receives it
    std::uint32_t source = nobody;       // of a send: the process that sends it
    std::uint32_t communicator = nobody;
    state why = late_sender;             // of a receive: what a wait for its send is
    std::uint32_t waiter = nobody;       // the location that goes on when `other` has come
    bool is_certain = false;             // of a send: that its call did not last until the receive was posted
    bool is_done = false;                // nobody asks for `other` any more
};

// How a process leaves an operation from all to all: the step of its call, when it had waited, and when it leaves.
struct departure {
    std::uint32_t step;
    std::int64_t waited_ns, left_ns;
};

// Who has come to where several are waited for. Of threads of one process, in one round: a lock that is released, a barrier, the
// end of a thread.
struct assembly {
    std::uint32_t come = 0;              // to where it is replayed
    arrival last;
    std::vector<std::uint32_t> waiters;
};

// One collective operation on one communicator.
struct gathering : assembly {
    std::uint32_t operation = 0, size = 0, root = nobody;
    arrival first_root;
    bool is_wrong = false;               // its processes do not say the same of it
    std::vector<departure> departures;   // until all have left
};

}  // namespace tare::waits

#endif
