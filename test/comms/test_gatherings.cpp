// SPDX-License-Identifier: BSD-3-Clause
// Collective operations whose calls begin and end apart: which are one, and what was in memory when.
#include "communication.hpp"
#include "gatherings.hpp"

#include "cmocka_cpp.hpp"

namespace {

using namespace tare::comms;

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

enum regions : std::uint32_t { send_region, receive_region, begin_region, wait_region, data_region };
constexpr const char *region_names[] = {"MPI_Send", "MPI_Recv", "MPI_Ialltoall", "MPI_Wait", "tare_data()"};
constexpr const char *texts[] = {"old", "new"};
constexpr tare_archive_process_t processes[] = {{"rank 0", 0}, {"rank 1", 1}};
constexpr tare_archive_location_t locations[] = {{"", 0, 0, 0}, {"", 1, 0, 1}};
constexpr std::uint32_t members[] = {0, 1};
constexpr tare_archive_communicator_t communicators[] = {{"", 2, 0, members}};
constexpr tare_archive_t two_ranks = {"", region_names, 5, processes, 2, locations, 2, communicators, 1,
                                      0,  1000,         "", texts,    2};

// Each event in a call of its own, one behind the other.
class program {
  public:
    tare_archive_event_t event(std::uint32_t rank, std::uint32_t kind, std::uint32_t request = 0) const
    {
        tare_archive_event_t e{};
        e.kind = kind;
        e.location = rank;
        e.peer = e.peer_rank = 1 - rank;
        e.length = 8;
        e.operation = TARE_TRACE_ALLTOALL;
        e.request = request;
        return e;
    }

    void call(std::uint32_t region, tare_archive_event_t e)
    {
        add(event(e.location, TARE_ARCHIVE_ENTER), region);
        add(e, region);
        add(event(e.location, TARE_ARCHIVE_LEAVE), region);
    }

    // A message of 8 bytes to the other rank.
    void message(std::uint32_t from, std::uint64_t sent_from, std::uint64_t received_at)
    {
        tare_archive_event_t sent = event(from, TARE_ARCHIVE_SEND), received = event(1 - from, TARE_ARCHIVE_RECV);
        sent.known = TARE_ARCHIVE_SEND_ADDRESS;
        sent.sent_buffer = {sent_from, 8, 0, 0};
        received.known = TARE_ARCHIVE_RECEIVE_ADDRESS;
        received.received_buffer = {received_at, 8, 0, 0};
        call(send_region, sent);
        call(receive_region, received);
    }

    void begin(std::uint32_t rank, std::uint64_t sent_from, std::uint64_t received_at)
    {
        tare_archive_event_t e = event(rank, TARE_ARCHIVE_COLLECTIVE_REQUEST, 7);
        e.known = TARE_ARCHIVE_SEND_ADDRESS | TARE_ARCHIVE_RECEIVE_ADDRESS;
        e.sent_buffer = {sent_from, 16, 0, 0};
        e.received_buffer = {received_at, 16, 0, 0};
        call(begin_region, e);
    }

    void name(std::uint32_t rank, std::uint64_t address, std::uint32_t text)
    {
        tare_archive_event_t e = event(rank, TARE_ARCHIVE_LEAVE);
        e.known = TARE_ARCHIVE_DATA_NAME | TARE_ARCHIVE_DATA_ADDRESS;
        e.received_buffer = {address, 16, 0, text};
        add(event(rank, TARE_ARCHIVE_ENTER), data_region);
        add(e, data_region);
    }

    result end() { return made_.finish(); }

  private:
    void add(tare_archive_event_t e, std::uint32_t region)
    {
        e.region = region;
        e.time_ns = now_++;
        made_.add(e);
    }

    std::uint64_t now_ = 0;
    communication made_{two_ranks};
};

std::uint64_t with_previous(const transfer_class &c, std::uint32_t previous)
{
    const auto found = c.previous.find(previous);
    return found == c.previous.end() ? 0 : found->second;
}

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
