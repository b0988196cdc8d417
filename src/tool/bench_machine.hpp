// SPDX-License-Identifier: BSD-3-Clause
// Who else had the cores while something was measured.
#ifndef TARE_TOOL_BENCH_MACHINE_HPP
#define TARE_TOOL_BENCH_MACHINE_HPP

#include <string>

namespace tare::tool {

// Per cent of the time of all cores.
struct machine_use {
    double others_pct = 0;  // other programs, and the kernel for nobody in particular
    double stolen_pct = 0;  // the host of a virtual machine

    bool was_quiet() const;
    // "Other programs took 0.4 % of the cores' time, the host of a virtual machine 0.1 %."
    std::string sentence() const;
};

// From now on. What this process and those that it has waited for take is its own.
class machine_watch {
  public:
    machine_watch();

    machine_use so_far() const;

  private:
    struct ticks {
        double busy = 0, stolen = 0, total = 0, own = 0;
    };
    static ticks read();

    ticks start_;
};

// Cores that this process may use.
int usable_cores();

// "AMD EPYC 7B13, 2 cores, Linux 6.1.0": for the head of a table.
std::string machine_name();

}  // namespace tare::tool

#endif
