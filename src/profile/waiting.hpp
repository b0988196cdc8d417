// SPDX-License-Identifier: BSD-3-Clause
// For whom the calls of a rank have waited.
#ifndef TARE_PROFILE_WAITING_HPP
#define TARE_PROFILE_WAITING_HPP

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace tare::profile {

// Whether a message that had been sent before the one that was waited for was received behind it: from the same process,
// or from others only (enum tare_measure_order).
enum class message_order { kept, wrong_same, wrong_different };
constexpr int orders = 3;

// What one MPI function has waited for one process, all threads of a rank together.
struct waiting {
    int whom = 0;                        // its rank in MPI_COMM_WORLD, `elsewhere`, or one of the next three
    std::string function;                // "MPI_Recv()"
    std::int64_t calls = 0;              // that have waited
    std::int64_t wait_ns = 0;
    std::int64_t wait_comp_ns = 0;
    message_order order = message_order::kept;
};
constexpr int several = -2;              // processes
constexpr int all_others = -3;           // processes of a collective call
constexpr int unknown = -4;              // it is not known which, or there was none

// As the file has it: a rank, or a word.
std::string whom_text(int whom);
// Nothing: it is neither.
std::optional<int> whom_of(std::string_view text);
std::string_view order_text(message_order order);
// Nothing: it is no order that is wrong.
std::optional<message_order> order_of(std::string_view text);

// What has one function, is for one process and of one order is one.
class wait_sums {
  public:
    const waiting &add(const waiting &w);                // the sum so far
    std::vector<waiting> list() const;                   // by function, then rank, then order

  private:
    std::map<std::tuple<std::string, int, message_order>, waiting> sums_;
};

}  // namespace tare::profile

#endif
