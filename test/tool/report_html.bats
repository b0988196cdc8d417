#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154,SC2016  # run sets status, output and stderr; inner shells expand what is quoted
# tare report --html: what is in the page, and what it is written over. How it behaves is in report_browser.bats.
load helpers
load pages

setup() {
    in_a_copy_of two_ranks
}

# The rows of `tare report --json ARGUMENT...`, in an order of their own.
json_rows() {
    "$TOOL" report --json "$@" | jq -S '.rows | sort_by(.rank, .thread, .region)'
}

# That the page of a directory holds what --json says, number by number: assert_same_figures DIRECTORY
assert_same_figures() {
    "$TOOL" report --html "$BATS_TEST_TMPDIR/page.html" "$1"
    page_rows "$BATS_TEST_TMPDIR/page.html" threads > "$BATS_TEST_TMPDIR/threads"
    page_rows "$BATS_TEST_TMPDIR/page.html" sum > "$BATS_TEST_TMPDIR/sum"
    [ "$(jq length "$BATS_TEST_TMPDIR/threads")" -ge 5 ]
    diff <(json_rows --each "$1") "$BATS_TEST_TMPDIR/threads"
    diff <(json_rows --sum "$1") "$BATS_TEST_TMPDIR/sum"
}

@test "page_names_program_ranks_mode_rule_and_run" {
    more="<attribute><name>tare program</name><value>ocean</value></attribute>"
    sed -i "s#</metadata>#$more&#" MULTI__*/profile.*
    run "$TOOL" report --html page.html
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    grep -Fqx '<title>ocean on 2 ranks, mode header, rule exact, run 20240229-fixture - Tare</title>' page.html
    grep -Fqx '<h1><bdi>ocean</bdi></h1>' page.html
    grep -Fqx '<div><dt>rule</dt><dd><bdi>exact</bdi></dd></div>' page.html
    grep -Fq '<bdi>tare enter constant ns</bdi></th><td><bdi>12.4, 12.9</bdi>' page.html
}

@test "programs_of_ranks_are_named_once_each" {
    local rank
    for rank in 0 1; do
        more="<attribute><name>tare program</name><value>part$((rank + 1))</value></attribute>"
        sed -i "s#</metadata>#$more&#" MULTI__*/profile.$rank.0.0
    done
    "$TOOL" report --html page.html
    grep -Fqx '<h1><bdi>part1, part2</bdi></h1>' page.html
}

@test "page_holds_the_figures_of_json" {
    need_jq
    assert_same_figures .
}

@test "page_of_many_regions_holds_the_figures_of_json" {
    need_jq
    "$MAKER" many 3 47 0
    assert_same_figures many
    # Few of them wait, so that column is stored by its rows; their calls are all there.
    [[ $(page_data "$BATS_TEST_TMPDIR/page.html" | jq -c '.sum[6] | keys') == '["at","is"]' ]]
    [[ $(page_data "$BATS_TEST_TMPDIR/page.html" | jq -r '.sum[0] | type') == array ]]
}

@test "page_of_ranks_with_different_regions_holds_the_figures_of_json" {
    need_jq
    "$MAKER" many 2 12 0
    "$MAKER" few 2 5 0
    for folder in MULTI__*; do cp "few/$folder/profile.1.0.0" "many/$folder/"; done
    assert_same_figures many
    [ "$(page_threads "$BATS_TEST_TMPDIR/page.html" | jq -c .regions | paste -s -d ' ')" = "13 6" ]
    "$TOOL" report --html fixture.html
    [ "$(page_threads fixture.html | jq -c .regions | paste -s -d ' ')" = "3 [0,3]" ]
}

@test "page_holds_the_call_sites_and_messages_of_json" {
    need_jq
    "$TOOL" report --html page.html
    members=$("$TOOL" report --callsites --json | jq -c '.rows[0] | keys_unsorted')
    page_data page.html | jq -S --argjson names "$members" \
        '[.sites[] | [$names, .] | transpose | map({(.[0]): .[1]}) | add]' > sites
    diff <("$TOOL" report --callsites --json | jq -S .rows) sites
    [ "$(jq length sites)" -eq 3 ]
    # The script knows them by the same names.
    [ "$(sed -n '/^const site_members/,/;$/p' page.html | grep -o '"[a-z_]*"' | jq -sc .)" = "$members" ]
    page_data page.html | jq -S '[.messages[] | {rank: .[0], messages: .[2], bytes: .[3], below_bytes: pow(2; .[1]),
        from_bytes: (if .[1] == 0 then 0 else pow(2; .[1] - 1) end)}]' > messages
    diff <("$TOOL" report --messages --json | jq -S .rows) messages
}

@test "page_holds_for_whom_ranks_wait_as_json_does" {
    need_jq
    "$TOOL" report --html page.html
    page_data page.html | jq -S '[.peers[] | {rank: .[0], function: .[2], state: .[3], calls: .[4], wait_ns: .[5], wait_comp_ns: .[6],
        share_pct: (100 * .[5] / .[7] * 1000 | round), share_comp_pct: (100 * .[6] / .[8] * 1000 | round)}]' > peers
    diff <("$TOOL" report --peers --json | jq -S '[.rows[] | del(.peer, .waits_for) |
        .share_pct = (.share_pct * 1000 | round) | .share_comp_pct = (.share_comp_pct * 1000 | round)]') peers
    [ "$(page_data page.html | jq -c '[.peers_left_out, [.peers[][1]]]')" = '[0,["rank 0","all","all"]]' ]
    # A file of Tare before it noted that.
    sed -i '/^wait /d; 1s/4$/1/' tare-calls.*
    "$TOOL" report --html page.html
    [ "$(page_data page.html | jq -r 'has("sites"), has("peers")' | paste -s -d ' ')" = "true false" ]
}

@test "page_of_a_run_without_calls_has_neither" {
    need_jq
    rm tare-calls.*
    "$TOOL" report --html page.html
    [ "$(page_data page.html | jq -r 'has("sites"), has("messages"), has("peers")' | paste -s -d ' ')" = "false false false" ]
}

@test "table_of_calls_of_another_run_is_refused" {
    sed -i 's/^run .*/run another/' tare-calls.*
    run --separate-stderr "$TOOL" report --html page.html
    assert_refused 1
    assert_says "another run"
    [ ! -e page.html ]
}

@test "page_says_which_ranks_and_tables_are_missing" {
    rm MULTI__*/profile.1.0.0
    run --separate-stderr "$TOOL" report --html page.html
    [ "$status" -eq 0 ]
    grep -Fq '>rank 1 is missing: its process did not finish</p>' page.html
    cp -r "$FIXTURES"/two_ranks/MULTI__* .
    rm tare-calls.1
    run --separate-stderr "$TOOL" report --html page.html
    [ "$status" -eq 0 ]
    [ "$stderr" = "tare report: rank 1 has left no table of its MPI calls" ]
    grep -Fq '>rank 1 has left no table of its MPI calls</p>' page.html
}

@test "page_holds_hostile_names_as_they_are" {
    need_jq
    hostile_names
    assert_same_figures .
    page_data "$BATS_TEST_TMPDIR/page.html" | jq -r '.regions[]' | grep -Fq "$(hostile_name | head -c 100)"
    # In the data nothing ends an element, and no byte is beyond ASCII.
    [ "$(page_data "$BATS_TEST_TMPDIR/page.html" | LC_ALL=C grep -c $'[<\x80-\xff]')" -eq 0 ]
    [ "$(grep -c '</script>' "$BATS_TEST_TMPDIR/page.html")" -eq 4 ]
    [ "$(grep -c 'onerror' "$BATS_TEST_TMPDIR/page.html")" -ge 2 ]
    [ "$(grep -c '<img' "$BATS_TEST_TMPDIR/page.html")" -eq 0 ]
}

@test "bytes_that_are_not_utf8_are_replaced" {
    sed -i 's/^"work"/"wo\xffrk\x80"/; s/: work"/: wo\xffrk\x80"/; s/<value>exact/<value>ex\xfeact/' MULTI__*/profile.*
    run "$TOOL" report --html page.html
    [ "$status" -eq 0 ]
    iconv -f utf-8 -t utf-8 page.html > /dev/null
    grep -q 'ex.act, run' page.html
}

@test "page_is_well_formed_and_refers_to_nothing_outside" {
    command -v python3 > /dev/null || skip "python3 is not installed"
    hostile_names
    "$TOOL" report --html page.html
    run python3 "$SOURCES/test/tool/page_structure.py" page.html
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "scripts: 3 of data, 1 of code" ]
}

@test "page_names_no_other_place" {
    "$TOOL" report --html page.html
    [ "$(grep -oE '[a-z]+://[^"]*' page.html | sort -u)" = "http://www.w3.org/2000/svg" ]  # the name of a format
    run ! grep -E '@import|XMLHttpRequest|fetch\(|innerHTML|eval\(|url\([^#]' page.html
    grep -Fq "default-src 'none'" page.html
}

@test "page_goes_to_stdout" {
    "$TOOL" report --html page.html
    "$TOOL" report --html - > other.html
    "$TOOL" report --html=- | cmp - page.html
    cmp other.html page.html
}

@test "page_of_ours_is_replaced_and_nothing_is_left_beside_it" {
    mkdir out
    "$TOOL" report --html out/page.html
    head -c 100 out/page.html > out/older.html
    run "$TOOL" report --html out/older.html
    [ "$status" -eq 0 ]
    cmp out/page.html out/older.html
    [ "$(ls -A out)" = $'older.html\npage.html' ]
}

@test "file_that_is_not_ours_is_refused_and_left_alone" {
    for text in "" "my notes" "<!DOCTYPE html><html></html>"; do
        printf '%s' "$text" > notes.html
        run --separate-stderr "$TOOL" report --html notes.html
        assert_refused 1
        [ "$stderr" = "tare report: notes.html was not made by tare report --html and will not be overwritten" ]
        [ "$(cat notes.html)" = "$text" ]
    done
}

@test "link_stays_and_what_it_leads_to_is_replaced" {
    mkdir elsewhere
    "$TOOL" report --html elsewhere/page.html
    ln -s elsewhere/page.html link.html
    truncate -s 60 elsewhere/page.html
    "$TOOL" report --html link.html
    [ -L link.html ]
    [ "$(tail -n 1 elsewhere/page.html)" = "</html>" ]
}

@test "place_that_cannot_be_written_is_refused_with_a_sentence" {
    mkdir folder
    for place in folder . /dev/full not/there.html MULTI__TIME/profile.0.0.0/x "$(printf '%0300d' 0)"; do
        run --separate-stderr "$TOOL" report --html "$place"
        assert_refused 1
        assert_says "cannot write $place: "
    done
    run --separate-stderr bash -c '"$0" report --html - > /dev/full' "$TOOL"
    assert_refused 1
    assert_says "cannot write the output: No space left on device"
}

@test "folder_that_cannot_be_written_is_refused_with_a_sentence" {
    [ "$(id -u)" -ne 0 ] || skip "root may write everywhere"
    mkdir -m 555 locked
    run --separate-stderr "$TOOL" report --html locked/page.html
    assert_refused 1
    assert_says "cannot write locked/page.html: "
}

@test "page_that_does_not_fit_leaves_the_older_one" {
    "$TOOL" report --html page.html
    cp page.html before.html
    run --separate-stderr bash -c 'trap "" XFSZ; ulimit -f 20; "$0" report --html page.html' "$TOOL"
    assert_refused 1
    assert_says "cannot write page.html: File too large"
    cmp page.html before.html
    [ -z "$(find . -name '.tare-report*')" ]
}

@test "profile_that_is_damaged_leaves_no_page" {
    truncate -s 100 MULTI__TIME/profile.1.0.0
    run --separate-stderr "$TOOL" report --html page.html
    assert_refused 1
    [ ! -e page.html ]
}

@test "options_that_choose_another_form_are_refused" {
    for option in --json --each --sum --imbalance --waiting --callpath --callsites --messages; do
        run --separate-stderr "$TOOL" report --html page.html $option
        assert_refused 2
        assert_says "$option"
        [ ! -e page.html ]
    done
    run --separate-stderr "$TOOL" report --html=
    assert_refused 2
    assert_says "--html needs the name of a file"
    run --separate-stderr "$TOOL" report --html
    assert_refused 2
    run --separate-stderr "$TOOL" report --html page.html --sort=colour
    assert_refused 2
}

@test "rank_region_and_sort_say_what_the_page_shows_at_first" {
    need_jq
    "$TOOL" report --html page.html
    [ "$(page_data page.html | jq -c .first)" = '{"rank":-1,"region":"","sort":"excl"}' ]
    "$TOOL" report --html page.html --rank=1 --region=MPI_Recv --sort=wait-comp
    [ "$(page_data page.html | jq -c .first)" = '{"rank":1,"region":"MPI_Recv()","sort":"wait-comp"}' ]
    page_rows page.html threads > rows
    diff <(json_rows) rows
    for wish in --rank=7 --region=wrok; do
        run --separate-stderr "$TOOL" report --html other.html $wish
        assert_refused 1
        assert_says "$wish"
        [ ! -e other.html ]
    done
}

@test "limit_keeps_the_largest_regions_and_the_root" {
    need_jq
    "$MAKER" many 3 47 0
    "$TOOL" report --html page.html --limit=2 --sort=calls --region=MPI_Call_9 many
    # By calls the last ones are the largest.
    [ "$(page_data page.html | jq -r '.regions[]' | grep -oE 'application|(kernel|Call)_[0-9]+' | paste -s -d ' ')" = \
        "application Call_9 kernel_45 kernel_46" ]
    [ "$(page_data page.html | jq .regions_of_run)" -eq 48 ]
    page_rows page.html threads > rows
    diff <(json_rows many | jq '[.[] | select(.region | test("application|_(9|45|46)\\("))]') rows
}

# What stands between these two lines: between FIRST LAST FILE
between() {
    awk -v first="$1" -v last="$2" '$0 == last { on = 0 } on { print } $0 == first { on = 1 }' "$3"
}

@test "script_and_styles_of_the_page_are_the_source_files" {
    "$TOOL" report --html page.html
    cd "$SOURCES/src/tool/page"
    local page=$BATS_TEST_TMPDIR/run/page.html dark='<style id="dark" media="screen and (prefers-color-scheme: dark)">'
    cat data.js format.js theme.js grid.js plot.js views.js page.js | cmp - <(between '<script>' '</script>' "$page")
    cat light.css page.css | cmp - <(between '<style>' '</style>' "$page")
    cmp dark.css <(between "$dark" '</style>' "$page")
}

@test "page_of_many_regions_and_ranks_is_written_in_time" {
    [ -z "${SANITIZER:-}" ] || skip "sanitizers take more of it"
    "$MAKER" large 64 10000 0
    before=$(date +%s%N)
    (ulimit -t 20 -v 1000000 && exec "$TOOL" report --html page.html large)
    after=$(date +%s%N)
    bytes=$(stat -c %s page.html)
    echo "# 64 ranks, 10,000 regions: $((bytes / 1000)) kB in $(((after - before) / 1000000)) ms" >&3
    # A tenth of what --json takes.
    ((bytes < 25000000))
}
