// SPDX-License-Identifier: BSD-3-Clause
#include "payload.hpp"

#include <cstring>

namespace tare::bench {

void fill_bytes(const side &self, char *buffer, int rank) {
    for (std::size_t i = 0; i < self.bytes; ++i)
        buffer[i] = payload_byte(rank, self.batch, i);
}

void fill_complement(const side &self, char *buffer, int rank) {
    for (std::size_t i = 0; i < self.bytes; ++i)
        buffer[i] = static_cast<char>(~payload_byte(rank, self.batch, i));
}

void fill_numbers(const side &self, char *buffer) {
    for (std::size_t i = 0; i < self.bytes / sizeof(float); ++i) {
        const float number = payload_number(self.rank, self.batch, i);
        std::memcpy(buffer + i * sizeof number, &number, sizeof number);
    }
}

bool holds_message(const side &self, const char *buffer, int rank, std::size_t from) {
    const layout &placing = self.wanted->placing;
    for (std::size_t i = 0; i < static_cast<std::size_t>(self.size); ++i) {
        const std::size_t place = placing.offset_of(self.size, i);
        if (buffer[place] != payload_byte(rank, self.batch, from + place))
            return false;
    }
    return true;
}

// Whatever comes into the receive buffer changes every byte of it.
void work::fill() {
    fill_bytes(self, self.send_buffer, self.rank);
    fill_complement(self, self.receive_buffer, self.rank);
}

}  // namespace tare::bench
