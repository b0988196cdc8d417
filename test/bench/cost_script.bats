#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # set by the Makefile and by bats
# build-aux/cost on the build tree: that it works, not what it finds.
load helper

# A prefix of links: what make install would put there.
make_prefix() {
    prefix=$BATS_TEST_TMPDIR/prefix
    mkdir -p "$prefix"/{bin,lib/tare/tare,unpatched}
    ln -s "$MPIEXEC" "$MPICH_STAGE/bin/hydra_pmi_proxy" "$prefix/bin"
    ln -s "$top_builddir"/src/bench/tare_{latency,bw,barrier,bcast,{,i}allreduce,alltoall,put_latency} "$prefix/bin"
    ln -s "$MPICH_STAGE/lib/libmpi.so.12" "$top_builddir/src/lib/.libs/libtare.so.0" "$prefix/lib"
    ln -s "$top_builddir/src/pmpi/tare/.libs/libtare-mpi.so" "$prefix/lib/tare/tare"
}

cost() { "$top_srcdir/build-aux/cost" --prefix "$prefix" "$@"; }

@test "quick_run_fills_every_row" {
    make_prefix
    unpatched=$top_builddir/mpich/stage-unpatched
    [[ -e $unpatched/lib/libmpi.so.12 ]] || unpatched=$MPICH_STAGE
    run --separate-stderr cost --quick --json --unpatched "$unpatched"
    echo "$output $stderr"
    [[ $status -eq 0 ]]
    jq -e '[.rows[] | select(.median_us > 0 and (.samples_us | length) == 1)] | length == 54' <<<"$output"
    jq -e '[.rows[] | .message] | unique == ["1024", "1048576", "65536", "8", "barrier", "messages"]' <<<"$output"
    [[ $unpatched != "$MPICH_STAGE" ]] ||
        [[ $stderr == "cost: note: $unpatched holds a patched MPICH, so the ratios say nothing of the patches" ]]
}

@test "rows_are_those_that_are_asked_for" {
    make_prefix
    run --separate-stderr cost --quick --json --unpatched "$MPICH_STAGE" --declared none,overhead --cases barrier
    [[ $status -eq 0 ]]
    jq -e '[.rows[] | .declare + " " + .message + " " + .build] == ["none barrier unpatched", "none barrier off",
        "none barrier header", "overhead barrier unpatched", "overhead barrier off", "overhead barrier header"]' \
        <<<"$output"
}

@test "rate_and_bandwidth_are_rows_of_their_own" {
    make_prefix
    run --separate-stderr cost --quick --json --unpatched "$MPICH_STAGE" --declared none --cases rate,bandwidth
    [[ $status -eq 0 ]]
    jq -e '[.rows[] | .message] | unique == ["bandwidth", "rate"]' <<<"$output"
}

@test "carriers_are_compared_with_off_and_with_the_same_by_hand" {
    make_prefix
    run --separate-stderr cost --quick --json --carriers tare
    echo "$output $stderr"
    [[ $status -eq 0 && -z $stderr ]]
    jq -e '[.rows[] | .build] == ["off", "datatype", "datatype-by-hand", "message", "message-by-hand", "copy",
        "copy-by-hand"] and all(.rows[]; .median_us > 0 and (.samples_us | length) == 1) and .mpi == "tare"' \
        <<<"$output"
    rm "$prefix/lib/tare/tare/libtare-mpi.so"
    run --separate-stderr cost --quick --carriers tare
    assert_sentence "cost: $prefix/lib/tare/tare/libtare-mpi.so is missing: say by --prefix where Tare is installed"
}

@test "parts_that_are_missing_end_with_one_sentence" {
    make_prefix
    run --separate-stderr cost --quick
    assert_sentence "cost: $prefix/unpatched/lib/libmpi.so.12 is missing: build the unpatched MPICH (configure \
--enable-unpatched), or say where it is by --unpatched"
    rm "$prefix/bin/tare_barrier"
    run --separate-stderr cost --quick
    assert_sentence "cost: $prefix/bin/tare_barrier is missing: say by --prefix where Tare is installed"
}

@test "options_that_are_bad_end_with_one_sentence" {
    for case in "--bogus|unknown argument '--bogus'" "-n|-n needs a value" \
        "-n 0|-n 0: give a whole number from 1 to 9999" "-n x|-n x: give a whole number from 1 to 9999" \
        "--declared event,all|--declared event,all: give one or more of none event overhead with commas between" \
        "--carriers lam|--carriers lam: give tare, mpich or openmpi" \
        "--cases all|--cases all: give one or more of small large barrier messages rate bandwidth allreduce bcast bcast_64k alltoall iallreduce put with commas between" \
        "--over tcp --ucx tcp|--over is of ch4:ofi, --ucx of ch4:ucx: give one of them" \
        "--carriers tare --over tcp|--carriers goes through shared memory, not --over or --ucx"; do
        # shellcheck disable=SC2086  # words on purpose
        run --separate-stderr "$top_srcdir/build-aux/cost" ${case%%|*}
        [[ $status -eq 2 ]]
        assert_sentence "cost: ${case#*|}; see --help"
    done
}
