// SPDX-License-Identifier: BSD-3-Clause
#ifndef TARE_KERNELS_OPTIONS_HPP
#define TARE_KERNELS_OPTIONS_HPP

#include <string>

#include "kernel.hpp"

namespace tare::kernels {

enum class request { run, help, version, list };

struct options {
    request what = request::run;
    const kernel_kind *kind = nullptr;
    int dilation_pct = 0;
    int others_pct = 10;  // of the dilation, on ranks other than `probed`
    int probed = -1;
    bool own_clock = false;
    int size = 0;
    int steps = 0;
    int laps = 1;
    bool json = false;
    std::string error;  // one sentence, or nothing

    int dilation_of(int rank) const { return rank == probed ? dilation_pct : dilation_pct * others_pct / 100; }
};

options parse_options(int argc, char **argv);
void print_help();

}  // namespace tare::kernels

#endif
