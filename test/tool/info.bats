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

@test "env_json_lists_every_row_of_the_table" {
    command -v jq > /dev/null || skip "jq is not installed"
    TARE_RULE=published run "$TOOL" info --env --json
    [ "$(jq -r '.rows[].name' <<< "$output")" = "$(table_names)" ]
    [ "$(jq -r '[.schema, .command, .mode, .rule] | join(" ")' <<< "$output")" = "1 info off published" ]
    [ "$(jq -r '.rows[] | select(.name == "TARE_RULE") | .value' <<< "$output")" = "published" ]
    [ "$(jq -r '.rows[] | select(.name == "TARE_MODE") | .value' <<< "$output")" = "null" ]
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
