// SPDX-License-Identifier: BSD-3-Clause
// Transfers are grouped into classes: by their kind, which is the data, the type and the call on both sides, and by the class
// of the previous transfer. A chain of classes ends where it comes to a step that it has taken before, from one kind to
// another: the class that it had then is its class again. So there is a fixed point, however often data go round.
#ifndef TARE_COMMS_CLASSES_HPP
#define TARE_COMMS_CLASSES_HPP

#include "transfer_class.hpp"

#include <map>
#include <tuple>
#include <vector>

namespace tare::comms {

class class_table {
  public:
    // Of a transfer whose ends are placed and whose previous one is in a class.
    std::uint32_t class_of(const transfer &t);

    transfer_class &operator[](std::uint32_t number) { return classes_[number]; }
    const std::vector<transfer_class> &all() const { return classes_; }
    std::vector<transfer_class> take() { return std::move(classes_); }

  private:
    using kind_key = std::tuple<std::uint32_t, spot, spot>;
    struct link {
        std::uint32_t kind, previous;    // previous: the class with which this one was first seen
    };

    std::uint32_t kind_in(std::uint32_t number) const { return number == unknown ? unknown : links_[number].kind; }
    std::uint32_t number_of(std::uint32_t kind, std::uint32_t previous);

    std::map<kind_key, std::uint32_t> kinds_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> numbers_;    // by kind and previous class
    std::vector<link> links_;            // by class
    std::vector<transfer_class> classes_;
};

}  // namespace tare::comms

#endif
