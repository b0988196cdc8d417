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

void layout_of_version_2_is_fixed(void **)
{
    tare_wire_t w = tare_wire_pack(0x123456789abc, 0x7edcba987654, 0xe400);
    tare_wire_set_widths(&w, (0xab + 257) << 13, 0xcd + 257);
    assert_layout(TARE_WIRE_VERSION, 2);
    assert_layout(sizeof(tare_wire_t), 16u);
    assert_layout(offsetof(tare_wire_t, w0), 0u);
    assert_layout(offsetof(tare_wire_t, w1), 8u);
    assert_layout(w.w0, UINT64_C(0xabcd'1234'5678'9abc));
    assert_layout(w.w1, UINT64_C(0xe5e2'7edc'ba98'7654));
}

void layout_of_flags_is_fixed(void **)
{
    assert_layout(TARE_WIRE_TIME_VALID, 1u << 15);
    assert_layout(TARE_WIRE_MUTED, 1u << 14);
    assert_layout(TARE_WIRE_ACTIVE, 1u << 13);
    assert_layout(TARE_WIRE_VERSION_SHIFT, 10);
    assert_layout(TARE_WIRE_VERSION_MASK, 7u << 10);
    assert_layout(TARE_WIRE_SCALES_MASK, (1u << 10) - 1);
}

void flags_all_fields_are_disjoint_and_fill_16_bits(void **)
{
    const unsigned fields[] = {TARE_WIRE_TIME_VALID, TARE_WIRE_MUTED, TARE_WIRE_ACTIVE, TARE_WIRE_VERSION_MASK,
                               TARE_WIRE_SCALES_MASK};
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
        tare_wire_t w = tare_wire_pack(d, 5 * hour_ns, 0xfc00);
        tare_wire_set_widths(&w, INT64_C(512) << 28, 256);
        assert_ns_equal(tare_wire_delay_ns(w), d);
        assert_ns_equal(tare_wire_time_near_ns(w, 4 * hour_ns), 5 * hour_ns);
        assert_ns_equal(tare_wire_width_lo_ns(w), INT64_C(512) << 28);
        assert_ns_equal(tare_wire_width_hi_ns(w), 256);
        assert_int_equal(tare_wire_flags(w) & ~TARE_WIRE_SCALES_MASK, 0xfc00);
    }
}

void pack_negative_delay_leaves_the_other_fields(void **)
{
    const tare_wire_t w = tare_wire_pack(-1, -1, 0);
    assert_true(tare_wire_is_sharp(w));
    assert_int_equal(w.w0 >> TARE_WIRE_FIELD_BITS, 0);
    assert_int_equal(tare_wire_flags(w), 0);
}

void delay_limits_are_39_hours(void **)
{
    assert_true(TARE_WIRE_DELAY_MAX_NS > 39 * hour_ns && TARE_WIRE_DELAY_MAX_NS < 40 * hour_ns);
    assert_ns_equal(TARE_WIRE_DELAY_MIN_NS, -TARE_WIRE_DELAY_MAX_NS - 1);
    assert_ns_equal(tare_wire_delay_ns(tare_wire_pack(TARE_WIRE_DELAY_MAX_NS, 0, 0)), TARE_WIRE_DELAY_MAX_NS);
    assert_ns_equal(tare_wire_delay_ns(tare_wire_pack(TARE_WIRE_DELAY_MIN_NS, 0, 0)), TARE_WIRE_DELAY_MIN_NS);
}

// A time as its receiver reads it, near its own clock.
std::int64_t read_near(std::int64_t sent_ns, std::int64_t local_ns)
{
    return tare_wire_time_near_ns(tare_wire_pack(0, sent_ns, 0), local_ns);
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

void width_code_up_to_512_ns_is_exact(void **)
{
    for (std::int64_t width = 1; width <= 512; ++width)
        assert_ns_equal(tare_wire_width_ns(tare_wire_width_code(width)), width);
}

void width_code_of_any_width_rounds_up_to_the_next_step(void **)
{
    for (unsigned code = tare_wire_width_code(512); code + 1 < TARE_WIRE_WIDTH_UNBOUNDED; ++code) {
        const std::int64_t below = tare_wire_width_ns(code), step = tare_wire_width_ns(code + 1);
        assert_true(step > below && step - below <= (below + 255) / 256);
        assert_int_equal(tare_wire_width_code(step), code + 1);
        assert_int_equal(tare_wire_width_code(step - 1), step - 1 > below ? code + 1 : code);
        assert_int_equal(tare_wire_width_code(below + 1), code + 1);
    }
}

void width_code_beyond_the_last_step_is_unbounded(void **)
{
    assert_ns_equal(tare_wire_width_ns(TARE_WIRE_WIDTH_UNBOUNDED - 1), INT64_C(512) << 28);
    assert_int_equal(tare_wire_width_code((INT64_C(512) << 28) + 1), TARE_WIRE_WIDTH_UNBOUNDED);
    assert_int_equal(tare_wire_width_code(INT64_MAX), TARE_WIRE_WIDTH_UNBOUNDED);
    assert_ns_equal(tare_wire_width_ns(TARE_WIRE_WIDTH_UNBOUNDED), INT64_MAX);
}

void assert_bounds(std::int64_t delay_ns, std::int64_t below_ns, std::int64_t above_ns, std::int64_t lo_ns,
                   std::int64_t hi_ns)
{
    tare_wire_t w = tare_wire_pack(delay_ns, 0, 0);
    tare_wire_set_widths(&w, below_ns, above_ns);
    assert_ns_equal(tare_wire_delay_lo_ns(w), lo_ns);
    assert_ns_equal(tare_wire_delay_hi_ns(w), hi_ns);
}

void lower_bound_is_not_below_no_delay(void **)
{
    assert_bounds(100, 40, 50, 60, 150);
    assert_bounds(100, 100, 0, 0, 100);
    assert_bounds(100, 500, 0, 0, 100);
    assert_bounds(100, INT64_MAX, INT64_MAX, 0, 100 + TARE_WIRE_FAR_NS);
    assert_bounds(0, 7, 7, 0, 7);
    assert_bounds(-5, 10, 10, -15, 5);
    assert_bounds(-5, INT64_MAX, 0, -5 - TARE_WIRE_FAR_NS, -5);
    assert_bounds(TARE_WIRE_DELAY_MAX_NS, 0, 0, TARE_WIRE_DELAY_MAX_NS, TARE_WIRE_DELAY_MAX_NS);
}

// A width that has been on the wire is not rounded again.
void width_that_goes_back_and_forth_stays(void **)
{
    for (std::int64_t width = 1; width < INT64_C(512) << 28; width += width / 7 + 1) {
        tare_wire_t w = tare_wire_pack(0, 0, 0);
        tare_wire_set_widths(&w, width, width / 3);
        const std::int64_t lo = tare_wire_width_lo_ns(w), hi = tare_wire_width_hi_ns(w);
        assert_true(lo >= width && lo - width <= width / 256);
        assert_true(hi >= width / 3 && hi - width / 3 <= width / 3 / 256);
        w = tare_wire_pack(0, 0, 0);
        tare_wire_set_widths(&w, lo, hi);
        assert_ns_equal(tare_wire_width_lo_ns(w), lo);
        assert_ns_equal(tare_wire_width_hi_ns(w), hi);
    }
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(layout_of_version_2_is_fixed),
        cmocka_unit_test(layout_of_flags_is_fixed),
        cmocka_unit_test(flags_all_fields_are_disjoint_and_fill_16_bits),
        cmocka_unit_test(pack_any_field_unpacks_as_it_was),
        cmocka_unit_test(pack_negative_delay_leaves_the_other_fields),
        cmocka_unit_test(delay_limits_are_39_hours),
        cmocka_unit_test(time_around_the_wrap_is_the_nearest),
        cmocka_unit_test(time_beyond_78_hours_of_uptime_is_kept),
        cmocka_unit_test(time_of_a_clock_before_its_zero_is_kept),
        cmocka_unit_test(width_code_of_no_width_is_zero),
        cmocka_unit_test(width_code_up_to_512_ns_is_exact),
        cmocka_unit_test(width_code_of_any_width_rounds_up_to_the_next_step),
        cmocka_unit_test(width_code_beyond_the_last_step_is_unbounded),
        cmocka_unit_test(lower_bound_is_not_below_no_delay),
        cmocka_unit_test(width_that_goes_back_and_forth_stays),
    };
    return cmocka_run_group_tests_name("wire", tests, nullptr, nullptr);
}
