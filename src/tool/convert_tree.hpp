// SPDX-License-Identifier: BSD-3-Clause
// Call paths as trees in which nothing is counted twice, for formats that add their nodes up.
#ifndef TARE_TOOL_CONVERT_TREE_HPP
#define TARE_TOOL_CONVERT_TREE_HPP

#include "profile.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace tare::tool {

// A region below those that lead to it. A region outermost has what is on none of its call paths: all of it in a
// profile without call paths, and the root's own. So the nodes of a region add up to it, whatever was recorded.
struct call_node {
    const profile::row *path = nullptr;    // its figures, if it is a call path that was recorded
    const profile::row *region = nullptr;  // outermost, and something is on none of the region's call paths
    profile::figures own;                  // of these only calls and the exclusive ones are set
    std::map<std::string, call_node, std::less<>> children;
};

using call_nodes = std::map<std::string, call_node, std::less<>>;

// Points into the thread.
call_nodes call_forest(const profile::thread &t);

// Calls visit(region) for each region of a call path, the outermost first.
template <typename Visit> void for_each_on_path(const std::string &path, Visit visit) {
    for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + profile::path_arrow.size()) {
        end = path.find(profile::path_arrow, begin);
        visit(path.substr(begin, end - begin));
    }
}

// Of a node, with all below it; negative times count as none.
std::int64_t weight_of(const call_node &n, std::int64_t profile::figures::*figure);

}  // namespace tare::tool

#endif
