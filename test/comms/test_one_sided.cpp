// SPDX-License-Identifier: BSD-3-Clause
// Operations on windows: which memory of the target they reach, what was there before, and windows that tell late.
#include "cmocka_cpp.hpp"
#include "program.hpp"

namespace {

using namespace tare::comms;
using namespace tare::comms::test;

constexpr std::uint64_t own = 0x100, window = 0x800, elsewhere = 0x400;
constexpr std::int64_t third = 2, third_bytes = 16;

const transfer_class &class_of(const result &found, std::uint32_t operation)
{
    for (const transfer_class &c : found.classes)
        if (c.operation == operation)
            return c;
    fail_msg("no class of operation %u", operation);
    return found.classes.front();
}

std::uint32_t number_of(const result &found, const transfer_class &c)
{
    return static_cast<std::uint32_t>(&c - found.classes.data());
}

void put_is_what_the_target_sends_on(void **)
{
    program p;
    p.make_window(0, 0x700);
    p.make_window(1, window);
    p.operate(0, TARE_ARCHIVE_RMA_PUT, own, third, 1);
    p.call(wait_region, p.event(0, TARE_ARCHIVE_RMA_COMPLETE, 1));
    p.message(1, window + third_bytes, elsewhere);
    p.message(1, window, elsewhere);
    const result found = p.end();
    assert_int_equal(found.transfers, 3);
    assert_int_equal(found.unpaired + found.without_memory + found.outside, 0);
    const transfer_class &put = class_of(found, transfer::put), &message = class_of(found, transfer::message);
    const pair_sum &pair = put.pairs.at({0, 1});
    assert_int_equal(pair.received.lowest, window + third_bytes);
    assert_int_equal(pair.sent.lowest, own);
    assert_int_equal(put.from.call, put_region);
    assert_int_equal(put.to.call, unknown);
    assert_int_equal(put.sender_ns, 4);          // the call that begins it, and the one that completes it
    assert_int_equal(put.receiver_ns, 0);
    assert_int_equal(with_previous(message, number_of(found, put)), 1);
}

void get_has_what_was_brought_to_its_target(void **)
{
    program p;
    p.make_window(0, 0x700);
    p.make_window(1, window);
    p.message(0, own, window);
    p.operate(0, TARE_ARCHIVE_RMA_GET, elsewhere, 0, 1);
    p.message(0, elsewhere, own);
    const result found = p.end();
    const transfer_class &get = class_of(found, transfer::get);
    assert_int_equal(get.from.call, unknown);
    assert_int_equal(get.to.call, put_region);
    assert_true(get.pairs.count({1, 0}) == 1);
    assert_int_equal(get.previous_bytes, 8);
    std::uint64_t behind = 0;
    for (const transfer_class &c : found.classes)
        behind += with_previous(c, number_of(found, get));
    assert_int_equal(behind, 1);
}

void atomic_operation_brings_back_what_was_there(void **)
{
    program p;
    p.make_window(0, 0x700);
    p.make_window(1, window);
    p.operate(0, TARE_ARCHIVE_RMA_ATOMIC, own, third, 1);
    p.operate(0, TARE_ARCHIVE_RMA_ATOMIC, own, third, 2);
    const result found = p.end();
    assert_int_equal(found.transfers, 4);
    const std::uint32_t goes = number_of(found, class_of(found, transfer::accumulate));
    std::uint64_t own_data = 0, others = 0;
    for (const transfer_class &c : found.classes)
        if (c.operation == transfer::fetch) {
            own_data += with_previous(c, unknown);
            others += with_previous(c, goes);
        }
    assert_int_equal(own_data, 1);
    assert_int_equal(others, 1);
    for (const transfer_class &c : found.classes)        // what was combined there does not only pass through
        assert_int_equal(c.relayed.transfers + c.returned.transfers, 0);
}

// A process may come out of the call that makes a window behind those that put into it.
void window_that_tells_late_is_waited_for(void **)
{
    program p;
    p.make_window(0, 0x700);
    p.operate(0, TARE_ARCHIVE_RMA_PUT, own, 0, 1);
    p.operate(0, TARE_ARCHIVE_RMA_GET, elsewhere, third, 2);
    p.make_window(1, window);
    p.message(1, window, elsewhere);
    const result found = p.end();
    assert_int_equal(found.transfers, 3);
    assert_int_equal(found.unpaired + found.without_memory, 0);
    const transfer_class &put = class_of(found, transfer::put);
    assert_int_equal(put.pairs.at({0, 1}).received.lowest, window);
    assert_int_equal(with_previous(class_of(found, transfer::message), number_of(found, put)), 1);
}

void window_that_never_tells_is_said(void **)
{
    program p;
    p.make_window(0, 0x700);
    p.operate(0, TARE_ARCHIVE_RMA_PUT, own, 0, 1);
    p.call(wait_region, p.event(0, TARE_ARCHIVE_RMA_COMPLETE, 1));
    const result found = p.end();
    assert_int_equal(found.transfers, 0);
    assert_int_equal(found.unpaired, 1);
    assert_int_equal(found.unpaired_ns, found.communicating_ns);
}

void attached_memory_is_reached_by_its_address(void **)
{
    program p;
    p.make_window(0, 0);
    p.make_window(1, 0);
    p.operate(0, TARE_ARCHIVE_RMA_PUT, own, elsewhere, 1);
    const result found = p.end();
    assert_int_equal(class_of(found, transfer::put).pairs.at({0, 1}).received.lowest, elsewhere);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(put_is_what_the_target_sends_on),
        cmocka_unit_test(get_has_what_was_brought_to_its_target),
        cmocka_unit_test(atomic_operation_brings_back_what_was_there),
        cmocka_unit_test(window_that_tells_late_is_waited_for),
        cmocka_unit_test(window_that_never_tells_is_said),
        cmocka_unit_test(attached_memory_is_reached_by_its_address),
    };
    return cmocka_run_group_tests_name("one_sided", tests, nullptr, nullptr);
}
