// SPDX-License-Identifier: BSD-3-Clause
// The core's thread block: declared overhead, time stamps, the compensated clock, what is stamped. Joins are in
// test_join.cpp.
#include "core_state.hpp"

#include <cstring>
#include <pthread.h>

#include "cmocka_cpp.hpp"

namespace {

constexpr std::int64_t second = 1'000'000'000;

int inactive(void **) { return new_process(), 0; }
int active(void **) { return new_active_process(), 0; }

// From here on: CMocka reads the clock, too.
void count_clock_reads() { fake_clock::reads = 0; }

bool is_zero(tare_wire_t w) { return w.w0 == 0 && w.w1 == 0; }

// --- nobody has declared anything ---

void stamp_of_inactive_process_is_all_zero(void **)
{
    count_clock_reads();
    assert_true(is_zero(tare_core_stamp()));
    assert_int_equal(fake_clock::reads, 0);
}

void enter_of_inactive_process_reads_no_clock(void **)
{
    count_clock_reads();
    tare_core_enter();
    assert_int_equal(fake_clock::reads, 0);
    assert_int_equal(tare_self.event_source, TARE_EVENT_NONE);
}

void post_of_inactive_process_is_not_known(void **)
{
    tare_post_t post = {1, 1};
    tare_core_post(&post);
    assert_ns_equal(post.post_ns, 0);
}

void join_of_inactive_stamp_changes_nothing(void **)
{
    count_clock_reads();
    tare_core_thread();
    const tare_thread_t before = tare_self;
    tare_edge_t e = edge_from(new_peer(), tare_wire_t{0, 0});
    tare_core_join(&e);
    assert_memory_equal(&tare_self, &before, sizeof before);
    assert_int_equal(tare_global.active, 0);
    assert_int_equal(fake_clock::reads, 0);
    assert_int_equal(e.flags & TARE_EDGE_SET, 0);
}

void reply_of_inactive_process_is_all_zero(void **)
{
    count_clock_reads();
    const tare_edge_t e = edge_from(new_peer(), tare_wire_t{0, 0});
    const tare_post_t post = {0, 0};
    assert_true(is_zero(tare_core_reply(&e, &post)));
    assert_true(is_zero(tare_core_restamp(tare_wire_t{0, 0}, nullptr)));
    assert_int_equal(fake_clock::reads, 0);
}

void join_of_an_active_peer_activates(void **)
{
    join_at(50, edge_from(new_peer(), sent_at(10, 0)));
    assert_int_equal(tare_global.active, 1);
    assert_false(is_zero(tare_core_stamp()));
}

void overhead_of_nothing_activates(void **)
{
    tare_core_overhead_add(0, 0);
    assert_false(is_zero(tare_core_stamp()));
}

void event_activates(void **)
{
    tare_core_event(origin_ns);
    assert_false(is_zero(tare_core_stamp()));
}

// --- overhead ---

void overhead_moves_delay_and_bounds(void **)
{
    tare_core_overhead_add(70, 0);
    assert_ns_equal(tare_self.delay_ns, 70);
    assert_ns_equal(tare_self.delay_lo_ns, 70);
    assert_ns_equal(tare_self.delay_hi_ns, 70);
    tare_core_overhead_add(-20, 0);
    assert_ns_equal(tare_self.delay_ns, 50);
}

void overhead_fractions_are_carried(void **)
{
    tare_core_overhead_add(0, 0x80000000u);
    assert_ns_equal(tare_self.delay_ns, 0);
    tare_core_overhead_add(0, 0x80000000u);
    assert_ns_equal(tare_self.delay_ns, 1);
    assert_int_equal(tare_self.fraction, 0);
    tare_core_overhead_add(2, 0xffffffffu);
    tare_core_overhead_add(3, 2);
    assert_ns_equal(tare_self.delay_ns, 7);
    assert_int_equal(tare_self.fraction, 1);
}

// 10^9 probes of 12.4 ns are 12.4 s: 10^6 of them one by one, the others as 999 times their sum.
void overhead_of_a_billion_probes_does_not_drift(void **)
{
    constexpr std::uint32_t fraction = 1717986918;  // 0.4 ns
    for (int i = 0; i < 1'000'000; ++i)
        tare_core_overhead_add(12, fraction);
    const std::int64_t ns = tare_self.delay_ns;
    const std::uint32_t rest = tare_self.fraction;
    for (int i = 1; i < 1'000; ++i)
        tare_core_overhead_add(ns, rest);
    assert_in_range(tare_self.delay_ns, 12'400'000'000 - 1, 12'400'000'000);
    assert_ns_equal(tare_self.delay_hi_ns, tare_self.delay_ns);
}

void overhead_ends_the_event(void **)
{
    tare_core_event(origin_ns + 5);
    tare_core_overhead_add(1, 0);
    assert_int_equal(tare_self.event_source, TARE_EVENT_NONE);
}

// --- the compensated clock ---

void compensated_clock_is_clock_less_delay(void **)
{
    assert_ns_equal(tare_core_compensated_now_ns(), origin_ns);
    at(100);
    tare_core_overhead_add(30, 0);
    assert_ns_equal(tare_core_compensated_now_ns(), origin_ns + 70);
    assert_ns_equal(tare_core_now_ns(), origin_ns + 100);
    assert_ns_equal(tare_self.residue_ns, 0);
}

void overhead_beyond_what_has_elapsed_is_residue(void **)
{
    tare_core_compensated_now_ns();
    at(100);
    tare_core_overhead_add(130, 0);
    assert_ns_equal(tare_core_compensated_now_ns(), origin_ns);
    assert_ns_equal(tare_self.residue_ns, 30);
    assert_ns_equal(tare_self.delay_ns, 100);
    assert_ns_equal(tare_self.delay_lo_ns, 100);
    assert_ns_equal(tare_self.delay_hi_ns, 100);
}

void overhead_beyond_what_has_elapsed_is_residue_at_an_event_too(void **)
{
    tare_core_event(origin_ns);
    tare_core_overhead_add(40, 0);
    tare_core_event(origin_ns + 10);
    assert_ns_equal(tare_self.residue_ns, 30);
    tare_core_overhead_add(25, 0);
    enter_at(20);
    assert_ns_equal(tare_self.residue_ns, 45);
    assert_ns_equal(tare_self.delay_ns, 20);
}

// Overhead of every size, more than elapsed on average; a small generator, so that each run is the same.
void compensated_clock_never_runs_backwards(void **)
{
    std::uint32_t random = 1;
    std::int64_t last = tare_core_compensated_now_ns();
    for (int i = 0; i < 10'000; ++i) {
        random = random * 1664525u + 1013904223u;
        fake_clock::now_ns += random >> 28;
        tare_core_overhead_add(static_cast<std::int64_t>(random >> 16 & 31) - 8, random);
        const std::int64_t now = tare_core_compensated_now_ns();
        if (now < last)
            fail_msg("step %d: %lld ns before the last", i, static_cast<long long>(last - now));
        last = now;
    }
    assert_true(tare_self.residue_ns > 0);
}

void test_set_delay_gives_the_thread_a_delay(void **)
{
    tare_core_compensated_now_ns();
    tare_core_test_set_delay(7 * second);
    assert_ns_equal(tare_core_compensated_now_ns(), origin_ns - 7 * second);
    assert_ns_equal(tare_wire_delay_ns(tare_core_stamp()), 7 * second);
    assert_ns_equal(tare_self.residue_ns, 0);
}

// --- stamps ---

void stamp_without_a_tool_reads_the_clock_each_time(void **)
{
    at(10);
    assert_ns_equal(tare_wire_time_near_ns(tare_core_stamp(), origin_ns), origin_ns + 10);
    at(20);
    assert_ns_equal(tare_wire_time_near_ns(tare_core_stamp(), origin_ns), origin_ns + 20);
}

void stamp_after_the_tools_time_stamp_reads_no_clock(void **)
{
    tare_core_event(origin_ns + 5);
    at(50);
    count_clock_reads();
    const tare_wire_t w = tare_core_stamp();
    assert_ns_equal(tare_wire_time_near_ns(w, origin_ns), origin_ns + 5);
    assert_int_equal(fake_clock::reads, 0);
}

void enter_after_the_tools_time_stamp_keeps_it(void **)
{
    tare_core_event(origin_ns + 5);
    enter_at(50);
    assert_ns_equal(tare_self.event_ns, origin_ns + 5);
    assert_int_equal(tare_self.event_source, TARE_EVENT_TOOL);
}

void enter_without_a_tool_forgets_the_last_call(void **)
{
    enter_at(50);
    enter_at(70);
    assert_ns_equal(tare_self.event_ns, origin_ns + 70);
}

void stamp_carries_delay_and_flags(void **)
{
    tare_core_overhead_add(-12, 0);
    const tare_wire_t w = tare_core_stamp();
    assert_ns_equal(tare_wire_delay_ns(w), -12);
    assert_true(tare_wire_is_sharp(w));
    assert_int_equal(tare_wire_flags(w),
                     TARE_WIRE_TIME_VALID | TARE_WIRE_ACTIVE | TARE_WIRE_VERSION << TARE_WIRE_VERSION_SHIFT);
}

void stamp_carries_whole_nanoseconds_and_the_rest_stays(void **)
{
    tare_core_overhead_add(3, 0xc0000000u);
    assert_ns_equal(tare_wire_delay_ns(tare_core_stamp()), 3);
    assert_int_equal(tare_self.fraction, 0xc0000000u);
}

void stamp_of_a_delay_beyond_the_wire_saturates_and_is_counted(void **)
{
    tare_core_test_set_delay(TARE_WIRE_DELAY_MAX_NS);
    assert_ns_equal(tare_wire_delay_ns(tare_core_stamp()), TARE_WIRE_DELAY_MAX_NS);
    assert_int_equal(tare_self.saturated, 0);
    tare_core_test_set_delay(TARE_WIRE_DELAY_MAX_NS + 1);
    assert_ns_equal(tare_wire_delay_ns(tare_core_stamp()), TARE_WIRE_DELAY_MAX_NS);
    assert_int_equal(tare_self.saturated, 1);
    tare_core_test_set_delay(TARE_WIRE_DELAY_MIN_NS - 1);
    assert_ns_equal(tare_wire_delay_ns(tare_core_stamp()), TARE_WIRE_DELAY_MIN_NS);
    assert_int_equal(tare_self.saturated, 2);
    assert_ns_equal(tare_self.delay_ns, TARE_WIRE_DELAY_MIN_NS - 1);
}

// --- the tool's own messages ---

void stamp_of_a_muted_thread_carries_nothing(void **)
{
    tare_core_overhead_add(99, 0);
    tare_self.muted = 1;
    const tare_wire_t w = tare_core_stamp();
    assert_true(tare_wire_flags(w) & TARE_WIRE_MUTED);
    assert_false(tare_wire_flags(w) & TARE_WIRE_TIME_VALID);
    assert_ns_equal(tare_wire_delay_ns(w), 0);
}

void join_of_a_muted_thread_changes_nothing(void **)
{
    tare_core_overhead_add(99, 0);
    tare_self.muted = 1;
    const tare_thread_t before = tare_self;
    join_at(500, edge_from(new_peer(), sent_at(100, 0)));
    assert_memory_equal(&tare_self, &before, sizeof before);
}

void join_of_a_muted_stamp_changes_nothing(void **)
{
    tare_core_overhead_add(99, 0);
    tare_self.muted = 1;
    const tare_wire_t muted = tare_core_stamp();
    tare_self.muted = 0;
    const tare_thread_t before = tare_self;
    join_at(500, edge_from(new_peer(), muted));
    assert_memory_equal(&tare_self, &before, sizeof before);
}

void post_of_a_muted_thread_and_reply_to_a_muted_stamp_carry_nothing(void **)
{
    tare_self.muted = 2;
    tare_post_t post = {1, 1};
    tare_core_post(&post);
    assert_ns_equal(post.post_ns, 0);
    const tare_edge_t muted = edge_from(new_peer(), tare_core_stamp());
    tare_self.muted = 0;
    assert_true(tare_wire_flags(tare_core_reply(&muted, &post)) & TARE_WIRE_MUTED);
}

// It declares what that took behind it, and all of that has elapsed then.
void compensated_clock_stands_while_a_thread_is_muted(void **)
{
    fake_clock::now_ns = second;
    tare_core_event(second);
    tare_core_overhead_add(0, 0);
    tare_self.muted = 1;
    fake_clock::now_ns = second + 500;
    count_clock_reads();
    tare_core_enter();
    tare_core_poll();
    tare_core_poll_end(1);
    assert_int_equal(fake_clock::reads, 0);
    tare_self.muted = 0;
    fake_clock::now_ns = second + 700;
    tare_core_overhead_add(600, 0);
    tare_core_event(fake_clock::now_ns);
    assert_ns_equal(tare_self.residue_ns, 0);
    assert_ns_equal(tare_self.delay_ns, 600);
    assert_ns_equal(tare_self.compensated_ns, second + 100);
}

// The thread polls in a call of the tool, the packet answers the program's message.
void reply_in_a_muted_call_carries_the_delay(void **)
{
    tare_core_overhead_add(3, 0);
    tare_self.muted = 1;
    at(20);
    const tare_edge_t e = edge_from(new_peer(), sent_at(10, 5));
    assert_ns_equal(tare_wire_delay_ns(tare_core_reply(&e, nullptr)), 3);
}

// --- threads, table ---

void *declare_and_look(void *result)
{
    tare_core_overhead_add(5, 0);
    *static_cast<tare_thread_t *>(result) = *tare_core_thread();
    return nullptr;
}

// Nobody waited, so no time is compared.
void new_thread_inherits_delay_and_bounds(void **)
{
    const tare_wire_t creator = sent_at(100, 70, {20, 40});
    enter_at(50);
    count_clock_reads();
    tare_core_inherit(&creator);
    assert_int_equal(fake_clock::reads, 0);
    assert_ns_equal(tare_self.delay_ns, 70);
    assert_true(tare_self.delay_lo_ns <= 50 && tare_self.delay_hi_ns >= 110);
    assert_int_equal(tare_self.event_source, TARE_EVENT_NONE);
}

// Its clock may be behind that of the thread that had this block before, if any.
void new_thread_s_compensated_clock_begins_anew(void **)
{
    const tare_wire_t creator = sent_at(100, 70);
    at(100);
    const std::int64_t before = tare_core_compensated_now_ns();
    tare_core_inherit(&creator);
    assert_ns_equal(tare_core_compensated_now_ns(), before - 70);
}

void new_thread_inherits_nothing_where_nothing_is_carried(void **)
{
    const tare_wire_t inactive = {0, 0};
    tare_core_overhead_add(99, 0);
    tare_core_inherit(&inactive);
    assert_ns_equal(tare_self.delay_ns, 99);
    tare_self.muted = 1;
    const tare_wire_t muted = tare_core_stamp();
    tare_self.muted = 0;
    tare_core_inherit(&muted);
    assert_ns_equal(tare_self.delay_ns, 99);
}

void thread_has_its_own_delay_and_number(void **)
{
    tare_thread_t other[2];
    tare_core_overhead_add(100, 0);
    for (tare_thread_t &o : other) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, nullptr, declare_and_look, &o), 0);
        assert_int_equal(pthread_join(thread, nullptr), 0);
    }
    assert_ns_equal(tare_self.delay_ns, 100);
    assert_ns_equal(other[0].delay_ns, 5);
    assert_ns_equal(other[1].delay_ns, 5);
    assert_int_equal(tare_self.number, 1);
    assert_int_equal(other[0].number, 2);
    assert_int_equal(other[1].number, 3);
    assert_int_equal(tare_global.threads, 3);
}

void table_leads_to_the_core(void **)
{
    assert_int_equal(tare_core_table.version, TARE_TRANSPORT_VERSION);
    assert_int_equal(tare_core_table.size, sizeof tare_core_table);
    assert_int_equal(tare_core_table.wire_version, TARE_WIRE_VERSION);
    assert_int_equal(tare_core_table.carries_header, 0);
    assert_ptr_equal(tare_core_table.global, &tare_global);
    assert_ptr_equal(tare_core_table.thread(), &tare_self);
    tare_core_table.overhead_add(4, 0);
    assert_ns_equal(tare_self.delay_ns, 4);
    assert_ns_equal(tare_core_table.now_ns(), origin_ns - 4);
    tare_core_table.configure(TARE_MODE_HEADER, TARE_RULE_PUBLISHED, 1);
    assert_int_equal(tare_global.mode, TARE_MODE_HEADER);
    assert_int_equal(tare_global.rule, TARE_RULE_PUBLISHED);
    assert_int_equal(tare_global.carry, 1);
}

void size_class_is_the_binary_logarithm(void **)
{
    assert_int_equal(tare_size_class(TARE_CLASS_EAGER, 0), TARE_CLASS_EAGER);
    assert_int_equal(tare_size_class(TARE_CLASS_EAGER, 1), TARE_CLASS_EAGER + 1);
    assert_int_equal(tare_size_class(TARE_CLASS_EAGER, 1023), TARE_CLASS_EAGER + 10);
    assert_int_equal(tare_size_class(TARE_CLASS_DATA, 1 << 20), TARE_CLASS_DATA + 20);
    assert_true(tare_size_class(TARE_CLASS_EAGER, INT64_MAX - 1) < TARE_CLASS_DATA);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test_setup(stamp_of_inactive_process_is_all_zero, inactive),
        cmocka_unit_test_setup(enter_of_inactive_process_reads_no_clock, inactive),
        cmocka_unit_test_setup(post_of_inactive_process_is_not_known, inactive),
        cmocka_unit_test_setup(join_of_inactive_stamp_changes_nothing, inactive),
        cmocka_unit_test_setup(reply_of_inactive_process_is_all_zero, inactive),
        cmocka_unit_test_setup(join_of_an_active_peer_activates, inactive),
        cmocka_unit_test_setup(overhead_of_nothing_activates, inactive),
        cmocka_unit_test_setup(event_activates, inactive),
        cmocka_unit_test_setup(overhead_moves_delay_and_bounds, active),
        cmocka_unit_test_setup(overhead_fractions_are_carried, active),
        cmocka_unit_test_setup(overhead_of_a_billion_probes_does_not_drift, active),
        cmocka_unit_test_setup(overhead_ends_the_event, active),
        cmocka_unit_test_setup(compensated_clock_is_clock_less_delay, active),
        cmocka_unit_test_setup(overhead_beyond_what_has_elapsed_is_residue, active),
        cmocka_unit_test_setup(overhead_beyond_what_has_elapsed_is_residue_at_an_event_too, active),
        cmocka_unit_test_setup(compensated_clock_never_runs_backwards, active),
        cmocka_unit_test_setup(test_set_delay_gives_the_thread_a_delay, active),
        cmocka_unit_test_setup(stamp_without_a_tool_reads_the_clock_each_time, active),
        cmocka_unit_test_setup(stamp_after_the_tools_time_stamp_reads_no_clock, active),
        cmocka_unit_test_setup(enter_after_the_tools_time_stamp_keeps_it, active),
        cmocka_unit_test_setup(enter_without_a_tool_forgets_the_last_call, active),
        cmocka_unit_test_setup(stamp_carries_delay_and_flags, active),
        cmocka_unit_test_setup(stamp_carries_whole_nanoseconds_and_the_rest_stays, active),
        cmocka_unit_test_setup(stamp_of_a_delay_beyond_the_wire_saturates_and_is_counted, active),
        cmocka_unit_test_setup(stamp_of_a_muted_thread_carries_nothing, active),
        cmocka_unit_test_setup(join_of_a_muted_thread_changes_nothing, active),
        cmocka_unit_test_setup(compensated_clock_stands_while_a_thread_is_muted, active),
        cmocka_unit_test_setup(join_of_a_muted_stamp_changes_nothing, active),
        cmocka_unit_test_setup(post_of_a_muted_thread_and_reply_to_a_muted_stamp_carry_nothing, active),
        cmocka_unit_test_setup(reply_in_a_muted_call_carries_the_delay, active),
        cmocka_unit_test_setup(new_thread_inherits_delay_and_bounds, active),
        cmocka_unit_test_setup(new_thread_s_compensated_clock_begins_anew, active),
        cmocka_unit_test_setup(new_thread_inherits_nothing_where_nothing_is_carried, active),
        cmocka_unit_test_setup(thread_has_its_own_delay_and_number, active),
        cmocka_unit_test_setup(table_leads_to_the_core, active),
        cmocka_unit_test_setup(size_class_is_the_binary_logarithm, active),
    };
    return cmocka_run_group_tests_name("core", tests, nullptr, nullptr);
}
