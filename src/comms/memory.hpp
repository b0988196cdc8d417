// SPDX-License-Identifier: BSD-3-Clause
// What a process's memory is called, and by which transfer it was brought. What the program itself writes into it is not in a
// trace: it says of whose data what is there was made.
#ifndef TARE_COMMS_MEMORY_HPP
#define TARE_COMMS_MEMORY_HPP

#include "transfer.hpp"

#include <vector>

namespace tare::comms {

class memory {
  public:
    // Another name, or another place for it: what was brought there is gone with what it was.
    void name(const interval &i, std::uint32_t text);
    void forget_name(std::uint64_t address);
    std::uint32_t name_at(std::uint64_t address) const;

    void bring(const std::vector<interval> &pieces, const transfer_pointer &t);
    void copy(const std::vector<interval> &to, const std::vector<interval> &from);
    origin origin_of(const std::vector<interval> &pieces) const;

  private:
    void copy_piece(std::uint64_t to, const interval &from);

    interval_map<std::uint32_t> names_;
    interval_map<transfer_pointer> brought_;
};

}  // namespace tare::comms

#endif
