// SPDX-License-Identifier: BSD-3-Clause
// What the numbers of a profile are called in TAU's files.
#include "profile.hpp"

#include "live.hpp"
#include "place.hpp"
#include "tau_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <unistd.h>
#include <unordered_map>

namespace tare::profile {
namespace {

// User events that belong to one region: PREFIX REGION. Written only where they say something.
constexpr const char *removed_event = "tare removed : ";
constexpr const char *residue_event = "tare residue : ";
constexpr const char *lo_event = "tare bound lo : ";
constexpr const char *hi_event = "tare bound hi : ";

// TAU's: what tells the row of a call path, before the group of its innermost region.
constexpr const char *path_group = "TAU_CALLPATH|";

// Columns may not be negative: readers take such a number for a corrupt file. What is cut off is kept in events:
// inclusive as measured - removed, exclusive as residue, which is positive like the core's: declared beyond what had
// elapsed.
std::int64_t column(std::int64_t ns) { return std::max<std::int64_t>(ns, 0); }

enum class row_kind { region, path };

struct times {
    std::int64_t excl_ns;
    std::int64_t incl_ns;
};

times times_of(const figures &r, int m)
{
    return m == time               ? times{r.excl_ns, r.incl_ns}
           : m == compensated_time ? times{r.excl_comp_ns, r.incl_comp_ns}
           : m == wait_time        ? times{r.wait_excl_ns, r.wait_ns}
                                   : times{r.wait_comp_excl_ns, r.wait_comp_ns};
}

// Calls visit(prefix, value in ns) for every event of a row. What was removed on a call path is the difference of its
// columns, unless one is cut off.
template <typename Visit> void for_each_event(const figures &r, row_kind kind, Visit visit)
{
    const std::int64_t residue_ns = r.residue_ns - std::min<std::int64_t>(r.excl_comp_ns, 0);
    if (kind == row_kind::region ? r.removed_ns != 0 : r.incl_comp_ns < 0)
        visit(removed_event, r.removed_ns);
    if (residue_ns != 0)
        visit(residue_event, residue_ns);
    if (r.lo_ns == r.incl_comp_ns && r.hi_ns == r.incl_comp_ns)
        return;
    visit(lo_event, r.lo_ns);
    visit(hi_event, r.hi_ns);
}

void visit_all(const std::vector<row> &rows, const row_visitor &visit)
{
    row_view view;
    for (const row &r : rows) {
        static_cast<figures &>(view) = r;
        view.region = r.region;
        view.group = r.group;
        visit(view);
    }
}

// Calls visit(row, kind) for every row.
template <typename Visit> void for_each_row(const thread_view &t, Visit visit)
{
    t.for_each_row([&](const row_view &r) { visit(r, row_kind::region); });
    visit_all(t.paths, [&](const row_view &r) { visit(r, row_kind::path); });
}

// The files of one thread while they are written.
struct new_files {
    text_file of[metric_count];
    row_text text;
};

text_file make_new_file(const std::string &directory, thread_id id, int m)
{
    const std::string path = folder(directory, m) + "/" + file_name(id);
    if (is_foreign(path))
        refuse_foreign(path);
    make_folder(folder(directory, m));
    return text_file(folder(directory, m) + "/" + temporary_name(id));
}

// Row by row in all files, so that what the lines of a row have in common is put together once. Gives back the number
// of events, which stands before them.
std::size_t write_functions(const thread_view &t, new_files &files)
{
    std::size_t events = 0;
    for_each_row(t, [&](const row_view &r, row_kind kind) {
        files.text.set(r, kind == row_kind::path ? path_group : "");
        for (int m = 0; m < metric_count; m++) {
            const times written = times_of(r, m);
            tau_writer(files.of[m]).function(files.text, column(written.excl_ns), column(written.incl_ns));
        }
        for_each_event(r, kind, [&](std::string_view, std::int64_t) { events++; });
    });
    return events;
}

void write_events(const thread_view &t, new_files &files)
{
    tau_writer writer(files.of[time]);
    for_each_row(t, [&](const row_view &r, row_kind kind) {
        bool is_named = false;
        for_each_event(r, kind, [&](std::string_view prefix, std::int64_t ns) {
            if (!is_named)
                files.text.set_name(r.region);
            is_named = true;
            writer.event(prefix, files.text, ns);
        });
    });
}

void write_new_files(const std::string &directory, thread_id id, const thread_view &t)
{
    new_files files{{make_new_file(directory, id, 0), make_new_file(directory, id, 1), make_new_file(directory, id, 2),
                     make_new_file(directory, id, 3)},
                    {}};
    for (int m = 0; m < metric_count; m++)
        tau_writer(files.of[m]).begin(t.row_count + t.paths.size(), metric_names[m], t.metadata);
    const std::size_t events = write_functions(t, files);
    for (int m = 0; m < metric_count; m++)
        tau_writer(files.of[m]).begin_events(m == time ? events : 0);
    write_events(t, files);
    for (text_file &file : files.of)
        file.close();
}

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
};

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
                                      {hi_event, &region_events::hi_ns}};

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

void apply_events(row &r, row_kind kind, const region_events &events, const std::string &where)
{
    r.removed_ns = events.removed_ns.value_or(kind == row_kind::path ? r.incl_ns - r.incl_comp_ns : 0);
    r.residue_ns = events.residue_ns.value_or(0);
    const std::int64_t compensated_ns = r.incl_ns - r.removed_ns;
    if (differ(column(compensated_ns), r.incl_comp_ns, r.incl_ns))
        throw error(where + ": the compensated time of '" + r.region + "' is not what its measured time and '" +
                    removed_event + r.region + "' say");
    r.incl_comp_ns = compensated_ns;
    r.lo_ns = events.lo_ns.value_or(compensated_ns);
    r.hi_ns = events.hi_ns.value_or(compensated_ns);
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
    t.rows.reserve(all[time].functions.size());
    for (std::size_t i = 0; i < all[time].functions.size(); i++) {
        row r = to_row(all, i);
        const row_kind kind = take_path_group(r) ? row_kind::path : row_kind::region;
        const auto found = events.find(all[time].functions[i].name);
        apply_events(r, kind, found == events.end() ? region_events() : found->second, where);
        (kind == row_kind::path ? t.paths : t.rows).push_back(std::move(r));
    }
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

namespace {

// What could not be written whole takes no room on a full disk.
void remove_new_files(const std::string &directory, thread_id id)
{
    for (int m = 0; m < metric_count; m++)
        unlink((folder(directory, m) + "/" + temporary_name(id)).c_str());
}

}  // namespace

thread_view view_of(const thread &t)
{
    return {t.rank, t.number, t.metadata, t.rows.size(), [&t](const row_visitor &visit) { visit_all(t.rows, visit); },
            t.paths};
}

void write_thread(const std::string &directory, const thread &t) { write_thread(directory, view_of(t)); }

void write_thread(const std::string &directory, const thread_view &t)
{
    const thread_id id{t.rank, t.number};
    try {
        write_new_files(directory, id, t);
    } catch (...) {
        remove_new_files(directory, id);
        throw;
    }
    for (int m = metric_count - 1; m >= 0; m--) {
        const std::string path = folder(directory, m) + "/";
        if (std::rename((path + temporary_name(id)).c_str(), (path + file_name(id)).c_str()) != 0)
            throw error("cannot write " + path + file_name(id) + ": " + std::strerror(errno));
    }
}

}  // namespace tare::profile
