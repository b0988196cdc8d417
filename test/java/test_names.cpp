// SPDX-License-Identifier: BSD-3-Clause
// Names of methods, and the agent's options.
#include "names.hpp"
#include "options.hpp"

#include <cstring>

#include "cmocka_cpp.hpp"

using namespace tare::java;

namespace {

void assert_name(const char *class_name, const char *method, const char *descriptor, const char *wanted)
{
    assert_string_equal(name_of_method(class_name, method, descriptor).c_str(), wanted);
}

void name_without_parameters_has_empty_brackets(void **) { assert_name("A", "f", "()V", "A.f()"); }

void name_has_dots_for_packages_and_classes_in_classes(void **)
{
    assert_name("a/b/C$D", "<init>", "()V", "a.b.C$D.<init>()");
}

void parameters_are_written_as_in_the_source(void **)
{
    assert_name("A", "f", "(BCDFIJSZ)I", "A.f(byte, char, double, float, int, long, short, boolean)");
    assert_name("A", "f", "([I[[Ljava/util/List;)V", "A.f(int[], java.util.List[][])");
}

void package_of_the_language_is_left_out_alone(void **)
{
    assert_name("A", "f", "(Ljava/lang/String;Ljava/lang/ref/Cleaner;)V", "A.f(String, java.lang.ref.Cleaner)");
}

void descriptor_that_is_cut_ends_the_name(void **)
{
    assert_name("A", "f", "", "A.f()");
    assert_name("A", "f", "(Lx/Y", "A.f(x.)");
    assert_name("A", "f", "([", "A.f(?[])");
}

void platform_is_told_by_its_packages(void **)
{
    assert_true(is_platform("java/lang/String"));
    assert_true(is_platform("tare/mpi/Comm"));
    assert_false(is_platform("javas/Program"));
    assert_false(is_platform("tare/Program"));
}

void text_of_java_has_whole_characters(void **)
{
    assert_string_equal(from_java("plain \xc3\xa9 \xe2\x82\xac").c_str(), "plain \xc3\xa9 \xe2\x82\xac");
    assert_string_equal(from_java("\xed\xa0\xbd\xed\xb8\x80!").c_str(), "\xf0\x9f\x98\x80!");
    assert_string_equal(from_java("\xed\xa0\xbd!\xed\xb8\x80").c_str(), "?!?");
    assert_string_equal(from_java("\xed\xa0").c_str(), "\xed\xa0");
}

void options_have_defaults(void **)
{
    for (const char *text : {static_cast<const char *>(nullptr), ""}) {
        agent_options options;
        assert_string_equal(read_options(text, options).c_str(), "");
        assert_true(options.methods == methods_by::hooks && options.gc);
    }
}

void options_are_read_in_any_order_and_the_last_counts(void **)
{
    agent_options options;
    assert_string_equal(read_options("gc=off,methods=off,methods=events", options).c_str(), "");
    assert_true(options.methods == methods_by::events && !options.gc);
}

void option_that_is_none_is_named(void **)
{
    agent_options options;
    assert_non_null(std::strstr(read_options("gc=on,gc=maybe", options).c_str(), "option gc=maybe is not one of"));
    assert_non_null(std::strstr(read_options(",", options).c_str(), "option  is not one of"));
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(name_without_parameters_has_empty_brackets),
        cmocka_unit_test(name_has_dots_for_packages_and_classes_in_classes),
        cmocka_unit_test(parameters_are_written_as_in_the_source),
        cmocka_unit_test(package_of_the_language_is_left_out_alone),
        cmocka_unit_test(descriptor_that_is_cut_ends_the_name),
        cmocka_unit_test(platform_is_told_by_its_packages),
        cmocka_unit_test(text_of_java_has_whole_characters),
        cmocka_unit_test(options_have_defaults),
        cmocka_unit_test(options_are_read_in_any_order_and_the_last_counts),
        cmocka_unit_test(option_that_is_none_is_named),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
