// SPDX-License-Identifier: BSD-3-Clause
// TAU's select files.
#include "filter_state.hpp"

using namespace tare::filter;

#define EXCLUDED(lines) "BEGIN_EXCLUDE_LIST\n" lines "\nEND_EXCLUDE_LIST\n"
#define INCLUDED(lines) "BEGIN_INCLUDE_LIST\n" lines "\nEND_INCLUDE_LIST\n"
#define LISTS                                                                                                         \
    "allowed: BEGIN_EXCLUDE_LIST, BEGIN_INCLUDE_LIST, BEGIN_FILE_EXCLUDE_LIST, BEGIN_FILE_INCLUDE_LIST, "              \
    "BEGIN_INSTRUMENT_SECTION"

static void excluded_names_are_out_and_others_in(void **)
{
    assert_out(EXCLUDED("work"), "work");
    assert_in(EXCLUDED("work"), "other");
    assert_in(EXCLUDED(""), "work");
    assert_out(EXCLUDED("one\n  two \t\r\nthree"), "two");
}

static void include_list_leaves_all_others_out(void **)
{
    assert_in(INCLUDED("work"), "work");
    assert_out(INCLUDED("work"), "other");
    assert_in(INCLUDED(""), "other");
}

static void exclusion_is_stronger_in_any_order(void **)
{
    const char *one = EXCLUDED("work_slow") INCLUDED("work#"), *other = INCLUDED("work#") EXCLUDED("work_slow");
    assert_out(one, "work_slow");
    assert_out(other, "work_slow");
    assert_in(one, "work_fast");
    assert_in(other, "work_fast");
    assert_out(one, "rest");
    assert_out(other, "rest");
}

static void number_sign_is_any_text_and_question_mark_any_character(void **)
{
    assert_out(EXCLUDED("w#k"), "work");
    assert_out(EXCLUDED("void sort(#) C++#"), "void sort(int *, int) C++ x");
    assert_out(EXCLUDED("w?rk"), "work");
    assert_in(EXCLUDED("w?k"), "work");
}

static void other_wildcards_are_plain_characters(void **)
{
    assert_out(EXCLUDED("f(char *)"), "f(char *)");
    assert_in(EXCLUDED("f(char *)"), "f(char x)");
    assert_out(EXCLUDED("f[abi:cxx11](int)"), "f[abi:cxx11](int)");
}

static void backslash_takes_the_meaning_from_what_follows(void **)
{
    assert_out(EXCLUDED("a\\#b"), "a#b");
    assert_in(EXCLUDED("a\\#b"), "axb");
    assert_out(EXCLUDED("a\\?"), "a?");
    assert_in(EXCLUDED("a\\?"), "ab");
    assert_out(EXCLUDED("a\\\\b"), "a\\b");
    assert_out(EXCLUDED("\\work"), "work");
}

static void quotes_hold_names_that_begin_with_a_number_sign(void **)
{
    assert_out(EXCLUDED("\"#work\""), "my_work");
    assert_in(EXCLUDED("#work"), "my_work");
    assert_out(EXCLUDED("\"two words\""), "two words");
    assert_out(EXCLUDED("two words"), "two words");
    assert_out(EXCLUDED("\"a\\\"b\""), "a\"b");
}

static void comments_begin_their_line(void **)
{
    const char *text = "  # x\nBEGIN_EXCLUDE_LIST\n# one\n\ttwo # three\nEND_EXCLUDE_LIST\n# y";
    assert_in(text, "one");
    assert_in(text, "two");
    assert_out(text, "two , three");
}

static void types_of_a_C_function_are_left_out(void **)
{
    assert_out(EXCLUDED("int work(int, char **) C"), "work");
    assert_out(EXCLUDED("struct s *work (void) C"), "work");
    assert_out(EXCLUDED("void wo#(#) C"), "work");
    assert_out(EXCLUDED("int work(int) C [{work.c} {1,1}-{2,2}]"), "work");
    assert_out(EXCLUDED("WORK [{work.f90} {1,1}]"), "WORK");
    assert_out(EXCLUDED("work(int)"), "work(int)");
}

static void lists_of_files_and_sections_are_remarked_upon(void **)
{
    const char *files = "BEGIN_FILE_EXCLUDE_LIST\n*.c\nEND_FILE_EXCLUDE_LIST\n";
    assert_remarks(1, "f, line 1: rules for source files have no effect", files);
    assert_in(files, "work");
    assert_remarks(1, "f, line 1: what stands here has no effect",
                   "BEGIN_INSTRUMENT_SECTION\nloops file=\"x.c\" routine=\"work\"\nEND_INSTRUMENT_SECTION");
    assert_remarks(0, "", EXCLUDED("work"));
}

static void error_names_line_column_and_what_is_allowed(void **)
{
    assert_refused("f, line 4, column 3: 'work' stands outside of the lists; " LISTS, EXCLUDED("x") "  work");
    assert_refused("f, line 1, column 1: 'BEGIN_EXLUDE_LIST' stands outside of the lists; " LISTS,
                   "BEGIN_EXLUDE_LIST\n");
    assert_refused("f, line 2, column 1: END_INCLUDE_LIST does not end the list that begins in line 1; allowed: names, "
                   "END_EXCLUDE_LIST",
                   "BEGIN_EXCLUDE_LIST\nEND_INCLUDE_LIST");
    assert_refused("f, line 2, column 2: BEGIN_INCLUDE_LIST stands in the list that begins in line 1; allowed: names, "
                   "END_EXCLUDE_LIST",
                   "BEGIN_EXCLUDE_LIST\n BEGIN_INCLUDE_LIST");
    assert_refused("f, line 4, column 1: END_EXCLUDE_LIST ends no list; " LISTS, EXCLUDED("x") "END_EXCLUDE_LIST");
    assert_refused("f, line 2, column 3: the quote is not closed; allowed: \"NAME\"", EXCLUDED("  \"work"));
    assert_refused("f, line 2, column 2: the quote is not closed; allowed: \"NAME\"", EXCLUDED(" \"work\\\""));
    assert_refused("f, line 2, column 7: ' x' follows the name in quotes; allowed: \"NAME\" and the line's end",
                   EXCLUDED("\"work\" x"));
    assert_refused("f, line 2, column 1: the name is empty; allowed: names, END_EXCLUDE_LIST", EXCLUDED("\"\""));
}

static void list_without_end_is_an_error(void **)
{
    assert_refused("f, line 2, column 1: the file ends in the list that begins in line 1; allowed: END_EXCLUDE_LIST",
                   "BEGIN_EXCLUDE_LIST\nwork");
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(excluded_names_are_out_and_others_in),
        cmocka_unit_test(include_list_leaves_all_others_out),
        cmocka_unit_test(exclusion_is_stronger_in_any_order),
        cmocka_unit_test(number_sign_is_any_text_and_question_mark_any_character),
        cmocka_unit_test(other_wildcards_are_plain_characters),
        cmocka_unit_test(backslash_takes_the_meaning_from_what_follows),
        cmocka_unit_test(quotes_hold_names_that_begin_with_a_number_sign),
        cmocka_unit_test(comments_begin_their_line),
        cmocka_unit_test(types_of_a_C_function_are_left_out),
        cmocka_unit_test(lists_of_files_and_sections_are_remarked_upon),
        cmocka_unit_test(error_names_line_column_and_what_is_allowed),
        cmocka_unit_test(list_without_end_is_an_error),
    };
    return cmocka_run_group_tests_name("tau", tests, nullptr, nullptr);
}
