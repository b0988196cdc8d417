// SPDX-License-Identifier: BSD-3-Clause
// Names that mean nothing, and the rules of TARE_INJECT one by one.
#include "env_state.hpp"

namespace {

struct misspelt {
    const char *name;
    const char *meant;
};

void name_unknown_warns_with_the_nearest(void **)
{
    constexpr misspelt nearest[] = {{"TARE_MOD", "TARE_MODE"},
                                   {"TARE_RULES", "TARE_RULE"},
                                   {"TARE_PROFILEDIR", "TARE_PROFILE_DIR"},
                                   {"TARE_INJECTION", "TARE_INJECT"},
                                   {"TARE_TRACECLOCK", "TARE_TRACE_CLOCK"},
                                   {"TARE_VEBROSE", "TARE_VERBOSE"}};
    for (const misspelt &n : nearest) {
        forget_variables();
        setenv(n.name, "1", 1);
        assert_int_equal(tare_env_warning(0, message, sizeof message), 1);
        const char *end = message + strlen(message) - strlen(n.meant);
        if (strncmp(message, n.name, strlen(n.name)) != 0 || strcmp(end, n.meant) != 0 || end[-1] != ' ')
            fail_msg("%s: the sentence is '%s'", n.name, message);
        assert_null(strchr(message, '\n'));
        assert_int_equal(tare_env_warning(1, message, sizeof message), 0);
    }
}

void names_unknown_each_warn_once(void **)
{
    setenv("TARE_ONE", "1", 1);
    setenv("TARE_MODE", "off", 1);
    setenv("TARE_TWO", "1", 1);
    assert_int_equal(tare_env_warning(0, message, sizeof message), 1);
    assert_non_null(strstr(message, "TARE_ONE "));
    assert_int_equal(tare_env_warning(1, message, sizeof message), 1);
    assert_non_null(strstr(message, "TARE_TWO "));
    assert_int_equal(tare_env_warning(2, message, sizeof message), 0);
}

void name_unknown_does_not_end_the_run(void **)
{
    setenv("TARE_MOD", "header", 1);
    assert_int_equal(read_environment(), 0);
    assert_int_equal(settings.mode_is_set, 0);
}

void name_very_long_is_cut(void **)
{
    char name[300] = "TARE_";
    memset(name + 5, 'X', sizeof name - 6);
    setenv(name, "1", 1);
    assert_int_equal(tare_env_warning(0, message, sizeof message), 1);
    assert_true(strlen(message) < 200);
}

void name_of_several_lines_is_told_in_one(void **)
{
    setenv("TARE_MO\nDE", "1", 1);
    assert_int_equal(tare_env_warning(0, message, sizeof message), 1);
    assert_non_null(strstr(message, "TARE_MO?DE means nothing"));
}

void name_of_a_module_system_is_ignored(void **)
{
    const char *const names[] = {"TARE_ROOT", "TARE_HOME", "TARE_DIR", "TARE_VERSION"};
    for (const char *name : names)
        setenv(name, "/opt/tare", 1);
    assert_int_equal(tare_env_warning(0, message, sizeof message), 0);
    assert_int_equal(read_environment(), 0);
}

void name_of_the_compiler_wrappers_is_ignored(void **)
{
    const char *const names[] = {"TARE_CC", "TARE_CXX", "TARE_FC", "TARE_EXCLUDE"};
    for (const char *name : names)
        setenv(name, "gcc", 1);
    assert_int_equal(tare_env_warning(0, message, sizeof message), 0);
}

void name_known_or_of_others_does_not_warn(void **)
{
    size_t rows;
    const tare_env_row_t *table = tare_env_table(&rows);
    for (size_t i = 0; i < rows; ++i)
        setenv(table[i].name, "1", 1);
    setenv("TAREMODE", "1", 1);
    setenv("TARE", "1", 1);
    setenv("MY_TARE_MODE", "1", 1);
    assert_int_equal(tare_env_warning(0, message, sizeof message), 0);
}

// --- rules of TARE_INJECT ---

void next_rule_is(const char **text, int rank, const char *region, int64_t ns)
{
    tare_inject_rule_t rule;
    assert_int_equal(tare_env_inject_next(text, &rule), 1);
    assert_int_equal(rule.rank, rank);
    assert_int_equal(rule.region_length, strlen(region));
    assert_memory_equal(rule.region, region, strlen(region));
    assert_ns_equal(rule.ns, ns);
}

void no_more_rules(const char *text)
{
    tare_inject_rule_t rule;
    assert_int_equal(tare_env_inject_next(&text, &rule), 0);
}

void inject_rules_come_one_by_one(void **)
{
    read_with("TARE_INJECT", "rank=1,region=work,ns=20000;region=main loop,ns=0");
    const char *text = settings.inject;
    next_rule_is(&text, 1, "work", 20000);
    next_rule_is(&text, -1, "main loop", 0);
    no_more_rules(text);
}

void inject_rule_in_any_order_is_the_same(void **)
{
    read_with("TARE_INJECT", "ns=3600000000000,region=MPI_Recv(),rank=2147483647;");
    const char *text = settings.inject;
    next_rule_is(&text, 2147483647, "MPI_Recv()", 3'600'000'000'000);
    no_more_rules(text);
}

void inject_rank_all_is_every_rank(void **)
{
    read_with("TARE_INJECT", "rank=all,region=work,ns=1");
    const char *text = settings.inject;
    next_rule_is(&text, -1, "work", 1);
}

void inject_without_rules_has_none(void **)
{
    read_with("TARE_INJECT", "");
    no_more_rules(settings.inject);
    no_more_rules(nullptr);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        env_test(name_unknown_warns_with_the_nearest),
        env_test(names_unknown_each_warn_once),
        env_test(name_unknown_does_not_end_the_run),
        env_test(name_very_long_is_cut),
        env_test(name_of_several_lines_is_told_in_one),
        env_test(name_of_a_module_system_is_ignored),
        env_test(name_of_the_compiler_wrappers_is_ignored),
        env_test(name_known_or_of_others_does_not_warn),
        env_test(inject_rules_come_one_by_one),
        env_test(inject_rule_in_any_order_is_the_same),
        env_test(inject_rank_all_is_every_rank),
        env_test(inject_without_rules_has_none),
    };
    return cmocka_run_group_tests_name("names", tests, nullptr, nullptr);
}
