// SPDX-License-Identifier: BSD-3-Clause
// tare_latency --by-hand: the ping-pong with a stamp beside each message.
#include <cstring>

#include "messages.hpp"

namespace tare::bench {
namespace {

class stamped_ping_pong : public work {
  public:
    using work::work;
    ~stamped_ping_pong() override { drop_stamped_messages(); }

    void run(int count) override {
        switch (self.wanted->by_hand) {
        case scheme::datatype: return exchange(self, count, [&] { send_type(); }, [&] { receive_type(); });
        case scheme::message: return exchange(self, count, [&] { send_two(); }, [&] { receive_two(); });
        default: return exchange(self, count, [&] { send_copy(); }, [&] { receive_copy(); });
        }
    }

    // The command line refuses -c.
    bool is_right(int) const override { return false; }

  private:
    const int peer = peer_of(self);
    stamped_pair &pair = stamped_messages(self.send_buffer, self.receive_buffer, self.size);

    void send_type() {
        before_call(self.tool);
        MPI_Send(MPI_BOTTOM, 1, pair.out, peer, message_tag, MPI_COMM_WORLD);
    }

    void receive_type() {
        before_call(self.tool);
        MPI_Recv(MPI_BOTTOM, 1, pair.in, peer, message_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }

    void send_two() {
        before_call(self.tool);
        MPI_Send(self.send_buffer, self.size, MPI_CHAR, peer, message_tag, MPI_COMM_WORLD);
        MPI_Send(pair.sent, twin_bytes, MPI_BYTE, peer, message_tag, pair.twin);
    }

    void receive_two() {
        before_call(self.tool);
        MPI_Recv(self.receive_buffer, self.size, MPI_CHAR, peer, message_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(pair.received, twin_bytes, MPI_BYTE, peer, message_tag, pair.twin, MPI_STATUS_IGNORE);
    }

    void send_copy() {
        before_call(self.tool);
        std::memcpy(pair.packed_out, pair.sent, stamp_bytes);
        std::memcpy(pair.packed_out + stamp_bytes, self.send_buffer, static_cast<std::size_t>(self.size));
        MPI_Send(pair.packed_out, self.size + stamp_bytes, MPI_BYTE, peer, message_tag, MPI_COMM_WORLD);
    }

    void receive_copy() {
        before_call(self.tool);
        MPI_Recv(pair.packed_in, self.size + stamp_bytes, MPI_BYTE, peer, message_tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        std::memcpy(pair.received, pair.packed_in, stamp_bytes);
        std::memcpy(self.receive_buffer, pair.packed_in + stamp_bytes, static_cast<std::size_t>(self.size));
    }
};

}  // namespace

std::unique_ptr<work> make_stamped_ping_pong(const side &self) {
    return make_work<stamped_ping_pong>(self);
}

}  // namespace tare::bench
