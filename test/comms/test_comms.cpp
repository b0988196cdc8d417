// SPDX-License-Identifier: BSD-3-Clause
// The parts of the analysis of communication: what is known of memory, against a byte by byte one; types; classes.
#include "archive_clock.hpp"
#include "classes.hpp"
#include "layout.hpp"
#include "memory.hpp"
#include "movement.hpp"
#include "patterns.hpp"

#include <array>
#include <random>
#include <string>

#include "cmocka_cpp.hpp"

namespace {

using namespace tare::comms;

// --- times ---

void times_beyond_all_numbers_are_the_last_one(void **)
{
    assert_true(tare::plus(3, -5) == -2 && tare::minus(-5, 3) == -8);
    assert_true(tare::plus(INT64_MAX, 1) == INT64_MAX && tare::plus(INT64_MIN, -1) == INT64_MIN);
    assert_true(tare::minus(7882832067107489544, -3314649325744684066) == INT64_MAX);
    assert_true(tare::minus(INT64_MIN, 1) == INT64_MIN && tare::minus(0, INT64_MIN) == INT64_MAX);
    tare_archive_event_t event{};
    event.time_ns = INT64_MAX;
    event.removed_ns = 7;
    assert_true(tare::ns_of(event, tare::clock_change::add_removed) == INT64_MAX);
    assert_true(tare::ns_of(event, tare::clock_change::subtract_removed) == INT64_MAX - 7);
}

// --- intervals ---

constexpr std::uint64_t memory_bytes = 200;
using by_byte = std::array<int, memory_bytes>;           // 0: nothing is known

by_byte read(const interval_map<int> &map)
{
    by_byte result{};
    map.each_in({0, memory_bytes}, [&](const interval &i, int value) {
        for (std::uint64_t at = i.begin; at < i.end; at++)
            result.at(at) = value;
    });
    return result;
}

void intervals_are_as_bytes_would_be(void **)
{
    std::mt19937 random(1);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    for (int run = 0; run < 200; run++) {
        interval_map<int> map;
        by_byte plain{};
        for (int step = 1; step < 60; step++) {
            const std::uint64_t begin = below(memory_bytes), end = begin + below(memory_bytes - begin + 1);
            const bool is_erased = below(4) == 0;
            if (is_erased)
                map.erase({begin, end});
            else
                map.assign({begin, end}, step);
            std::fill(plain.begin() + static_cast<std::ptrdiff_t>(begin), plain.begin() + static_cast<std::ptrdiff_t>(end),
                      is_erased ? 0 : step);
            assert_true(read(map) == plain);
            const std::uint64_t asked = below(memory_bytes);
            const int *found = map.find(asked);
            assert_int_equal(found == nullptr ? 0 : *found, plain.at(asked));
        }
    }
}

// --- types ---

std::string pieces_text(const std::vector<interval> &pieces)
{
    std::string text;
    for (const interval &p : pieces)
        text += (text.empty() ? "" : " ") + std::to_string(p.begin) + "-" + std::to_string(p.end);
    return text;
}

void types_are_their_bytes(void **)
{
    const struct {
        const char *type, *pieces;
        std::int64_t extent;
    } types[] = {
        {"MPI_DOUBLE", "0-8", 8},
        {"contiguous(3;;MPI_INT)", "0-12", 12},
        {"vector(3,2,4;;MPI_DOUBLE)", "0-16 32-48 64-80", 80},
        {"vector(3,1,-4;;MPI_DOUBLE)", "64-72 32-40 0-8", 72},
        {"hvector(2,1;24;MPI_INT)", "0-4 24-28", 28},
        {"indexed(2,1,2,3,0;;MPI_INT)", "12-16 0-8", 16},
        {"hindexed(2,1,2;16,0;MPI_INT)", "16-20 0-8", 20},
        {"indexed_block(3,1,0,2,4;;MPI_SHORT)", "0-2 4-6 8-10", 10},
        {"hindexed_block(2,2;0,100;MPI_BYTE)", "0-2 100-102", 102},
        {"struct(2,1,2;0,8;MPI_INT,MPI_DOUBLE)", "0-4 8-24", 24},
        {"struct(2,1,1;0,8;MPI_DOUBLE,MPI_CHAR)", "0-9", 0},
        {"resized(;0,48;hvector(2,1;24;MPI_INT))", "0-4 24-28", 48},
        {"dup(;;vector(2,1,2;;MPI_INT))", "0-4 8-12", 12},
        {"contiguous(2;;resized(;0,16;MPI_DOUBLE))", "0-8 16-24", 32},
        {"subarray(2,4,6,2,3,1,2,56;;MPI_INT)", "0-12 24-36", 96},
        {"subarray(2,4,6,2,3,1,2,57;;MPI_INT)", "0-8 16-24 32-40", 96},
        // Bytes that are sent more than once.
        {"vector(3,2,1;;MPI_INT)", "0-8 4-12 8-16", 16},
        {"indexed(3,2,2,1,0,1,0;;MPI_INT)", "0-8 4-12 0-4", 12},
    };
    for (const auto &t : types) {
        const layout l = layout_of(t.type);
        if (pieces_text(l.pieces) != t.pieces || l.extent != t.extent)
            fail_msg("%s: %s, extent %lld", t.type, pieces_text(l.pieces).c_str(), static_cast<long long>(l.extent));
    }
}

void types_that_nobody_understands_are_none(void **)
{
    for (const char *type : {"", "mine", "darray(4,0,1;;MPI_INT)", "vector(3,2;;MPI_INT)", "vector(3,2,4;;mine)", "vector(3,2,4;;",
                             "indexed(9,1,2,3,4,5,6,7,...;;MPI_INT)", "contiguous(-1;;MPI_INT)", "contiguous(0;;MPI_INT)",
                             "contiguous(99999999999999999999;;MPI_INT)", "vector(9223372036854775807,1,2;;MPI_INT)",
                             "vector(4096,1,9223372036854775807;;MPI_INT)", "resized(;0,9223372036854775807;MPI_INT)",
                             "contiguous(2;;resized(;-9223372036854775808,9223372036854775807;MPI_INT))",
                             "subarray(2,4,6,2,3,1,2;;MPI_INT)", "subarray(1,9223372036854775807,1,9223372036854775807,56;;MPI_INT)",
                             "contiguous(1;;contiguous(1;;contiguous(1;;contiguous(1;;contiguous(1;;contiguous(1;;contiguous(1;;"
                             "contiguous(1;;contiguous(1;;contiguous(1;;contiguous(1;;contiguous(1;;contiguous(1;;contiguous(1;;"
                             "contiguous(1;;contiguous(1;;contiguous(1;;contiguous(1;;MPI_INT))))))))))))))))))"})
        if (layout_of(type).is_known())
            fail_msg("%s is understood", type);
}

void elements_are_placed_by_their_span(void **)
{
    const struct {
        const char *type;
        std::uint64_t span, most;
        const char *pieces;
        bool is_whole;
    } cases[] = {
        {"MPI_DOUBLE", 24, UINT64_MAX, "1000-1024", false},
        {"MPI_DOUBLE", 24, 8, "1000-1008", false},
        {"vector(2,1,2;;MPI_INT)", 12, UINT64_MAX, "1000-1004 1008-1012", false},
        {"vector(2,1,2;;MPI_INT)", 12, 6, "1000-1004 1008-1010", false},
        {"vector(2,1,2;;MPI_INT)", 24, UINT64_MAX, "1000-1004 1008-1012 1012-1016 1020-1024", false},
        {"resized(;0,4;vector(2,1,4;;MPI_INT))", 24, UINT64_MAX, "1000-1004 1016-1020 1004-1008 1020-1024", false},
        {"resized(;0,-8;MPI_INT)", 12, UINT64_MAX, "1008-1012 1000-1004", false},
        {"vector(2,1,2;;MPI_INT)", 13, UINT64_MAX, "1000-1013", true},
        {"vector(2,1,2;;MPI_INT)", 5, UINT64_MAX, "1000-1005", true},
        {"struct(2,1,1;0,8;MPI_DOUBLE,MPI_CHAR)", 9, UINT64_MAX, "1000-1009", false},
        {"struct(2,1,1;0,8;MPI_DOUBLE,MPI_CHAR)", 25, UINT64_MAX, "1000-1025", true},
        {"mine", 40, 8, "1000-1040", true},
        {"vector(2,2,1;;MPI_INT)", 24, UINT64_MAX, "1000-1008 1004-1012 1012-1020 1016-1024", false},
        {"vector(2,2,1;;MPI_INT)", 12, 12, "1000-1008 1004-1008", false},
        {"resized(;0,4;contiguous(2;;MPI_INT))", 16, UINT64_MAX, "1000-1008 1004-1012 1008-1016", false},
    };
    for (const auto &c : cases) {
        const placed p = place(layout_of(c.type), 1000, c.span, c.most);
        if (pieces_text(p.pieces) != c.pieces || p.is_whole != c.is_whole)
            fail_msg("%s of %d: %s", c.type, static_cast<int>(c.span), pieces_text(p.pieces).c_str());
    }
}

void shares_are_equal_or_all(void **)
{
    const std::vector<interval> pieces = {{0, 4}, {10, 14}, {20, 24}};
    assert_string_equal(pieces_text(share_of(pieces, 0, 2)).c_str(), "0-4 10-12");
    assert_string_equal(pieces_text(share_of(pieces, 1, 2)).c_str(), "12-14 20-24");
    assert_string_equal(pieces_text(share_of(pieces, 1, 5)).c_str(), "0-4 10-14 20-24");
    assert_true(share_of({}, 0, 4).empty());
}

// --- memory ---

void copies_bring_their_origin_with_them(void **)
{
    memory m;
    const auto first = std::make_shared<transfer>(), second = std::make_shared<transfer>();
    m.bring({{100, 110}}, first);
    m.bring({{110, 130}}, second);
    m.copy({{500, 505}, {600, 625}}, {{100, 130}});
    assert_true(origin_of({{500, 505}}, m.brought()).previous == first);
    assert_int_equal(origin_of({{600, 625}}, m.brought()).previous_bytes, 20);
    assert_true(origin_of({{600, 625}}, m.brought()).previous == second);
    assert_true(origin_of({{600, 605}}, m.brought()).previous == first);
    m.copy({{600, 610}}, {{0, 10}});
    assert_null(origin_of({{600, 610}}, m.brought()).previous.get());
}

void what_has_another_name_was_never_brought(void **)
{
    memory m;
    m.name({100, 200}, 1);
    m.bring({{100, 150}}, std::make_shared<transfer>());
    m.name({100, 200}, 1);
    assert_int_equal(origin_of({{100, 200}}, m.brought()).previous_bytes, 50);
    m.name({100, 200}, 2);
    assert_int_equal(m.name_at(150), 2);
    assert_int_equal(origin_of({{100, 200}}, m.brought()).previous_bytes, 0);
    m.forget_name(150);
    assert_int_equal(m.name_at(150), 2);
    m.forget_name(100);
    assert_true(m.name_at(150) == unknown);
}

// --- classes ---

transfer_pointer at_line(std::uint32_t line, const transfer_pointer &previous)
{
    auto t = std::make_shared<transfer>();
    t->sender = std::make_shared<call_end>();
    t->receiver = std::make_shared<call_end>();
    t->sender->at.site = line;
    t->previous = previous;
    return t;
}

// However long a chain is, its classes end where it does again what it did before.
void chains_come_to_a_fixed_point(void **)
{
    class_table classes;
    transfer_pointer latest;
    std::vector<std::uint32_t> numbers;
    for (int i = 0; i < 100; i++) {
        latest = at_line(7, latest);
        numbers.push_back(latest->in_class = classes.class_of(*latest));
    }
    assert_int_equal(numbers[0], 0);
    for (std::size_t i = 1; i < numbers.size(); i++)
        assert_int_equal(numbers[i], 1);
    std::uint32_t most = 0;
    for (std::uint32_t i = 0; i < 100; i++) {
        latest = at_line(i % 3, latest);
        latest->in_class = classes.class_of(*latest);
        most = std::max(most, latest->in_class);
    }
    assert_true(most < 8);
}

void other_histories_are_other_classes(void **)
{
    class_table classes;
    const auto add = [&](std::uint32_t line, const transfer_pointer &previous) {
        transfer_pointer t = at_line(line, previous);
        t->in_class = classes.class_of(*t);
        return t;
    };
    const transfer_pointer a = add(1, nullptr), b = add(2, nullptr), after_a = add(3, a), after_b = add(3, b);
    assert_int_not_equal(a->in_class, b->in_class);
    assert_int_not_equal(after_a->in_class, after_b->in_class);
    assert_int_equal(add(3, a)->in_class, after_a->in_class);
    assert_int_not_equal(add(4, after_a)->in_class, add(4, after_b)->in_class);
}

// --- patterns ---

constexpr std::uint32_t many = 4;
const std::vector<std::uint32_t> all_ranks = {0, 1, 2, 3};

void add(transfer_class &c, std::uint32_t from, std::uint32_t to, const interval &sent, const interval &received)
{
    pair_sum &p = c.pairs[{from, to}];
    p.transfers++;
    p.bytes += sent.bytes();
    p.sent.add(sent);
    p.received.add(received);
    c.transfers++;
    c.bytes += sent.bytes();
    c.previous[unknown]++;
}

void element_by_element_is_a_misfit(void **)
{
    transfer_class c;
    for (std::uint64_t i = 0; i < 64; i++)
        for (std::uint32_t owner = 0; owner < many; owner++)
            if (i % many != owner)
                add(c, owner, static_cast<std::uint32_t>(i % many), {i * 8, i * 8 + 8}, {i * 8, i * 8 + 8});
    const pattern p = pattern_of(c, all_ranks, layout_of("MPI_DOUBLE"), layout_of("MPI_DOUBLE"));
    assert_true(p.who == shape::all_pairs && !p.is_transpose);
    assert_true(p.sent.how == division::cyclic && p.sent.piece_bytes == 8 && p.sent.step_bytes == 32);
    const std::vector<finding> found = findings_in(c, p);
    assert_int_equal(found.size(), 1);
    assert_true(found[0].what == problem::misfit);
}

// Each process has sixteen pieces of four doubles, of which each other one needs every fourth.
void pieces_in_turn_are_block_cyclic(void **)
{
    transfer_class c;
    constexpr std::uint64_t piece = 32;
    for (std::uint64_t i = 0; i < 64; i++)
        if (const auto owner = static_cast<std::uint32_t>(i / 16), user = static_cast<std::uint32_t>(i % many); user != owner)
            add(c, owner, user, {i * piece, (i + 1) * piece}, {i * piece, (i + 1) * piece});
    const pattern p = pattern_of(c, all_ranks, layout_of("MPI_DOUBLE"), layout_of("MPI_DOUBLE"));
    assert_true(p.sent.how == division::block_cyclic && p.sent.piece_bytes == piece && p.sent.step_bytes == many * piece);
}

void blocks_to_all_are_a_transpose(void **)
{
    transfer_class c;
    for (std::uint32_t from = 0; from < many; from++)
        for (std::uint32_t to = 0; to < many; to++)
            if (from != to)
                add(c, from, to, {to * 100, to * 100 + 100}, {from * 100, from * 100 + 100});
    const pattern p = pattern_of(c, all_ranks, {}, {});
    assert_true(p.is_transpose && p.sent.how == division::blocks && p.received.how == division::blocks);
    assert_true(findings_in(c, p).empty());
}

void neighbours_have_few_distances(void **)
{
    transfer_class halo, ring, broadcast;
    for (std::uint32_t r = 0; r < many; r++) {
        if (r > 0)
            add(halo, r, r - 1, {8, 16}, {80, 88});
        add(ring, r, (r + 1) % many, {8, 16}, {80, 88});
        if (r > 0)
            add(broadcast, 0, r, {8, 16}, {8, 16});
    }
    halo.from.data = halo.to.data = 5;
    const pattern h = pattern_of(halo, all_ranks, {}, {}), r = pattern_of(ring, all_ranks, {}, {}),
                  b = pattern_of(broadcast, all_ranks, {}, {});
    assert_true(h.who == shape::neighbours && h.is_halo && h.distances == std::vector<int>{-1});
    assert_true(r.who == shape::ring && !r.is_halo);
    assert_true(b.who == shape::from_one && b.sent.how == division::same);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(times_beyond_all_numbers_are_the_last_one),
        cmocka_unit_test(intervals_are_as_bytes_would_be),
        cmocka_unit_test(types_are_their_bytes),
        cmocka_unit_test(types_that_nobody_understands_are_none),
        cmocka_unit_test(elements_are_placed_by_their_span),
        cmocka_unit_test(shares_are_equal_or_all),
        cmocka_unit_test(copies_bring_their_origin_with_them),
        cmocka_unit_test(what_has_another_name_was_never_brought),
        cmocka_unit_test(chains_come_to_a_fixed_point),
        cmocka_unit_test(other_histories_are_other_classes),
        cmocka_unit_test(element_by_element_is_a_misfit),
        cmocka_unit_test(pieces_in_turn_are_block_cyclic),
        cmocka_unit_test(blocks_to_all_are_a_transpose),
        cmocka_unit_test(neighbours_have_few_distances),
    };
    return cmocka_run_group_tests_name("comms", tests, nullptr, nullptr);
}
