// SPDX-License-Identifier: BSD-3-Clause
// The latency tables of very many processes. A process would need 192 KiB for one and uses a few slots of it, so the
// table of the core is everybody's in turn: the slots of those that a process receives from are copied in and out, as
// the bytes that they are.
#ifndef TARE_SIM_SCALE_TABLES_HPP
#define TARE_SIM_SCALE_TABLES_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrival.hpp"

namespace scale {

constexpr std::uint32_t message_class = TARE_CLASS_EAGER + 3;

// Peers go by their number among those of their process: a table that no two of them share a slot of.
std::uint64_t peer_key(std::uint32_t peer);

// How the table's memory is laid out, found by watching it learn.
struct table_layout {
    std::size_t slot_bytes;
    std::size_t slots;
};
table_layout look_at_table();

class latency_tables {
  public:
    explicit latency_tables(const std::vector<std::uint32_t> &peers);

    void load(std::int32_t process, std::uint32_t peer);
    void save(std::int32_t process, std::uint32_t peer);
    void forget(std::int32_t process, std::uint32_t peer);

  private:
    unsigned char *kept(std::int32_t process, std::uint32_t peer);

    std::size_t slot_bytes_;
    std::vector<std::size_t> first_;      // of each process in `kept_`, in slots
    std::vector<std::size_t> place_;      // of each peer number in the core's table, in bytes
    std::vector<unsigned char> kept_;
};

}  // namespace scale

#endif
