// SPDX-License-Identifier: BSD-3-Clause
#include "convert_tree.hpp"

#include "figures.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace tare::tool {
namespace {

using profile::figures;
using profile::row;

constexpr std::int64_t figures::*additive[] = {&figures::calls, &figures::excl_ns, &figures::excl_comp_ns,
                                               &figures::wait_excl_ns, &figures::wait_comp_excl_ns};

using rest_by_region = std::unordered_map<std::string_view, figures>;

// What the regions have beyond their call paths.
rest_by_region rest_of(const profile::thread &t) {
    rest_by_region rest;
    for (const row &r : t.rows)
        for (const auto figure : additive)
            rest[r.region].*figure = plus(rest[r.region].*figure, r.*figure);
    for (const row &p : t.paths) {
        const std::string last = profile::last_of_path(p.region);
        const auto found = rest.find(last);
        if (found == rest.end())
            continue;
        for (const auto figure : additive)
            found->second.*figure = minus(found->second.*figure, p.*figure);
    }
    return rest;
}

void insert(call_nodes &roots, const row &path) {
    call_nodes *level = &roots;
    call_node *n = nullptr;
    for_each_on_path(path.region, [&](const std::string &region) {
        n = &(*level)[region];
        level = &n->children;
    });
    n->path = &path;
    for (const auto figure : additive)
        n->own.*figure = plus(n->own.*figure, path.*figure);
}

bool is_nothing(const figures &f) {
    return std::all_of(std::begin(additive), std::end(additive), [&](const auto figure) { return f.*figure == 0; });
}

}  // namespace

call_nodes call_forest(const profile::thread &t) {
    call_nodes roots;
    std::unordered_map<std::string, bool> has_path;
    for (const row &p : t.paths) {
        insert(roots, p);
        has_path[profile::last_of_path(p.region)] = true;
    }
    const rest_by_region rest = rest_of(t);
    for (const row &r : t.rows) {
        const figures &own = rest.at(r.region);
        if (is_nothing(own) && has_path.count(r.region) != 0)
            continue;
        call_node &n = roots[r.region];
        n.region = &r;
        n.own = own;
    }
    return roots;
}

std::int64_t weight_of(const call_node &n, std::int64_t figures::*figure) {
    std::int64_t weight = std::max<std::int64_t>(n.own.*figure, 0);
    for (const auto &child : n.children)
        weight = plus(weight, weight_of(child.second, figure));
    return weight;
}

}  // namespace tare::tool
