#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Full disks, truncated and damaged files: whatever writes or reads a file says one sentence, and leaves nothing half.
# shellcheck disable=SC2154,SC2016  # bats sets status; $ in single quotes is meant
load helpers

formats="cube csv chrome speedscope json"

setup() {
    clean_environment
    mkdir "$BATS_TEST_TMPDIR/run"
    cd "$BATS_TEST_TMPDIR/run" || return 1
}

small_profile() {
    cp -r "$FIXTURES/two_ranks/." .
    chmod -R u+w .
    add_path '.TAU application => work => MPI_Send()' MPI 3 30 25 2 1
}

# A profile of which every format needs more than 20 KiB.
large_profile() {
    "$MAKER" . 4 1000 0
}

# limited COMMAND...: files may have 20 KiB, as if the disk were full then. Nobody has to ignore the signal for it.
limited() {
    run --separate-stderr bash -c 'ulimit -f 20; "$@"' limited "$@"
}

# with_disk KIB: a tmpfs of that size in the folder disk, in a name space that ends with the command that follows
on_full_disk() {
    local kib=$1
    shift
    run --separate-stderr unshare -m bash -c 'mount -t tmpfs -o size="$0"k tmpfs ../disk && "$@"; status=$?
        ls -A ../disk > ../left; exit $status' "$kib" "$@"
}

need_disk() {
    mkdir ../disk
    unshare -m mount -t tmpfs -o size=8k tmpfs ../disk 2> /dev/null || skip "only root may mount a tmpfs"
}

@test "convert_that_does_not_fit_says_so_and_leaves_the_older_file_alone" {
    large_profile
    mkdir ../out
    for format in $formats; do
        "$TOOL" convert --to="$format" > ../whole
        [ "$(stat -c %s ../whole)" -gt 20480 ] || { echo "$format is too small for this test"; return 1; }
        limited "$TOOL" convert --to="$format" -o ../out/new
        assert_refused 1
        assert_says "cannot write ../out/new: File too large"
        [ -z "$(ls -A ../out)" ]
        cp ../whole ../out/older
        limited "$TOOL" convert --to="$format" -o ../out/older
        assert_refused 1
        cmp ../whole ../out/older
        [ "$(ls -A ../out)" = older ]
        rm ../out/older
    done
}

@test "standard_output_that_does_not_fit_is_said" {
    large_profile
    local command
    for command in "convert --to=cube" "convert --to=csv" "convert --to=chrome" "convert --to=speedscope" convert \
        "report --json" "report --each --limit=0" "report --html -"; do
        run --separate-stderr bash -c 'ulimit -f 20; "$0" $1 > ../there' "$TOOL" "$command"
        assert_refused 1 || { echo "$command"; return 1; }
        assert_says "cannot write the output: File too large"
    done
}

@test "page_that_does_not_fit_says_so_and_leaves_the_older_one_alone" {
    large_profile
    "$TOOL" report --html ../page.html
    cp ../page.html ../before.html
    limited "$TOOL" report --html ../page.html
    assert_refused 1
    assert_says "cannot write ../page.html: File too large"
    cmp ../page.html ../before.html
    [ -z "$(find .. -name '.tare-report*')" ]
}

@test "full_disk_is_said_by_whatever_writes_a_file_there" {
    need_disk
    large_profile
    for format in $formats; do
        on_full_disk 16 "$TOOL" convert --to="$format" -o ../disk/new
        assert_refused 1 || { echo "$format"; return 1; }
        assert_says "cannot write ../disk/new: No space left on device"
        [ ! -s ../left ]
    done
    on_full_disk 16 "$TOOL" report --html ../disk/page.html
    assert_refused 1
    assert_says "cannot write ../disk/page.html: No space left on device"
    [ ! -s ../left ]
    on_full_disk 16 "$TOOL" convert --to=tau -o ../disk/tau
    assert_refused 1
    assert_says "No space left on device"
    [ ! -s ../left ]
}

@test "suggested_filter_that_does_not_fit_is_said" {
    large_profile
    [ -w /dev/full ] || skip "there is no /dev/full"
    sed -i 's#</metadata>#<attribute><name>tare cost region pair ns</name><value>100.000</value></attribute>&#' \
        MULTI__*/profile.*
    "$TOOL" report --suggest-filter > /dev/null
    for option in "" --json; do
        run --separate-stderr bash -c '"$0" report --suggest-filter $1 > /dev/full' "$TOOL" "$option"
        assert_refused 1
        assert_says "cannot write the output: No space left on device"
    done
}

# refused_at LENGTH FILE FORMAT: so much of it is no file of this format
refused_at() {
    head -c "$1" "$2" > ../cut
    run --separate-stderr "$TOOL" convert --from="$3" --to=csv ../cut
    assert_refused 1 || { echo "$3, $1 bytes: $stderr"; return 1; }
    assert_says "../cut"
}

# 40 places all over the file, and the last bytes, one by one.
@test "every_format_truncated_anywhere_is_refused_with_a_sentence" {
    small_profile
    local format length size
    for format in $formats; do
        "$TOOL" convert --to="$format" -o ../whole --force
        size=$(stat -c %s ../whole)
        # What an archive of Cube ends with is empty.
        [ "$format" != cube ] || size=$(($(grep -abo 'CUBEX.DATA' ../whole | tail -n 1 | cut -d : -f 1) + 10))
        for ((length = 0; length < size; length += 1 + size / 40)); do
            [ "$format" = csv ] && is_end_of_line "$length" && continue
            refused_at "$length" ../whole "$format"
        done
    done
}

# CSV has no end: what is cut between two lines is a smaller table.
is_end_of_line() {
    [ "$1" -gt 2 ] && [ "$(head -c "$1" ../whole | tail -c 1 | od -An -tx1)" = " 0a" ]
}

@test "profile_truncated_anywhere_is_refused_with_a_sentence" {
    small_profile
    local file length size
    for file in MULTI__TIME/profile.0.0.0 MULTI__MPI_WAIT_TIME/profile.1.0.0 tare-calls.0; do
        cp "$file" ../whole
        size=$(stat -c %s ../whole)
        for ((length = 0; length < size; length += 1 + size / 40)); do
            head -c "$length" ../whole > "$file"
            run --separate-stderr "$TOOL" convert --to=chrome
            assert_refused 1 || { echo "$file, $length bytes: $stderr"; return 1; }
            assert_says "$file"
        done
        cp ../whole "$file"
    done
    "$TOOL" convert --to=chrome > /dev/null
}

# A byte that is changed may leave a file that can be read: then all that is asked is that nothing crashes.
@test "byte_that_is_changed_anywhere_is_read_or_refused_with_a_sentence" {
    small_profile
    local format at size byte times refused=0
    RANDOM=4711
    for format in $formats; do
        "$TOOL" convert --to="$format" -o ../whole --force
        size=$(stat -c %s ../whole)
        for ((times = 0; times < 60; times++)); do
            at=$(((RANDOM * 32768 + RANDOM) % size))
            printf -v byte '\\x%02x' $((RANDOM % 256))
            cp ../whole ../changed
            printf '%b' "$byte" | dd of=../changed bs=1 seek="$at" conv=notrunc status=none
            run --separate-stderr bash -c '"$0" convert --from="$1" --to=chrome ../changed > ../out' "$TOOL" "$format"
            [ "$status" -eq 0 ] && continue
            refused=$((refused + 1))
            assert_refused 1 || { echo "$format, byte $at: $byte"; return 1; }
        done
    done
    [ "$refused" -gt 20 ]
}

@test "foreign_files_are_refused_by_every_reader" {
    small_profile
    local format file
    printf '\0' > ../zero
    head -c 5000 /dev/zero > ../zeros
    head -c 5000 "$TOOL" > ../program
    printf '{}' > ../object
    printf '[1, 2]' > ../list
    printf '{"traceEvents": [{"name": "a", "ph": "X", "ts": 1, "dur": 2, "pid": 3, "tid": 4}]}' > ../other_trace
    printf 'a,b\n1,2\n' > ../other_table
    printf '<?xml version="1.0"?>\n<cube version="4.4"/>\n' > ../other_xml
    : > ../nothing
    (cd .. && tar --format=ustar -cf other_archive other_xml) 2> /dev/null || cp ../other_xml ../other_archive
    for file in zero zeros program object list other_trace other_table other_xml nothing other_archive; do
        for format in $formats; do
            run --separate-stderr "$TOOL" convert --from="$format" "../$file"
            assert_refused 1 || { echo "$file as $format"; return 1; }
            assert_says "../$file"
        done
        run --separate-stderr "$TOOL" convert "../$file"
        assert_refused 1
        assert_says "../$file is no file that tare convert has written"
        run --separate-stderr "$TOOL" convert --from=tau "../$file"
        assert_refused 1
    done
}

@test "dry_run_says_whether_a_file_may_be_written_and_writes_nothing" {
    "$TOOL" convert --dry-run -o ../new.csv
    [ ! -e ../new.csv ]
    echo notes > ../notes.json
    run --separate-stderr "$TOOL" convert -n -o ../notes.json
    assert_refused 1
    assert_says "../notes.json is there, was not written by tare convert and will not be overwritten"
    "$TOOL" convert -n --force -o ../notes.json
    [ "$(cat ../notes.json)" = notes ]
    run --separate-stderr "$TOOL" convert -n -o ../no/folder.csv
    assert_refused 1
    run --separate-stderr "$TOOL" convert -n
    assert_refused 2
    assert_says "--dry-run is about an output: -o FILE"
    mkfifo ../pipe.json
    timeout 10 "$TOOL" convert -n -o ../pipe.json
}
