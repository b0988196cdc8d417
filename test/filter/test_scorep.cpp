// SPDX-License-Identifier: BSD-3-Clause
// Score-P's filter files.
#include "filter_state.hpp"

using namespace tare::filter;

// A block of regions, which the lines are in.
#define REGIONS(lines) "SCOREP_REGION_NAMES_BEGIN\n" lines "\nSCOREP_REGION_NAMES_END\n"
#define ALLOWED "allowed: EXCLUDE, INCLUDE, SCOREP_REGION_NAMES_END"

static void regions_without_rule_are_measured(void **)
{
    assert_in(REGIONS(""), "work");
    assert_in(REGIONS("EXCLUDE other"), "work");
    assert_in(REGIONS("INCLUDE other"), "work");
    assert_in(REGIONS("EXCLUDE"), "work");
    assert_in("", "work");
    assert_in("# nothing but words\n\n", "work");
}

static void last_rule_that_fits_decides(void **)
{
    assert_out(REGIONS("EXCLUDE *\nINCLUDE work"), "other");
    assert_in(REGIONS("EXCLUDE *\nINCLUDE work"), "work");
    assert_out(REGIONS("INCLUDE work\nEXCLUDE *"), "work");
    assert_in(REGIONS("EXCLUDE a*\nINCLUDE ab*\nEXCLUDE abc*\nINCLUDE abcd"), "abcd");
    assert_out(REGIONS("EXCLUDE a*\nINCLUDE ab*\nEXCLUDE abc*\nINCLUDE abcd"), "abce");
}

static void rule_has_names_over_several_lines(void **)
{
    const char *text = REGIONS("  EXCLUDE one\ttwo\n     three\n\n  four INCLUDE three");
    assert_out(text, "one");
    assert_out(text, "two");
    assert_in(text, "three");
    assert_out(text, "four");
}

static void wildcards_are_those_of_the_shell(void **)
{
    assert_out(REGIONS("EXCLUDE w*k"), "work");
    assert_out(REGIONS("EXCLUDE w*k"), "wk");
    assert_in(REGIONS("EXCLUDE w?k"), "work");
    assert_out(REGIONS("EXCLUDE w?rk"), "work");
    assert_out(REGIONS("EXCLUDE work[0-3]"), "work2");
    assert_in(REGIONS("EXCLUDE work[0-3]"), "work4");
    assert_out(REGIONS("EXCLUDE work[!0-3]"), "work4");
    assert_out(REGIONS("EXCLUDE mod::*"), "mod::solve(double const*)");
    assert_in(REGIONS("EXCLUDE Work"), "work");
}

static void backslash_takes_the_meaning_from_what_follows(void **)
{
    assert_out(REGIONS("EXCLUDE f(int,\\ char)"), "f(int, char)");
    assert_out(REGIONS("EXCLUDE \\*"), "*");
    assert_in(REGIONS("EXCLUDE \\*"), "work");
    assert_out(REGIONS("EXCLUDE a\\#b"), "a#b");
    assert_out(REGIONS("EXCLUDE \\EXCLUDE"), "EXCLUDE");
}

static void comments_end_with_the_line(void **)
{
    const char *text = "# all\nSCOREP_REGION_NAMES_BEGIN # here\n  EXCLUDE one#two\n#three\n four # five\r\n"
                       "SCOREP_REGION_NAMES_END";
    assert_out(text, "one");
    assert_in(text, "two");
    assert_in(text, "three");
    assert_out(text, "four");
    assert_in(text, "five");
}

static void mangled_rules_look_at_the_linkers_name(void **)
{
    const char *text = REGIONS("EXCLUDE MANGLED _Z4work* DEMANGLED other");
    assert_verdict("out", text, "work(int)", "_Z4worki");
    assert_verdict("in", text, "_Z4worki", "x");
    assert_verdict("out", text, "other", "x");
    // The next rule is about names as they are shown.
    assert_verdict("in", REGIONS("EXCLUDE MANGLED *\nINCLUDE work"), "work", "_Z4workv");
    assert_verdict("out", REGIONS("EXCLUDE MANGLED *\nINCLUDE work"), "rest", "_Z4restv");
}

static void function_goes_by_its_name_without_parameters_too(void **)
{
    assert_out(REGIONS("EXCLUDE work"), "work(int, char)");
    assert_out(REGIONS("EXCLUDE a::work"), "a::work(void (*)(int)) const");
    assert_in(REGIONS("EXCLUDE work(char)"), "work(int)");
    assert_in(REGIONS("EXCLUDE *\nINCLUDE work"), "work(int)");
    assert_out(REGIONS("EXCLUDE a::operator()"), "a::operator()(int)");
    assert_out(REGIONS("EXCLUDE a::operator()"), "a::operator()()");
    assert_in(REGIONS("EXCLUDE step"), "step (second)");
}

static void blocks_may_be_several(void **)
{
    const char *text = REGIONS("EXCLUDE *") "SCOREP_FILE_NAMES_BEGIN EXCLUDE */x.c SCOREP_FILE_NAMES_END\n"
                       REGIONS("INCLUDE work");
    assert_in(text, "work");
    assert_out(text, "rest");
}

static void rules_for_files_are_remarked_upon(void **)
{
    assert_remarks(1, "f, line 2: rules for source files have no effect",
                   "\nSCOREP_FILE_NAMES_BEGIN\nEXCLUDE *\nSCOREP_FILE_NAMES_END");
    assert_in("\nSCOREP_FILE_NAMES_BEGIN\nEXCLUDE *\nSCOREP_FILE_NAMES_END", "work");
    assert_remarks(0, "", REGIONS("EXCLUDE *"));
}

static void error_names_line_column_and_what_is_allowed(void **)
{
    assert_refused("f, line 2, column 3: 'work' follows neither EXCLUDE nor INCLUDE; " ALLOWED, REGIONS("  work"));
    assert_refused("f, line 3, column 9: 'SCOREP_REGION_NAMES_BEGIN' stands in the block that begins in line 1; "
                   ALLOWED ", names",
                   REGIONS("EXCLUDE\n        SCOREP_REGION_NAMES_BEGIN"));
    assert_refused("f, line 2, column 1: 'SCOREP_FILE_NAMES_END' ends no block that is open; " ALLOWED,
                   "SCOREP_REGION_NAMES_BEGIN\nSCOREP_FILE_NAMES_END");
    assert_refused("f, line 2, column 1: 'EXCLUDE' stands outside of the blocks; allowed: SCOREP_REGION_NAMES_BEGIN, "
                   "SCOREP_FILE_NAMES_BEGIN",
                   "SCOREP_REGION_NAMES_BEGIN SCOREP_REGION_NAMES_END\nEXCLUDE work");
    assert_refused("f, line 2, column 9: 'MANGLED' is for names of regions; allowed: EXCLUDE, INCLUDE, "
                   "SCOREP_FILE_NAMES_END, names",
                   "SCOREP_FILE_NAMES_BEGIN\nEXCLUDE MANGLED x");
    assert_refused("f, line 2, column 1: 'MANGLED' follows neither EXCLUDE nor INCLUDE; " ALLOWED,
                   REGIONS("MANGLED x"));
    assert_refused("f, line 2, column 13: a backslash ends the line; allowed: a backslash before the character that it "
                   "is for",
                   REGIONS("EXCLUDE work\\"));
}

static void block_without_end_is_an_error(void **)
{
    assert_refused("f, line 3, column 1: the file ends in the block that begins in line 1; allowed: "
                   "SCOREP_REGION_NAMES_END",
                   "SCOREP_REGION_NAMES_BEGIN\nEXCLUDE\nwork\n");
}

static void file_of_another_kind_is_an_error(void **)
{
    assert_refused("f, line 3, column 2: 'EXCLUDE' begins neither kind of file; allowed: SCOREP_REGION_NAMES_BEGIN and "
                   "SCOREP_FILE_NAMES_BEGIN of Score-P, BEGIN_EXCLUDE_LIST and BEGIN_INCLUDE_LIST of TAU",
                   "# x\n\n EXCLUDE work\n");
    assert_refused("f, line 1, column 1: 'SCOREP_REGIONS' stands outside of the blocks; allowed: "
                   "SCOREP_REGION_NAMES_BEGIN, SCOREP_FILE_NAMES_BEGIN",
                   "SCOREP_REGIONS");
}

static void long_or_binary_word_is_made_readable(void **)
{
    assert_refused("f, line 1, column 1: 'xx?xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' begins "
                   "neither kind of file; allowed: SCOREP_REGION_NAMES_BEGIN and SCOREP_FILE_NAMES_BEGIN of Score-P, "
                   "BEGIN_EXCLUDE_LIST and BEGIN_INCLUDE_LIST of TAU",
                   "xx\x01xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(regions_without_rule_are_measured),
        cmocka_unit_test(last_rule_that_fits_decides),
        cmocka_unit_test(rule_has_names_over_several_lines),
        cmocka_unit_test(wildcards_are_those_of_the_shell),
        cmocka_unit_test(backslash_takes_the_meaning_from_what_follows),
        cmocka_unit_test(comments_end_with_the_line),
        cmocka_unit_test(mangled_rules_look_at_the_linkers_name),
        cmocka_unit_test(function_goes_by_its_name_without_parameters_too),
        cmocka_unit_test(blocks_may_be_several),
        cmocka_unit_test(rules_for_files_are_remarked_upon),
        cmocka_unit_test(error_names_line_column_and_what_is_allowed),
        cmocka_unit_test(block_without_end_is_an_error),
        cmocka_unit_test(file_of_another_kind_is_an_error),
        cmocka_unit_test(long_or_binary_word_is_made_readable),
    };
    return cmocka_run_group_tests_name("scorep", tests, nullptr, nullptr);
}
