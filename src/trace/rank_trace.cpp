// SPDX-License-Identifier: BSD-3-Clause
#include "rank_trace.hpp"

#include "roles.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tare::trace {
namespace fs = std::filesystem;
namespace {

// For its owner alone, as OTF2 makes files for everybody.
void make_folder(const std::string &path)
{
    std::error_code failure;
    if (mkdir(path.c_str(), S_IRWXU) != 0 && !(errno == EEXIST && fs::is_directory(path, failure)))
        throw error("cannot make " + path + ": " + std::strerror(errno));
}

void remove(const std::string &path)
{
    std::error_code failure;
    fs::remove_all(path, failure);
    if (failure)
        throw error("cannot remove " + path + ": " + failure.message());
}

// Of a run of more ranks, which the first one removes.
void remove_ranks_from(const std::string &dir, int rank)
{
    for (std::error_code failure; fs::exists(folder_of_rank(dir, rank), failure); rank++)
        remove(folder_of_rank(dir, rank));
}

std::string fresh_folder(const tare_trace_run_t &run)
{
    make_folder(run.dir);
    if (run.rank == 0)
        remove_ranks_from(run.dir, run.ranks);
    const std::string folder = folder_of_rank(run.dir, run.rank);
    remove(folder);
    make_folder(folder);
    return folder;
}

}  // namespace

std::string folder_of_rank(const std::string &dir, int rank) { return dir + "/rank." + std::to_string(rank); }

std::string mark_of_rank(const std::string &dir, int rank) { return folder_of_rank(dir, rank) + "/whole"; }

rank_trace::rank_trace(const tare_trace_run_t &run)
    : dir_(run.dir), rank_(run.rank), host_(run.host), measured_clock_(run.measured_clock != 0),
      archive_(fresh_folder(run)), attributes_(OTF2_AttributeList_New())
{
    archive_.set("RUN_ID", run.run_id);
    archive_.set("RANKS", std::to_string(run.ranks));
    archive_.set("PROGRAM", run.program);
    archive_.set("CLOCK", measured_clock_ ? "measured" : "compensated");
    check(OTF2_Archive_OpenEvtFiles(archive_.get()));
}

rank_trace::thread_out &rank_trace::thread_of(std::uint32_t thread)
{
    thread_out &t = threads_[thread];
    if (t.out == nullptr)
        t.out = must_have(OTF2_Archive_GetEvtWriter(archive_.get(), location_number(rank_, thread)), archive_.writing());
    return t;
}

void rank_trace::stamp(thread_out &to, const tare_trace_event_t &event)
{
    const std::int64_t ns = measured_clock_ ? event.time_ns : event.time_ns - event.delay_ns;
    to.latest_ns = std::max(to.latest_ns, static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0)));
    found_.first_ns = std::min(found_.first_ns, to.latest_ns);
    found_.last_ns = std::max(found_.last_ns, to.latest_ns);
    to.events++;
}

// OTF2 empties the list with the event that it is given to. Of a stamp that would go back the measured time is right, too.
OTF2_AttributeList *rank_trace::removed(const thread_out &at, const tare_trace_event_t &event)
{
    const std::int64_t ns = measured_clock_ ? event.delay_ns : event.time_ns - static_cast<std::int64_t>(at.latest_ns);
    check(OTF2_AttributeList_AddInt64(attributes_.get(), removed_attribute, ns));
    return attributes_.get();
}

void rank_trace::enter(thread_out &to, const tare_trace_event_t &event)
{
    stamp(to, event);
    check(OTF2_EvtWriter_Enter(to.out, removed(to, event), to.latest_ns, event.region));
    to.open.push_back(event.region);
}

void rank_trace::leave(thread_out &to, const tare_trace_event_t &event)
{
    const std::uint32_t region = to.open.back();
    to.open.pop_back();
    stamp(to, event);
    check(OTF2_EvtWriter_Leave(to.out, removed(to, event), to.latest_ns, region));
}

void rank_trace::write(thread_out &to, const tare_trace_event_t &event, std::uint32_t left_out)
{
    switch (event.kind) {
    case TARE_TRACE_ENTER:
        if (to.left_out > 0 || event.region == left_out) {
            to.left_out++;
            return;
        }
        return enter(to, event);
    case TARE_TRACE_LEAVE:
        if (to.left_out > 0)
            to.left_out--;
        else if (!to.open.empty())
            leave(to, event);
        return;
    default:
        to.left_out = 0;
        while (!to.open.empty())
            leave(to, event);
    }
}

void rank_trace::write(std::uint32_t thread, const tare_trace_event_t *events, std::size_t count, std::uint32_t left_out)
{
    thread_out &to = thread_of(thread);
    for (std::size_t i = 0; i < count; i++)
        write(to, events[i], left_out);
}

// Each has a file of definitions, too, which is empty: numbers of one rank are those of its archive.
void rank_trace::end_locations()
{
    for (auto &[number, t] : threads_)
        check(OTF2_Archive_CloseEvtWriter(archive_.get(), t.out));
    check(OTF2_Archive_CloseEvtFiles(archive_.get()));
    check(OTF2_Archive_OpenDefFiles(archive_.get()));
    for (const auto &[number, t] : threads_) {
        OTF2_DefWriter *out = OTF2_Archive_GetDefWriter(archive_.get(), location_number(rank_, number));
        check(OTF2_Archive_CloseDefWriter(archive_.get(), must_have(out, archive_.writing())));
    }
    check(OTF2_Archive_CloseDefFiles(archive_.get()));
}

// By its number it is found in the profile, where names may be alike.
std::string rank_trace::location_name(std::uint32_t thread) const
{
    const std::string numbered = thread == 0 ? "Master thread" : "Thread " + std::to_string(thread);
    const auto name = names_.find(thread);
    return name == names_.end() ? numbered : numbered + ": " + name->second;
}

rank_part rank_trace::part() const
{
    rank_part part{rank_, host_, {}};
    for (const auto &[number, t] : threads_)
        part.locations.push_back({location_number(rank_, number), location_name(number), t.events});
    return part;
}

void rank_trace::end(const tare_trace_region_t *regions, std::size_t count)
{
    end_locations();
    for (std::size_t i = 0; i < count; i++) {
        const region_kind kind = kind_of(regions[i].name, regions[i].group);
        found_.regions.push_back({kind.name, regions[i].group, kind.role, kind.paradigm});
    }
    found_.ranks = {part()};
    trace::write(archive_, found_);
    archive_.close();
    const std::string mark = mark_of_rank(dir_, rank_);
    const int descriptor = open(mark.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (descriptor < 0)
        throw error("cannot make " + mark + ": " + std::strerror(errno));
    close(descriptor);
}

}  // namespace tare::trace
