// SPDX-License-Identifier: BSD-3-Clause
// -c: what the buffers hold before a batch, and what of it must have arrived.
#ifndef TARE_BENCH_PAYLOAD_HPP
#define TARE_BENCH_PAYLOAD_HPP

#include "engine.hpp"

namespace tare::bench {

// Byte `place` of the buffer that `rank` sends from.
inline char payload_byte(int rank, int batch, std::size_t place) {
    return static_cast<char>(37 * rank + 17 * batch + 7 * place + 13 * (place >> 8));
}

// Small enough that sums of floats are exact, however they are added up.
inline float payload_number(int rank, int batch, std::size_t place) {
    return static_cast<float>((static_cast<std::size_t>(5 * rank + batch) + place) % 16);
}

// The bytes of `rank` in a whole buffer, or their complement, which no check takes for them.
void fill_bytes(const side &self, char *buffer, int rank);
void fill_complement(const side &self, char *buffer, int rank);
// For sums of floats.
void fill_numbers(const side &self, char *buffer);

// Is `buffer` a message from the place `from` of the buffer of `rank`?
bool holds_message(const side &self, const char *buffer, int rank, std::size_t from = 0);

}  // namespace tare::bench

#endif
