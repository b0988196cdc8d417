#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154,SC2016  # bats sets status and output; inner shells expand what is quoted

load helper

setup() {
    top=$BATS_TEST_TMPDIR/top
    empty_series "$top"
    write_patch "$top/mpid-patch/zwei.patch"
    echo zwei.patch >"$top/mpid-patch/series"
}

check_lists() {
    run --separate-stderr "$top_srcdir/build-aux/check-patches" --top "$top" --lists-only
}

@test "good_series_passes" {
    check_lists
    assert_status 0
    [[ $output == "check-patches: good" ]]
}

@test "patch_missing_from_series_is_found" {
    write_patch "$top/netmod/ofi/forgotten.patch"
    check_lists
    assert_status 1
    assert_sentence "netmod/ofi/forgotten.patch is not listed in netmod/ofi/series"
}

@test "series_entry_without_patch_is_found" {
    echo gone.patch >>"$top/netmod/ucx/series"
    check_lists
    assert_status 1
    assert_sentence "netmod/ucx/series names gone.patch, which does not exist"
}

@test "series_entry_twice_is_found" {
    echo zwei.patch >>"$top/mpid-patch/series"
    check_lists
    assert_status 1
    assert_sentence "names zwei.patch more than once"
}

@test "patch_without_any_one_header_field_is_found" {
    for field in Description Author Forwarded Last-Update; do
        write_patch "$top/mpid-patch/zwei.patch" $field
        check_lists
        assert_status 1
        assert_sentence "mpid-patch/zwei.patch" "'$field:'"
    done
}

@test "patch_by_another_author_is_found" {
    sed -i 's/^Author: .*/Author: Somebody Else/' "$top/mpid-patch/zwei.patch"
    check_lists
    assert_status 1
    assert_sentence "'Author:'"
}

@test "header_below_the_diff_does_not_count" {
    sed -i -e '/^Forwarded/d' -e '$aForwarded: no' "$top/mpid-patch/zwei.patch"
    check_lists
    assert_status 1
    assert_sentence "'Forwarded:'"
}

@test "lists_and_headers_of_this_tree_are_good" {
    run --separate-stderr "$top_srcdir/build-aux/check-patches" --lists-only
    assert_status 0
}
