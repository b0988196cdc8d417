// SPDX-License-Identifier: BSD-3-Clause
// Collective operations whose calls begin and end apart: which are one, and what was in memory when.
#include "cmocka_cpp.hpp"
#include "program.hpp"

namespace {

using namespace tare::comms;
using namespace tare::comms::test;

// --- which are one ---

constexpr std::uint32_t first_operation = TARE_TRACE_ALLTOALL, second_operation = TARE_TRACE_ALLGATHER;

// Of two processes, each of which wants what the other sends.
class two_processes {
  public:
    gatherings::turn_pointer begin(std::uint32_t process, beginning how = beginning::nonblocking)
    {
        return all_.begin(process, how);
    }

    void end(const gatherings::turn_pointer &t, std::uint32_t process, std::uint32_t operation)
    {
        contribution c;
        c.communicator = 0;
        c.process = c.rank = process;
        c.size = 2;
        c.operation = operation;
        c.sender = std::make_shared<call_end>();
        c.sender->contents = operation;
        c.parts = {{{}, 8, {}}};
        c.wanting = {{std::make_shared<transfer>(), 1 - process, process}};
        c.wanting[0].what->operation = operation;
        all_.end(t, std::move(c));
    }

    void give_up(const gatherings::turn_pointer &t) { all_.give_up(t); }

    std::uint64_t unpaired() const { return all_.unpaired(); }
    int paired() const { return paired_; }

  private:
    int paired_ = 0;
    gatherings all_{[this](const transfer_pointer &t, const end_pointer &sender, const sent_part &) {
        assert_int_equal(t->operation, sender->contents);
        paired_++;
    }};
};

void operations_are_one_by_their_beginnings_however_they_end(void **)
{
    two_processes p;
    const auto a0 = p.begin(0), b0 = p.begin(0), a1 = p.begin(1), b1 = p.begin(1);
    p.end(b0, 0, second_operation);
    p.end(a1, 1, first_operation);
    p.end(b1, 1, second_operation);
    assert_int_equal(p.paired(), 0);
    assert_int_equal(p.unpaired(), 3);
    p.end(a0, 0, first_operation);
    assert_int_equal(p.paired(), 4);
    assert_int_equal(p.unpaired(), 0);
}

void other_kinds_do_not_wait_for_one_that_is_open(void **)
{
    two_processes p;
    const auto open = p.begin(0);
    p.end(p.begin(1), 1, first_operation);
    for (const beginning how : {beginning::blocking, beginning::persistent})
        for (const std::uint32_t process : {0, 1})
            p.end(p.begin(process, how), process, second_operation);
    assert_int_equal(p.paired(), 4);
    p.end(open, 0, first_operation);
    assert_int_equal(p.paired(), 6);
}

void one_that_does_not_end_leaves_those_behind_it_unpaired(void **)
{
    two_processes p;
    p.begin(0);
    for (const std::uint32_t process : {0, 1})
        p.end(p.begin(process), process, first_operation);
    assert_int_equal(p.paired(), 0);
    assert_int_equal(p.unpaired(), 2);
}

void one_that_is_given_up_counts_for_nobody(void **)
{
    two_processes p;
    const auto given_up = p.begin(0);
    for (const std::uint32_t process : {0, 1})
        p.end(p.begin(process), process, first_operation);
    p.give_up(given_up);
    assert_int_equal(p.paired(), 2);
    assert_int_equal(p.unpaired(), 0);
}

void unlike_operations_are_not_one(void **)
{
    two_processes p;
    p.end(p.begin(0), 0, first_operation);
    p.end(p.begin(1), 1, second_operation);
    assert_int_equal(p.paired(), 0);
    assert_true(p.unpaired() > 0);
}

// --- memory ---

void data_are_sent_as_an_operation_begins_and_there_when_it_is_complete(void **)
{
    constexpr std::uint64_t own = 0x100, sent = 0x200, received = 0x300, other = 0x400, other_received = 0x500;
    program p;
    p.name(0, sent, 0);
    p.message(1, own, sent + 8);         // goes to rank 1 in the operation
    p.begin(0, sent, received);
    p.begin(1, other, other_received);
    p.name(0, sent, 1);
    p.message(0, received + 8, own);
    for (const std::uint32_t rank : {0, 1})
        p.call(wait_region, p.event(rank, TARE_ARCHIVE_COLLECTIVE_COMPLETE, 7));
    p.message(0, received + 8, own);
    const result found = p.end();
    assert_int_equal(found.transfers, 5);
    assert_int_equal(found.not_ended + found.unpaired + found.outside, 0);
    std::uint64_t of_messages = 0, of_operations = 0;
    for (const transfer_class &c : found.classes)
        for (std::uint32_t i = 0; i < found.classes.size(); i++) {
            const bool is_message = c.operation == transfer::message,
                       was_message = found.classes[i].operation == transfer::message;
            of_messages += !is_message && was_message ? with_previous(c, i) : 0;
            of_operations += is_message && !was_message ? with_previous(c, i) : 0;
            assert_true(is_message || (c.from.call == begin_region && c.to.call == begin_region));
            assert_true(is_message || c.sender_ns + c.receiver_ns > 0);
        }
    assert_int_equal(of_messages, 1);
    assert_int_equal(of_operations, 1);
}

void operation_without_its_beginning_or_its_end_is_counted(void **)
{
    program p;
    p.call(wait_region, p.event(0, TARE_ARCHIVE_COLLECTIVE_COMPLETE, 7));
    p.begin(1, 0x100, 0x200);
    const result found = p.end();
    assert_int_equal(found.not_ended, 2);
    assert_int_equal(found.transfers, 0);
    assert_true(found.communicating_ns > 0);
    assert_int_equal(found.not_ended_ns, found.communicating_ns);
    assert_int_equal(found.unpaired_ns, 0);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(operations_are_one_by_their_beginnings_however_they_end),
        cmocka_unit_test(other_kinds_do_not_wait_for_one_that_is_open),
        cmocka_unit_test(one_that_does_not_end_leaves_those_behind_it_unpaired),
        cmocka_unit_test(one_that_is_given_up_counts_for_nobody),
        cmocka_unit_test(unlike_operations_are_not_one),
        cmocka_unit_test(data_are_sent_as_an_operation_begins_and_there_when_it_is_complete),
        cmocka_unit_test(operation_without_its_beginning_or_its_end_is_counted),
    };
    return cmocka_run_group_tests_name("gatherings", tests, nullptr, nullptr);
}
