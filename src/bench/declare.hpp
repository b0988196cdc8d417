// SPDX-License-Identifier: BSD-3-Clause
// A measuring tool in small: what a rank declares by tare.h before each MPI call. libtare is loaded only for it, so a
// benchmark is a plain MPI program as long as nothing is declared.
#ifndef TARE_BENCH_DECLARE_HPP
#define TARE_BENCH_DECLARE_HPP

#include <cstdint>
#include <optional>
#include <string>

namespace tare::bench {

enum class declaration { none, event, overhead };

std::optional<declaration> parse_declaration(const std::string &word);
const char *name_of(declaration declared);

struct tool_calls {
    void (*overhead_add)(std::int64_t ns) = nullptr;  // null: nothing is declared
    void (*event_ns)(std::int64_t now_ns) = nullptr;  // null: no time stamps are given
    std::int64_t cost_ns = 0;                         // of one call
};

// What one call costs: not the same on both sides, so that the delays differ and really travel.
constexpr std::int64_t cost_ns(int rank) { return rank % 2 == 0 ? 10 : 20; }

// Fills `loaded`. Returns one sentence if there is no libtare for it, else nothing.
std::string load_tool(declaration wanted, int rank, tool_calls &loaded);

std::int64_t monotonic_ns();

inline void before_call(const tool_calls &tool) {
    if (tool.overhead_add == nullptr)
        return;
    tool.overhead_add(tool.cost_ns);
    if (tool.event_ns != nullptr)
        tool.event_ns(monotonic_ns());
}

}  // namespace tare::bench

#endif
