// SPDX-License-Identifier: BSD-3-Clause
// From a profile to the files of a directory.
#include "meaning.hpp"
#include "place.hpp"
#include "tau_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace tare::profile {
namespace {

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
    if (r.counted_calls > 0)
        visit(counted_event, r.counted_calls * ns_of_counted_call);
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

held_folder hold_folder(const std::string &directory, thread_id id, int m)
{
    const std::string path = folder(directory, m);
    make_folder(path);
    held_folder held(path);
    if (is_foreign(file_name(id), held.descriptor()))
        refuse_foreign(path + "/" + file_name(id));
    return held;
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

std::size_t events_of(const std::vector<sent_messages> &sent) { return sent.empty() ? 0 : sent.size() + 1; }

void write_sent(const std::vector<sent_messages> &sent, text_file &to)
{
    if (sent.empty())
        return;
    sent_messages all;
    for (const sent_messages &s : sent)
        add(all, s);
    tau_writer writer(to);
    writer.event_of_sizes(sent_to_all_event, all);
    for (const sent_messages &s : sent)
        writer.event_of_sizes(s.to == elsewhere ? sent_elsewhere_event : sent_event + std::to_string(s.to), s);
}

void write_new_files(new_files &files, const thread_view &t)
{
    for (int m = 0; m < metric_count; m++)
        tau_writer(files.of[m]).begin(t.row_count + t.paths.size(), metric_names[m], t.metadata);
    const std::size_t events = write_functions(t, files) + events_of(t.sent);
    for (int m = 0; m < metric_count; m++)
        tau_writer(files.of[m]).begin_events(m == time ? events : 0);
    write_events(t, files);
    write_sent(t.sent, files.of[time]);
    for (text_file &file : files.of)
        file.close();
}

// What could not be written whole takes no room on a full disk.
void remove_new_files(const held_folder (&folders)[metric_count], thread_id id)
{
    for (const held_folder &folder : folders)
        unlinkat(folder.descriptor(), temporary_name(id).c_str(), 0);
}

void write_in_folders(const held_folder (&folders)[metric_count], const std::string &directory, thread_id id,
                      const thread_view &t)
{
    const auto make = [&](int m) {
        const std::string name = temporary_name(id);
        return text_file(folder(directory, m) + "/" + name, name, folders[m].descriptor());
    };
    new_files files{{make(0), make(1), make(2), make(3)}, {}};
    write_new_files(files, t);
}

}  // namespace

thread_view view_of(const thread &t)
{
    return {t.rank, t.number, t.metadata, t.rows.size(), [&t](const row_visitor &visit) { visit_all(t.rows, visit); },
            t.paths, t.sent};
}

void write_thread(const std::string &directory, const thread &t) { write_thread(directory, view_of(t)); }

void write_thread(const std::string &directory, const thread_view &t)
{
    const thread_id id{t.rank, t.number};
    const auto hold = [&](int m) { return hold_folder(directory, id, m); };
    const held_folder folders[metric_count] = {hold(0), hold(1), hold(2), hold(3)};
    try {
        write_in_folders(folders, directory, id, t);
    } catch (...) {
        remove_new_files(folders, id);
        throw;
    }
    for (int m = metric_count - 1; m >= 0; m--) {
        const int in = folders[m].descriptor();
        if (renameat(in, temporary_name(id).c_str(), in, file_name(id).c_str()) != 0)
            throw error("cannot write " + folder(directory, m) + "/" + file_name(id) + ": " + std::strerror(errno));
    }
}

}  // namespace tare::profile
