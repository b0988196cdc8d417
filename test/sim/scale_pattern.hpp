// SPDX-License-Identifier: BSD-3-Clause
// What the processes say to each other in each step.
#ifndef TARE_SIM_SCALE_PATTERN_HPP
#define TARE_SIM_SCALE_PATTERN_HPP

#include <memory>

#include "scale_world.hpp"

namespace scale {

class pattern {
  public:
    virtual ~pattern() = default;

    // Of process p: whom it receives from, as its peers 0, 1, ...
    virtual std::vector<std::int32_t> peers(std::int32_t p) const = 0;

    // All have computed.
    virtual void communicate(world &w) = 0;
};

// Throws std::runtime_error for a name that is none of pattern_names().
std::unique_ptr<pattern> make_pattern(const std::string &name, std::int32_t processes);

}  // namespace scale

#endif
