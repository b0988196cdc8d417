// SPDX-License-Identifier: BSD-3-Clause
#include "regions.hpp"

#include "command.hpp"
#include "figures.hpp"
#include "table.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <unordered_map>

namespace tare::tool {
namespace {

using profile::row;

void add(row &sum, const row &r) {
    for (const figure_column &column : figure_columns)
        sum.*column.value += r.*column.value;
    sum.counted_calls += r.counted_calls;
}

std::vector<row> summed(const profile::run &run, std::optional<int> rank, std::vector<row> profile::thread::*which) {
    std::vector<row> sums;
    std::unordered_map<std::string_view, std::size_t> places;
    for (const profile::thread &t : run.threads) {
        if (t.rank != rank.value_or(t.rank))
            continue;
        for (const row &r : t.*which) {
            const auto [place, is_new] = places.emplace(r.region, sums.size());
            if (is_new)
                sums.push_back(r);
            else
                add(sums[place->second], r);
        }
    }
    return sums;
}

std::string range(int first, int last) {
    if (first == last)
        return std::to_string(first);
    return std::to_string(first) + (last == first + 1 ? ", " : " to ") + std::to_string(last);
}

std::vector<int> missing_ranks(const profile::run &run) {
    std::set<int> present;
    for (const profile::thread &t : run.threads)
        present.insert(t.rank);
    std::vector<int> missing;
    for (int rank = 0; rank < run.ranks(); ++rank)
        if (present.count(rank) == 0)
            missing.push_back(rank);
    return missing;
}

bool has_region(const profile::run &run, std::optional<int> rank, const std::string &region) {
    for (const profile::thread &t : run.threads)
        if (t.rank == rank.value_or(t.rank) &&
            std::any_of(t.rows.begin(), t.rows.end(), [&](const row &r) { return is_named(r.region, region); }))
            return true;
    return false;
}

std::vector<int> recovered_ranks(const profile::run &run, const std::string &fate) {
    std::set<int> ranks;
    for (const profile::thread &t : run.threads)
        if (t.attribute(profile::key::recovered) == fate)
            ranks.insert(t.rank);
    return {ranks.begin(), ranks.end()};
}

struct fate_words {
    const char *fate;
    const char *one;     // what is said of one rank, and of several
    const char *several;
};

constexpr fate_words fates[] = {
    {profile::recovered::killed, " was killed: its figures end at its last enter or leave",
     " were killed: their figures end at their last enter or leave"},
    {profile::recovered::torn, " was killed inside an enter or leave: that one may be missing",
     " were killed inside an enter or leave: those may be missing"},
    {profile::recovered::running, " is still running: its figures end at its latest enter or leave",
     " are still running: their figures end at their latest enter or leave"},
    {profile::recovered::unwritten, " could not write its profile: its figures end at its last enter or leave",
     " could not write their profiles: their figures end at their last enter or leave"},
};

}  // namespace

std::string number_list(const std::vector<int> &numbers) {
    std::string text;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
            ++last;
        text += (i == 0 ? "" : ", ") + range(numbers[i], numbers[last]);
        i = last;
    }
    return text;
}

std::string sentence_of(const std::vector<int> &ranks, const char *one, const char *several) {
    return ranks.size() == 1 ? "rank " + number_list(ranks) + one : "ranks " + number_list(ranks) + several;
}

bool is_named(const std::string &region, const std::string &wanted) {
    return region == wanted ||
           (region.size() == wanted.size() + 2 && region.compare(0, wanted.size(), wanted) == 0 &&
            region.compare(wanted.size(), 2, "()") == 0);
}

std::vector<row> summed_rows(const profile::run &run, std::optional<int> rank) {
    return summed(run, rank, &profile::thread::rows);
}

std::vector<row> summed_paths(const profile::run &run) {
    return summed(run, std::nullopt, &profile::thread::paths);
}

std::vector<std::string> region_names(const profile::run &run) {
    std::set<std::string> names;
    for (const profile::thread &t : run.threads)
        for (const row &r : t.rows)
            names.insert(r.region);
    return {names.begin(), names.end()};
}

bool has_rank(const profile::run &run, int rank) {
    return std::any_of(run.threads.begin(), run.threads.end(),
                       [&](const profile::thread &t) { return t.rank == rank; });
}

std::string absence_sentence(const profile::run &run, const std::string &directory, std::optional<int> rank,
                             const std::string &region) {
    const std::string place = "the profile in " + directory;
    if (rank && !has_rank(run, *rank))
        return "--rank=" + std::to_string(*rank) + ": " + place + " has no such rank, the run had " +
               std::to_string(run.ranks());
    if (region.empty() || has_region(run, rank, region))
        return "";
    const std::string best = nearest(region, region_names(run));
    const std::string hint = best.empty() || best == region ? "" : ": did you mean '" + best + "'?";
    const std::string where = rank ? " on rank " + std::to_string(*rank) : "";
    return "--region=" + region + ": " + place + " has no such region" + where + hint;
}

std::vector<std::string> fates_of(const profile::run &run) {
    std::vector<std::string> sentences;
    for (const fate_words &f : fates)
        if (const std::vector<int> ranks = recovered_ranks(run, f.fate); !ranks.empty())
            sentences.push_back(sentence_of(ranks, f.one, f.several));
    return sentences;
}

std::vector<std::string> warnings_of(const profile::run &run) {
    std::vector<std::string> sentences = fates_of(run);
    if (const std::vector<int> ranks = missing_ranks(run); !ranks.empty())
        sentences.insert(sentences.begin(), sentence_of(ranks, " is missing: its process did not finish",
                                                        " are missing: their processes did not finish"));
    return sentences;
}

std::string values_of(const profile::run &run, const std::string &name) {
    constexpr std::size_t shown = 4;
    std::vector<std::string> values;
    for (const profile::thread &t : run.threads)
        values.push_back(t.attribute(name));
    const auto other = std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>());
    if (other == values.end())
        return printable(values.front());
    std::string text;
    for (std::size_t i = 0; i < values.size() && i < shown; ++i)
        text += (i == 0 ? "" : ", ") + values[i];
    return printable(text) + (values.size() > shown ? ", ..." : "");
}

std::size_t shown_of(std::size_t count, int limit) {
    return limit == 0 ? count : std::min(count, static_cast<std::size_t>(limit));
}

std::string count_text(std::size_t count, const char *what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace tare::tool
