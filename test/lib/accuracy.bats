# SPDX-License-Identifier: BSD-3-Clause
# How well the calibrated constants fit. The numbers are shown; what is asserted allows for a busy machine.
load helpers

@test "compensated_loop_of_regions_is_near_the_plain_loop" {
    in_some_attempt residual measured "$ACCURACY"
    in_some_attempt residual calibrated "$ACCURACY"
}

# sides MODE [mpi]: shows what is left of the cost of enters, and of leaves, and asserts most loosely.
sides() {
    [ -z "${SANITIZER-}" ] || skip "--with-sanitizer=$SANITIZER makes every instruction of the hooks dearer"
    local enter left_of_enter leave left_of_leave
    read -r enter left_of_enter leave left_of_leave < <(TARE_OVERHEAD=$1 "$SIDES" ${2:+"$2"})
    awk -v e="$enter" -v a="$left_of_enter" -v l="$leave" -v b="$left_of_leave" -v what="$1 ${2-}" 'BEGIN {
        printf "# %-14s enter costs %.1f ns, %.1f are left; leave %.1f, %.1f are left\n", what, e, a, l, b
        exit a < 0.5 * e && a > -0.5 * e && b < 0.5 * l && b > -0.5 * l ? 0 : 1 }' >&3
}

@test "enters_and_leaves_are_compensated_each_for_itself" {
    for mode in measured calibrated; do
        sides "$mode"
        sides "$mode" mpi
    done
}
