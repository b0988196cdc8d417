#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The series on MPICH's own source, and on copies of it that have changed as another release might.
# shellcheck disable=SC2154,SC2016  # bats sets status and output; inner shells expand what is quoted

load helper

check=$top_srcdir/build-aux/rebase-check
ch4=src/mpid/ch4

# rebase NAME MPICH...: its output, errors and status in files, because all tests look at the same two runs.
rebase() {
    local into=$BATS_FILE_TMPDIR/$1 status=0
    shift
    "$check" --work "$into.work" --reference "$BATS_FILE_TMPDIR/mpich" "$@" >"$into.out" 2>"$into.err" || status=$?
    echo "$status" >"$into.status"
}

# change SED FILE: of the changed tree; it has to change something.
change() {
    cp "$changed/$2" "$BATS_FILE_TMPDIR/before"
    sed -i -E "$1" "$changed/$2"
    ! cmp -s "$changed/$2" "$BATS_FILE_TMPDIR/before"
}

# Functions that copy a status, fill a header and cannot be read by spatch; all unknown to the patches.
add_sites() {
    printf '%s\n' 'static void take_over(MPIR_Request * to, MPIR_Request * from)' '{' \
        '    to->status = from->status;' '}' >>"$changed/$ch4/src/mpidig_pt2pt_callbacks.c"
    printf '%s\n' 'static int say_so(int rank, MPIR_Comm * comm)' '{' '    MPIDIG_news_msg_t news_msg;' \
        '    news_msg.rank = rank;' '    return MPIDI_NM_am_send_hdr(rank, comm, 0, &news_msg, 8, 0, 0);' '}' \
        'static void say_all(void)' '{' '    for_each(x) in y {' '    }' '}' >>"$changed/$ch4/src/mpidig_part.c"
}

change_tree() {
    changed=$BATS_FILE_TMPDIR/changed
    cp -R "$BATS_FILE_TMPDIR/mpich" "$changed"
    change 's/4\.0\.2/4.9.0/' maint/version.m4
    change '1i /* two lines\n * more */' src/mpi/request/mpir_request.c
    change 's/MPIR_T_env_init\(\)/MPIR_T_env_start()/' src/mpi/init/mpir_init.c
    change 's/\bMPIDIG_do_cts\b/MPIDIG_send_cts/' $ch4/src/mpidig_pt2pt_callbacks.c
    change 's/int MPID_Wait\(/int wait_for(/' $ch4/src/ch4_wait.h
    printf '%s\n' 'int MPID_Wait(void)' '{' '}' >>"$changed/$ch4/src/ch4_wait.h"
    change 's/\bam_hdr\b/packet/' $ch4/src/mpidig_send.h
    mv "$changed/$ch4/src/ch4_self.c" "$changed/$ch4/src/ch4_own.c"
    add_sites
}

# bats 1.8 can skip a test, not a file
setup_file() {
    tarball=${MPICH_TARBALL:-${XDG_CACHE_HOME:-$HOME/.cache}/tare/download/mpich_4.0.2.orig.tar.xz}
    [[ -n $(command -v spatch) ]] || export missing="spatch is not installed (coccinelle)"
    [[ -f $tarball ]] || export missing="MPICH's source has not been downloaded"
    [[ -z ${missing-} ]] || return 0
    mkdir "$BATS_FILE_TMPDIR/mpich"
    tar -C "$BATS_FILE_TMPDIR/mpich" --strip-components=1 --no-same-owner --wildcards -xf "$tarball" \
        '*/maint/version.m4' '*/src/binding/c/mpit' '*/src/include' '*/src/mpi' '*/src/mpi_t' '*/src/mpid/ch4' \
        '*/src/mpid/common'
    rebase same "$BATS_FILE_TMPDIR/mpich"
    change_tree
    (cd "$changed" && find . -type f -exec sha256sum {} + | sort) >"$BATS_FILE_TMPDIR/sums"
    rebase changed "$changed"
}

setup() { [[ -z ${missing-} ]] || skip "$missing"; }

# tells NAME LINE: the output of that run has a line that contains this
tells() {
    cat "$BATS_FILE_TMPDIR/$1.out" "$BATS_FILE_TMPDIR/$1.err"
    grep -qF -- "$2" "$BATS_FILE_TMPDIR/$1.out"
}

@test "own_mpich_has_every_patch_hook_and_site" {
    tells same "rebase-check: 31 of 31 patches apply (0 with fuzz), hooks missing: 0 of"
    tells same "sites without a hook: 0"
    [[ $(cat "$BATS_FILE_TMPDIR/same.status") == 0 && ! -s $BATS_FILE_TMPDIR/same.err ]]
}

@test "own_mpich_needs_no_reject_and_no_hint" {
    run ! grep -E 'fuzz  |fails|missing  |rejected' "$BATS_FILE_TMPDIR/same.out"
}

@test "lines_of_patches_have_mpichs_style" {
    [[ -n $(command -v indent) ]] || skip "indent is not installed"
    "$top_srcdir/build-aux/static-check" patched "$BATS_FILE_TMPDIR/mpich" "$BATS_FILE_TMPDIR/same.work/tree"
}

@test "line_of_a_patch_in_another_style_is_found" {
    [[ -n $(command -v indent) ]] || skip "indent is not installed"
    cp -R "$BATS_FILE_TMPDIR/same.work/tree" "$BATS_TEST_TMPDIR/tree"
    sed -i 's/^    MPIDI_Tare_post(rreq, rank);/  MPIDI_Tare_post( rreq,rank );/' \
        "$BATS_TEST_TMPDIR/tree/$ch4/src/mpidig_recv.h"
    run "$top_srcdir/build-aux/static-check" patched "$BATS_FILE_TMPDIR/mpich" "$BATS_TEST_TMPDIR/tree"
    assert_status 1
    [[ ${#lines[@]} -eq 1 && $output == "$ch4/src/mpidig_recv.h:"*"not in MPICH's style"*"MPIDI_Tare_post( rreq"* ]]
}

@test "changed_mpich_is_a_failure_with_a_summary" {
    [[ $(cat "$BATS_FILE_TMPDIR/changed.status") == 1 ]]
    tells changed "Patches, on MPICH 4.9.0"
    tells changed "of 31 patches apply (1 with fuzz), hooks missing:"
}

@test "patch_below_new_lines_applies_with_offset" {
    tells changed "offset    mpid-patch/0002-join-where-the-caller-sees-completion.patch"
}

@test "patch_beside_a_changed_line_applies_with_fuzz_and_names_the_hunk" {
    tells changed "fuzz      mpid-patch/0004-start-in-mpi-init.patch"
    tells changed "src/mpi/init/mpir_init.c: hunk #2 succeeded"
}

@test "patch_of_a_changed_line_fails_names_its_hunks_and_leaves_rejects" {
    tells changed "fails     mpid-patch/0006-stamp-what-leaves.patch"
    tells changed "src/mpid/ch4/src/mpidig_send.h: hunk #1 FAILED"
    tells changed "rejected: $BATS_FILE_TMPDIR/changed.work/tree/src/mpid/ch4/src/mpidig_send.h.rej"
}

@test "patch_of_a_file_that_has_gone_fails_and_the_next_ones_are_tried" {
    tells changed "fails     mpid-patch/0008-self-messages.patch"
    tells changed "src/mpid/ch4/src/ch4_self.c: no such file"
    tells changed "exact     netmod/ucx/0004-native-operations-are-counted.patch"
}

@test "hook_in_a_renamed_function_is_missing" {
    tells changed "missing   MPIDI_Tare_reply in MPIDIG_do_cts, src/mpid/ch4/src/mpidig_pt2pt_callbacks.c: \
there is no MPIDIG_do_cts any more"
}

@test "hook_that_has_landed_in_another_function_is_missing" {
    tells changed "missing   MPIR_TARE_WAIT in MPID_Wait, src/mpid/ch4/src/ch4_wait.h: it is in wait_for instead"
}

@test "hook_of_a_function_in_another_file_is_missing_and_tells_where_that_is" {
    tells changed "src/mpid/ch4/src/ch4_self.c: "
    grep -qE 'missing .* is in src/mpid/ch4/src/ch4_own\.c:[0-9]+ now' "$BATS_FILE_TMPDIR/changed.out"
}

@test "header_without_a_stamp_is_a_site" {
    grep -qE 'mpidig_send\.h:[0-9]+: MPIDIG_isend_impl fills packet \(MPIDIG_hdr_t\), and no hook stamps it' \
        "$BATS_FILE_TMPDIR/changed.out"
}

@test "header_of_a_new_kind_is_a_site" {
    grep -qE 'mpidig_part\.c:[0-9]+: say_so fills news_msg \(MPIDIG_news_msg_t\), and no hook stamps it' \
        "$BATS_FILE_TMPDIR/changed.out"
}

@test "copied_status_without_its_edge_is_a_site" {
    grep -qE "callbacks\.c:[0-9]+: take_over copies a request's status, and no hook copies its edge" \
        "$BATS_FILE_TMPDIR/changed.out"
}

@test "function_that_cannot_be_read_is_a_site" {
    grep -qE 'mpidig_part\.c:[0-9]+: spatch cannot read the function here' "$BATS_FILE_TMPDIR/changed.out"
}

@test "other_tree_stays_as_it_was" {
    (cd "$BATS_FILE_TMPDIR/changed" && find . -type f -exec sha256sum {} + | sort) | cmp - "$BATS_FILE_TMPDIR/sums"
}

@test "folder_that_is_no_mpich_is_one_sentence" {
    mkdir "$BATS_TEST_TMPDIR/empty"
    run --separate-stderr "$check" "$BATS_TEST_TMPDIR/empty"
    assert_status 2
    assert_sentence "$BATS_TEST_TMPDIR/empty is no MPICH source tree with ch4"
}

@test "no_folder_and_an_unknown_option_are_bad_usage" {
    run --separate-stderr "$check"
    assert_status 2
    assert_sentence "which MPICH?"
    run --separate-stderr "$check" --fast
    assert_status 2
    assert_sentence "unknown option --fast"
}

@test "work_of_an_earlier_run_is_not_mixed_with_this" {
    run --separate-stderr "$check" --work "$BATS_FILE_TMPDIR/same.work" "$BATS_FILE_TMPDIR/mpich"
    assert_status 2
    assert_sentence "holds the copy of an earlier run"
}
