// SPDX-License-Identifier: BSD-3-Clause
#include "waiting.hpp"

#include "profile.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace tare::profile {
namespace {

constexpr struct {
    int whom;
    std::string_view word;
} words[] = {{elsewhere, "another_job"}, {several, "several"}, {all_others, "all"}, {unknown, "unknown"}};

constexpr std::string_view order_words[orders] = {"", "wrong_same", "wrong_different"};

}  // namespace

std::string whom_text(int whom)
{
    for (const auto &w : words)
        if (w.whom == whom)
            return std::string(w.word);
    return std::to_string(whom);
}

std::optional<int> whom_of(std::string_view text)
{
    for (const auto &w : words)
        if (w.word == text)
            return w.whom;
    int rank = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), rank);
    if (failure != std::errc() || end != text.data() + text.size() || rank < 0)
        return std::nullopt;
    return rank;
}

std::string_view order_text(message_order order) { return order_words[static_cast<int>(order)]; }

std::optional<message_order> order_of(std::string_view text)
{
    const auto *const found = std::find(std::begin(order_words), std::end(order_words), text);
    if (text.empty() || found == std::end(order_words))
        return std::nullopt;
    return static_cast<message_order>(found - std::begin(order_words));
}

const waiting &wait_sums::add(const waiting &w)
{
    waiting &sum = sums_[{w.function, w.whom, w.order}];
    sum.function = w.function;
    sum.whom = w.whom;
    sum.order = w.order;
    sum.calls += w.calls;
    sum.wait_ns += w.wait_ns;
    sum.wait_comp_ns += w.wait_comp_ns;
    return sum;
}

std::vector<waiting> wait_sums::list() const
{
    std::vector<waiting> waits;
    for (const auto &[name, w] : sums_)
        waits.push_back(w);
    return waits;
}

}  // namespace tare::profile
