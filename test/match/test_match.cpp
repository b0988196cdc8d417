// SPDX-License-Identifier: BSD-3-Clause
// Pairs of sends and receives: tables of messages whose truth is known, random programs against the methods written down
// as plainly as they are told, and what is kept in memory.
#include "random_program.hpp"

#include <cstdio>
#include <exception>

#include "cmocka_cpp.hpp"

using namespace matching;
using namespace tare::match;

namespace {

std::vector<scenario> scenarios;

// --- the table ---

void expect(const scenario &s, const std::string &what, const std::string &found)
{
    const auto line = s.expected.find(what);
    const std::string nothing = "cancelled=0/0 never=0 cut=0 before=0 unknown=0 repeated=0 passed=0";
    const std::string &expected = line != s.expected.end() ? line->second : nothing;
    if (found != expected)
        print_error("%s: %s, expected %s\n", what.c_str(), found.c_str(), expected.c_str());
    assert_true(found == expected);
}

void scenario_holds(void **state)
{
    const scenario &s = *static_cast<const scenario *>(*state);
    static match_result result;
    result = match(s);
    for (int m = 0; m < method_count; m++)
        expect(s, method_names[m], text_of(result, m));
    expect(s, "all", text_of_all(result));
}

// --- random programs ---

bool is_send(const tare_archive_event_t &e) { return e.kind == TARE_ARCHIVE_SEND; }
bool is_receive(const tare_archive_event_t &e) { return e.kind == TARE_ARCHIVE_RECV || e.kind == TARE_ARCHIVE_IRECV; }

struct counts {
    std::uint64_t forward = 0, forward_wrong = 0, backward = 0, backward_wrong = 0;
    std::uint64_t open = 0, open_wrong = 0, received = 0;
};

// The published search, event by event through all that come behind it or before it.
class plain_search {
  public:
    explicit plain_search(const scenario &s) : s_(s), all_(s.events), is_taken_(all_.size()) {}

    counts run()
    {
        for (std::size_t i = 0; i < all_.size(); i++) {
            if (is_send(all_[i]))
                forward(i);
            if (is_receive(all_[i]))
                backward(i);
        }
        return result_;
    }

  private:
    std::uint32_t process(const tare_archive_event_t &e) const { return e.location / s_.threads; }
    bool are_alike(const tare_archive_event_t &send, const tare_archive_event_t &receive) const
    {
        return is_send(send) && is_receive(receive) && send.peer == process(receive) && receive.peer == process(send) &&
               send.tag == receive.tag && send.length == receive.length;
    }
    bool are_one_message(const tare_archive_event_t &send, const tare_archive_event_t &receive) const
    {
        return send.location % s_.threads == receive.peer_thread && send.sequence == receive.sequence;
    }

    void forward(std::size_t i)
    {
        for (std::size_t k = i + 1; k < all_.size(); k++)
            if (are_alike(all_[i], all_[k])) {
                result_.forward++;
                result_.forward_wrong += are_one_message(all_[i], all_[k]) ? 0 : 1;
                return;
            }
    }

    // Where as many receives have come as there were sends, both searches give up: see search.hpp.
    void backward(std::size_t i)
    {
        result_.received++;
        std::size_t first = 0;
        while (first < i && (is_taken_[first] || !are_alike(all_[first], all_[i])))
            first++;
        if (first == i)
            return;
        std::size_t latest = i;
        while (!are_alike(all_[--latest], all_[i]))
            continue;
        is_taken_[first] = 1;
        result_.open++;
        result_.open_wrong += are_one_message(all_[first], all_[i]) ? 0 : 1;
        result_.backward++;
        result_.backward_wrong += are_one_message(all_[latest], all_[i]) ? 0 : 1;
    }

    const scenario &s_;
    const std::vector<tare_archive_event_t> &all_;
    std::vector<char> is_taken_;
    counts result_;
};

bool agree(const scenario &s, std::uint32_t seed)
{
    const counts plain = plain_search(s).run();
    const match_result found = match(s);
    const auto &of = found.methods;
    const bool good = of[method_forward].pairs == plain.forward && of[method_backward].pairs == plain.backward &&
                      of[method_open].pairs == plain.open && of[method_sequence].pairs == plain.received &&
                      of[method_forward].from_sequence.wrong == plain.forward_wrong &&
                      of[method_backward].from_sequence.wrong == plain.backward_wrong &&
                      of[method_open].from_sequence.wrong == plain.open_wrong;
    if (!good)
        print_error("seed %u\n", seed);
    return good;
}

constexpr std::uint32_t programs = 200;

void search_finds_what_a_plain_one_finds(void **)
{
    program_wish wish;
    wish.threads = 2;
    wish.overtaking_percent = 30;
    for (std::uint32_t seed = 0; seed < programs; seed++)
        assert_true(agree(random_program(wish, seed), seed));
}

// UINT64_MAX: there were too few messages to tell anything.
std::uint64_t wrong_by_fifo(const program_wish &wish, std::uint32_t seed)
{
    const scenario s = random_program(wish, seed);
    const match_result found = match(s);
    const tally &fifo = found.methods[method_fifo];
    return fifo.pairs < 10 ? UINT64_MAX : fifo.from_sequence.wrong;
}

void fifo_is_the_truth_where_processes_have_one_thread(void **)
{
    program_wish wish;
    wish.most_skew_ns = 100'000;
    for (std::uint32_t seed = 0; seed < programs; seed++)
        assert_int_equal(wrong_by_fifo(wish, seed), 0);
}

void fifo_is_wrong_where_threads_overtake(void **)
{
    program_wish wish;
    wish.threads = 2;
    wish.overtaking_percent = 30;
    std::uint64_t wrong = 0;
    for (std::uint32_t seed = 0; seed < programs; seed++) {
        const std::uint64_t here = wrong_by_fifo(wish, seed);
        assert_int_not_equal(here, UINT64_MAX);
        wrong += here;
    }
    assert_in_range(wrong, programs, UINT32_MAX);
}

bool add_up(const match_result &found)
{
    for (int m = method_open; m < method_count; m++) {
        const tally &t = found.methods[m];
        if (t.pairs + t.sends_left != found.sends || t.pairs + t.receives_left != found.receives)
            return false;
    }
    return found.methods[method_forward].pairs + found.methods[method_forward].sends_left == found.sends &&
           found.methods[method_backward].pairs + found.methods[method_backward].receives_left == found.receives;
}

std::uint64_t messages_between_threads(const match_result &found, int m)
{
    std::uint64_t sum = 0;
    for (const auto &[ends, of] : found.threads)
        sum += of[m];
    return sum;
}

void every_send_and_receive_is_in_a_pair_or_left(void **)
{
    program_wish wish;
    wish.threads = 3;
    wish.most_skew_ns = 1000;
    static match_result found;
    for (std::uint32_t seed = 0; seed < programs; seed++) {
        found = match(random_program(wish, seed));
        assert_true(add_up(found));
        for (int m = 0; m < method_count; m++)
            assert_int_equal(messages_between_threads(found, m), found.methods[m].pairs);
    }
}

// --- memory ---

tare_archive_event_t message(std::uint32_t location, std::uint32_t kind, std::uint64_t number)
{
    tare_archive_event_t e{};
    e.kind = kind;
    e.location = location;
    e.peer = 1 - location;
    e.tag = static_cast<std::uint32_t>(number);
    e.known = TARE_ARCHIVE_SEQUENCE | TARE_ARCHIVE_PEER_THREAD;
    e.sequence = number;
    e.request = number;
    return e;
}

// Tags that never come again, and a receive that stays open from the beginning on.
std::uint64_t most_open_of(std::uint64_t messages, std::size_t most_waiting, std::uint64_t *passed_over)
{
    matcher m({{0, 0}, {1, 0}}, false, most_waiting);
    m.add(message(1, TARE_ARCHIVE_IRECV_REQUEST, UINT64_MAX));
    for (std::uint64_t i = 0; i < messages; i++) {
        m.add(message(0, TARE_ARCHIVE_SEND, i));
        m.add(message(1, TARE_ARCHIVE_RECV, i));
    }
    const match_result result = m.finish();
    *passed_over = result.passed_over;
    return result.methods[method_fifo].pairs == messages ? result.most_open : UINT64_MAX;
}

void memory_is_bounded_by_open_messages(void **)
{
    std::uint64_t passed_over = 0;
    assert_in_range(most_open_of(100'000, 100, &passed_over), 1, 300);
    assert_int_equal(passed_over, 1);
    assert_in_range(most_open_of(50, 100, &passed_over), 50, 300);
    assert_int_equal(passed_over, 0);
}

}  // namespace

int main()
{
    std::vector<CMUnitTest> tests;
    try {
        scenarios = read_scenarios(TARE_SCENARIOS);
    } catch (const std::exception &e) {
        std::printf("Bail out! %s\n", e.what());
        return 1;
    }
    for (scenario &s : scenarios)
        tests.push_back({s.name.c_str(), scenario_holds, nullptr, nullptr, &s});
    for (const CMUnitTest &test : {CMUnitTest cmocka_unit_test(search_finds_what_a_plain_one_finds),
                                   CMUnitTest cmocka_unit_test(fifo_is_the_truth_where_processes_have_one_thread),
                                   CMUnitTest cmocka_unit_test(fifo_is_wrong_where_threads_overtake),
                                   CMUnitTest cmocka_unit_test(every_send_and_receive_is_in_a_pair_or_left),
                                   CMUnitTest cmocka_unit_test(memory_is_bounded_by_open_messages)})
        tests.push_back(test);
    return _cmocka_run_group_tests("match", tests.data(), tests.size(), nullptr, nullptr);
}
