// SPDX-License-Identifier: BSD-3-Clause
// One region for one name, on all threads; names found late; rules of TARE_INJECT.
#include "region.hpp"

#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "cmocka_cpp.hpp"

using namespace tare;

namespace {

constexpr int many = 5000;

void find_all(std::vector<tare_region_t *> &found)
{
    for (int i = 0; i < many; i++)
        found.push_back(find_or_make_region(("r" + std::to_string(i)).c_str(), "G"));
}

// The same names on four threads at once.
std::vector<std::vector<tare_region_t *>> find_on_threads()
{
    std::vector<std::vector<tare_region_t *>> found(4);
    std::vector<std::thread> threads;
    for (auto &mine : found)
        threads.emplace_back([&mine] { find_all(mine); });
    for (std::thread &t : threads)
        t.join();
    return found;
}

int resolved = 0;

void resolve(const void *what, tare_measure_name, char *name, size_t size)
{
    resolved++;
    std::snprintf(name, size, "late %s", static_cast<const char *>(what));
}

std::int64_t injected(const char *name) { return find_or_make_region(name, "G")->inject_ns.load(); }

}  // namespace

static void one_name_is_one_region_on_all_threads(void **)
{
    static const auto found = find_on_threads();
    for (int i = 0; i < many; i++) {
        const auto at = static_cast<std::size_t>(i);
        assert_string_equal(name_of(*found[0][at]), ("r" + std::to_string(i)).c_str());
        for (std::size_t t = 1; t < found.size(); t++)
            assert_ptr_equal(found[t][at], found[0][at]);
    }
}

static void regions_are_numbered_without_gaps(void **)
{
    static std::vector<bool> seen(newest_region()->number + 1);
    for (const tare_region_t *r = newest_region(); r != nullptr; r = r->next) {
        assert_true(r->number < seen.size() && !seen[r->number]);
        seen[r->number] = true;
    }
    for (const bool is_there : seen)
        assert_true(is_there);
}

static void name_is_copied(void **)
{
    char name[] = "mine";
    tare_region_t *r = find_or_make_region(name, "G");
    std::strcpy(name, "xxxx");
    assert_string_equal(name_of(*r), "mine");
    assert_ptr_equal(find_or_make_region("mine", "G"), r);
}

static void late_name_is_asked_for_once(void **)
{
    resolved = 0;
    tare_region_t *r = make_late_region("comer", resolve, "G");
    assert_int_equal(resolved, 0);
    assert_string_equal(name_of(*r), "late comer");
    assert_string_equal(name_of(*r), "late comer");
    assert_int_equal(resolved, 1);
}

static void injection_matches_rank_and_name(void **)
{
    set_injection("rank=1,region=work,ns=20000;region=all,ns=5;rank=1,region=work,ns=1", 1);
    assert_int_equal(injected("work"), 20001);
    assert_int_equal(injected("work(int)"), 20001);
    assert_int_equal(injected("worker"), 0);
    assert_int_equal(injected("wor"), 0);
    assert_int_equal(injected("all"), 5);
}

static void injection_is_matched_again_when_the_rank_is_known(void **)
{
    set_injection("rank=3,region=again,ns=7", 0);
    assert_int_equal(injected("again"), 0);
    set_injection("rank=3,region=again,ns=7", 3);
    assert_int_equal(injected("again"), 7);
    set_injection(nullptr, 3);
    assert_int_equal(injected("again"), 0);
}

static void injection_finds_late_names_at_once(void **)
{
    set_injection("region=late bird,ns=9", 0);
    assert_int_equal(make_late_region("bird", resolve, "G")->inject_ns.load(), 9);
    set_injection(nullptr, 0);
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(one_name_is_one_region_on_all_threads),
        cmocka_unit_test(regions_are_numbered_without_gaps),
        cmocka_unit_test(name_is_copied),
        cmocka_unit_test(late_name_is_asked_for_once),
        cmocka_unit_test(injection_matches_rank_and_name),
        cmocka_unit_test(injection_is_matched_again_when_the_rank_is_known),
        cmocka_unit_test(injection_finds_late_names_at_once),
    };
    return cmocka_run_group_tests_name("regions", tests, nullptr, nullptr);
}
