#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The manual says what the tool says.
load helpers

setup() {
    clean_environment
}

# A page as plain words: text FILE
text() {
    sed -E 's/\\-/-/g; s/\\f[BIPR]//g; s/^\.[A-Z]+ //' "$1"
}

page_has() {
    text "$1" | grep -qF -e "$2" || { echo "$1 does not name $2"; return 1; }
}

@test "page_of_each_command_names_every_option_of_its_help" {
    for command in exec report compare validate info; do
        options=$("$TOOL" "$command" --help | sed -nE 's/^ .{5}(--[a-z-]+).*/\1/p')
        [ "$(wc -w <<< "$options")" -ge 4 ]
        for option in $options; do page_has "$SOURCES/doc/man/tare-$command.1" "$option"; done
    done
}

@test "page_of_report_names_every_sort_key_and_json_member" {
    run "$TOOL" report --sort=
    for key in $(sed 's/.*is not one of //; s/ (see.*//' <<< "$output" | tr -d ,); do
        page_has "$SOURCES/doc/man/tare-report.1" "$key"
    done
    for member in rank thread region calls incl_ns excl_ns incl_comp_ns excl_comp_ns wait_ns wait_comp_ns \
        removed_ns residue_ns lo_ns hi_ns; do
        page_has "$SOURCES/doc/man/tare-report.1" "$member"
    done
    for member in site function ranks sent_bytes received_bytes time_ns min_ns mean_ns max_ns time_comp_ns share_pct \
        from_bytes below_bytes messages bytes; do
        page_has "$SOURCES/doc/man/tare-report.1" "$member"
    done
}

@test "page_of_report_names_the_keys_and_members_of_its_other_tables_and_the_formula" {
    for view in --imbalance --waiting; do
        run "$TOOL" report "$view" --sort=
        for key in $(sed 's/.*is not one of //; s/ (see.*//' <<< "$output" | tr -d ,); do
            page_has "$SOURCES/doc/man/tare-report.1" "$key"
        done
        for member in $("$TOOL" report "$view" --json "$FIXTURES/two_ranks" | sed -nE 's/^   "([a-z_]+)".*/\1/p'); do
            page_has "$SOURCES/doc/man/tare-report.1" "$member"
        done
    done
    page_has "$SOURCES/doc/man/tare-report.1" "max / mean - 1"
}

@test "page_of_compare_names_every_key_and_json_member" {
    run "$TOOL" compare --sort= a b
    for key in $(sed 's/.*is not one of //; s/ (see.*//' <<< "$output" | tr -d ,); do
        page_has "$SOURCES/doc/man/tare-compare.1" "$key"
    done
    members=$("$TOOL" compare --json "$FIXTURES/two_ranks" "$FIXTURES/two_ranks" |
        sed -nE 's/^   "([a-z_]+)".*/\1/p' | sort -u)
    [ "$(wc -w <<< "$members")" -eq 31 ]
    for member in $members; do page_has "$SOURCES/doc/man/tare-compare.1" "$member"; done
}

@test "page_of_validate_names_every_case_and_json_member" {
    for word in baseline instrumented local published exact repeated extrapolated case region median_ns spread_ns \
        error_pct inside_bounds lo_ns hi_ns residue_ns; do
        page_has "$SOURCES/doc/man/tare-validate.1" "$word"
    done
}

@test "page_of_the_tool_names_every_command" {
    for command in exec report compare validate info; do page_has "$SOURCES/doc/man/tare.1" "tare-$command"; done
}

@test "page_of_the_library_declares_every_function_of_the_header" {
    functions=$(grep -oE '\btare_[a-z_]+\(' "$SOURCES/src/lib/tare.h" | tr -d '(' | sort -u)
    [ "$(wc -w <<< "$functions")" -ge 12 ]
    for name in $functions; do page_has "$SOURCES/doc/man/tare.3" "$name("; done
}

@test "page_of_the_variables_names_every_variable_and_its_values" {
    page=$("$TOOL" info --env --man)
    while read -r name; do
        values=$("$TOOL" info --env | sed -n "/^$name (/{n;s/^ *values: //p}")
        [ -n "$values" ]
        grep -qxF ".B $name" <<< "$page"
        sed 's/\\-/-/g' <<< "$page" | grep -qxF "$values"
    done < <("$TOOL" info --env | grep -oE '^TARE_[A-Z_]+')
}

@test "page_of_the_variables_does_not_depend_on_the_environment" {
    [ "$(TARE_MODE=header TARE_RULE=nonsense "$TOOL" info --env --man)" = "$("$TOOL" info --env --man)" ]
}

@test "page_of_the_variables_that_is_installed_is_the_tools_own" {
    page=${TOOL%/src/tool/*}/doc/man/tare-env.5
    [ -e "$page" ] || skip "doc/man is not built"
    "$TOOL" info --env --man | cmp - "$page"
}

@test "pages_format_without_warnings" {
    command -v groff > /dev/null || skip "groff is not installed"
    "$TOOL" info --env --man > "$BATS_TEST_TMPDIR/tare-env.5"
    for page in "$SOURCES"/doc/man/*.[13] "$BATS_TEST_TMPDIR/tare-env.5"; do
        run groff -man -ww -Tutf8 -z "$page"
        [ -z "$output" ] || { echo "$output"; return 1; }
    done
}
