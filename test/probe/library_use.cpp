// SPDX-License-Identifier: BSD-3-Clause
// A C++ program as users write them: what it calls of the standard library is compiled into it. Compiled by tarecxx.
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#define SEPARATE __attribute__((noipa))

namespace user {

struct guard {
    SEPARATE explicit guard(int n) : n_(n) {}
    SEPARATE ~guard() { n_ = 0; }
    int n_;
};

template <typename T> SEPARATE T sum(const std::vector<T> &values)
{
    T total{};
    std::for_each(values.begin(), values.end(), [&total](const T &v) { total += v; });
    return total;
}

// Each frame has something to clean up on the way of the exception.
SEPARATE int dive(int depth)
{
    const guard g(depth);
    if (depth == 0)
        throw std::out_of_range("the ground");
    return dive(depth - 1) + g.n_;
}

SEPARATE int catch_and_throw(int depth)
{
    try {
        return dive(depth);
    } catch (const std::out_of_range &) {
        throw std::runtime_error("again");
    }
}

SEPARATE int after() { return 1; }

}  // namespace user

int main()
{
    std::map<std::string, std::vector<int>> lists;
    for (int i = 0; i < 20; i++)
        lists[std::to_string(i % 3)].push_back(i);
    int total = 0;
    for (const auto &[name, values] : lists)
        total += user::sum(values) + static_cast<int>(name.size());
    try {
        total += user::catch_and_throw(4);
    } catch (const std::runtime_error &) {
        total += user::after();
    }
    return total == 20 * 19 / 2 + 3 + 1 ? 0 : 1;
}
