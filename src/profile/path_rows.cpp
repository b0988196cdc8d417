// SPDX-License-Identifier: BSD-3-Clause
#include "path_rows.hpp"

#include "fnv.hpp"

#include <algorithm>
#include <cstdio>

namespace tare {
namespace {

// Less than the longest name that a line of the file takes: events have a few words before it.
constexpr std::size_t longest_name = 59000;
constexpr std::size_t all_names = std::size_t{32} << 20;
constexpr std::size_t shortest_name = 128;

using texts = std::vector<region_text>;
using chain = std::vector<std::uint32_t>;        // region numbers, the outermost first

// Empty: not a path that has a row.
chain chain_of(const recorded &record, std::size_t path, const texts &regions)
{
    chain c;
    for (std::uint32_t i = record.paths[path].length; i > 0 && path < record.paths.size(); i--) {
        const path_sum &p = record.paths[path];
        if (p.length == 0 || p.region >= regions.size() || regions[p.region].name.empty())
            return {};
        c.push_back(p.region);
        path = p.from;
    }
    std::reverse(c.begin(), c.end());
    return c.size() < 2 ? chain{} : c;
}

std::size_t length_of(const chain &c, const texts &regions)
{
    std::size_t length = 0;
    for (const std::uint32_t region : c)
        length += (length == 0 ? 0 : profile::path_arrow.size()) + regions[region].name.size();
    return length;
}

std::string joined(const chain &c, std::size_t first, const texts &regions)
{
    std::string name;
    for (std::size_t i = first; i < c.size(); i++) {
        if (i > first)
            name += profile::path_arrow;
        name += regions[c[i]].name;
    }
    return name;
}

std::string hash_text(const std::string &name)
{
    std::uint64_t h = fnv_start;
    for (const char c : name)
        h = fnv_step(h, c);
    char text[20];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(h));
    return text;
}

std::string name_of(const chain &c, std::size_t longest, const texts &regions)
{
    std::string whole = joined(c, 0, regions);
    if (whole.size() <= longest)
        return whole;
    const std::string hash = hash_text(whole);
    const std::size_t room = longest - shortest_name / 2;        // what is put in front takes less
    std::size_t first = c.size() - 1, length = regions[c[first]].name.size();
    for (; first > 1; first--) {
        length += profile::path_arrow.size() + regions[c[first - 1]].name.size();
        if (length > room)
            break;
    }
    std::string name = "(" + std::to_string(first) + " outer region" + (first == 1 ? ", " : "s, ") + hash + ")";
    name += profile::path_arrow;
    return name += joined(c, first, regions).substr(0, room);
}

std::size_t longest_that_fits(const std::vector<std::size_t> &lengths)
{
    for (std::size_t longest = longest_name;; longest /= 2) {
        std::size_t sum = 0;
        for (const std::size_t length : lengths)
            sum += std::min(length, longest);
        if (sum <= all_names || longest / 2 < shortest_name)
            return longest;
    }
}

struct named_path {
    std::string name;
    std::size_t path;
};

std::vector<named_path> name_paths(const recorded &record, const texts &regions)
{
    std::vector<named_path> result;
    std::vector<std::size_t> lengths;
    for (std::size_t path = 0; path < record.paths.size(); path++) {
        const chain c = record.paths[path].sum.calls == 0 ? chain{} : chain_of(record, path, regions);
        if (c.empty())
            continue;
        result.push_back({"", path});
        lengths.push_back(length_of(c, regions));
    }
    // Chains are looked for again instead of being kept: those of a great depth take more room than their names.
    const std::size_t longest = longest_that_fits(lengths);
    for (named_path &p : result)
        p.name = name_of(chain_of(record, p.path, regions), longest, regions);
    return result;
}

}  // namespace

std::vector<profile::row> path_rows(const recorded &record, const texts &regions)
{
    std::vector<named_path> paths = name_paths(record, regions);
    std::sort(paths.begin(), paths.end(), [](const named_path &a, const named_path &b) { return a.name < b.name; });
    std::vector<profile::row> rows;
    for (named_path &p : paths) {
        const path_sum &sum = record.paths[p.path];
        if (rows.empty() || rows.back().region != p.name) {
            rows.emplace_back();
            rows.back().region = std::move(p.name);
            rows.back().group = regions[sum.region].group;
        }
        add_to_row(rows.back(), sum.sum);
    }
    return rows;
}

void add_paths(profile::thread &to, const recorded &record, const texts &regions)
{
    to.paths = path_rows(record, regions);
    if (record.lost_calls > 0)
        to.metadata.emplace_back(profile::key::lost_calls, std::to_string(record.lost_calls));
}

}  // namespace tare
