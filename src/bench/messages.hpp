// SPDX-License-Identifier: BSD-3-Clause
// Messages between pairs of ranks: rank I of the first half, or of the first --pairs ranks, has rank I + pairs.
#ifndef TARE_BENCH_MESSAGES_HPP
#define TARE_BENCH_MESSAGES_HPP

#include "engine.hpp"
#include "payload.hpp"

namespace tare::bench {

constexpr int message_tag = 1;

inline bool is_first(const side &self) { return self.rank < self.wanted->pairs; }
inline bool is_in_pair(const side &self) { return self.rank < 2 * self.wanted->pairs; }

inline int peer_of(const side &self) {
    return is_first(self) ? self.rank + self.wanted->pairs : self.rank - self.wanted->pairs;
}

inline int source_of(const side &self) {
    return self.wanted->is_from_any ? MPI_ANY_SOURCE : peer_of(self);
}

// From one message of a window to the next in its buffer (-b).
inline std::size_t bytes_apart(const side &self) {
    return self.wanted->has_own_buffers ? self.wanted->placing.extent_of(self.size) : 0;
}

// -c.
inline bool holds_window(const side &self, int peer) {
    const std::size_t apart = bytes_apart(self), end = apart == 0 ? 1 : self.bytes;
    for (std::size_t place = 0; place < end; place += apart == 0 ? 1 : apart)
        if (!holds_message(self, self.receive_buffer + place, peer, place))
            return false;
    return true;
}

// A ping-pong: a call each that sends and that receives.
template <typename Send, typename Receive>
void exchange(const side &self, int count, const Send &send_one, const Receive &receive_one) {
    const bool begins = is_first(self);
    for (int i = 0; i < count; ++i) {
        if (begins)
            send_one();
        receive_one();
        if (!begins)
            send_one();
    }
}

// --by-hand.
std::unique_ptr<work> make_stamped_ping_pong(const side &self);

}  // namespace tare::bench

#endif
