// SPDX-License-Identifier: BSD-3-Clause
// From the files of a directory to a profile.
#include "profile.hpp"

#include "live.hpp"
#include "live_calls.hpp"
#include "meaning.hpp"
#include "place.hpp"
#include "tau_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <unordered_map>

namespace tare::profile {
namespace {

const std::string nothing;

const std::string &value_of(const attributes &metadata, const std::string &name)
{
    for (const auto &[key, value] : metadata)
        if (key == name)
            return value;
    return nothing;
}

std::string path_of(const std::string &directory, int metric, thread_id id)
{
    return folder(directory, metric) + "/" + file_name(id);
}

using parsed_files = std::array<read_file, metric_count>;

// The files of one thread. What was parsed points into the texts, so this stays where it is.
struct thread_files {
    std::array<std::string, metric_count> texts;
    parsed_files parsed;

    thread_files() = default;
    thread_files(const thread_files &) = delete;
    thread_files &operator=(const thread_files &) = delete;
};

void check_metadata(const read_file &file, int metric, const std::string &path)
{
    if (file.metric != metric_names[metric])
        throw error(path + ", line 1: the metric is " + file.metric + " and not " + metric_names[metric]);
    const attributes &a = file.metadata;
    if (a.size() < 2 || a[0].first != "Metric Name" || a[1].first != key::version)
        throw error(path + ", line 2: the metadata does not say that Tare wrote this file");
}

void read_files(const std::string &directory, thread_id id, thread_files &into)
{
    for (int m = 0; m < metric_count; m++) {
        const std::string path = path_of(directory, m, id);
        into.texts[m] = read_text(path);
        into.parsed[m] = parse(into.texts[m], path);
        check_metadata(into.parsed[m], m, path);
        if (value_of(into.parsed[m].metadata, key::run_id) != value_of(into.parsed[time].metadata, key::run_id))
            throw error(path + " belongs to another run than " + path_of(directory, time, id));
    }
}

row to_row(const parsed_files &all, std::size_t i)
{
    const read_function &f = all[time].functions[i];
    row r;
    r.region = f.name;
    r.group = f.group;
    r.calls = f.calls;
    r.subrs = f.subrs;
    r.incl_ns = f.incl_ns;
    r.excl_ns = f.excl_ns;
    r.incl_comp_ns = all[compensated_time].functions[i].incl_ns;
    r.excl_comp_ns = all[compensated_time].functions[i].excl_ns;
    r.wait_ns = all[wait_time].functions[i].incl_ns;
    r.wait_excl_ns = all[wait_time].functions[i].excl_ns;
    r.wait_comp_ns = all[compensated_wait_time].functions[i].incl_ns;
    r.wait_comp_excl_ns = all[compensated_wait_time].functions[i].excl_ns;
    r.lo_ns = r.hi_ns = r.incl_comp_ns;
    return r;
}

// What the user events say of one region.
struct region_events {
    std::optional<std::int64_t> removed_ns;
    std::optional<std::int64_t> residue_ns;
    std::optional<std::int64_t> lo_ns;
    std::optional<std::int64_t> hi_ns;
    std::optional<std::int64_t> counted_ns;
};

// Whether the row says that the region is throttled; then it keeps the name without that.
bool take_throttled(row &r)
{
    const std::size_t suffix = throttled_suffix.size();
    if (r.group != throttled_group || r.region.size() < suffix ||
        r.region.compare(r.region.size() - suffix, suffix, throttled_suffix) != 0)
        return false;
    r.region.resize(r.region.size() - suffix);
    return true;
}

// Whether this is a call path; then the row keeps the group of its innermost region.
bool take_path_group(row &r)
{
    const std::size_t length = std::strlen(path_group);
    if (r.group.compare(0, length, path_group) != 0)
        return false;
    r.group.erase(0, length);
    return true;
}

struct event_kind {
    std::string_view prefix;
    std::optional<std::int64_t> region_events::*value;
};

constexpr event_kind event_kinds[] = {{removed_event, &region_events::removed_ns},
                                      {residue_event, &region_events::residue_ns},
                                      {lo_event, &region_events::lo_ns},
                                      {hi_event, &region_events::hi_ns},
                                      {counted_event, &region_events::counted_ns}};

using events_by_region = std::unordered_map<std::string_view, region_events>;

// Events of other kinds are not the reader's.
events_by_region by_region(const std::vector<read_event> &events)
{
    events_by_region result;
    result.reserve(events.size());
    for (const read_event &e : events)
        for (const event_kind &kind : event_kinds)
            if (e.name.substr(0, kind.prefix.size()) == kind.prefix)
                result[e.name.substr(kind.prefix.size())].*kind.value = e.value_ns;
    return result;
}

// Sixteen digits hold every nanosecond of the first eleven days; beyond, the last ones may be rounded.
bool differ(std::int64_t a_ns, std::int64_t b_ns, std::int64_t scale_ns)
{
    return std::abs(a_ns - b_ns) > scale_ns / 100'000'000'000'000;
}

// As the files may say it: what is measured is not negative, what was removed may be anything.
bool is_removed(std::int64_t removed_ns, const row &r, std::int64_t &compensated_ns)
{
    return !__builtin_sub_overflow(r.incl_ns, removed_ns, &compensated_ns) &&
           !differ(column(compensated_ns), r.incl_comp_ns, r.incl_ns);
}

void apply_events(row &r, row_kind kind, const region_events &events, const std::string &where)
{
    r.removed_ns = events.removed_ns.value_or(kind == row_kind::path ? r.incl_ns - r.incl_comp_ns : 0);
    r.residue_ns = events.residue_ns.value_or(0);
    std::int64_t compensated_ns = 0;
    if (!is_removed(r.removed_ns, r, compensated_ns))
        throw error(where + ": the compensated time of '" + r.region + "' is not what its measured time and '" +
                    removed_event + r.region + "' say");
    r.incl_comp_ns = compensated_ns;
    r.lo_ns = events.lo_ns.value_or(compensated_ns);
    r.hi_ns = events.hi_ns.value_or(compensated_ns);
}

void apply_throttling(row &r, const region_events &events, const std::string &where)
{
    r.counted_calls = events.counted_ns.value_or(0) / ns_of_counted_call;
    if (r.counted_calls <= 0 || r.counted_calls > r.calls)
        throw error(where + ": '" + counted_event + r.region + "' does not say how many of the " +
                    std::to_string(r.calls) + " calls were only counted");
}

void check_same_functions(const parsed_files &all, const std::string &directory, thread_id id)
{
    for (int m = 1; m < metric_count; m++) {
        const bool same = std::equal(all[time].functions.begin(), all[time].functions.end(),
                                     all[m].functions.begin(), all[m].functions.end(),
                                     [](const read_function &a, const read_function &b) { return a.name == b.name; });
        if (!same)
            throw error(path_of(directory, m, id) + " does not hold the same functions as " +
                        path_of(directory, time, id));
    }
}

void take_rows(const parsed_files &all, const std::string &where, thread &t)
{
    const events_by_region events = by_region(all[time].events);
    const region_events none;
    t.rows.reserve(all[time].functions.size());
    for (std::size_t i = 0; i < all[time].functions.size(); i++) {
        row r = to_row(all, i);
        const row_kind kind = take_path_group(r) ? row_kind::path : row_kind::region;
        const bool is_throttled = take_throttled(r);
        const auto found = events.find(r.region);
        const region_events &of_row = found == events.end() ? none : found->second;
        apply_events(r, kind, of_row, where);
        if (is_throttled)
            apply_throttling(r, of_row, where);
        (kind == row_kind::path ? t.paths : t.rows).push_back(std::move(r));
    }
}

int receiver_in(std::string_view event, const std::string &where)
{
    const std::size_t length = std::strlen(sent_event);
    if (event == sent_elsewhere_event)
        return elsewhere;
    const std::string_view digits = event.substr(std::min(length, event.size()));
    int rank = -1;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    if (event.substr(0, length) != sent_event || failure != std::errc() || end != digits.data() + digits.size() ||
        rank < 0)
        throw error(where + ": '" + std::string(event) + "' does not say to whom");
    return rank;
}

constexpr std::int64_t most_bytes = INT64_C(9'000'000'000'000'000);

// The first event is of all messages, the others of those to one rank each.
void take_sent(const std::vector<read_sizes> &events, const std::string &where, thread &t)
{
    if (events.empty())
        return;
    if (events.front().name != sent_to_all_event)
        throw error(where + ": '" + sent_to_all_event + "' should be before '" + std::string(events.front().name) +
                    "'");
    sent_messages all;
    for (std::size_t i = 1; i < events.size(); i++) {
        sent_messages one = events[i].sizes;
        one.to = receiver_in(events[i].name, where);
        if (!t.sent.empty() && one.to <= t.sent.back().to)
            throw error(where + ": '" + std::string(events[i].name) + "' is there twice, or out of order");
        add(all, one);
        if (all.bytes > most_bytes)
            throw error(where + ": there is no such number of bytes");
        t.sent.push_back(one);
    }
    // Beyond 2^51 bytes a mean may be off by a byte or two.
    const std::int64_t rounded_bytes = (all.bytes >> 51) * static_cast<std::int64_t>(events.size());
    const sent_messages &said = events.front().sizes;
    if (said.messages != all.messages || std::abs(said.bytes - all.bytes) > rounded_bytes)
        throw error(where + ": '" + sent_to_all_event + "' is not the sum of those to each");
}

thread read_thread(const std::string &directory, thread_id id)
{
    thread_files files;
    read_files(directory, id, files);
    const parsed_files &all = files.parsed;
    check_same_functions(all, directory, id);
    thread t;
    t.rank = id.rank;
    t.number = id.number;
    t.metadata.assign(all[time].metadata.begin() + 1, all[time].metadata.end());
    take_rows(all, path_of(directory, time, id), t);
    take_sent(all[time].sizes, path_of(directory, time, id), t);
    return t;
}

// So many are believed: a report names those that are missing.
constexpr int most_ranks = 10'000'000;

void check_ranks(const run &r, const std::string &where)
{
    if (r.ranks() < 1 || r.ranks() > most_ranks)
        throw error(where + ", line 2: the number of ranks is '" + r.attribute(key::ranks) + "' and not 1 to " +
                    std::to_string(most_ranks));
}

}  // namespace

const std::string &thread::attribute(const std::string &name) const { return value_of(metadata, name); }

void add(sent_messages &a, const sent_messages &b)
{
    a.least_bytes = a.messages == 0 ? b.least_bytes : std::min(a.least_bytes, b.least_bytes);
    a.most_bytes = std::max(a.most_bytes, b.most_bytes);
    a.messages += b.messages;
    a.bytes += b.bytes;
    a.squares += b.squares;
}

std::string last_of_path(const std::string &path)
{
    const std::size_t arrow = path.rfind(path_arrow);
    return arrow == std::string::npos ? path : path.substr(arrow + path_arrow.size());
}

const std::string &run::attribute(const std::string &name) const
{
    return threads.empty() ? nothing : threads.front().attribute(name);
}

int run::ranks() const
{
    const std::string &text = attribute(key::ranks);
    int value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failure == std::errc() && end == text.data() + text.size() ? value : 0;
}

namespace {

// By rank. A process that ends well meanwhile takes its file away after it has written its profile.
std::map<int, std::vector<thread>> read_live_files(const std::string &directory)
{
    std::map<int, std::vector<thread>> found;
    for (const int rank : live_ranks(directory)) {
        const std::string path = directory + "/" + live_name(rank);
        try {
            std::vector<thread> threads = read_live(path);
            threads.front().sent = read_live_sent(path);
            if (threads.front().rank != rank)
                throw error(path + " is damaged: it says that it is rank " +
                            std::to_string(threads.front().rank) + "'s");
            found[rank] = std::move(threads);
        } catch (const error &) {
            if (is_there(path))
                throw;
        }
    }
    return found;
}

}  // namespace

run read_directory(const std::string &directory)
{
    run result;
    std::string first;
    const auto add = [&](thread t, const std::string &path) {
        if (result.threads.empty())
            first = path;
        else if (t.attribute(key::run_id) != result.attribute(key::run_id))
            throw error(path + " belongs to another run than " + first + " beside it");
        result.threads.push_back(std::move(t));
    };
    // What a live file holds is newer than what its process may have written on the way.
    std::map<int, std::vector<thread>> live = read_live_files(directory);
    for (const thread_id id : threads_in(directory, time))
        if (live.count(id.rank) == 0)
            add(read_thread(directory, id), folder(directory, time) + "/" + file_name(id));
    for (auto &[rank, threads] : live)
        for (thread &t : threads)
            add(std::move(t), directory + "/" + live_name(rank));
    if (result.threads.empty())
        throw error("there is no Tare profile in " + directory + ": no file " + folder("", time).substr(1) +
                    "/profile.0.0.0");
    std::stable_sort(result.threads.begin(), result.threads.end(), [](const thread &a, const thread &b) {
        return a.rank != b.rank ? a.rank < b.rank : a.number < b.number;
    });
    check_ranks(result, first);
    return result;
}

}  // namespace tare::profile
