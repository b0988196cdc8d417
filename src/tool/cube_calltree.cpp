// SPDX-License-Identifier: BSD-3-Clause
#include "cube_calltree.hpp"

#include <algorithm>

namespace tare::tool {
namespace {

void add(cube_cell &cell, const message_bytes &b) {
    cell.sent_bytes = plus(cell.sent_bytes, b.sent_bytes);
    cell.received_bytes = plus(cell.received_bytes, b.received_bytes);
}

void add(cube_cell &cell, const order_waits &o) {
    cube_cell::waited &waited = cell.by_order[static_cast<int>(o.order)];
    waited.wait_ns = plus(waited.wait_ns, o.wait_ns);
    waited.wait_comp_ns = plus(waited.wait_comp_ns, o.wait_comp_ns);
}

void add(cube_cell &cell, const completion_time &t) {
    cell.completion_ns = plus(cell.completion_ns, t.time_ns);
    cell.completion_comp_ns = plus(cell.completion_comp_ns, t.time_comp_ns);
}

}  // namespace

cube_calltree::cube_calltree(const content &c) {
    find_hosts(c.run);
    find_regions(c);
    for (std::size_t i = 0; i < locations_.size(); ++i)
        add_level(call_forest(*locations_[i]), roots_, i);
    cnode_counts_.resize(regions_.size());
    call_cnodes_.resize(regions_.size());
    count_cnodes(roots_);
    make_places(c.bytes);
    make_places(c.orders);
    make_places(c.completions);
    first_cnodes_.resize(regions_.size());
    number_cnodes(roots_);
    for (std::size_t i = 0; i < locations_.size(); ++i)
        add_regions_figures(*locations_[i], i);
    add_to_cells(c.bytes);
    add_to_cells(c.orders);
    add_to_cells(c.completions);
}

void cube_calltree::find_hosts(const profile::run &run) {
    for (const profile::thread &t : run.threads) {
        const std::string &given = t.attribute(profile::key::host);
        const std::string name = given.empty() ? "unknown host" : given;
        auto host = std::find_if(hosts_.begin(), hosts_.end(), [&](const cube_host &h) { return h.name == name; });
        if (host == hosts_.end())
            host = hosts_.insert(hosts_.end(), {name, {}});
        host->threads.push_back(&t);
    }
    for (const cube_host &host : hosts_)
        locations_.insert(locations_.end(), host.threads.begin(), host.threads.end());
}

// A region that only leads to others has no group that is known.
void cube_calltree::find_regions(const content &c) {
    std::map<std::string, std::string> groups;
    for (const profile::thread &t : c.run.threads)
        for (const profile::row &r : t.rows)
            groups.emplace(r.region, r.group);
    for (const profile::thread &t : c.run.threads)
        for (const profile::row &p : t.paths)
            groups.emplace(profile::last_of_path(p.region), p.group);
    for (const profile::thread &t : c.run.threads)
        for (const profile::row &p : t.paths)
            for_each_on_path(p.region, [&](std::string name) { groups.emplace(std::move(name), ""); });
    for (const message_bytes &b : c.bytes)
        groups.emplace(b.function, "");
    for (const order_waits &o : c.orders)
        groups.emplace(o.function, "");
    for (const completion_time &t : c.completions)
        groups.emplace(t.function, "");
    for (const auto &[name, group] : groups) {
        region_numbers_[name] = regions_.size();
        regions_.push_back({name, group, waits::state_of(name)});
    }
}

void cube_calltree::add_level(const call_nodes &from, level &to, std::size_t location) {
    for (const auto &[name, node] : from) {
        cube_cnode &n = to[name];
        n.region = region_numbers_.at(name);
        cube_cell &cell = n.cells[location];
        cell.own = node.own;
        cell.path = node.path;
        add_level(node.children, n.children, location);
    }
}

void cube_calltree::count_cnodes(level &of) {
    for (auto &[name, n] : of) {
        cnode_counts_[n.region]++;
        call_cnodes_[n.region] = &n;
        count_cnodes(n.children);
    }
}

// What is known of a function on a rank: if several call paths lead to it that is on none of them, but outermost.
template <typename OfFunction> void cube_calltree::make_places(const std::vector<OfFunction> &of_functions) {
    for (const OfFunction &f : of_functions) {
        const std::size_t region = region_numbers_.at(f.function);
        if (cnode_counts_[region] == 1)
            continue;
        call_cnodes_[region] = &roots_[f.function];
        call_cnodes_[region]->region = region;
    }
}

void cube_calltree::number_cnodes(level &of) {
    for (auto &[name, n] : of) {
        n.id = cnodes_.size();
        cnodes_.push_back(&n);
        if (!first_cnodes_[n.region])
            first_cnodes_[n.region] = &n;
        number_cnodes(n.children);
    }
}

void cube_calltree::add_regions_figures(const profile::thread &t, std::size_t location) {
    for (const profile::row &r : t.rows)
        first_cnodes_[region_numbers_.at(r.region)]->cells[location].region = &r;
}

// At the rank's first thread. Null: it is not there.
cube_cell *cube_calltree::cell_of_function(int rank, const std::string &function) {
    const auto location = std::find_if(locations_.begin(), locations_.end(),
                                       [&](const profile::thread *t) { return t->rank == rank; });
    if (location == locations_.end())
        return nullptr;
    cube_cnode *n = call_cnodes_[region_numbers_.at(function)];
    return &n->cells[static_cast<std::size_t>(location - locations_.begin())];
}

template <typename OfFunction> void cube_calltree::add_to_cells(const std::vector<OfFunction> &of_functions) {
    for (const OfFunction &f : of_functions)
        if (cube_cell *cell = cell_of_function(f.rank, f.function))
            add(*cell, f);
}

}  // namespace tare::tool
