# SPDX-License-Identifier: BSD-3-Clause
# Whose core is used: libmpi's if it fits, else libtare's own.
load helpers

@test "core_of_libmpi_is_used_when_it_is_linked" {
    run "$ADOPTION" linked
    [ "$output" = "libmpi" ]
}

@test "core_of_a_libmpi_that_is_loaded_later_takes_over_the_delay" {
    run "$ADOPTION_LATER" "$FAKE_LIBMPI"
    [ "${lines[0]}" = "own 5000" ]
    [ "${lines[1]}" = "libmpi 5000" ]
    assert_value 0 0 calls across 1
    assert_value 0 0 calls after 1
}

@test "core_of_another_version_is_left_alone" {
    run "$ADOPTION_LATER" "$OTHER_LIBMPI"
    [ "${lines[1]}" = "own 5000" ]
}
