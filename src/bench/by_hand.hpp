// SPDX-License-Identifier: BSD-3-Clause
// A stamp beside each message by plain MPI calls, as a program would write it: the least that a carrier above MPI can
// cost on this MPI library.
#ifndef TARE_BENCH_BY_HAND_HPP
#define TARE_BENCH_BY_HAND_HPP

#include <optional>
#include <string>

#include <mpi.h>

namespace tare::bench {

// nothing: no stamp. The others are called as the carriers are.
enum class scheme { nothing, datatype, message, copy };

std::optional<scheme> parse_scheme(const std::string &word);
const char *name_of(scheme how);

constexpr int stamp_bytes = 16;
constexpr int twin_bytes = 24;  // a second message tells the size of the first, too

// What the two ranks of a ping-pong keep for it, made for messages of `size` bytes between the engine's buffers.
struct stamped_pair {
    char sent[twin_bytes] = {};
    char received[twin_bytes] = {};
    MPI_Comm twin = MPI_COMM_NULL;
    MPI_Datatype out = MPI_DATATYPE_NULL;  // stamp and message
    MPI_Datatype in = MPI_DATATYPE_NULL;
    char *packed_out = nullptr;
    char *packed_in = nullptr;
};

// By both ranks, for one size at a time.
stamped_pair &stamped_messages(char *send_buffer, char *receive_buffer, int size);
// By both ranks, when the size is done.
void drop_stamped_messages();

}  // namespace tare::bench

#endif
