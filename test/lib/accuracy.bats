# SPDX-License-Identifier: BSD-3-Clause
# How well the calibrated constants fit. The numbers are shown; what is asserted allows for a busy machine.
load helpers

residual() { # residual PROGRAM: checks one mode and shows it
    local without with compensated
    read -r without with compensated < <("$1")
    awk -v a="$without" -v b="$with" -v c="$compensated" -v mode="${TARE_OVERHEAD:-measured}" 'BEGIN {
        printf "# %-10s a pair of hooks costs %.1f ns, of which %.1f are left\n", mode, b - a, c - a
        exit b - a > 10 && c - a < 0.2 * (b - a) && a - c < 0.2 * (b - a) ? 0 : 1 }' >&3
}

@test "compensated_loop_of_regions_is_near_the_plain_loop" {
    residual "$ACCURACY"
    TARE_OVERHEAD=calibrated residual "$ACCURACY"
}
