#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare info: what is installed and what the environment selects.
load helpers

setup() {
    clean_environment
    cd "$BATS_TEST_TMPDIR" || return 1
}

# The names in the one table, read from its source.
table_names() {
    sed -nE 's/^ *\{\{"(TARE_[A-Z_]+)".*/\1/p' "$SOURCES/src/env/env.cpp"
}

@test "env_lists_every_row_of_the_table" {
    [ "$(table_names | wc -l)" -ge 15 ]
    run "$TOOL" info --env
    [ "$status" -eq 0 ]
    [ "$(grep -oE '^TARE_[A-Z_]+' <<< "$output")" = "$(table_names)" ]
}

# The members of tare_settings that the parser of a variable sets; for one that none keeps, the function that reads it.
members_of() {
    local parser body
    parser=$(sed -n "/{{\"$1\"/,/}},\$/p" "$SOURCES/src/env/env.cpp" | grep -oE '\bparse_[a-z_]+' | head -n 1)
    body=$(awk -v start="bool $parser(" 'index($0, start) == 1 { on = 1 } on; on && /^}|; }$/ { exit }' \
        "$SOURCES/src/env/env.cpp")
    members=$(grep -oE '\bs\.[a-z_]+' <<< "$body" | cut -c 3- | sort -u | paste -s -d ' ')
    [ -n "$members" ] || members=${1,,} members=tare_env_${members#tare_}
}

# Whether one of these files or folders asks for one of the members.
asks() {
    local member
    for member in $members; do
        case $member in
        tare_env_*) ! grep -rqw "$member" "$@" || return 0 ;;
        *) ! grep -rqE "\b(s|now|[A-Za-z_]*settings(\(\))?)(->|\.)$member\b" "$@" || return 0 ;;
        esac
    done
    return 1
}

@test "env_names_who_reads_each_variable_as_the_sources_do" {
    cd "$SOURCES" || return 1
    for name in $(table_names); do
        members_of "$name"
        readers=
        ! asks mpid-patch netmod || readers+="libmpi, "
        ! asks src/lib || readers+="libtare, "
        ! asks src/pmpi || readers+="libtare-mpi, "
        ! asks src/tool/main.cpp || readers+="tare, "
        ! asks src/tool/exec.cpp src/tool/preload.cpp || readers+="tare exec, "
        ! asks src/tool/validate*.cpp || readers+="tare validate, "
        : "${readers:=none}"
        said=$("$TOOL" info --env | sed -n "/^$name (/,/read by/s/^ *read by: //p")
        [ "$said" = "${readers%, }" ] || { echo "$name is read by $readers not by $said ($members)"; return 1; }
    done
}

@test "env_json_lists_every_row_of_the_table" {
    command -v jq > /dev/null || skip "jq is not installed"
    TARE_RULE=published run "$TOOL" info --env --json
    [ "$(jq -r '.rows[].name' <<< "$output")" = "$(table_names)" ]
    [ "$(jq -r '[.schema, .command, .mode, .rule] | join(" ")' <<< "$output")" = "1 info off published" ]
    [ "$(jq -r '.rows[] | select(.name == "TARE_RULE") | .value' <<< "$output")" = "published" ]
    [ "$(jq -r '.rows[] | select(.name == "TARE_MODE") | .value' <<< "$output")" = "null" ]
    [ "$(jq -r '.rows[] | select(.name == "TARE_OFI") | [.default, .unit, .read_by] | tojson' <<< "$output")" = \
        '["auto",null,"libmpi"]' ]
    [ "$(jq -r '.rows[] | select(.name == "TARE_CALLPATH") | .unit' <<< "$output")" = "regions" ]
}

@test "env_shows_the_value_here" {
    TARE_MODE=header run "$TOOL" info --env
    [[ $output == *"TARE_MODE = header"* && $output == *"TARE_RULE (not set)"* ]]
}

@test "env_with_a_value_that_is_not_allowed_fails_and_says_so" {
    TARE_MODE=telepathy run --separate-stderr "$TOOL" info --env
    [ "$status" -eq 1 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    assert_says "TARE_MODE=telepathy"
    [[ $output == *"TARE_MODE = telepathy"* ]]
}

@test "env_points_out_unknown_names_with_the_nearest" {
    TARE_MODUS=off run --separate-stderr "$TOOL" info --env
    [ "$status" -eq 0 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    assert_says TARE_MODUS
    assert_says TARE_MODE
}

@test "info_names_what_an_installation_has" {
    install_tool "$PWD/inst"
    local prefix
    prefix=$(dirname "$PWD/inst$TOOL_BINDIR")
    run "$PWD/inst$TOOL_BINDIR/tare" info
    [ "$status" -eq 0 ]
    [[ $output == *"prefix       $prefix"* ]]
    [[ $output == *"library      $PWD/inst$TOOL_LIBDIR/libtare.so"* ]]
    [[ $output == *"MPI layers   tare"* ]]
    [[ $output == *"MPICH        not here"* ]]
    [[ $output == *"carriers     datatype, message, copy"* ]]
    [ "${lines[-1]}" = "Next: tare info --env" ]
}

@test "info_names_the_mpich_and_the_carriers_that_are_there" {
    install_tool "$PWD/inst"
    library "$PWD/inst$TOOL_LIBDIR/libmpi.so" 'int tare_transport_v1;'
    printf '#!/bin/sh\nprintf "MPICH Version:    \\t9.8.7\\nMPICH Device:    \\tch4:ofi\\n"\n' \
        > "inst$TOOL_BINDIR/mpichversion"
    chmod +x "inst$TOOL_BINDIR/mpichversion"
    run "$PWD/inst$TOOL_BINDIR/tare" info
    [[ $output == *"MPICH        9.8.7, ch4:ofi"* ]]
    [[ $output == *"carriers     header, datatype, message, copy"* ]]
}

@test "info_json_is_one_object" {
    command -v jq > /dev/null || skip "jq is not installed"
    run "$TOOL" info --json
    [ "$(jq -r '.rows[] | select(.name == "version") | .value' <<< "$output")" = "$(jq -r .tare <<< "$output")" ]
}

@test "argument_is_refused" {
    run --separate-stderr "$TOOL" info everything
    assert_refused 2
    run --separate-stderr "$TOOL" info --man
    assert_refused 2
}
