// SPDX-License-Identifier: BSD-3-Clause
// Call paths as a tree: of each thread, or of all together.
#include "report.hpp"

#include "regions.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

namespace tare::tool {
namespace {

using profile::row;

// A region behind those that lead to it.
struct node {
    const row *figures = nullptr;   // null: only known as the way to others
    std::int64_t weight = 0;        // what it is sorted by
    std::map<std::string, node, std::less<>> children;
};

using rows_by_name = std::unordered_map<std::string_view, const row *>;

// The path of one region is the region: its figures are those of the flat profile.
rows_by_name by_name(const std::vector<row> &regions, const std::vector<row> &paths) {
    rows_by_name rows;
    for (const std::vector<row> *some : {&regions, &paths})
        for (const row &r : *some)
            rows[r.region] = &r;
    return rows;
}

void insert(node &root, std::string_view path, const rows_by_name &rows) {
    node *at = &root;
    for (std::size_t begin = 0, end = 0; end != std::string_view::npos; begin = end + profile::path_arrow.size()) {
        end = path.find(profile::path_arrow, begin);
        const auto [child, is_new] = at->children.try_emplace(std::string(path.substr(begin, end - begin)));
        at = &child->second;
        if (!is_new)
            continue;
        if (const auto found = rows.find(path.substr(0, end)); found != rows.end())
            at->figures = found->second;
    }
}

// What has no figures weighs as much as what it leads to.
void weigh(node &n, std::int64_t row::*figure) {
    for (auto &child : n.children) {
        weigh(child.second, figure);
        n.weight += n.figures ? 0 : child.second.weight;
    }
    if (n.figures && figure)
        n.weight = n.figures->*figure;
}

// The largest first, then the alphabet, in which the children are.
void add_lines(const node &n, std::size_t depth, const profile::thread *thread, std::vector<tree_line> &lines) {
    std::vector<decltype(n.children.begin())> order;
    for (auto child = n.children.begin(); child != n.children.end(); ++child)
        order.push_back(child);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto &a, const auto &b) { return a->second.weight > b->second.weight; });
    for (const auto &child : order) {
        lines.push_back({thread, child->second.figures, depth, child->first});
        add_lines(child->second, depth + 1, thread, lines);
    }
}

// Whether the line is a path that was asked for: what leads to it is shown with it.
bool is_wished_path(const tree_line &line, const report_wish &wish) {
    return line.row && line.depth > 0 && (wish.region.empty() || is_named(line.region, wish.region));
}

}  // namespace

call_tree make_tree(const profile::run &run, const report_wish &wish, const report_lines &paths) {
    call_tree tree;
    if (is_together(run, wish))
        tree.sums = summed_rows(run, wish.rank);
    for (auto first = paths.lines.begin(); first != paths.lines.end();) {
        const profile::thread *thread = first->thread;
        const rows_by_name rows = thread ? by_name(thread->rows, thread->paths) : by_name(tree.sums, paths.sums);
        node root;
        for (; first != paths.lines.end() && first->thread == thread; ++first)
            insert(root, first->row->region, rows);
        weigh(root, figure_of(*wish.sort));
        add_lines(root, 0, thread, tree.lines);
    }
    const std::size_t all = paths.lines.size() + paths.left_out;
    const auto shown = std::count_if(tree.lines.begin(), tree.lines.end(),
                                     [&](const tree_line &l) { return is_wished_path(l, wish); });
    tree.left_out = all - std::min(all, static_cast<std::size_t>(shown));
    return tree;
}

std::string path_absence_sentence(const profile::run &run, const report_wish &wish) {
    bool has_paths = false;
    for (const profile::thread &t : run.threads) {
        if (t.rank != wish.rank.value_or(t.rank))
            continue;
        has_paths = has_paths || !t.paths.empty();
        for (const row &r : t.paths)
            if (wish.region.empty() || is_named(profile::last_of_path(r.region), wish.region))
                return "";
    }
    const std::string where = wish.rank ? " on rank " + std::to_string(*wish.rank) : "";
    const std::string place = "the profile in " + wish.directory;
    if (!has_paths)
        return place + " has no call paths" + where + ": TARE_CALLPATH=DEPTH records them";
    return "--region=" + wish.region + ": " + place + " has no call path to such a region" + where;
}

}  // namespace tare::tool
