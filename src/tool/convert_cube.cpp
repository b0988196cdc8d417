// SPDX-License-Identifier: BSD-3-Clause
// Cube 4: an archive of anchor.xml, which describes metrics, call tree and threads, and for each metric the cnodes
// that have values of it (N.index) and those (N.data), a row of all threads each.
#include "convert_cube.hpp"

#include "convert.hpp"
#include "cube_calltree.hpp"
#include "cube_xml.hpp"
#include "ustar.hpp"

#include <algorithm>
#include <bitset>
#include <cctype>
#include <cstring>

namespace tare::tool {
namespace {

using profile::figures;

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

template <typename Number> std::uint64_t bits(Number value) {
    static_assert(sizeof value == value_size, "eight bytes");
    std::uint64_t result;
    std::memcpy(&result, &value, sizeof result);
    return result;
}

// Little-endian, whatever the machine is.
template <typename Number> void put(std::string &to, Number value) {
    for (std::size_t i = 0; i < sizeof value; ++i)
        to += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
}

// A rank that still runs may have fewer calls than its call paths have.
std::uint64_t visits_of(const cube_cell &c) { return bits(std::max<std::int64_t>(c.own.calls, 0)); }

std::function<std::uint64_t(const cube_cell &)> time_of(std::int64_t figures::*figure) {
    return [figure](const cube_cell &c) { return bits(seconds(c.own.*figure)); };
}

std::function<std::uint64_t(const cube_cell &)> difference_of(std::int64_t figures::*a, std::int64_t figures::*b) {
    return [a, b](const cube_cell &c) { return bits(seconds(minus(c.own.*a, c.own.*b))); };
}

// Those that people look at; a metric whose figures are not known is left out.
std::vector<cube_metric> shown_metrics(const content &c) {
    std::vector<cube_metric> metrics;
    const auto add = [&](std::initializer_list<std::int64_t figures::*> needed, cube_metric m) {
        if (std::all_of(needed.begin(), needed.end(), [&](const auto f) { return c.known[figure_index(f)]; }))
            metrics.push_back(std::move(m));
    };
    add({&figures::calls}, {"visits", "Visits", "UINT64", "occ", "Number of visits", false, visits_of});
    add({&figures::excl_ns},
        {"time", "Time", "DOUBLE", "sec", "Time as measured", false, time_of(&figures::excl_ns)});
    add({&figures::excl_comp_ns}, {"tare_time_compensated", "Compensated time", "DOUBLE", "sec",
                                   "Time as it was without measuring", false, time_of(&figures::excl_comp_ns)});
    add({&figures::excl_ns, &figures::excl_comp_ns},
        {"tare_removed", "Removed time", "DOUBLE", "sec", "Time as measured less compensated time", false,
         difference_of(&figures::excl_ns, &figures::excl_comp_ns)});
    add({&figures::wait_excl_ns}, {"tare_mpi_wait", "MPI waiting", "DOUBLE", "sec", "Blocked in MPI, as measured",
                                   false, time_of(&figures::wait_excl_ns)});
    add({&figures::wait_comp_excl_ns},
        {"tare_mpi_wait_compensated", "Compensated MPI waiting", "DOUBLE", "sec",
         "Blocked in MPI, as it was without measuring", false, time_of(&figures::wait_comp_excl_ns)});
    return metrics;
}

std::bitset<waits::state_count> states_in(const cube_calltree &tree) {
    std::bitset<waits::state_count> found;
    for (const cube_cnode *n : tree.cnodes())
        for (const auto &[location, cell] : n->cells)
            if (cell.own.wait_excl_ns != 0 || cell.own.wait_comp_excl_ns != 0)
                found.set(tree.regions()[n->region].state);
    return found;
}

std::string with_capital(std::string text) {
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text;
}

using cell_value = std::function<std::uint64_t(const cube_cell &)>;

// A time, twice. Scalasca's names stand for time as measured, like `time`, of which it is a part there. A value that is
// empty is not known. about: behind how it was taken; only: the state of the regions that have it.
void add_time_metrics(std::vector<cube_metric> &metrics, const std::string &name, const std::string &shown,
                      const std::string &about, cell_value measured, cell_value compensated, waits::state only) {
    const auto add = [&](std::string name, std::string shown, const char *how, cell_value value) {
        if (value)
            metrics.push_back({std::move(name), with_capital(std::move(shown)), "DOUBLE", "sec", how + about, false,
                               std::move(value), only});
    };
    const bool is_ours = name.compare(0, own_prefix.size(), own_prefix) == 0;
    add(name, shown, "As measured", std::move(measured));
    add((is_ours ? "" : std::string(own_prefix)) + name + "_compensated", "compensated " + shown,
        "As it was without measuring", std::move(compensated));
}

// A state's waiting. of: what it is a part of.
void add_wait_metrics(std::vector<cube_metric> &metrics, waits::state s, const std::string &of, cell_value measured,
                      cell_value compensated, waits::state only) {
    add_time_metrics(metrics, waits::states[s].metric, waits::states[s].name,
                     of + ": waiting " + waits::states[s].meaning, std::move(measured), std::move(compensated), only);
}

void add_state_metrics(std::vector<cube_metric> &metrics, const content &c, const cube_calltree &tree) {
    const std::bitset<waits::state_count> found = states_in(tree);
    const auto known = [&](std::int64_t figures::*figure) {
        return c.known[figure_index(figure)] ? time_of(figure) : cell_value();
    };
    for (std::size_t i = 0; i < found.size(); ++i)
        if (const auto s = static_cast<waits::state>(i); found[i])
            add_wait_metrics(metrics, s, "", known(&figures::wait_excl_ns), known(&figures::wait_comp_excl_ns), s);
}

// Parts of the waiting of their functions, which are known of a rank.
void add_order_metrics(std::vector<cube_metric> &metrics, const content &c) {
    using waited = cube_cell::waited;
    for (const auto order : {profile::message_order::wrong_same, profile::message_order::wrong_different}) {
        if (std::none_of(c.orders.begin(), c.orders.end(), [&](const order_waits &o) { return o.order == order; }))
            continue;
        const auto time_in_order = [order](std::int64_t waited::*figure) {
            return [order, figure](const cube_cell &cell) {
                return bits(seconds(cell.by_order[static_cast<int>(order)].*figure));
            };
        };
        add_wait_metrics(metrics, waits::state_in_order(waits::late_sender, order),
                         ", at the first thread of a rank, part of the waiting of the function",
                         time_in_order(&waited::wait_ns), time_in_order(&waited::wait_comp_ns), waits::state_count);
    }
}

// Parts of the time of their functions, which are known of a rank.
void add_completion_metrics(std::vector<cube_metric> &metrics, const content &c) {
    const auto time_of_cell = [](std::int64_t cube_cell::*time) {
        return [time](const cube_cell &cell) { return bits(seconds(cell.*time)); };
    };
    for (const waits::completion_words &words : waits::completions)
        if (std::any_of(c.completions.begin(), c.completions.end(), [&](const completion_time &t) {
                return waits::state_of(t.function) == words.behind;
            }))
            add_time_metrics(metrics, words.metric, words.name,
                             ", at the first thread of a rank: behind the first process that has left the operation",
                             time_of_cell(&cube_cell::completion_ns), time_of_cell(&cube_cell::completion_comp_ns), words.behind);
}

void add_byte_metrics(std::vector<cube_metric> &metrics) {
    metrics.push_back({sent_metric, "Bytes sent", "UINT64", "bytes", "Bytes sent, at the first thread of a rank",
                       false, [](const cube_cell &c) { return bits(c.sent_bytes); }});
    metrics.push_back({received_metric, "Bytes received", "UINT64", "bytes",
                       "Bytes received, at the first thread of a rank", false,
                       [](const cube_cell &c) { return bits(c.received_bytes); }});
}

void add_ghosts(std::vector<cube_metric> &metrics, const content &c, const std::string &prefix,
                const profile::row *cube_cell::*row) {
    metrics.push_back({prefix, prefix, "UINT64", "occ", "1: the thread has these figures", true,
                       [row](const cube_cell &cell) { return bits(std::uint64_t{cell.*row ? 1u : 0u}); }});
    for (std::size_t i = 0; i < figure_count; ++i) {
        const std::string name = prefix + "_" + figure_columns[i].name;
        const bool is_time = name.compare(name.size() - 3, 3, "_ns") == 0;
        if (c.known[i])
            metrics.push_back({name, name, "INT64", is_time ? "ns" : "occ", "See tare-convert(1)", true,
                               [row, i](const cube_cell &cell) {
                                   return bits(cell.*row ? (cell.*row)->*figure_columns[i].value : std::int64_t{0});
                               }});
    }
}

std::vector<cube_metric> metrics_of(const content &c, const cube_calltree &tree) {
    std::vector<cube_metric> metrics = shown_metrics(c);
    add_state_metrics(metrics, c, tree);
    add_order_metrics(metrics, c);
    add_completion_metrics(metrics, c);
    if (!c.bytes.empty())
        add_byte_metrics(metrics);
    add_ghosts(metrics, c, region_metric, &cube_cell::region);
    const bool has_paths = std::any_of(c.run.threads.begin(), c.run.threads.end(),
                                       [](const profile::thread &t) { return !t.paths.empty(); });
    if (has_paths)
        add_ghosts(metrics, c, path_metric, &cube_cell::path);
    return metrics;
}

std::uint64_t value_at(const cube_cnode &n, const cube_cell &cell, const cube_metric &m, const cube_calltree &tree) {
    return m.state == waits::state_count || m.state == tree.regions()[n.region].state ? m.value(cell) : 0;
}

// The cnodes with a value; the first always: some readers want one at least.
std::vector<const cube_cnode *> rows_of(const cube_metric &m, const cube_calltree &tree) {
    std::vector<const cube_cnode *> rows;
    for (const cube_cnode *n : tree.cnodes())
        if (n->id == 0 || std::any_of(n->cells.begin(), n->cells.end(),
                                      [&](const auto &cell) { return value_at(*n, cell.second, m, tree) != 0; }))
            rows.push_back(n);
    return rows;
}

void write_index(ustar_writer &out, const std::string &id, const std::vector<const cube_cnode *> &rows) {
    std::string index(index_marker);
    put(index, std::uint32_t{1});            // tells the order of bytes
    put(index, std::uint16_t{0});            // version
    put(index, static_cast<unsigned char>(index_format::sparse));
    put(index, static_cast<std::uint32_t>(rows.size()));
    for (const cube_cnode *n : rows)
        put(index, static_cast<std::uint32_t>(n->id));
    out.begin(id + ".index", index.size());
    out.add(index);
}

void write_data(ustar_writer &out, const std::string &id, const cube_metric &m,
                const std::vector<const cube_cnode *> &rows, const cube_calltree &tree) {
    out.begin(id + ".data", data_marker.size() + rows.size() * tree.locations() * value_size);
    out.add(data_marker);
    for (const cube_cnode *n : rows) {
        std::vector<std::uint64_t> values(tree.locations());
        for (const auto &[location, cell] : n->cells)
            values[location] = value_at(*n, cell, m, tree);
        std::string row;
        for (const std::uint64_t value : values)
            put(row, value);
        out.add(row);
    }
}

}  // namespace

void write_cube(const content &c, const write_wish &, std::FILE *to) {
    const cube_calltree tree(c);
    if (tree.cnodes().empty())
        throw profile::error("what is converted has no region, and a Cube file needs one");
    const std::vector<cube_metric> metrics = metrics_of(c, tree);
    ustar_writer out(to);
    const std::string anchor = anchor_text(metrics, tree);
    out.begin(anchor_name, anchor.size());
    out.add(anchor);
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        const std::vector<const cube_cnode *> rows = rows_of(metrics[i], tree);
        write_index(out, std::to_string(i), rows);
        write_data(out, std::to_string(i), metrics[i], rows, tree);
    }
    out.finish();
}

}  // namespace tare::tool
