// SPDX-License-Identifier: BSD-3-Clause
#include "kernel.hpp"

namespace tare::kernels {

extern const kernel_kind jacobi, wavefront, cg, sort, fft, montecarlo, contest, pipe, onesided;

const kernel_kind *const all_kernels[] = {&jacobi, &wavefront, &cg,   &sort,    &fft,
                                          &montecarlo, &contest, &pipe, &onesided};
const int kernel_count = sizeof all_kernels / sizeof *all_kernels;

}  // namespace tare::kernels
