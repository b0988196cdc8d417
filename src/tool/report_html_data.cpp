// SPDX-License-Identifier: BSD-3-Clause
// The figures in the page. A run of many ranks and regions has millions, so they stand in columns, each less what is
// known of it from others: most are then 0, and a column of nothing else is one number. The form is in page/data.js.
#include "report_html.hpp"

#include "json.hpp"
#include "regions.hpp"
#include "report_calls.hpp"
#include "report_peers.hpp"
#include "report_states.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tare::tool {
namespace {

using profile::row;

constexpr std::size_t buffered = 1 << 16;

struct stored_column {
    const char *name;
    std::int64_t row::*value;
    const char *plus = nullptr;              // what is left is value - (plus - minus)
    const char *minus = nullptr;
};

const stored_column columns[] = {
    {"calls", &row::calls},
    {"incl_ns", &row::incl_ns},
    {"removed_ns", &row::removed_ns},
    {"excl_ns", &row::excl_ns, "incl_ns"},
    {"incl_comp_ns", &row::incl_comp_ns, "incl_ns", "removed_ns"},
    {"excl_comp_ns", &row::excl_comp_ns, "incl_comp_ns"},
    {"wait_ns", &row::wait_ns},
    {"wait_comp_ns", &row::wait_comp_ns, "wait_ns"},
    {"residue_ns", &row::residue_ns},
    {"lo_ns", &row::lo_ns, "incl_comp_ns"},
    {"hi_ns", &row::hi_ns, "incl_comp_ns"},
};

std::int64_t row::*value_named(const char *name) {
    if (name)
        for (const stored_column &c : columns)
            if (std::string_view(c.name) == name)
                return c.value;
    return nullptr;
}

// Unsigned, because figures from files may be anything.
std::int64_t left_of(const row &r, const stored_column &c) {
    const auto part = [&](const char *name) {
        const auto value = value_named(name);
        return value ? static_cast<std::uint64_t>(r.*value) : 0;
    };
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(r.*c.value) - part(c.plus) + part(c.minus));
}

// Text on its way into the page. What is left is written by flush(), which throws if it cannot be.
class json_text {
  public:
    explicit json_text(page_file &out) : out_(out) {}
    json_text(const json_text &) = delete;
    json_text &operator=(const json_text &) = delete;

    json_text &operator<<(std::string_view text) {
        text_ += text;
        if (text_.size() > buffered)
            flush();
        return *this;
    }

    template <typename Number> json_text &number(Number value) {
        char text[40];
        const auto end = std::to_chars(text, text + sizeof text, value).ptr;
        return *this << std::string_view(text, static_cast<std::size_t>(end - text));
    }

    json_text &quoted(const std::string &text) { return *this << script_json(text); }

    template <typename List, typename Put> json_text &list(const List &of, Put put) {
        *this << "[";
        bool is_first = true;
        for (const auto &item : of) {
            if (!is_first)
                *this << ",";
            is_first = false;
            put(item);
        }
        return *this << "]";
    }

    json_text &numbers(const std::vector<std::int64_t> &values) {
        return list(values, [&](std::int64_t v) { number(v); });
    }

    void flush() {
        out_.put(text_);
        text_.clear();
    }

  private:
    page_file &out_;
    std::string text_;
};

// One number if all are equal, those that are not 0 if they are few, else all.
void put_values(json_text &out, const std::vector<std::int64_t> &values) {
    const auto zeros = static_cast<std::size_t>(std::count(values.begin(), values.end(), 0));
    const bool are_equal = std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
    if (are_equal) {
        out.number(values.empty() ? 0 : values.front());
        return;
    }
    if (2 * zeros < values.size()) {
        out.numbers(values);
        return;
    }
    std::vector<std::int64_t> at, is;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] == 0)
            continue;
        at.push_back(static_cast<std::int64_t>(i));
        is.push_back(values[i]);
    }
    (out << "{\"at\":").numbers(at) << ",\"is\":";
    out.numbers(is) << "}";
}

void put_columns(json_text &out, const std::vector<const row *> &rows) {
    out.list(columns, [&](const stored_column &c) {
        std::vector<std::int64_t> values;
        values.reserve(rows.size());
        for (const row *r : rows)
            values.push_back(left_of(*r, c));
        put_values(out, values);
    });
}

void put_column_names(json_text &out) {
    out.list(columns, [&](const stored_column &c) {
        out << "[";
        out.quoted(c.name);
        for (const char *name : {c.plus, c.minus})
            if (name)
                (out << ",").quoted(name);
        out << "]";
    });
}

// The regions of the page: all, or those with the most of the key. The root is always there, because what the ranks
// ran and waited is the root's.
class page_regions {
  public:
    page_regions(const profile::run &run, const report_wish &wish) {
        std::vector<row> sums = summed_rows(run, std::nullopt);
        count_of_run_ = sums.size();
        if (wish.limit.value_or(0) > 0)
            limit(sums, wish);
        sums_ = std::move(sums);
        for (std::size_t i = 0; i < sums_.size(); ++i)
            places_.emplace(sums_[i].region, i);
    }

    const std::vector<row> &sums() const { return sums_; }
    std::size_t count_of_run() const { return count_of_run_; }

    // -1: the region is not in the page.
    std::int64_t place(const std::string &region) const {
        const auto found = places_.find(region);
        return found == places_.end() ? -1 : static_cast<std::int64_t>(found->second);
    }

  private:
    static void limit(std::vector<row> &sums, const report_wish &wish) {
        const auto key = figure_of(wish.sort.value_or(sort_keys(report_view::sum).front()));
        std::vector<const row *> order;
        for (const row &r : sums)
            order.push_back(&r);
        const auto shown = order.begin() + static_cast<std::ptrdiff_t>(shown_of(order.size(), *wish.limit));
        std::partial_sort(order.begin(), shown, order.end(), [&](const row *a, const row *b) {
            return key && a->*key != b->*key ? a->*key > b->*key : a->region < b->region;
        });
        order.erase(shown, order.end());
        std::sort(order.begin(), order.end());
        std::vector<row> kept;
        for (const row &r : sums)
            if (r.region == profile::root_region || (!wish.region.empty() && is_named(r.region, wish.region)) ||
                std::binary_search(order.begin(), order.end(), &r))
                kept.push_back(r);
        sums = std::move(kept);
    }

    std::vector<row> sums_;
    std::unordered_map<std::string_view, std::size_t> places_;
    std::size_t count_of_run_ = 0;
};

void put_sums(json_text &out, const page_regions &regions) {
    std::vector<const row *> rows;
    for (const row &r : regions.sums())
        rows.push_back(&r);
    (out << ",\n\"regions\":").list(rows, [&](const row *r) { out.quoted(r->region); });
    out << ",\n\"columns\":";
    put_column_names(out);
    out << ",\n\"sum\":";
    put_columns(out, rows);
}

// What each thread ran and waited at all, so that the page need not read every thread for that.
void put_roots(json_text &out, const profile::run &run) {
    const row none;
    std::vector<const row *> rows;
    for (const profile::thread &t : run.threads) {
        const auto root = std::find_if(t.rows.begin(), t.rows.end(),
                                       [](const row &r) { return r.region == profile::root_region; });
        rows.push_back(root == t.rows.end() ? &none : &*root);
    }
    out << ",\n\"roots\":";
    put_columns(out, rows);
}

void put_sites(json_text &out, const std::vector<profile::rank_calls> &calls) {
    out << ",\n\"sites\":";
    out.list(select_sites(calls, report_wish()), [&](const site_line &line) {
        const profile::call_site &s = line.site;
        (out << "\n[").quoted(s.site) << ",";
        out.quoted(s.function);
        for (const std::int64_t value : {std::int64_t{line.ranks}, s.calls, s.sent_bytes, s.received_bytes, s.time_ns,
                                         s.least_ns, line.mean_ns(), s.most_ns, s.comp_ns, s.wait_ns, s.wait_comp_ns})
            (out << ",").number(value);
        (out << ",").number(100 * line.share) << "]";
    });
}

// As many as are read: a run of many ranks has a line for each two of them.
void put_peers(json_text &out, const profile::run &run, const std::vector<profile::rank_calls> &calls) {
    report_wish most;
    most.limit = 200;
    most.sort = "wait-comp";
    const peer_lines all = select_peers(run, calls, most);
    (out << ",\n\"peers_left_out\":").number(static_cast<std::int64_t>(all.left_out)) << ",\n\"peers\":";
    out.list(all.lines, [&](const peer_line &line) {
        const profile::waiting &w = line.waited;
        (out << "\n[").number(line.rank) << ",";
        out.quoted(whom_shown(w)) << ",";
        out.quoted(w.function) << ",";
        out.quoted(state_of(w));
        for (const std::int64_t value : {w.calls, w.wait_ns, w.wait_comp_ns, line.ran_ns, line.ran_comp_ns})
            (out << ",").number(value);
        out << "]";
    });
}

void put_messages(json_text &out, const std::vector<profile::rank_calls> &calls) {
    out << ",\n\"messages\":[";
    bool is_first = true;
    for (const profile::rank_calls &c : calls)
        for (std::size_t i = 0; i < c.sizes.size(); ++i) {
            if (c.sizes[i].messages == 0)
                continue;
            (out << (is_first ? "[" : ",[")).number(c.rank) << ",";
            out.number(static_cast<std::int64_t>(i)) << ",";
            out.number(c.sizes[i].messages) << ",";
            out.number(c.sizes[i].bytes) << "]";
            is_first = false;
        }
    out << "]";
}

void put_sent(json_text &out, const profile::run &run) {
    out << ",\n\"sent\":[";
    bool is_first = true;
    for (const profile::thread &t : run.threads)
        for (const profile::sent_messages &s : t.sent) {
            (out << (is_first ? "[" : ",[")).number(t.rank) << ",";
            out.number(s.to) << ",";
            out.number(s.messages) << ",";
            out.number(s.bytes) << "]";
            is_first = false;
        }
    out << "]";
}

void put_completions(json_text &out, const profile::run &run, const std::vector<profile::rank_calls> &calls) {
    report_wish all;
    all.limit = 0;
    const completion_rows rows = select_completions(run, calls, all);
    (out << ",\n\"completion_hosts\":").number(static_cast<std::int64_t>(rows.hosts)) << ",\n\"completion_unknown\":";
    out.number(minus(rows.calls, rows.known_calls)) << ",\n\"completions\":";
    out.list(rows.sites, [&](const completion_sum &s) {
        (out << "\n[").quoted(s.site) << ",";
        out.quoted(s.function) << ",";
        out.quoted(s.words->name);
        for (const std::int64_t value : {s.time_ns, s.time_comp_ns, s.known_calls, s.max_comp_ns, std::int64_t{s.max_rank}})
            (out << ",").number(value);
        out << "]";
    });
}

void put_states(json_text &out, const profile::run &run, const std::vector<profile::rank_calls> &calls) {
    report_wish all;
    all.view = report_view::states;
    out << ",\n\"states\":";
    out.list(select_states(run, calls, decide(run, all)).states, [&](const state_sum &s) {
        (out << "\n[").quoted(waits::states[s.state].name) << ",";
        out.quoted(waits::states[s.state].meaning);
        for (const std::int64_t value : {s.wait_ns, s.wait_comp_ns, s.calls, s.max_comp_ns, std::int64_t{s.max_rank}})
            (out << ",").number(value);
        out << "]";
    });
}

// The region that is asked for, by its name in the profile.
std::string first_region(const page_regions &regions, const report_wish &wish) {
    for (const row &r : regions.sums())
        if (!wish.region.empty() && is_named(r.region, wish.region))
            return r.region;
    return "";
}

void put_first_view(json_text &out, const page_regions &regions, const report_wish &wish) {
    (out << ",\n\"first\":{\"rank\":").number(wish.rank.value_or(-1)) << ",\"region\":";
    out.quoted(first_region(regions, wish)) << ",\"sort\":";
    out.quoted(wish.sort.value_or(sort_keys(report_view::sum).front())) << "}";
}

void put_run(json_text &out, const profile::run &run, const report_wish &wish, const page_regions &regions,
             const std::vector<profile::rank_calls> &calls) {
    out << "<script type=\"application/json\" id=\"tare-run\">{\"tare\":\"" TARE_VERSION "\",\"ranks\":";
    out.number(run.ranks()) << ",\"root\":";
    out.quoted(profile::root_region) << ",\"regions_of_run\":";
    out.number(regions.count_of_run());
    put_first_view(out, regions, wish);
    (out << ",\n\"threads\":").list(run.threads, [&](const profile::thread &t) {
        (out << "[").number(t.rank) << ",";
        out.number(t.number) << "]";
    });
    put_sums(out, regions);
    put_roots(out, run);
    put_states(out, run, calls);
    put_completions(out, run, calls);
    if (!calls.empty()) {
        put_sites(out, calls);
        put_messages(out, calls);
    }
    if (!calls.empty() && std::all_of(calls.begin(), calls.end(), [](const auto &c) { return c.knows_waits; }))
        put_peers(out, run, calls);
    put_sent(out, run);
    out << "}</script>\n";
}

// "regions": how many, if they are the first of the page's, in order; else their numbers.
void put_thread(json_text &out, const profile::thread &t, const page_regions &regions) {
    std::vector<const row *> rows;
    std::vector<std::int64_t> places;
    bool are_first = true;
    for (const row &r : t.rows) {
        const std::int64_t place = regions.place(r.region);
        if (place < 0)
            continue;
        are_first = are_first && place == static_cast<std::int64_t>(places.size());
        rows.push_back(&r);
        places.push_back(place);
    }
    out << "<script type=\"application/json\" class=\"tare-thread\">{\"regions\":";
    are_first ? out.number(rows.size()) : out.numbers(places);
    out << ",\"columns\":";
    put_columns(out, rows);
    out << "}</script>\n";
}

}  // namespace

void put_page_data(page_file &file, const profile::run &run, const report_wish &wish,
                   const std::vector<profile::rank_calls> &calls) {
    const page_regions regions(run, wish);
    json_text out(file);
    put_run(out, run, wish, regions, calls);
    for (const profile::thread &t : run.threads)
        put_thread(out, t, regions);
    out.flush();
}

}  // namespace tare::tool
