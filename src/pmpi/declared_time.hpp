// SPDX-License-Identifier: BSD-3-Clause
#ifndef TARE_PMPI_DECLARED_TIME_HPP
#define TARE_PMPI_DECLARED_TIME_HPP

#include "layer.hpp"

namespace tare::pmpi {

// What is done while this lives is the tool's, as long as there is measurement.
class declared_time {
  public:
    declared_time() : started_ns_(tare_measure_is_on() ? clock_ns() : 0) {}
    ~declared_time()
    {
        if (started_ns_ != 0)
            tare_measure_overhead(clock_ns() - started_ns_);
    }
    declared_time(const declared_time &) = delete;
    declared_time &operator=(const declared_time &) = delete;

  private:
    const std::int64_t started_ns_;
};

}  // namespace tare::pmpi

#endif
