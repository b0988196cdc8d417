// SPDX-License-Identifier: BSD-3-Clause
#include "cube_calltree.hpp"

#include <algorithm>

namespace tare::tool {

cube_calltree::cube_calltree(const content &c) {
    find_hosts(c.run);
    find_regions(c);
    for (std::size_t i = 0; i < locations_.size(); ++i)
        add_level(call_forest(*locations_[i]), roots_, i);
    make_places_for_bytes(c.bytes);
    first_cnodes_.resize(regions_.size());
    number_cnodes(roots_);
    for (std::size_t i = 0; i < locations_.size(); ++i)
        add_regions_figures(*locations_[i], i);
    for (const message_bytes &b : c.bytes)
        add_bytes(b);
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

void cube_calltree::count_cnodes(level &of, std::vector<std::size_t> &counts) {
    for (auto &[name, n] : of) {
        counts[n.region]++;
        byte_cnodes_[n.region] = &n;
        count_cnodes(n.children, counts);
    }
}

// Bytes are known of a function on a rank: if several call paths lead to it they are on none of them, but outermost.
void cube_calltree::make_places_for_bytes(const std::vector<message_bytes> &bytes) {
    std::vector<std::size_t> counts(regions_.size());
    byte_cnodes_.resize(regions_.size());
    count_cnodes(roots_, counts);
    for (const message_bytes &b : bytes) {
        const std::size_t region = region_numbers_.at(b.function);
        if (counts[region] == 1)
            continue;
        byte_cnodes_[region] = &roots_[b.function];
        byte_cnodes_[region]->region = region;
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

void cube_calltree::add_bytes(const message_bytes &b) {
    const auto location = std::find_if(locations_.begin(), locations_.end(),
                                       [&](const profile::thread *t) { return t->rank == b.rank; });
    if (location == locations_.end())
        return;
    cube_cnode *n = byte_cnodes_[region_numbers_.at(b.function)];
    cube_cell &cell = n->cells[static_cast<std::size_t>(location - locations_.begin())];
    cell.sent_bytes = plus(cell.sent_bytes, b.sent_bytes);
    cell.received_bytes = plus(cell.received_bytes, b.received_bytes);
}

}  // namespace tare::tool
