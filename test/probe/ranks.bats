# SPDX-License-Identifier: BSD-3-Clause
# Functions of MPI programs: one name on all ranks, and programs that do not end as they should.
load ../lib/helpers

setup_file() {
    clean_environment
    TARE_CC=$MPICC "$WRAPPERS/tarecc" -O2 "$SOURCES/test/probe/ranks.c" -o "$BATS_FILE_TMPDIR/ranks"
}

# probed N PROGRAM ARGUMENT...: on N ranks, with all layers
probed() {
    timeout 60 "$MPIEXEC" -n "$1" env LD_PRELOAD="$LAYER:$LIBPROBE" "${@:2}"
}

# names RANK: the functions of a rank
names() { "$ROWS" . | sed -n "s/^$1 0 .* TAU_DEFAULT //p" | LC_ALL=C sort; }

# The ranks say where their function is; without address randomisation nothing would be tested.
assert_apart() {
    [ "$(cat /proc/sys/kernel/randomize_va_space)" != 0 ] || skip "this system does not randomise addresses"
    [ "$(sort -u <<< "$output" | wc -l)" -eq 2 ]
}

@test "functions_have_the_same_names_on_all_ranks" {
    run probed 2 "$BATS_FILE_TMPDIR/ranks" named
    assert_apart
    names 0 > first
    names 1 > second
    diff first second
    [ "$(tr '\n' ' ' < first)" = ".TAU application main named of_all of_one_file " ]
}

@test "functions_without_symbols_have_the_same_names_on_all_ranks" {
    strip --strip-all "$BATS_FILE_TMPDIR/ranks" -o stripped
    run probed 2 ./stripped named
    assert_apart
    names 0 > first
    names 1 > second
    diff first second
    [ "$(grep -cE '^stripped\+0x[0-9a-f]+$' first)" -eq 4 ]
}

@test "call_paths_of_functions_and_MPI_are_the_same_on_all_ranks" {
    TARE_CALLPATH=10 run probed 2 "$BATS_FILE_TMPDIR/ranks" named
    [ "$status" -eq 0 ]
    local root=".TAU application" rank
    for rank in 0 1; do
        assert_value $rank 0 calls "$root => main => MPI_Init()" 1
        assert_value $rank 0 calls "$root => main => named => MPI_Barrier()" 1
        assert_value $rank 0 calls "$root => main => named => of_all => of_one_file" 1
        [ "$(value $rank 0 wait "$root => main => named => MPI_Barrier()")" = "$(value $rank 0 wait 'MPI_Barrier()')" ]
        "$ROWS" . | sed -n "s/^$rank 0 .* TAU_CALLPATH|//p" | LC_ALL=C sort > paths.$rank
    done
    [ "$(wc -l < paths.0)" -eq 8 ]
    diff paths.0 paths.1
}

@test "depth_that_is_not_allowed_ends_the_run_in_one_sentence" {
    local depth
    for depth in -1 deep 1001; do
        TARE_CALLPATH=$depth run --separate-stderr probed 2 "$BATS_FILE_TMPDIR/ranks" named
        [ "$status" -ne 0 ]
        [ -z "$output" ]
        [ "$(grep -c '^tare: ' <<< "$stderr")" -eq 1 ]
        [[ $stderr == *TARE_CALLPATH*"$depth"*"0, or a depth up to 1000"* ]]
    done
    [ ! -e MULTI__TIME ]
}

@test "exit_without_MPI_Finalize_leaves_the_profile" {
    run probed 2 "$BATS_FILE_TMPDIR/ranks" not_finalized
    # Each rank writes its own as it exits, unless mpiexec has ended it because the other was first.
    for rank in 0 1; do
        assert_between "$([ -e ".tare-live.$rank" ] && echo 1 || echo 2)" "$(value "$rank" 0 calls of_all)" 2
        assert_value "$rank" 0 calls 'MPI_Barrier()' 1
        assert_value "$rank" 0 calls main 1
    done
    probed 1 "$BATS_FILE_TMPDIR/ranks" not_finalized
    assert_value 0 0 calls of_all 2
    assert_no_region 0 0 'MPI_Finalize()'
}

@test "abort_of_one_rank_ends_the_run_and_leaves_whole_files_only" {
    run probed 2 "$BATS_FILE_TMPDIR/ranks" aborted
    [ "$status" -eq 5 ]
    [ -z "$(find . -name 'profile.*' | grep -v '/profile\.[01]\.0\.0$')" ]
    if ls MULTI__TIME/profile.* > /dev/null 2>&1; then
        "$ROWS" . > rows
        for rank in $(cut -d ' ' -f 1 rows | grep -E '^[01]$' | sort -u); do
            assert_value "$rank" 0 calls of_all 1
            assert_value "$rank" 0 calls 'MPI_Barrier()' 1
        done
    fi
}
