// SPDX-License-Identifier: BSD-3-Clause
// A table of scenarios: it is read, or refused with one sentence that says in which line.
#include <sstream>

#include "../sim/scenario.hpp"
#include "holds.hpp"
#include "input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    std::istringstream text(fuzz::input(data, size).rest());
    try {
        for (const sim::scenario &s : sim::parse_scenarios(text, "table")) {
            HOLDS(s.processes > 0 && s.steps > 0 && s.first_seed <= s.last_seed);
            for (std::int32_t p = 0; p < s.processes; ++p)
                HOLDS(!s.program_for(p).body.empty());
        }
    } catch (const sim::scenario_error &e) {
        HOLDS(std::string_view(e.what()).substr(0, 6) == "table:");
    }
    return 0;
}
