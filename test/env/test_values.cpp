// SPDX-License-Identifier: BSD-3-Clause
// Every variable of the environment table with values that are allowed and values that are not.
#include "env_state.hpp"

#include "tare_env_own.h"

#include <utility>

namespace {

const char *allowed_values(const char *name)
{
    size_t rows;
    const tare_env_row_t *table = tare_env_table(&rows);
    for (size_t i = 0; i < rows; ++i)
        if (strcmp(table[i].name, name) == 0)
            return table[i].values;
    fail_msg("%s is not in the table", name);
    return nullptr;
}

// One sentence with the variable, the value and what is allowed.
void is_refused(const char *name, const char *value)
{
    char assignment[256];
    snprintf(assignment, sizeof assignment, "%s=%s ", name, value);
    forget_variables();
    setenv(name, value, 1);
    if (read_environment() == 0)
        fail_msg("%s=%s was taken", name, value);
    if (strncmp(message, assignment, strlen(assignment)) != 0 || strstr(message, allowed_values(name)) == nullptr ||
        strchr(message, '\n') != nullptr)
        fail_msg("%s=%s: the sentence is '%s'", name, value, message);
}

// --- nothing set ---

void environment_empty_gives_the_defaults(void **)
{
    assert_int_equal(read_environment(), 0);
    assert_int_equal(settings.mode, TARE_MODE_OFF);
    assert_int_equal(settings.mode_is_set, 0);
    assert_int_equal(settings.rule, TARE_RULE_EXACT);
    assert_int_equal(settings.carrier_published, 0);
    assert_int_equal(settings.profile, -1);
    assert_string_equal(settings.profile_dir, ".");
    assert_int_equal(settings.profile_formats, TARE_FORMAT_TAU);
    assert_int_equal(settings.overhead, TARE_OVERHEAD_MEASURED);
    assert_null(settings.filter);
    assert_int_equal(settings.throttle_calls, 0);
    assert_int_equal(settings.callpath_depth, 0);
    assert_int_equal(settings.trace, 0);
    assert_int_equal(settings.trace_clock, TARE_CLOCK_COMPENSATED);
    assert_string_equal(settings.signal_name, "USR2");
    assert_null(settings.inject);
    assert_int_equal(settings.verbose, 0);
}

void settings_of_an_earlier_read_do_not_last(void **)
{
    read_with("TARE_MODE", "copy");
    forget_variables();
    assert_int_equal(read_environment(), 0);
    assert_int_equal(settings.mode, TARE_MODE_OFF);
    assert_int_equal(settings.mode_is_set, 0);
}

// "off in a plain run; ..." has "off"; empty where there is no value that says the same as none.
void preset_word(size_t row, char (&word)[64])
{
    const char *preset = tare_env_more(row)->preset;
    const bool is_none = strncmp(preset, "no ", 3) == 0;
    snprintf(word, sizeof word, "%.*s", is_none ? 0 : static_cast<int>(strcspn(preset, " ;")), preset);
}

void variable_that_holds_the_default_of_the_table_changes_nothing(void **)
{
    assert_int_equal(read_environment(), 0);
    const tare_settings_t unset = settings;
    size_t rows;
    const tare_env_row_t *table = tare_env_table(&rows);
    for (size_t i = 0; i < rows; ++i) {
        char word[64];
        preset_word(i, word);
        if (*word == '\0')
            continue;
        if (strncmp(table[i].values, "a directory", 11) != 0 && strncmp(table[i].values, word, strlen(word)) != 0)
            fail_msg("%s: %s is not the first of %s", table[i].name, word, table[i].values);
        read_with(table[i].name, word);
        assert_string_equal(settings.profile_dir, unset.profile_dir);
        assert_string_equal(settings.signal_name, unset.signal_name);
        settings.profile_dir = unset.profile_dir;
        settings.signal_name = unset.signal_name;
        settings.mode_is_set = 0;
        settings.profile = settings.profile == 0 ? unset.profile : settings.profile;
        if (memcmp(&settings, &unset, sizeof unset) != 0)
            fail_msg("%s=%s is not what holds without it", table[i].name, word);
        assert_int_equal(tare_env_repeat_probes(), 0);
    }
}

void table_tells_default_and_reader_of_every_row(void **)
{
    size_t rows;
    tare_env_table(&rows);
    for (size_t i = 0; i < rows; ++i)
        assert_true(*tare_env_more(i)->preset != '\0' && *tare_env_more(i)->readers != '\0');
    assert_null(tare_env_more(rows));
}

// --- values that are allowed ---

struct named {
    const char *value;
    int number;
};

#define assert_values(name, field, values)                                                                         \
    for (const named &v : values) {                                                                                \
        read_with(name, v.value);                                                                                  \
        if (static_cast<int>(settings.field) != v.number)                                                          \
            fail_msg("%s=%s: %d, expected %d", name, v.value, static_cast<int>(settings.field), v.number);         \
    }

void mode_every_name_is_taken(void **)
{
    constexpr named values[] = {{"off", TARE_MODE_OFF},
                                {"header", TARE_MODE_HEADER},
                                {"datatype", TARE_MODE_DATATYPE},
                                {"message", TARE_MODE_MESSAGE},
                                {"copy", TARE_MODE_COPY}};
    assert_values("TARE_MODE", mode, values);
    assert_values("TARE_MODE", mode_is_set, ((const named[]){{"off", 1}, {"header", 1}}));
    for (const named &v : values)
        assert_string_equal(tare_env_mode_name(v.number), v.value);
    assert_string_equal(tare_env_mode_name(5), "unknown");
    assert_string_equal(tare_env_mode_name(-1), "unknown");
}

void rule_every_name_is_taken(void **)
{
    constexpr named values[] = {
        {"exact", TARE_RULE_EXACT}, {"published", TARE_RULE_PUBLISHED}, {"local", TARE_RULE_LOCAL}};
    assert_values("TARE_RULE", rule, values);
    for (const named &v : values)
        assert_string_equal(tare_env_rule_name(v.number), v.value);
    assert_string_equal(tare_env_rule_name(3), "unknown");
    assert_string_equal(tare_env_rule_name(-1), "unknown");
}

void choices_every_name_is_taken(void **)
{
    constexpr named form[] = {{"cached", 0}, {"published", 1}};
    constexpr named on_off[] = {{"0", 0}, {"1", 1}};
    constexpr named overhead[] = {{"measured", TARE_OVERHEAD_MEASURED}, {"calibrated", TARE_OVERHEAD_CALIBRATED}};
    constexpr named clock[] = {{"compensated", TARE_CLOCK_COMPENSATED}, {"measured", TARE_CLOCK_MEASURED}};
    constexpr named over_libfabric[] = {{"auto", TARE_OFI_AUTO}, {"native", TARE_OFI_NATIVE}, {"am", TARE_OFI_AM}};
    constexpr named verbose[] = {{"0", 0}, {"1", 1}, {"2", 2}};
    assert_values("TARE_CARRIER_FORM", carrier_published, form);
    assert_values("TARE_OFI", ofi, over_libfabric);
    assert_values("TARE_PROFILE", profile, on_off);
    assert_values("TARE_TRACE", trace, on_off);
    assert_values("TARE_OVERHEAD", overhead, overhead);
    assert_values("TARE_TRACE_CLOCK", trace_clock, clock);
    assert_values("TARE_VERBOSE", verbose, verbose);
}

void profile_format_takes_a_list(void **)
{
    constexpr named values[] = {{"tau", TARE_FORMAT_TAU},
                                {"cube", TARE_FORMAT_CUBE},
                                {"json", TARE_FORMAT_JSON},
                                {"csv", TARE_FORMAT_CSV},
                                {"csv,tau", TARE_FORMAT_CSV | TARE_FORMAT_TAU},
                                {"tau,cube,json,csv,tau", 15}};
    assert_values("TARE_PROFILE_FORMAT", profile_formats, values);
}

void paths_are_taken_as_they_are(void **)
{
    read_with("TARE_PROFILE_DIR", "/some where/else=1");
    assert_string_equal(settings.profile_dir, "/some where/else=1");
    read_with("TARE_FILTER", "rules.txt");
    assert_string_equal(settings.filter, "rules.txt");
}

void throttle_takes_zero_or_two_numbers(void **)
{
    read_with("TARE_THROTTLE", "0");
    assert_int_equal(settings.throttle_calls, 0);
    read_with("TARE_THROTTLE", "100000:10000");
    assert_int_equal(settings.throttle_calls, 100000);
    assert_int_equal(settings.throttle_ns, 10000);
    read_with("TARE_THROTTLE", "9223372036854775807:1");
    assert_true(settings.throttle_calls == INT64_MAX);
}

void callpath_takes_a_depth_up_to_1000(void **)
{
    constexpr named values[] = {{"0", 0}, {"1", 1}, {"1000", 1000}};
    assert_values("TARE_CALLPATH", callpath_depth, values);
}

void trace_records_takes_a_list(void **)
{
    assert_int_equal(tare_env_trace_records(), 0);
    const std::pair<const char *, unsigned> values[] = {{"none", 0},
                                                        {"sites", TARE_RECORD_SITES},
                                                        {"buffers", TARE_RECORD_BUFFERS},
                                                        {"data", TARE_RECORD_DATA},
                                                        {"contents", TARE_RECORD_CONTENTS | TARE_RECORD_BUFFERS},
                                                        {"counters", TARE_RECORD_COUNTERS},
                                                        {"pages", TARE_RECORD_PAGES},
                                                        {"heap", TARE_RECORD_HEAP | TARE_RECORD_DATA},
                                                        {"stack", TARE_RECORD_STACK | TARE_RECORD_BUFFERS},
                                                        {"uses", TARE_RECORD_USES | TARE_RECORD_BUFFERS | TARE_RECORD_DATA},
                                                        {"buffers,sites", TARE_RECORD_SITES | TARE_RECORD_BUFFERS},
                                                        {"buffers,types", 0}};
    for (const auto &[text, records] : values) {
        setenv("TARE_TRACE_RECORDS", text, 1);
        assert_int_equal(tare_env_trace_records(), records);
    }
}

void repeat_probes_takes_a_digit(void **)
{
    assert_int_equal(tare_env_repeat_probes(), 0);
    read_with("TARE_REPEAT_PROBES", "0");
    assert_int_equal(tare_env_repeat_probes(), 0);
    read_with("TARE_REPEAT_PROBES", "9");
    assert_int_equal(tare_env_repeat_probes(), 9);
    is_refused("TARE_REPEAT_PROBES", "10");
    assert_int_equal(tare_env_repeat_probes(), 0);
}

void file_access_is_the_owners_unless_it_says_otherwise(void **)
{
    forget_variables();
    assert_int_equal(tare_env_file_access(), TARE_ACCESS_OWNER);
    read_with("TARE_FILE_ACCESS", "group");
    assert_int_equal(tare_env_file_access(), TARE_ACCESS_GROUP);
    read_with("TARE_FILE_ACCESS", "all");
    assert_int_equal(tare_env_file_access(), TARE_ACCESS_ALL);
    read_with("TARE_FILE_ACCESS", "owner");
    assert_int_equal(tare_env_file_access(), TARE_ACCESS_OWNER);
    is_refused("TARE_FILE_ACCESS", "everybody");
    assert_int_equal(tare_env_file_access(), TARE_ACCESS_OWNER);
}

void signal_every_name_is_taken_with_and_without_sig(void **)
{
    const char *const names[] = {"USR2", "USR1", "HUP", "ALRM", "VTALRM", "PROF", "WINCH", "URG"};
    for (const char *name : names) {
        char with_prefix[16];
        snprintf(with_prefix, sizeof with_prefix, "SIG%s", name);
        read_with("TARE_SIGNAL", name);
        assert_string_equal(settings.signal_name, name);
        read_with("TARE_SIGNAL", with_prefix);
        assert_string_equal(settings.signal_name, name);
    }
    read_with("TARE_SIGNAL", "none");
    assert_string_equal(settings.signal_name, "none");
}

// --- values that are not ---

struct refused {
    const char *name;
    const char *value;
};

constexpr refused refused_values[] = {
    {"TARE_MODE", ""},
    {"TARE_MODE", "Header"},
    {"TARE_MODE", "head"},
    {"TARE_MODE", "header "},
    {"TARE_MODE", "1"},
    {"TARE_RULE", "approximate"},
    {"TARE_RULE", "exact,local"},
    {"TARE_CARRIER_FORM", "fresh"},
    {"TARE_OFI", "tagged"},
    {"TARE_PROFILE", "yes"},
    {"TARE_PROFILE", "2"},
    {"TARE_PROFILE", "01"},
    {"TARE_PROFILE_DIR", ""},
    {"TARE_PROFILE_FORMAT", ""},
    {"TARE_PROFILE_FORMAT", "tau,"},
    {"TARE_PROFILE_FORMAT", ",tau"},
    {"TARE_PROFILE_FORMAT", "tau, json"},
    {"TARE_PROFILE_FORMAT", "xml"},
    {"TARE_FILE_ACCESS", ""},
    {"TARE_FILE_ACCESS", "0644"},
    {"TARE_FILE_ACCESS", "groups"},
    {"TARE_OVERHEAD", "none"},
    {"TARE_FILTER", ""},
    {"TARE_THROTTLE", ""},
    {"TARE_THROTTLE", "5"},
    {"TARE_THROTTLE", "5:"},
    {"TARE_THROTTLE", "0:5"},
    {"TARE_THROTTLE", "5;6"},
    {"TARE_THROTTLE", ":5"},
    {"TARE_THROTTLE", "-1:5"},
    {"TARE_THROTTLE", "5:6:7"},
    {"TARE_THROTTLE", "5:1us"},
    {"TARE_THROTTLE", "9223372036854775808:1"},
    {"TARE_CALLPATH", ""},
    {"TARE_CALLPATH", "-1"},
    {"TARE_CALLPATH", "1001"},
    {"TARE_CALLPATH", "3x"},
    {"TARE_CALLPATH", "99999999999999999999"},
    {"TARE_TRACE", "on"},
    {"TARE_TRACE_CLOCK", "real"},
    {"TARE_TRACE_RECORDS", ""},
    {"TARE_TRACE_RECORDS", "sites,"},
    {"TARE_TRACE_RECORDS", "none,sites"},
    {"TARE_TRACE_RECORDS", "types"},
    {"TARE_SIGNAL", "KILL"},
    {"TARE_SIGNAL", "SIGSEGV"},
    {"TARE_SIGNAL", "SIGnone"},
    {"TARE_SIGNAL", "12"},
    {"TARE_SIGNAL", ""},
    {"TARE_INJECT", "work"},
    {"TARE_INJECT", "region=work"},
    {"TARE_INJECT", "ns=5"},
    {"TARE_INJECT", "rank=1,ns=5"},
    {"TARE_INJECT", "region=,ns=5"},
    {"TARE_INJECT", "region=work,ns="},
    {"TARE_INJECT", "region=work,ns=-5"},
    {"TARE_INJECT", "region=work,ns=20us"},
    {"TARE_INJECT", "region=work,ns=5,"},
    {"TARE_INJECT", "rank=x,region=work,ns=5"},
    {"TARE_INJECT", "rank=2147483648,region=work,ns=5"},
    {"TARE_INJECT", "region=work,ns=3600000000001"},
    {"TARE_INJECT", "region=work,ns=5;region=work"},
    {"TARE_INJECT", "region=work,ns=5;;region=more,ns=5"},
    {"TARE_INJECT", "region=work,ns=5region=more,ns=5"},
    {"TARE_INJECT", " region=work,ns=5"},
    {"TARE_REPEAT_PROBES", ""},
    {"TARE_REPEAT_PROBES", "-1"},
    {"TARE_REPEAT_PROBES", "10"},
    {"TARE_REPEAT_PROBES", "1 "},
    {"TARE_REPEAT_PROBES", "1.5"},
    {"TARE_VERBOSE", "3"},
    {"TARE_VERBOSE", ""},
};

void value_not_allowed_is_refused_in_one_sentence(void **)
{
    for (const refused &r : refused_values)
        is_refused(r.name, r.value);
}

void variable_every_one_of_the_table_has_a_refused_value(void **)
{
    size_t rows;
    const tare_env_row_t *table = tare_env_table(&rows);
    assert_int_equal(rows, 19);
    for (size_t i = 0; i < rows; ++i) {
        int found = 0;
        for (const refused &r : refused_values)
            found += strcmp(r.name, table[i].name) == 0;
        if (found == 0)
            fail_msg("no value of %s is tested", table[i].name);
        assert_true(*table[i].values != '\0' && *table[i].meaning != '\0');
    }
}

void value_not_allowed_beside_good_ones_is_refused(void **)
{
    setenv("TARE_MODE", "header", 1);
    setenv("TARE_RULE", "wrong", 1);
    assert_int_equal(read_environment(), -1);
    assert_non_null(strstr(message, "TARE_RULE=wrong"));
}

void value_very_long_is_cut_in_the_sentence(void **)
{
    char value[4096];
    memset(value, 'x', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    setenv("TARE_MODE", value, 1);
    assert_int_equal(read_environment(), -1);
    assert_true(strlen(message) < 200);
    assert_non_null(strstr(message, "xxx..."));
    assert_non_null(strstr(message, allowed_values("TARE_MODE")));
}

void value_of_several_lines_is_told_in_one(void **)
{
    setenv("TARE_MODE", "head\ner\x1b", 1);
    assert_int_equal(read_environment(), -1);
    assert_string_equal(message, "TARE_MODE=head?er? is not allowed; allowed: off, header, datatype, message, copy");
}

void sentence_longer_than_its_buffer_ends_in_it(void **)
{
    char small[16];
    memset(small, 'x', sizeof small);
    setenv("TARE_MODE", "wrong", 1);
    assert_int_equal(tare_env_read(&settings, small, sizeof small), -1);
    assert_int_equal(small[sizeof small - 1], '\0');
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        env_test(environment_empty_gives_the_defaults),
        env_test(variable_that_holds_the_default_of_the_table_changes_nothing),
        env_test(table_tells_default_and_reader_of_every_row),
        env_test(settings_of_an_earlier_read_do_not_last),
        env_test(mode_every_name_is_taken),
        env_test(rule_every_name_is_taken),
        env_test(choices_every_name_is_taken),
        env_test(profile_format_takes_a_list),
        env_test(paths_are_taken_as_they_are),
        env_test(throttle_takes_zero_or_two_numbers),
        env_test(callpath_takes_a_depth_up_to_1000),
        env_test(repeat_probes_takes_a_digit),
        env_test(trace_records_takes_a_list),
        env_test(file_access_is_the_owners_unless_it_says_otherwise),
        env_test(signal_every_name_is_taken_with_and_without_sig),
        env_test(value_not_allowed_is_refused_in_one_sentence),
        env_test(variable_every_one_of_the_table_has_a_refused_value),
        env_test(value_not_allowed_beside_good_ones_is_refused),
        env_test(value_very_long_is_cut_in_the_sentence),
        env_test(value_of_several_lines_is_told_in_one),
        env_test(sentence_longer_than_its_buffer_ends_in_it),
    };
    return cmocka_run_group_tests_name("values", tests, nullptr, nullptr);
}
