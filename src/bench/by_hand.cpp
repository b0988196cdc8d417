// SPDX-License-Identifier: BSD-3-Clause
#include "by_hand.hpp"

#include <memory>

namespace tare::bench {
namespace {

constexpr const char *names[] = {"nothing", "datatype", "message", "copy"};

stamped_pair pair;
std::unique_ptr<char[]> packed[2];

MPI_Datatype make_type(const char *stamp, const char *data, int size) {
    const int lengths[2] = {stamp_bytes, size};
    const MPI_Datatype parts[2] = {MPI_BYTE, MPI_CHAR};
    MPI_Aint places[2];
    MPI_Get_address(stamp, &places[0]);
    MPI_Get_address(data, &places[1]);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(2, lengths, places, parts, &type);
    MPI_Type_commit(&type);
    return type;
}

}  // namespace

std::optional<scheme> parse_scheme(const std::string &word) {
    for (const scheme how : {scheme::nothing, scheme::datatype, scheme::message, scheme::copy})
        if (word == name_of(how))
            return how;
    return std::nullopt;
}

const char *name_of(scheme how) {
    return names[static_cast<int>(how)];
}

stamped_pair &stamped_messages(char *send_buffer, char *receive_buffer, int size) {
    MPI_Comm_dup(MPI_COMM_WORLD, &pair.twin);
    pair.out = make_type(pair.sent, send_buffer, size);
    pair.in = make_type(pair.received, receive_buffer, size);
    const std::size_t packed_bytes = static_cast<std::size_t>(size) + stamp_bytes;
    for (auto &memory : packed)
        memory = std::make_unique<char[]>(packed_bytes);
    pair.packed_out = packed[0].get();
    pair.packed_in = packed[1].get();
    return pair;
}

void drop_stamped_messages() {
    MPI_Type_free(&pair.out);
    MPI_Type_free(&pair.in);
    MPI_Comm_free(&pair.twin);
}

}  // namespace tare::bench
