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

# A section of a page, up to the next: section NAME FILE
section() {
    awk -v name="$1" '/^\.SH / { on = $0 == ".SH " name; next } on' "$2"
}

# The options that section OPTIONS of a page has an entry for, one a line.
options_of_page() {
    section OPTIONS "$1" | awk 'entry; { entry = /^\.TP/ }' | sed -E 's/\\-/-/g; s/\\f[BIPR]/ /g' |
        grep -oE '(^|[ "])--?[a-zA-Z][a-z-]*' | tr -d ' "' | sort -u
}

# Those of a help.
options_of_help() {
    sed -nE 's/^ {2,6}((-[a-zA-Z]), )?(--?[a-z-]+).*/\2\n\3/p' | grep . | sort -u
}

# The help of a command, and of each of its actions.
helps_of() {
    "$TOOL" "$1" --help
    [[ $1 != trace ]] || for action in chrome cut join match merge print show stats; do "$TOOL" trace "$action" --help; done
}

@test "page_of_each_command_has_the_options_of_its_help_and_no_others" {
    for command in exec report compare convert validate bench trace waits info; do
        wanted=$(helps_of "$command" | options_of_help)
        [ "$(wc -w <<< "$wanted")" -ge 4 ]
        diff <(echo "$wanted") <(options_of_page "$SOURCES/doc/man/tare-$command.1")
    done
    diff <("$TOOL" --help | options_of_help) <(options_of_page "$SOURCES/doc/man/tare.1")
}

@test "page_of_the_compilers_has_the_options_and_variables_of_their_help_and_no_others" {
    compiler=${TOOL%/tool/*}/probe/tarecc
    [ -e "$compiler" ] || skip "src/probe is not built"
    diff <("$compiler" --tare-help | options_of_help) <(options_of_page "$SOURCES/doc/man/tarecc.1")
    for name in tarecc tarecxx tarefc; do
        for variable in $("${compiler%/*}/$name" --tare-help | grep -oE '^  TARE_[A-Z]+'); do
            section ENVIRONMENT "$SOURCES/doc/man/tarecc.1" | grep -qw "$variable"
        done
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
    for view in --imbalance --waiting --states --peers; do
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

# As the table of the source has them.
metrics_of_states() {
    sed -nE '/^inline constexpr state_words/,/^};/s/^    \{"[^"]*", "([a-z_]+)",.*/\1/p' "$SOURCES/src/waits/states.hpp"
}

@test "page_of_report_names_every_state_and_each_has_a_metric" {
    names=$(sed -nE '/^inline constexpr state_words/,/^};/s/^    \{"([^"]*)", "[a-z_]+",.*/\1/p' "$SOURCES/src/waits/states.hpp")
    [ "$(wc -l <<< "$names")" -ge 25 ]
    [ "$(metrics_of_states | wc -l)" -eq "$(wc -l <<< "$names")" ]
    while read -r name; do page_has "$SOURCES/doc/man/tare-report.1" "$name"; done <<< "$names"
}

@test "page_of_convert_names_every_format_column_metric_and_suffix" {
    page=$SOURCES/doc/man/tare-convert.1
    for word in tau cube json csv chrome speedscope .cubex .csv .json .trace.json .speedscope.json \
        $("$TOOL" convert --to=csv "$FIXTURES/two_ranks" | head -n 1 | tr -d '\r' | tr ',' ' ') \
        visits time tare_time_compensated tare_removed tare_mpi_wait tare_mpi_wait_compensated bytes_sent \
        bytes_received tare_region_ tare_path_ $(metrics_of_states); do
        page_has "$page" "$word"
    done
}

@test "page_of_validate_names_every_case_and_json_member" {
    for word in baseline instrumented local published exact repeated extrapolated case region median_ns spread_ns \
        error_pct inside_bounds lo_ns hi_ns residue_ns; do
        page_has "$SOURCES/doc/man/tare-validate.1" "$word"
    done
}

@test "page_of_bench_names_every_mode_transport_and_json_member" {
    for word in unpatched off header datatype message copy shm tcp ucx-shm ucx-tcp transport program size mode samples_us \
        median_us mad_us ratio ratio_lo ratio_hi declare machine rounds seed others_pct stolen_pct blocks busy_blocks \
        failures; do
        page_has "$SOURCES/doc/man/tare-bench.1" "$word"
    done
}

@test "page_of_bench_names_every_option_and_json_member_of_accuracy" {
    page=$SOURCES/doc/man/tare-bench.1
    section ACCURACY "$page" > "$BATS_TEST_TMPDIR/section"
    options=$("$TOOL" bench --accuracy --help | sed -nE 's/^ {2,6}(-[a-zA-Z], )?(--[a-z-]+).*/\2/p')
    [ "$(wc -w <<< "$options")" -ge 11 ]
    for word in $options machine rounds seed others_pct stolen_pct runs busy_runs kernel repairable dilation_pct mode \
        rule truth_ns measured_ns comp_ns lo_ns hi_ns error_pct spread_pct wait_error_pct inside_bounds inversions \
        waits error_of; do
        page_has "$BATS_TEST_TMPDIR/section" "$word"
    done
}

@test "page_of_the_tool_names_every_command_and_each_has_a_page" {
    commands=$("$TOOL" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
    [ "$(wc -w <<< "$commands")" -ge 7 ]
    for command in $commands; do
        [ "$command" != help ] || continue
        section COMMANDS "$SOURCES/doc/man/tare.1" | grep -qxF ".BR tare\\-$command (1)"
        [ -e "$SOURCES/doc/man/tare-$command.1" ]
    done
}

@test "page_of_the_library_declares_every_function_of_the_header" {
    functions=$(grep -oE '\btare_[a-z_]+\(' "$SOURCES/src/lib/tare.h" | tr -d '(' | sort -u)
    [ "$(wc -w <<< "$functions")" -ge 12 ]
    for name in $functions; do page_has "$SOURCES/doc/man/tare.3" "$name("; done
}

# tare(7) as it is installed.
variables_page() {
    page=${TOOL%/src/tool/*}/doc/man/tare.7
    [ -e "$page" ] || skip "doc/man is not built"
}

@test "page_of_the_variables_has_all_that_the_table_tells_of_each" {
    variables_page
    told=$("$TOOL" info --env | sed -E 's/^(TARE_[A-Z_]+) .*/\1/; s/^ +//')
    [ "$(grep -c '^TARE_' <<< "$told")" -ge 17 ]
    while read -r line; do
        section ENVIRONMENT "$page" | sed -E 's/\\-/-/g; s/\\&//g; s/^\.B //' | grep -qxF -e "$line" ||
            { echo "not in tare(7): $line"; return 1; }
    done <<< "$told"
}

@test "page_of_the_variables_does_not_depend_on_the_environment" {
    [ "$(TARE_MODE=header TARE_RULE=nonsense "$TOOL" info --env --man)" = "$("$TOOL" info --env --man)" ]
}

@test "page_of_the_variables_that_is_installed_has_what_the_tool_prints_now" {
    variables_page
    source=$SOURCES/doc/man/tare.7.in
    cmp "$page" <(sed '/^@VARIABLES@$/,$d' "$source"; "$TOOL" info --env --man; sed '1,/^@VARIABLES@$/d' "$source")
}

@test "page_of_the_variables_has_the_other_names_that_tare_knows" {
    names=$(sed -n '/^const char \*const ignored/,/};/p' "$SOURCES/src/env/names.cpp" | grep -oE 'TARE_[A-Z]+')
    [ "$(wc -w <<< "$names")" -ge 8 ]
    for name in $names; do page_has "$SOURCES/doc/man/tare.7.in" "$name"; done
}

@test "page_of_the_variables_has_every_carrier_and_rule" {
    values=$("$TOOL" info --env | sed -nE '/^TARE_MODE /,/read by/s/^ *values: //p' | tr -d ,)
    entries=$(section CARRIERS "$SOURCES/doc/man/tare.7.in" | sed -n 's/^\.B \([a-z]*\)$/\1/p' | paste -s -d ' ')
    [ "$values" = "$entries" ]
    for rule in exact published local; do
        section RULES "$SOURCES/doc/man/tare.7.in" | grep -qE "^\\.BR $rule "
    done
}

@test "page_of_the_variables_has_the_variables_of_mpi_t_that_are_registered_and_no_others" {
    registered=$(sed -nE 's/^ *(TARE_TIME|TARE_COUNT|MPIR_T_CVAR_REGISTER_impl)\((MPI_CHAR, )?"([A-Za-z_]+)".*/\3/p' \
        "$SOURCES/mpid-patch/files/src/mpi_t/mpir_tare_variables.c" | sort)
    [ "$(wc -w <<< "$registered")" -ge 11 ]
    diff <(echo "$registered") <(section "MPI_T VARIABLES" "$SOURCES/doc/man/tare.7.in" |
        awk 'entry; { entry = /^\.TP/ }' | grep -oE '(tare|TARE)_[A-Za-z_]+' | sort)
}

@test "page_of_the_library_has_the_events_of_mpi_t_that_are_registered_and_no_others" {
    registered=$(sed -nE 's/^ *tare_register_event\(source, "([a-z_]+)".*/\1/p' \
        "$SOURCES/mpid-patch/files/src/mpi_t/mpir_tare_events.c" | sort)
    [ "$(wc -w <<< "$registered")" -ge 2 ]
    diff <(echo "$registered") <(section "MPI_T EVENTS" "$SOURCES/doc/man/tare.3" |
        awk 'entry; { entry = /^\.TP/ }' | sed 's/^\.B //' | sort)
    for event in $registered; do page_has "$SOURCES/doc/man/tare.7.in" "$event"; done
}

@test "page_of_the_variables_has_the_info_key" {
    key=$(sed -nE 's/^#define MPIR_TARE_MUTE_KEY "(.*)"/\1/p' "$SOURCES/mpid-patch/files/src/include/mpir_tare.h")
    [ -n "$key" ]
    section "INFO KEYS" "$SOURCES/doc/man/tare.7.in" | grep -qxF ".B $key"
}

# Without blanks, so that lines may be set otherwise.
bare() { tr -d ' \n`'; }

@test "formulas_of_the_page_of_the_model_are_those_of_the_documents" {
    documents=$(cat "$SOURCES"/doc/{model,carriers}.md | bare)
    formulas=$(sed -n '/^\.RS/,/^\.RE/p' "$SOURCES/doc/man/tare-model.7" | grep -v '^\.' | sed 's/\\-/-/g')
    [ "$(wc -l <<< "$formulas")" -ge 8 ]
    while read -r formula; do
        [[ $documents == *"$(bare <<< "$formula")"* ]] || { echo "in no document: $formula"; return 1; }
    done <<< "$formulas"
}

@test "figures_of_the_page_of_the_model_are_those_of_the_document" {
    figures=$(sed '/^\.SH EXAMPLE/,/^\.SH/d' "$SOURCES/doc/man/tare-model.7" | sed 's/\\-/-/g' |
        grep -oE '[0-9.+-]+ (ns|us|ms|h|ppm|%)' | sort -u)
    [ "$(wc -l <<< "$figures")" -ge 6 ]
    model=$(tr '\n' ' ' <"$SOURCES/doc/model.md")
    while read -r figure; do
        [[ $model == *"$figure"* ]] || { echo "not in doc/model.md: $figure"; return 1; }
    done <<< "$figures"
}

# Every page that is written by hand.
pages() {
    ls "$SOURCES"/doc/man/*.[1-9] "$SOURCES"/doc/man/*.[1-9].in
}

# Other pages that a page names, NAME(SECTION) one a line, and "name (section)" set otherwise.
references() {
    sed -E 's/\\-/-/g; s/\\f[BIPR]//g' "$1" | grep -oE '^\.BR [a-z_+-]+ \([1-9]\)' | sed -E 's/^\.BR (.*) \(/\1(/'
}

@test "every_page_that_a_page_names_is_there" {
    for page in $(pages); do
        [ "$(references "$page" | wc -l)" -ge 3 ]
        for name in $(references "$page" | grep ^tare); do
            file=$SOURCES/doc/man/${name%(*}.${name: -2:1}
            [ -e "$file" ] || [ -e "$file.in" ] || { echo "$page names $name"; return 1; }
        done
    done
}

@test "every_page_ends_with_others_in_order_and_the_tool_s_page_leads_to_all" {
    for page in $(pages); do
        own=$(basename "${page%.in}")
        [ "$(grep '^\.SH' "$page" | tail -n 1)" = ".SH SEE ALSO" ]
        list=$(section "SEE ALSO" "$page" > "$BATS_TEST_TMPDIR/list" && references "$BATS_TEST_TMPDIR/list")
        [ "$list" = "$(LC_ALL=C sort -u -t '(' -k 2,2 -k 1,1 <<< "$list")" ] || { echo "$own: $list"; return 1; }
        [ "$own" = tare.1 ] || grep -qxF 'tare(1)' <<< "$list"
        ! grep -qxF "${own%.*}(${own##*.})" <<< "$list" || { echo "$own names itself"; return 1; }
        [ "$own" = tare.1 ] || references "$SOURCES/doc/man/tare.1" | grep -qxF "${own%.*}(${own##*.})" ||
            { echo "tare(1) does not lead to $own"; return 1; }
    done
}

@test "every_page_says_name_description_and_what_it_shares" {
    for page in $(pages); do
        for section in NAME DESCRIPTION; do [ -n "$(section "$section" "$page")" ]; done
    done
    links=$(sed -nE 's/^wrapper_links = (.*)/\1/p' "$SOURCES/doc/man/Makefile.am"
        sed -n '/^    /{s/\\$//;p}' "$SOURCES/src/bench/names.am")
    [ "$(wc -w <<< "$links")" -ge 80 ]
    named=$(section NAME "$SOURCES/doc/man/tarecc.1" && section NAME "$SOURCES/doc/man/tare_latency.1")
    for link in $links; do grep -qwF "${link%.1}" <<< "$named"; done
}

@test "pages_format_without_warnings" {
    command -v groff > /dev/null || skip "groff is not installed"
    { sed '/^@VARIABLES@$/,$d' "$SOURCES/doc/man/tare.7.in" && "$TOOL" info --env --man; } > "$BATS_TEST_TMPDIR/tare.7"
    for page in $(pages) "$BATS_TEST_TMPDIR/tare.7"; do
        run groff -man -ww -Tutf8 -z "$page"
        [ -z "$output" ] || { echo "$output"; return 1; }
    done
}
