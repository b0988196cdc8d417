// SPDX-License-Identifier: BSD-3-Clause
// From the records of all threads to the profile on disk.
#include "file_size_guard.hpp"
#include "formats.hpp"
#include "live.hpp"
#include "mpi_calls.hpp"
#include "path_rows.hpp"
#include "paths.hpp"
#include "place.hpp"
#include "process.hpp"
#include "region.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace tare {
namespace {

using region_numbers = std::vector<std::uint32_t>;

// In one row, so that they are read without looking for each region's memory again.
struct named_region {
    std::string_view name;
    const char *group;
};

struct region_list {
    std::vector<named_region> regions;               // by number
    region_numbers first_of_name;                    // the first region that turned out to have the same name
    std::map<std::uint32_t, region_numbers> same;    // by that first one, if there are others: all of them
    std::vector<region_text> texts;                  // for call paths; empty: none are recorded
};

// Finds regions of one name: a hash table of their numbers.
class name_table {
  public:
    explicit name_table(const std::vector<named_region> &regions) : regions_(regions)
    {
        std::size_t slots = 16;
        while (slots < 2 * regions.size())
            slots *= 2;
        slots_.assign(slots, free_slot);
    }

    // The region that has this one's name and was added first.
    std::uint32_t add(std::uint32_t number)
    {
        const std::string_view name = regions_[number].name;
        for (std::size_t i = std::hash<std::string_view>()(name);; i++) {
            std::uint32_t &slot = slots_[i & (slots_.size() - 1)];
            if (slot == free_slot)
                return slot = number;
            if (name == regions_[slot].name)
                return slot;
        }
    }

  private:
    static constexpr std::uint32_t free_slot = UINT32_MAX;
    const std::vector<named_region> &regions_;
    std::vector<std::uint32_t> slots_;
};

void find_same_names(region_list &list)
{
    name_table names(list.regions);
    list.first_of_name.reserve(list.regions.size());
    for (std::uint32_t i = 0; i < list.regions.size(); i++) {
        const std::uint32_t first = names.add(i);
        list.first_of_name.push_back(first);
        if (first != i)
            list.same.try_emplace(first, 1, first).first->second.push_back(i);
    }
}

std::size_t count_up_to(const tare_region_t *newest)
{
    return newest == nullptr ? 0 : std::size_t{newest->number} + 1;
}

// Regions that were made by name differ: only a function may turn out to have the name of another region.
region_list list_regions(bool with_texts)
{
    region_list list;
    tare_region_t *newest = newest_region();
    list.regions.resize(count_up_to(newest));
    bool has_functions = false;
    for (tare_region_t *r = newest; r != nullptr; r = r->next) {
        list.regions[r->number] = {name_of(*r), r->group};
        has_functions |= r->resolve != nullptr;
    }
    if (has_functions)
        find_same_names(list);
    if (with_texts)
        for (const named_region &r : list.regions)
            list.texts.push_back({std::string(r.name), r.group});
    return list;
}

// The rows of a thread, by region number; regions of one name share the row of the first that was called.
class region_rows {
  public:
    region_rows(const placed_sums &sums, const region_list &list) : sums_(sums), list_(list) {}

    std::size_t count() const
    {
        std::size_t count = 0;
        for (std::uint32_t i = 0; i < list_.regions.size(); i++)
            count += has_row(i);
        return count;
    }

    void for_each(const profile::row_visitor &visit) const
    {
        for (std::uint32_t i = 0; i < list_.regions.size(); i++)
            if (has_row(i))
                visit(row_of(i));
    }

  private:
    bool is_called(std::uint32_t number) const { return sums_.of(number) != nullptr; }

    // With the region itself. nullptr: no other has its name.
    const region_numbers *same_name(std::uint32_t number) const
    {
        if (list_.same.empty())
            return nullptr;
        const auto found = list_.same.find(list_.first_of_name[number]);
        return found == list_.same.end() ? nullptr : &found->second;
    }

    bool has_row(std::uint32_t number) const
    {
        if (!is_called(number))
            return false;
        const region_numbers *same = same_name(number);
        return same == nullptr ||
               *std::find_if(same->begin(), same->end(), [this](std::uint32_t n) { return is_called(n); }) == number;
    }

    profile::row_view row_of(std::uint32_t number) const
    {
        profile::row_view row;
        row.region = list_.regions[number].name;
        row.group = list_.regions[number].group;
        if (const region_numbers *same = same_name(number); same == nullptr)
            add_to_row(row, *sums_.of(number));
        else
            for (const std::uint32_t n : *same)
                if (is_called(n))
                    add_to_row(row, *sums_.of(n));
        return row;
    }

    const placed_sums &sums_;
    const region_list &list_;
};

std::string host_name()
{
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return name;
}

}  // namespace

profile::attributes describe(process &p)
{
    namespace key = profile::key;
    const tare_global_t &g = *switches.core.load()->global;
    const std::uint32_t rule = g.mode == TARE_MODE_OFF ? std::uint32_t{TARE_RULE_LOCAL} : g.rule;
    profile::attributes result = {
        {key::version, tare_version()},
        {key::run_id, p.run_id},
        {key::ranks, std::to_string(p.ranks)},
        {key::mode, tare_env_mode_name(static_cast<int>(g.mode))},
        {key::rule, tare_env_rule_name(static_cast<int>(rule))},
        {key::overhead, p.settings.overhead == TARE_OVERHEAD_MEASURED ? "measured" : "calibrated"},
        {key::clock, "CLOCK_MONOTONIC"},
        {key::host, host_name()},
        {key::program, program_invocation_short_name},
    };
    if (p.settings.callpath_depth > 1)
        result.emplace_back(key::callpath_depth, std::to_string(p.settings.callpath_depth));
    if (p.settings.trace == 1)
        result.emplace_back(key::trace_clock, p.settings.trace_clock == TARE_CLOCK_MEASURED ? "measured" : "compensated");
    if (p.settings.filter != nullptr)
        result.emplace_back(key::filter, p.settings.filter);
    if (p.settings.throttle_calls > 0)
        result.emplace_back(key::throttle, std::to_string(p.settings.throttle_calls) + " calls, mean below " +
                                               std::to_string(p.settings.throttle_ns) + " ns");
    const std::lock_guard<std::mutex> lock(p.describing);
    result.insert(result.end(), p.metadata.begin(), p.metadata.end());
    return result;
}

namespace {

sample counters_now(const thread_state &t) { return t.block == nullptr ? t.last : counters(t, clock_ns(), 0); }

// Calls that are only counted change a record without saying so.
std::uint64_t changes_of(const thread_state &t)
{
    return std::uint64_t{t.record.changes()} + static_cast<std::uint64_t>(t.counted_calls);
}

struct written {
    std::uint64_t changes = 0;
    std::int64_t ignored_leaves = 0;
    std::int64_t lost_calls = 0;
    std::int64_t refused_calls = 0;
};

// Writes what threads have recorded, one after the other.
class thread_writer {
  public:
    // The messages that the process has sent go with its first thread.
    thread_writer(process &p, const std::vector<profile::sent_messages> &sent)
        : process_(p), sent_(sent), metadata_(describe(p))
    {
    }

    const written &result() const { return result_; }

    void write(thread_state &t)
    {
        if (&t == self.state && t.record.begin())
            write_own(t);
        else
            write_other(t);
    }

  private:
    // Ends a change of a record.
    struct change_end {
        recorder &record;
        ~change_end() { record.end(); }
    };

    // The calling thread enters and leaves nothing before its record is written, so that is not copied.
    void write_own(thread_state &t)
    {
        result_.changes += changes_of(t) + 1;       // as it will be
        const change_end at_the_end{t.record};
        recorded rest;
        const placed_sums sums = t.record.read_in_place(counters_now(t), rest);
        write(t, sums, rest);
    }

    void write_other(const thread_state &t)
    {
        result_.changes += changes_of(t);
        const recorded copy = t.record.copy([&t] { return counters_now(t); });
        write(t, sums_in(copy), copy);
    }

    void write(const thread_state &t, const placed_sums &sums, const recorded &record)
    {
        list_new_regions();
        result_.ignored_leaves += record.ignored_leaves;
        result_.lost_calls += record.lost_calls;
        result_.refused_calls += t.refused_calls;
        profile::thread thread{process_.rank, t.number, metadata_, {}, {}, {}};
        if (t.number == 0)
            thread.sent = sent_;
        if (const char *name = __atomic_load_n(&t.name, __ATOMIC_ACQUIRE); name != nullptr)
            thread.metadata.emplace_back(profile::key::thread_name, name);
        add_selection(thread, t);
        if (t.refused_calls > 0)
            thread.metadata.emplace_back(profile::key::refused_calls, std::to_string(t.refused_calls));
        add_paths(thread, record, regions_.texts);
        const region_rows rows(sums, regions_);
        profile::thread_view view = profile::view_of(thread);
        view.row_count = rows.count();
        view.for_each_row = [&rows](const profile::row_visitor &visit) { rows.for_each(visit); };
        profile::write_thread(process_.profile_dir, view);
    }

    void add_selection(profile::thread &to, const thread_state &t) const
    {
        if (process_.settings.filter == nullptr)
            return;
        to.metadata.emplace_back(profile::key::excluded_regions, std::to_string(excluded_regions()));
        to.metadata.emplace_back(profile::key::excluded_calls, std::to_string(t.excluded.calls));
    }

    // After the record was read, which holds no newer ones.
    void list_new_regions()
    {
        if (regions_.regions.size() < count_up_to(newest_region()))
            regions_ = list_regions(process_.settings.callpath_depth > 1);
    }

    process &process_;
    const std::vector<profile::sent_messages> &sent_;
    const profile::attributes metadata_;
    region_list regions_;
    written result_;
};

written write_threads(process &p, const std::vector<profile::sent_messages> &sent)
{
    thread_writer writer(p, sent);
    const std::lock_guard<std::mutex> lock(p.threads_changing);
    for (thread_state *t = p.threads; t != nullptr; t = t->next)
        writer.write(*t);
    return writer.result();
}

void say_ignored(const process &p, std::int64_t leaves)
{
    static bool has_said = false;
    if (leaves == 0 || has_said || p.rank != 0 || p.settings.verbose < 1)
        return;
    has_said = true;
    say(std::to_string(leaves) + " leaves of regions that had not been entered were ignored");
}

void say_lost(const process &p, std::int64_t calls)
{
    if (calls > 0)
        say_once(p, "paths", std::to_string(calls) + " calls are in the flat profile only: a thread has room for " +
                                 std::to_string(path_record::path_limit - 1) +
                                 " call paths; a smaller TARE_CALLPATH needs fewer");
}

void say_refused(const process &p, std::int64_t calls)
{
    if (calls > 0)
        say_once(p, "handlers", std::to_string(calls) + " calls of rank " + std::to_string(p.rank) +
                                    " are not in the profile: a handler of a signal made them inside a hook of Tare's, "
                                    "or left one by a jump, after which its thread is not measured");
}

constexpr const char *place_advice = "TARE_PROFILE_DIR says where a profile goes";

std::string with_advice(const char *what) { return std::string(what) + "; TARE_PROFILE_DIR says where it goes"; }

// What stands in it and has no effect.
void tell_of_filter(process &p)
{
    for (const std::string &remark : p.filter.remarks())
        if (!p.has_told_of_filter)
            say(remark);
    p.has_told_of_filter = true;
}

bool is_of_another_run(const process &p, const profile::live_owner &owner)
{
    return owner.process != getpid() && owner.run_id != p.run_id && owner.run_id != p.first_run_id;
}

// Another run is being measured here, which would lose its records: this program was started by one of its processes,
// or spawned, or it is another job. Rank 0 stands for ranks that only this run has.
bool is_taken(const process &p)
{
    for (const int rank : {0, p.rank}) {
        const auto owner = profile::running_owner(p.profile_dir + "/" + profile::live_name(rank));
        if (!owner || !is_of_another_run(p, *owner))
            continue;
        say_once(p, "place", "this program is not measured: process " + std::to_string(owner->process) +
                                 " is being measured in " + p.profile_dir + "; " + place_advice);
        return true;
    }
    return false;
}

// Under the lock `writing`.
void prepare_place_once(process &p)
{
    if (p.place_is_ready)
        return;
    p.place_is_ready = true;
    if (is_taken(p))
        return stop_measuring(p);
    try {
        if (p.rank == 0) {
            profile::check_place(p.profile_dir);
            profile::check_calls_place(p.profile_dir);
            check_formats(p);
            tell_of_filter(p);
        }
        put_live_file_aside();
        profile::remove_older(p.profile_dir, p.rank, p.ranks);
        profile::remove_older_calls(p.profile_dir, p.rank, p.ranks);
    } catch (const profile::error &e) {
        end_run(with_advice(e.what()));
    }
    name_live_file(p);
}

}  // namespace

void prepare_place()
{
    process &p = this_process();
    const std::lock_guard<std::mutex> lock(p.writing);
    prepare_place_once(p);
}

void write_profile()
{
    process &p = this_process();
    const std::lock_guard<std::mutex> lock(p.writing);
    if (p.is_final)
        return;
    prepare_place_once(p);
    if (p.is_unmeasured)
        return;
    const file_size_guard guard;
    try {
        const notes noted = collect_notes(p);
        const written result = write_threads(p, noted.sent);
        if (noted.calls)
            profile::write_calls(p.profile_dir, *noted.calls);
        p.written_changes = result.changes;
        p.is_written = true;
        say_ignored(p, result.ignored_leaves);
        say_lost(p, result.lost_calls);
        say_refused(p, result.refused_calls);
    } catch (const std::exception &e) {
        if (!p.failed)
            say_once(p, "output", with_advice(e.what()));
        p.failed = true;
        p.is_written = false;
    }
}

bool has_changed_since_writing()
{
    process &p = this_process();
    const std::lock_guard<std::mutex> lock(p.threads_changing);
    std::uint64_t changes = 0;
    for (const thread_state *t = p.threads; t != nullptr; t = t->next)
        changes += changes_of(*t);
    return changes != p.written_changes;
}

}  // namespace tare
