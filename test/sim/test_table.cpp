// SPDX-License-Identifier: BSD-3-Clause
// Every scenario of the tables is a test case: its errors are as expected there.
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "row.hpp"

#include "cmocka_cpp.hpp"

#ifndef TARE_SIM_SCENARIOS
#error "TARE_SIM_SCENARIOS is the folder of the scenario files"
#endif

namespace {

double seconds()
{
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
}

// Everything that has a destructor lives here, because a failing assert jumps over it.
std::string what_is_wrong(const sim::scenario& s)
{
    try {
        const double start = seconds();
        const sim::row r = sim::run_scenario(s);
        std::printf("# %s: %lld events in %.2f s, exact rule off by at most %.1e\n", s.name.c_str(),
                    static_cast<long long>(r.events), seconds() - start, r.worst_exact);
        return sim::deviations(s, r);
    } catch (const std::exception& e) {
        return e.what();
    }
}

void scenario_is_as_expected(void** state)
{
    static std::string wrong;
    wrong = what_is_wrong(*static_cast<const sim::scenario*>(*state));
    assert_string_equal(wrong.c_str(), "");
}

struct table {
    std::vector<sim::scenario> scenarios;
    std::vector<std::string> names;
    std::vector<CMUnitTest> tests;
};

void read_table(table& t)
{
    for (const char* name : {"model", "rendezvous", "scale"}) {
        const std::string file = std::string(TARE_SIM_SCENARIOS "/") + name + ".scenario";
        for (sim::scenario& s : sim::read_scenarios(file))
            t.scenarios.push_back(std::move(s));
    }
    for (const sim::scenario& s : t.scenarios)
        t.names.push_back(s.name + "_simulated_gives_expected_errors");
    for (std::size_t i = 0; i < t.scenarios.size(); ++i)
        t.tests.push_back({t.names[i].c_str(), scenario_is_as_expected, nullptr, nullptr, &t.scenarios[i]});
}

}  // namespace

int main()
{
    static table t;
    try {
        read_table(t);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "test_table: %s\n", e.what());
        return 1;
    }
    return _cmocka_run_group_tests("table", t.tests.data(), t.tests.size(), nullptr, nullptr);
}
