// SPDX-License-Identifier: BSD-3-Clause
// The wire layout, bit by bit, and its arithmetic modulo 2^48.
#include "tare_wire.h"

#include "cmocka_cpp.hpp"

namespace {

constexpr std::int64_t hour_ns = INT64_C(3'600'000'000'000);
constexpr std::int64_t wrap_ns = INT64_C(1) << 48;

#define assert_layout(actual, expected)                                                                            \
    do {                                                                                                           \
        if ((actual) != (expected))                                                                                \
            fail_msg("the wire format has changed: %s is %#llx, was %#llx; raise TARE_WIRE_VERSION", #actual,      \
                     static_cast<unsigned long long>(actual), static_cast<unsigned long long>(expected));          \
    } while (0)

void layout_of_version_1_is_fixed(void **)
{
    const tare_wire_t w = tare_wire_pack(0x123456789abc, 0x7edcba987654, 0xabcd, 0xe5e3);
    assert_layout(TARE_WIRE_VERSION, 1);
    assert_layout(sizeof(tare_wire_t), 16u);
    assert_layout(offsetof(tare_wire_t, w0), 0u);
    assert_layout(offsetof(tare_wire_t, w1), 8u);
    assert_layout(w.w0, UINT64_C(0xabcd'1234'5678'9abc));
    assert_layout(w.w1, UINT64_C(0xe5e3'7edc'ba98'7654));
}

void layout_of_flags_is_fixed(void **)
{
    assert_layout(TARE_WIRE_TIME_VALID, 1u << 15);
    assert_layout(TARE_WIRE_MUTED, 1u << 14);
    assert_layout(TARE_WIRE_ACTIVE, 1u << 13);
    assert_layout(TARE_WIRE_VERSION_SHIFT, 10);
    assert_layout(TARE_WIRE_VERSION_MASK, 7u << 10);
    assert_layout(TARE_WIRE_LO_SHIFT, 5);
    assert_layout(TARE_WIRE_WIDTH_MASK, 31u);
}

void flags_all_fields_are_disjoint_and_fill_16_bits(void **)
{
    const unsigned fields[] = {TARE_WIRE_TIME_VALID,   TARE_WIRE_MUTED,
                               TARE_WIRE_ACTIVE,       TARE_WIRE_VERSION_MASK,
                               TARE_WIRE_WIDTH_MASK << TARE_WIRE_LO_SHIFT, TARE_WIRE_WIDTH_MASK};
    unsigned all = 0;
    for (unsigned f : fields) {
        assert_int_equal(all & f, 0);
        all |= f;
    }
    assert_int_equal(all, 0xffff);
}

void pack_any_field_unpacks_as_it_was(void **)
{
    const std::int64_t delays[] = {0, 1, -1, 12345, -98765, TARE_WIRE_DELAY_MAX_NS, TARE_WIRE_DELAY_MIN_NS};
    for (std::int64_t d : delays) {
        const tare_wire_t w = tare_wire_pack(d, 5 * hour_ns, 0xffff, 0xffff);
        assert_ns_equal(tare_wire_delay_ns(w), d);
        assert_ns_equal(tare_wire_time_near_ns(w, 4 * hour_ns), 5 * hour_ns);
        assert_int_equal(tare_wire_thread(w), 0xffff);
        assert_int_equal(tare_wire_flags(w), 0xffff);
    }
}

void pack_negative_delay_leaves_the_other_fields(void **)
{
    const tare_wire_t w = tare_wire_pack(-1, -1, 0, 0);
    assert_int_equal(tare_wire_thread(w), 0);
    assert_int_equal(tare_wire_flags(w), 0);
}

void delay_limits_are_39_hours(void **)
{
    assert_true(TARE_WIRE_DELAY_MAX_NS > 39 * hour_ns && TARE_WIRE_DELAY_MAX_NS < 40 * hour_ns);
    assert_ns_equal(TARE_WIRE_DELAY_MIN_NS, -TARE_WIRE_DELAY_MAX_NS - 1);
    assert_ns_equal(tare_wire_delay_ns(tare_wire_pack(TARE_WIRE_DELAY_MAX_NS, 0, 0, 0)), TARE_WIRE_DELAY_MAX_NS);
    assert_ns_equal(tare_wire_delay_ns(tare_wire_pack(TARE_WIRE_DELAY_MIN_NS, 0, 0, 0)), TARE_WIRE_DELAY_MIN_NS);
}

// A time as its receiver reads it, near its own clock.
std::int64_t read_near(std::int64_t sent_ns, std::int64_t local_ns)
{
    return tare_wire_time_near_ns(tare_wire_pack(0, sent_ns, 0, 0), local_ns);
}

void time_around_the_wrap_is_the_nearest(void **)
{
    assert_ns_equal(read_near(wrap_ns - 1, wrap_ns + 1), wrap_ns - 1);
    assert_ns_equal(read_near(wrap_ns, wrap_ns + 1), wrap_ns);
    assert_ns_equal(read_near(wrap_ns + 1, wrap_ns - 1), wrap_ns + 1);
    assert_ns_equal(read_near(0, 1), 0);
    assert_ns_equal(read_near(3 * wrap_ns - 5, 3 * wrap_ns + 7), 3 * wrap_ns - 5);
}

void time_beyond_78_hours_of_uptime_is_kept(void **)
{
    const std::int64_t uptimes[] = {79 * hour_ns, 1000 * hour_ns, 100'000 * hour_ns};
    for (std::int64_t t : uptimes) {
        assert_true(t > wrap_ns);
        assert_ns_equal(read_near(t, t + 1'000), t);
        assert_ns_equal(read_near(t, t - 1'000), t);
        assert_ns_equal(read_near(t, t + 38 * hour_ns), t);
        assert_ns_equal(read_near(t, t - 38 * hour_ns), t);
    }
}

void time_of_a_clock_before_its_zero_is_kept(void **)
{
    assert_ns_equal(read_near(-5, 3), -5);
    assert_ns_equal(read_near(7, -3), 7);
}

void width_code_of_no_width_is_zero(void **)
{
    assert_int_equal(tare_wire_width_code(0), 0);
    assert_int_equal(tare_wire_width_code(-1), 0);
    assert_int_equal(tare_wire_width_code(INT64_MIN), 0);
    assert_ns_equal(tare_wire_width_ns(0), 0);
}

void width_code_of_any_width_rounds_up_to_the_next_step(void **)
{
    for (unsigned code = 1; code <= 30; ++code) {
        const std::int64_t step = INT64_C(32) << code;
        assert_ns_equal(tare_wire_width_ns(code), step);
        assert_int_equal(tare_wire_width_code(step), code);
        assert_int_equal(tare_wire_width_code(step - 1), code);
        assert_int_equal(tare_wire_width_code(step + 1), code + 1);
    }
    assert_int_equal(tare_wire_width_code(1), 1);
}

void width_code_beyond_the_last_step_is_unbounded(void **)
{
    assert_int_equal(tare_wire_width_code((INT64_C(1) << 35) + 1), TARE_WIRE_WIDTH_UNBOUNDED);
    assert_int_equal(tare_wire_width_code(INT64_MAX), TARE_WIRE_WIDTH_UNBOUNDED);
    assert_ns_equal(tare_wire_width_ns(TARE_WIRE_WIDTH_UNBOUNDED), INT64_MAX);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(layout_of_version_1_is_fixed),
        cmocka_unit_test(layout_of_flags_is_fixed),
        cmocka_unit_test(flags_all_fields_are_disjoint_and_fill_16_bits),
        cmocka_unit_test(pack_any_field_unpacks_as_it_was),
        cmocka_unit_test(pack_negative_delay_leaves_the_other_fields),
        cmocka_unit_test(delay_limits_are_39_hours),
        cmocka_unit_test(time_around_the_wrap_is_the_nearest),
        cmocka_unit_test(time_beyond_78_hours_of_uptime_is_kept),
        cmocka_unit_test(time_of_a_clock_before_its_zero_is_kept),
        cmocka_unit_test(width_code_of_no_width_is_zero),
        cmocka_unit_test(width_code_of_any_width_rounds_up_to_the_next_step),
        cmocka_unit_test(width_code_beyond_the_last_step_is_unbounded),
    };
    return cmocka_run_group_tests_name("wire", tests, nullptr, nullptr);
}
