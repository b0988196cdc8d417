# SPDX-License-Identifier: BSD-3-Clause
# How well the calibrated constants fit. The numbers are shown; what is asserted allows for a busy machine.
load helpers

@test "compensated_loop_of_regions_is_near_the_plain_loop" {
    residual measured "$ACCURACY"
    residual calibrated "$ACCURACY"
}
