#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare convert: what was written is read back, and what is refused.
# shellcheck disable=SC2154,SC2016,SC2094  # bats sets status; $ in single quotes is meant; ../there is only read
load helpers

formats="cube csv chrome speedscope json"

setup() {
    in_a_copy_of two_ranks
}

with_paths() {
    add_path '.TAU application => MPI_Send()' MPI 6 60 50 4 3
    add_path '.TAU application => work' TAU_USER 10 1000 800 0 0
    add_path '.TAU application => work => MPI_Send()' MPI 3 30 25 2 1
    add_path 'helper => work => MPI_Send()' MPI 1 10 5 1 1
}

need_jq() {
    command -v jq > /dev/null || skip "jq is not installed"
}

# All figures of a profile or a file, in one order: table SOURCE [OPTION]...
table() {
    "$TOOL" convert --to=csv "$@" | LC_ALL=C sort
}

# What SOURCE is converted to FORMAT and read again has the same figures: round_trip FORMAT [OPTION]...
round_trip() {
    "$TOOL" convert --to="$1" -o ../there . || return 1
    table ../there "${@:2}" > ../back
    table . "${@:2}" > ../wanted
    [ -s ../wanted ]
    cmp ../wanted ../back || { diff ../wanted ../back; return 1; }
}

# A CSV file of one row of these figures: row_of NUMBER
row_of() {
    "$TOOL" convert --to=csv | head -n 1
    awk -v n="$1" 'BEGIN { printf "0,0,work,G"; for (i = 0; i < 15; i++) printf ",%s", n; printf "\r\n" }'
}

@test "json_is_what_report_prints" {
    with_paths
    for options in "" --rank=1 --callpath "--callpath --rank=0"; do
        # shellcheck disable=SC2086  # words of a command
        [ "$("$TOOL" convert --to=json $options)" = "$("$TOOL" report --json $options)" ]
    done
}

@test "cube_csv_and_chrome_read_back_have_every_figure_of_every_region" {
    for format in cube csv chrome; do round_trip $format; done
    [ "$(wc -l < ../wanted)" -eq 6 ]
}

@test "call_paths_read_back_have_every_figure" {
    with_paths
    for format in cube chrome; do
        round_trip $format
        round_trip $format --callpath
    done
    [ "$(wc -l < ../wanted)" -eq 5 ]
}

@test "json_read_back_is_the_same_json" {
    with_paths
    for options in "" --callpath; do
        # shellcheck disable=SC2086
        "$TOOL" convert --to=json $options -o ../one.json
        # shellcheck disable=SC2086
        "$TOOL" convert --from=json $options ../one.json -o ../two.json
        cmp ../one.json ../two.json
    done
}

@test "metadata_read_back_from_cube_and_chrome_make_the_same_json" {
    for format in cube chrome; do
        "$TOOL" convert --to=$format -o ../there
        [ "$("$TOOL" convert --to=json ../there)" = "$("$TOOL" report --json)" ]
        "$TOOL" convert --to=chrome ../there > ../a
        "$TOOL" convert --to=chrome . > ../b
        [ "$(grep -c tare_attributes ../b)" -eq 2 ]
        [ "$(grep tare_attributes ../a)" = "$(grep tare_attributes ../b)" ]
    done
}

@test "every_format_read_and_written_again_is_the_same_to_the_byte" {
    with_paths
    for format in $formats; do
        "$TOOL" convert --to="$format" -o ../one
        "$TOOL" convert --to="$format" --from="$format" -o ../two ../one
        cmp ../one ../two
        "$TOOL" convert --to="$format" ../one | cmp - ../one
    done
}

@test "figures_of_64_bits_stay_what_they_are" {
    for number in 9223372036854775807 -9223372036854775808 9007199254740993; do
        row_of "$number" > ../in.csv
        for format in cube chrome csv; do
            "$TOOL" convert --to=$format ../in.csv | "$TOOL" convert --from=$format --to=csv - | cmp - ../in.csv
        done
        need_jq
        "$TOOL" convert --to=json ../in.csv | grep -qF "\"incl_ns\": $number,"
        "$TOOL" convert --to=json ../in.csv | "$TOOL" convert --to=json - | grep -qF "\"hi_ns\": $number"
    done
}

@test "number_beyond_64_bits_is_refused" {
    row_of 9223372036854775808 > ../in.csv
    run --separate-stderr "$TOOL" convert ../in.csv
    assert_refused 1
    assert_says "line 2: calls is '9223372036854775808' and not a whole number"
    "$TOOL" convert | sed 's/"calls": 1,/"calls": 9223372036854775808,/' > ../in.json
    run --separate-stderr "$TOOL" convert ../in.json
    assert_refused 1
    assert_says "no whole number 'calls'"
}

@test "speedscope_keeps_exclusive_times_of_either_clock_and_nothing_else" {
    need_jq
    with_paths
    for clock in compensated:excl_comp_ns measured:excl_ns; do
        "$TOOL" convert --to=speedscope --clock=${clock%:*} -o ../flame
        for rows in "" --callpath; do
            # shellcheck disable=SC2086
            "$TOOL" report --json $rows |
                jq -c "[.rows[] | [.rank, .thread, .path // .region, .${clock#*:}]] | sort" > ../wanted
            # shellcheck disable=SC2086
            "$TOOL" convert --to=json $rows ../flame |
                jq -c "[.rows[] | [.rank, .thread, .path // .region, .${clock#*:}]] | sort" > ../back
            cmp ../wanted ../back
        done
        [ "$("$TOOL" convert ../flame | jq -r '[.rows[0] | to_entries[] | select(.value == null) | .key] | length')" \
            -eq 10 ]
        [ "$("$TOOL" convert ../flame | jq -r '.mode + " " + .rule')" = "header exact" ]
    done
}

@test "figures_that_are_not_known_stay_unknown_in_every_format" {
    need_jq
    "$TOOL" convert --to=speedscope --clock=measured -o ../flame
    "$TOOL" convert --to=json ../flame > ../wanted
    for format in cube csv chrome json; do
        case $format in chrome) clock=--clock=measured ;; *) clock="" ;; esac
        # shellcheck disable=SC2086
        "$TOOL" convert --to=$format $clock ../flame > ../there
        [ "$("$TOOL" convert --to=json --from=$format ../there | jq -S .rows)" = "$(jq -S .rows ../wanted)" ]
    done
    run --separate-stderr "$TOOL" convert --to=chrome ../flame
    assert_refused 1
    assert_says "lacks the compensated exclusive times that chrome is laid out by: --clock=measured"
}

# What has a visitor elsewhere: the rows of tare report's JSON.
@test "array_without_a_name_in_a_speedscope_file_is_left_alone" {
    "$TOOL" convert -o ../there.speedscope.json
    "$TOOL" convert --to=csv ../there.speedscope.json > ../wanted
    sed -i '1s/^{/{"": [1, 2], /' ../there.speedscope.json
    "$TOOL" convert --from=speedscope --to=csv ../there.speedscope.json | cmp - ../wanted
    echo '[[1]]' > ../array.json
    run --separate-stderr "$TOOL" convert --from=speedscope --to=csv ../array.json
    assert_refused 1
    assert_says "does not hold an object"
}

@test "figure_that_is_known_in_some_rows_only_is_refused" {
    "$TOOL" convert --to=csv | sed '3s/,10,/,,/' > ../half
    run --separate-stderr "$TOOL" convert ../half
    assert_refused 1
    assert_says "../half, line 3: calls is empty in some lines only"
    "$TOOL" convert --to=json | sed '12s/: 10/: null/' > ../half
    grep -q null ../half
    run --separate-stderr "$TOOL" convert ../half
    assert_refused 1
    assert_says "../half: row 2: 'calls' is null in some rows only"
}

@test "several_threads_are_read_back" {
    local folder
    for folder in MULTI__*; do cp "$folder/profile.1.0.0" "$folder/profile.1.0.1"; done
    sed -i 's/"MPI_Recv()" 10 /"MPI_Recv()" 11 /' MULTI__*/profile.1.0.1
    for format in cube csv chrome; do round_trip $format; done
    [ "$(grep -c '^1,1,' ../back)" -eq 2 ]
}

@test "awkward_names_are_read_back" {
    sed -i 's/"work"/"a \&<op>, "q" '"'"'é日"/; s/: work"/: a \&<op>, "q" '"'"'é日"/' MULTI__*/profile.0.0.0
    for format in cube csv chrome; do round_trip $format; done
    grep -qF '"a &<op>, ""q"" '"'"'é日"' ../back
}

@test "names_that_XML_and_JSON_cannot_hold_get_the_replacement_character" {
    sed -i 's/^"work"/"w\x01\xffk"/; s/: work"/: w\x01\xffk"/' MULTI__*/profile.0.0.0
    round_trip csv
    for format in cube chrome speedscope; do
        "$TOOL" convert --to=$format -o ../there --force
        [ "$("$TOOL" convert --to=csv ../there | grep -ac 'w.*k')" -eq 1 ]
    done
    "$TOOL" convert --to=cube -o ../there --force
    "$TOOL" convert --to=csv ../there | grep -qF "w"$'\xef\xbf\xbd\xef\xbf\xbd'"k"
}

@test "killed_rank_is_converted_and_named" {
    rm -f tare-calls.1 MULTI__*/profile.1.*
    run env TARE_PROFILE=1 TARE_MODE=header "$NOTED" 1 2 20240229-fixture
    [ "$status" -eq 137 ] || { echo "status $status: $output"; return 1; }
    run --separate-stderr "$TOOL" convert --to=cube -o ../there
    [ "$status" -eq 0 ]
    [ "$stderr" = "tare convert: rank 1 was killed: its figures end at its last enter or leave" ]
    run --separate-stderr "$TOOL" convert --to=csv ../there
    [ "$stderr" = "tare convert: rank 1 was killed: its figures end at its last enter or leave" ]
    [ "$(grep -c '^1,' <<< "$output")" -ge 1 ]
    for format in cube chrome; do [ "$(table ../there 2> /dev/null)" = "$(table . 2> /dev/null)" ]; done
}

@test "missing_rank_is_named_but_not_of_a_file" {
    rm MULTI__*/profile.1.0.0 tare-calls.1
    run --separate-stderr "$TOOL" convert --to=cube -o ../there
    [ "$status" -eq 0 ]
    [ "$stderr" = "tare convert: rank 1 is missing: its process did not finish" ]
    run --separate-stderr "$TOOL" convert ../there
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
}

@test "bytes_of_a_rank_without_a_profile_are_left_out_and_said" {
    rm MULTI__*/profile.1.0.0
    run --separate-stderr "$TOOL" convert --to=cube -o ../there
    [ "$status" -eq 0 ]
    assert_says "rank 1 has left a table of its MPI calls without a profile: these bytes are left out"
}

@test "tables_of_another_run_are_refused_where_bytes_are_written" {
    sed -i 's/^run .*/run other/' tare-calls.*
    run --separate-stderr "$TOOL" convert --to=cube -o ../there
    assert_refused 1
    assert_says "belong to another run"
    [ ! -e ../there ]
    run --separate-stderr "$TOOL" convert --to=csv
    [ "$status" -eq 0 ]
}

@test "rank_option_converts_only_this_rank" {
    for format in cube chrome csv json; do
        "$TOOL" convert --to=$format --rank=1 -o ../there --force
        [ "$(table ../there | grep -c '^[01],')" -eq 2 ]
        [ "$(table ../there | grep -c '^1,')" -eq 2 ]
    done
    run --separate-stderr "$TOOL" convert --rank=7
    assert_refused 1
    assert_says "--rank=7: the profile in . has no such rank"
}

@test "name_of_the_output_tells_the_format" {
    for pair in a.cubex:cube a.csv:csv a.trace.json:chrome a.speedscope.json:speedscope a.json:json; do
        "$TOOL" convert -o "../${pair%:*}"
        "$TOOL" convert --to="${pair#*:}" | cmp - "../${pair%:*}"
    done
    run --separate-stderr "$TOOL" convert -o ../a.xml
    assert_refused 2
    assert_says "the name of ../a.xml does not tell the format: --to=FORMAT does, one of cube, csv,"
    [ ! -e ../a.xml ]
}

@test "format_that_is_none_is_refused_with_all" {
    run --separate-stderr "$TOOL" convert --to=otf2
    assert_refused 2
    assert_says "--to=otf2 is not one of tau, cube, csv, chrome, speedscope, json"
    run --separate-stderr "$TOOL" convert --from=otf2 x
    assert_refused 2
    assert_says "--from=otf2 is not one of tau, cube, csv, chrome, speedscope, json"
    run --separate-stderr "$TOOL" convert --clock=wall --to=chrome
    assert_refused 2
    assert_says "--clock=wall is not one of compensated, measured"
}

@test "options_that_do_not_fit_the_format_are_refused" {
    run --separate-stderr "$TOOL" convert --callpath --to=cube
    assert_refused 2
    assert_says "--callpath is about json and csv"
    run --separate-stderr "$TOOL" convert --clock=measured --to=csv
    assert_refused 2
    assert_says "--clock is about chrome and speedscope"
    run --separate-stderr "$TOOL" convert --from=csv
    assert_refused 2
    assert_says "--from=csv needs a file"
    run --separate-stderr "$TOOL" convert . ..
    assert_refused 2
    run --separate-stderr "$TOOL" convert -o ''
    assert_refused 2
}

@test "profile_without_call_paths_has_none_to_convert" {
    run --separate-stderr "$TOOL" convert --to=csv --callpath
    assert_refused 1
    assert_says "there are no call paths in .: TARE_CALLPATH=DEPTH records them"
    with_paths
    "$TOOL" convert --to=csv --callpath -o ../paths
    run --separate-stderr "$TOOL" convert ../paths
    assert_refused 1
    assert_says "there are only call paths in ../paths: --callpath"
}

@test "directory_without_a_profile_is_refused" {
    mkdir ../empty
    run --separate-stderr "$TOOL" convert --to=csv ../empty
    assert_refused 1
    assert_says "no Tare profile in ../empty"
    run --separate-stderr "$TOOL" convert ../not-there
    assert_refused 1
    assert_says "cannot read ../not-there: No such file or directory"
}

@test "file_that_is_not_ours_is_refused" {
    head -c 5000 /dev/urandom > ../noise
    : > ../empty
    echo '{"traceEvents": [{"name": "a", "ph": "X", "ts": 1, "dur": 2, "pid": 0, "tid": 0}]}' > ../foreign.json
    echo 'a,b,c' > ../foreign.csv
    echo '{"$schema": "https://www.speedscope.app/file-format-schema.json", "exporter": "other", "profiles": []}' \
        > ../foreign.speedscope.json
    tar --format=ustar -cf ../foreign.cubex MULTI__TIME
    for file in ../noise ../empty ../foreign.json ../foreign.csv ../foreign.speedscope.json ../foreign.cubex; do
        run --separate-stderr "$TOOL" convert "$file"
        assert_refused 1
        assert_says "$file is no file that tare convert has written: it writes cube, csv, chrome, speedscope, json;"
        for format in $formats; do
            run --separate-stderr "$TOOL" convert --from="$format" "$file"
            assert_refused 1
            assert_says "$file"
        done
    done
}

@test "file_cut_short_is_refused_in_every_format" {
    with_paths
    for format in $formats; do
        "$TOOL" convert --to="$format" -o ../whole --force
        size=$(stat -c %s ../whole)
        for length in 1 100 600 $((size / 3)) $((size / 2)) $((size - 3)); do
            # A tar file ends with two blocks of zeros, of which one is enough.
            [ "$format$length" != "cube$((size - 3))" ] || length=$((size - 1025))
            head -c "$length" ../whole > ../cut
            run --separate-stderr "$TOOL" convert --from="$format" --to=csv ../cut
            assert_refused 1 || { echo "$format $length"; return 1; }
            assert_says "../cut"
        done
    done
}

@test "file_of_another_format_than_said_is_refused" {
    for format in $formats; do
        "$TOOL" convert --to="$format" -o ../there --force
        for other in ${formats/$format/}; do
            run --separate-stderr "$TOOL" convert --from="$other" ../there
            assert_refused 1
        done
    done
}

@test "region_that_a_thread_has_twice_is_refused" {
    { "$TOOL" convert --to=csv; "$TOOL" convert --to=csv | tail -n 1; } > ../twice
    run --separate-stderr "$TOOL" convert ../twice
    assert_refused 1
    assert_says "../twice: rank 1, thread 0 has 'MPI_Recv()' twice"
}

@test "rank_that_cannot_be_is_refused" {
    for rank in -1 2147483647 9223372036854775807; do
        "$TOOL" convert --to=csv | sed "s/^1,/$rank,/" > ../far
        run --separate-stderr "$TOOL" convert ../far
        assert_refused 1
        assert_says "../far: there is no rank $rank"
    done
}

@test "json_of_another_table_is_refused" {
    for options in --sum --imbalance --waiting --messages --callsites; do
        "$TOOL" report --json $options > ../other
        run --separate-stderr "$TOOL" convert ../other
        assert_refused 1
        assert_says "../other: row 1"
    done
    "$TOOL" convert | sed 's/"schema": 1/"schema": 2/' > ../other
    run --separate-stderr "$TOOL" convert --from=json ../other
    assert_refused 1
    assert_says "../other is not the JSON of tare report, schema 1"
}

@test "json_that_another_program_has_set_anew_is_read" {
    need_jq
    "$TOOL" convert | jq -c . > ../set
    run --separate-stderr "$TOOL" convert ../set
    assert_refused 1
    assert_says "one that another program has changed needs --from=FORMAT"
    [ "$("$TOOL" convert --from=json ../set)" = "$("$TOOL" convert)" ]
    "$TOOL" convert --to=chrome | jq -S . > ../set
    [ "$("$TOOL" convert --from=chrome ../set)" = "$("$TOOL" convert)" ]
    "$TOOL" convert --to=speedscope | jq -S . > ../set
    [ "$("$TOOL" convert --from=speedscope ../set)" = "$("$TOOL" convert --to=speedscope | "$TOOL" convert -)" ]
}

@test "deep_nesting_is_refused_and_does_not_end_the_program" {
    { printf '{"rows": '; head -c 1000000 /dev/zero | tr '\0' '['; } > ../deep
    run --separate-stderr "$TOOL" convert --from=json ../deep
    assert_refused 1
    assert_says "../deep: it is nested deeper than anything that tare convert writes"
}

# patch FILE OFFSET TEXT: replaces bytes
patch() {
    printf '%b' "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

@test "damaged_cube_is_refused_by_member" {
    "$TOOL" convert --to=cube -o ../good
    local index data
    index=$(grep -abo 'CUBEX.INDEX' ../good | sed -n 3p | cut -d : -f 1)
    data=$(grep -abo 'CUBEX.DATA' ../good | sed -n 3p | cut -d : -f 1)
    while read -r offset text wanted; do
        cp ../good ../bad
        patch ../bad "$offset" "$text"
        run --separate-stderr "$TOOL" convert ../bad
        assert_refused 1
        assert_says "$wanted"
    done << END
$index X 2.index is not an index of Cube
$((index + 11)) \\0000\\0000\\0000\\0001 2.index is not an index of Cube in little-endian order
$((index + 17)) \\0003 2.index is not sparse
$((index + 18)) \\0011 2.index has another length than it says
$((index + 22)) \\0377 2.index names the cnode 255 of 4
$data Z 2.data does not hold plain data of Cube
$((index - 512)) x damaged, or not a tar file
END
}

@test "cube_that_lacks_a_member_is_refused" {
    command -v tar > /dev/null || skip "tar is not installed"
    "$TOOL" convert --to=cube -o ../good
    mkdir ../members
    tar -xf ../good -C ../members
    (cd ../members && tar --format=ustar -cf ../packed anchor.xml [0-9]*)
    [ "$(table ../packed)" = "$(table .)" ]
    (cd ../members && rm 9.data && tar --format=ustar -cf ../packed anchor.xml [0-9]*)
    run --separate-stderr "$TOOL" convert ../packed
    assert_refused 1
    assert_says "../packed: the archive has no member 9.data"
}

@test "output_that_is_ours_is_replaced_whatever_its_format" {
    for format in $formats json; do
        "$TOOL" convert --to="$format" -o ../out
        "$TOOL" convert --to="$format" | cmp - ../out
    done
    : > ../empty
    "$TOOL" convert --to=csv -o ../empty
    [ -s ../empty ]
}

@test "output_that_is_not_ours_is_left_alone_unless_forced" {
    echo "my notes" > ../notes.json
    run --separate-stderr "$TOOL" convert -o ../notes.json
    assert_refused 1
    assert_says "../notes.json is there, was not written by tare convert and will not be overwritten: --force does"
    [ "$(cat ../notes.json)" = "my notes" ]
    "$TOOL" convert -o ../notes.json --force
    [ "$(cat ../notes.json)" = "$("$TOOL" report --json)" ]
}

@test "output_that_fails_leaves_the_older_one_and_nothing_else" {
    "$TOOL" convert --to=csv -o ../out/../out.csv || mkdir ../out
    "$TOOL" convert --to=csv -o ../out/a.csv
    cp ../out/a.csv ../older
    "$TOOL" convert --to=speedscope --clock=measured -o ../flame
    run --separate-stderr "$TOOL" convert --to=chrome -o ../out/a.csv ../flame
    assert_refused 1
    cmp ../older ../out/a.csv
    [ "$(ls -A ../out)" = "a.csv" ]
}

@test "full_disk_is_said" {
    [ -w /dev/full ] || skip "there is no /dev/full"
    for format in $formats; do
        run --separate-stderr "$TOOL" convert --to="$format" -o /dev/full
        assert_refused 1
        assert_says "cannot write /dev/full: No space left on device"
        run --separate-stderr bash -c '"$0" convert --to="$1" > /dev/full' "$TOOL" "$format"
        assert_refused 1
        assert_says "cannot write the output: No space left on device"
    done
}

@test "output_that_cannot_be_is_said" {
    run --separate-stderr "$TOOL" convert -o ../no/such/folder.json
    assert_refused 1
    assert_says "cannot write ../no/such/folder.json: No such file or directory"
    mkdir ../folder.json
    run --separate-stderr "$TOOL" convert -o ../folder.json
    assert_refused 1
    assert_says "cannot write ../folder.json: it is a directory"
}

@test "link_stays_a_link_and_its_file_is_replaced" {
    "$TOOL" convert --to=csv -o ../real
    ln -s real ../link
    "$TOOL" convert --to=json -o ../link
    [ -L ../link ]
    cmp ../link ../real
    [ "$(head -c 1 ../real)" = "{" ]
}

@test "standard_input_and_pipes_are_read" {
    for format in $formats; do
        "$TOOL" convert --to="$format" -o ../there --force
        "$TOOL" convert --to=csv - < ../there | cmp - <("$TOOL" convert --to=csv ../there)
        "$TOOL" convert --to=csv <(cat ../there) | cmp - <("$TOOL" convert --to=csv ../there)
    done
    run --separate-stderr bash -c 'echo x | "$0" convert -' "$TOOL"
    assert_refused 1
    assert_says "standard input is no file that tare convert has written"
}

@test "cube_is_not_written_to_a_terminal" {
    command -v script > /dev/null || skip "script is not installed"
    run script -qec "$(printf '%q ' "$TOOL" convert --to=cube)" /dev/null
    [ "$status" -eq 2 ]
    [[ $output == *"--to=cube is not for terminals: -o FILE"* ]]
}

@test "large_profile_is_read_back" {
    "$MAKER" ../large 16 300 0
    cd ../large || return 1
    for format in cube csv chrome; do round_trip $format; done
    [ "$(wc -l < ../back)" -eq $((16 * 301 + 1)) ]
}
