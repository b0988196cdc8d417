// SPDX-License-Identifier: BSD-3-Clause
#include "rank_trace.hpp"

#include "rma_events.hpp"
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
    std::string folder = folder_of_rank(run.dir, run.rank);
    remove(folder);
    make_folder(folder);
    return folder;
}

}  // namespace

std::string folder_of_rank(const std::string &dir, int rank) { return dir + "/rank." + std::to_string(rank); }

std::string mark_of_rank(const std::string &dir, int rank) { return folder_of_rank(dir, rank) + "/whole"; }

rank_trace::rank_trace(const tare_trace_run_t &run)
    : dir_(run.dir), rank_(run.rank), ranks_(run.ranks), host_(run.host), measured_clock_(run.measured_clock != 0),
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
        t.out = archive_.check(OTF2_Archive_GetEvtWriter(archive_.get(), location_number(rank_, thread)));
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
    OTF2_AttributeList *attributes = removed(to, event);
    check(to.records.add_counters(attributes));
    check(OTF2_EvtWriter_Enter(to.out, attributes, to.latest_ns, event.of));
    to.open.push_back(event.of);
}

void rank_trace::leave(thread_out &to, const tare_trace_event_t &event)
{
    const std::uint32_t region = to.open.back();
    to.open.pop_back();
    stamp(to, event);
    OTF2_AttributeList *attributes = removed(to, event);
    check(to.records.add_to(attributes, TARE_TRACE_LEAVE));
    check(to.records.add_counters(attributes));
    check(OTF2_EvtWriter_Leave(to.out, attributes, to.latest_ns, region));
}

void rank_trace::add_origin(const tare_trace_origin_t &origin)
{
    OTF2_AttributeList *list = attributes_.get();
    if (origin.known & TARE_TRACE_KNOWS_DELAY)
        check(OTF2_AttributeList_AddInt64(list, delay_attribute, origin.delay_ns));
    if (origin.known & TARE_TRACE_KNOWS_SENT)
        check(OTF2_AttributeList_AddUint64(list, sent_attribute, static_cast<std::uint64_t>(origin.sent_ns)));
    if (origin.known & TARE_TRACE_KNOWS_THREAD)
        check(OTF2_AttributeList_AddUint32(list, thread_attribute, origin.thread));
    if (origin.known & TARE_TRACE_KNOWS_SEQUENCE)
        check(OTF2_AttributeList_AddUint64(list, sequence_attribute, origin.sequence));
}

OTF2_ErrorCode rank_trace::write_message(thread_out &to, const tare_trace_record_t &r, OTF2_AttributeList *attributes)
{
    const tare_trace_message_t &m = r.message;
    const auto peer = static_cast<std::uint32_t>(m.peer), tag = static_cast<std::uint32_t>(m.tag);
    comms_used_ = std::max(comms_used_, r.event.of + 1);
    switch (TARE_TRACE_KIND(r.event.kind)) {
    case TARE_TRACE_SEND: return OTF2_EvtWriter_MpiSend(to.out, attributes, to.latest_ns, peer, r.event.of, tag, m.bytes);
    case TARE_TRACE_ISEND:
        return OTF2_EvtWriter_MpiIsend(to.out, attributes, to.latest_ns, peer, r.event.of, tag, m.bytes, m.request);
    case TARE_TRACE_RECV: return OTF2_EvtWriter_MpiRecv(to.out, attributes, to.latest_ns, peer, r.event.of, tag, m.bytes);
    default:
        return OTF2_EvtWriter_MpiIrecv(to.out, attributes, to.latest_ns, peer, r.event.of, tag, m.bytes, m.request);
    }
}

OTF2_ErrorCode rank_trace::write_collective(thread_out &to, const tare_trace_record_t &r, OTF2_AttributeList *attributes)
{
    static_assert(OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK == static_cast<int>(TARE_TRACE_REDUCE_SCATTER_BLOCK) &&
                  OTF2_COLLECTIVE_OP_DESTROY_HANDLE == static_cast<int>(TARE_TRACE_DESTROY_HANDLE) &&
                  OTF2_COLLECTIVE_ROOT_THIS_GROUP == static_cast<std::uint32_t>(TARE_TRACE_ROOT_THIS_GROUP));
    const tare_trace_message_t &m = r.message;
    const auto operation = static_cast<OTF2_CollectiveOp>(m.tag);
    const auto root = static_cast<std::uint32_t>(m.peer);
    const std::uint64_t received = r.more.received.bytes;
    comms_used_ = std::max(comms_used_, r.event.of + 1);
    if (TARE_TRACE_KIND(r.event.kind) == TARE_TRACE_COLLECTIVE_END)
        return OTF2_EvtWriter_MpiCollectiveEnd(to.out, attributes, to.latest_ns, operation, r.event.of, root, m.bytes,
                                               received);
    return OTF2_EvtWriter_NonBlockingCollectiveComplete(to.out, attributes, to.latest_ns, operation, r.event.of, root,
                                                        m.bytes, received, m.request);
}

OTF2_ErrorCode rank_trace::write_on_window(thread_out &to, const tare_trace_record_t &r, OTF2_AttributeList *attributes)
{
    const std::uint32_t kind = TARE_TRACE_KIND(r.event.kind);
    if (kind != TARE_TRACE_RMA_COLLECTIVE_BEGIN)
        windows_used_ = std::max(windows_used_, r.event.of + 1);
    if (kind == TARE_TRACE_RMA_GROUP_SYNC)
        groups_used_ = std::max(groups_used_, static_cast<std::uint32_t>(r.message.peer) + 1);
    return write_rma(to.out, attributes, to.latest_ns, r);
}

OTF2_ErrorCode rank_trace::write_between_threads(thread_out &to, const tare_trace_record_t &r, OTF2_AttributeList *attributes)
{
    const std::uint32_t kind = TARE_TRACE_KIND(r.event.kind);
    check(OTF2_AttributeList_AddUint32(attributes, number_attribute, r.event.of));
    if (kind == TARE_TRACE_THREAD_ACQUIRE)
        check(OTF2_AttributeList_AddUint32(attributes, arrivals_attribute, static_cast<std::uint32_t>(r.message.tag)));
    return OTF2_EvtWriter_ParameterUnsignedInt(to.out, attributes, to.latest_ns, kind - TARE_TRACE_THREAD_RELEASE,
                                               r.message.bytes);
}

OTF2_ErrorCode rank_trace::write_rest(thread_out &to, const tare_trace_record_t &r, OTF2_AttributeList *attributes)
{
    const std::uint64_t request = r.message.request;
    switch (TARE_TRACE_KIND(r.event.kind)) {
    case TARE_TRACE_COLLECTIVE_BEGIN: return OTF2_EvtWriter_MpiCollectiveBegin(to.out, attributes, to.latest_ns);
    case TARE_TRACE_COLLECTIVE_END:
    case TARE_TRACE_COLLECTIVE_COMPLETE: return write_collective(to, r, attributes);
    case TARE_TRACE_COLLECTIVE_REQUEST:
        return OTF2_EvtWriter_NonBlockingCollectiveRequest(to.out, attributes, to.latest_ns, request);
    case TARE_TRACE_ISEND_COMPLETE: return OTF2_EvtWriter_MpiIsendComplete(to.out, attributes, to.latest_ns, request);
    case TARE_TRACE_IRECV_REQUEST: return OTF2_EvtWriter_MpiIrecvRequest(to.out, attributes, to.latest_ns, request);
    case TARE_TRACE_REQUEST_TEST: return OTF2_EvtWriter_MpiRequestTest(to.out, attributes, to.latest_ns, request);
    case TARE_TRACE_REQUEST_CANCELLED:
        return OTF2_EvtWriter_MpiRequestCancelled(to.out, attributes, to.latest_ns, request);
    case TARE_TRACE_COMM_CREATE:
    case TARE_TRACE_COMM_DESTROY:
        comms_used_ = std::max(comms_used_, r.event.of + 1);
        return (TARE_TRACE_KIND(r.event.kind) == TARE_TRACE_COMM_CREATE
                    ? OTF2_EvtWriter_CommCreate
                    : OTF2_EvtWriter_CommDestroy)(to.out, attributes, to.latest_ns, r.event.of);
    case TARE_TRACE_THREAD_RELEASE:
    case TARE_TRACE_THREAD_ACQUIRE:
    case TARE_TRACE_THREAD_BEGIN: return write_between_threads(to, r, attributes);
    default: return OTF2_ERROR_INVALID_DATA;
    }
}

// With the parts that follow it.
void rank_trace::write_in_mpi(thread_out &to, const tare_trace_event_t *event)
{
    tare_trace_record_t r{};
    std::memcpy(&r, event, sizeof *event * (1 + TARE_TRACE_PARTS_OF(event->kind)));
    stamp(to, r.event);
    OTF2_AttributeList *attributes = removed(to, r.event);
    check(to.records.add_to(attributes, r.event.kind));
    const bool is_message = TARE_TRACE_KIND(r.event.kind) <= TARE_TRACE_IRECV;
    if (is_message)
        add_origin(r.more.origin);
    check(is_message               ? write_message(to, r, attributes)
          : is_rma(r.event.kind) ? write_on_window(to, r, attributes)
                                 : write_rest(to, r, attributes));
}

void rank_trace::write(thread_out &to, const tare_trace_event_t *event, std::uint32_t left_out)
{
    switch (event->kind) {
    case TARE_TRACE_ENTER:
        if (to.left_out > 0 || event->of == left_out) {
            to.left_out++;
            return;
        }
        return enter(to, *event);
    case TARE_TRACE_LEAVE:
        if (to.left_out > 0)
            to.left_out--;
        else if (!to.open.empty())
            leave(to, *event);
        return;
    case TARE_TRACE_END:
        to.left_out = 0;
        while (!to.open.empty())
            leave(to, *event);
        return;
    default:
        if (to.left_out == 0 && is_call_record(event->kind))
            texts_used_ = std::max(texts_used_, to.records.take(event));
        else if (to.left_out == 0)
            write_in_mpi(to, event);
    }
}

void rank_trace::write(std::uint32_t thread, const tare_trace_event_t *events, std::size_t count, std::uint32_t left_out)
{
    thread_out &to = thread_of(thread);
    for (std::size_t i = 0; i < count; i += 1 + std::size_t{TARE_TRACE_PARTS_OF(events[i].kind)}) {
        if (TARE_TRACE_PARTS_OF(events[i].kind) > std::min<std::size_t>(TARE_TRACE_MOST_PARTS, count - 1 - i))
            throw error(archive_.writing() + ": an event of thread " + std::to_string(thread) + " is not whole");
        write(to, events + i, left_out);
    }
}

void rank_trace::define_comm(const tare_trace_definition_t &d)
{
    found_.comms.push_back({d.name, d.identity, d.group, d.other_group, d.parent, d.is_made != 0});
}

void rank_trace::define(const tare_trace_definition_t *definitions, std::size_t count)
{
    for (const tare_trace_definition_t *d = definitions; d != definitions + count; d++)
        switch (d->kind) {
        case TARE_TRACE_COMM: define_comm(*d); break;
        case TARE_TRACE_WINDOW: found_.windows.push_back({d->name, d->identity, d->group}); break;
        case TARE_TRACE_TEXT: found_.texts.emplace_back(d->name); break;
        default: define_group(*d);
        }
}

void rank_trace::define_group(const tare_trace_definition_t &d)
{
    found_.groups.emplace_back(d.ranks, d.ranks + d.count);
    for (const std::uint32_t member : found_.groups.back())
        if (member >= static_cast<std::uint32_t>(ranks_))
            throw error(archive_.writing() + ": a communicator has rank " + std::to_string(member) + " of " +
                        std::to_string(ranks_));
}

// What a killed process had no room for in its live file: each is one of its own. Of a group nobody is known, and of a
// window its communicator is the first.
void rank_trace::define_what_is_lost()
{
    while (found_.texts.size() < texts_used_)
        found_.texts.push_back("unknown text " + std::to_string(found_.texts.size()));
    while (found_.groups.size() < groups_used_)
        found_.groups.emplace_back();
    for (auto i = static_cast<std::uint32_t>(found_.windows.size()); i < windows_used_; i++) {
        comms_used_ = std::max(comms_used_, std::uint32_t{1});
        found_.windows.push_back({"unknown window " + std::to_string(i), location_number(rank_, i), 0});
    }
    for (auto i = static_cast<std::uint32_t>(found_.comms.size()); i < comms_used_; i++)
        define_comm({TARE_TRACE_COMM, 0, nullptr, location_number(rank_, i), TARE_TRACE_SELF_GROUP, TARE_TRACE_NONE,
                     TARE_TRACE_NONE, 1, ("unknown communicator " + std::to_string(i)).c_str()});
}

void rank_trace::end_location(std::uint64_t number)
{
    OTF2_DefWriter *out = archive_.check(OTF2_Archive_GetDefWriter(archive_.get(), number));
    check(OTF2_Archive_CloseDefWriter(archive_.get(), out));
}

// Each has a file of definitions, too, which is empty: numbers of one rank are those of its archive.
void rank_trace::end_locations()
{
    if (!found_.comms.empty()) {
        thread_of(0);
        OTF2_EvtWriter *others = archive_.check(OTF2_Archive_GetEvtWriter(archive_.get(), location_number(ranks_, 0)));
        check(OTF2_Archive_CloseEvtWriter(archive_.get(), others));
    }
    for (auto &[number, t] : threads_)
        check(OTF2_Archive_CloseEvtWriter(archive_.get(), t.out));
    check(OTF2_Archive_CloseEvtFiles(archive_.get()));
    check(OTF2_Archive_OpenDefFiles(archive_.get()));
    for (const auto &[number, t] : threads_)
        end_location(location_number(rank_, number));
    if (!found_.comms.empty())
        end_location(location_number(ranks_, 0));
    check(OTF2_Archive_CloseDefFiles(archive_.get()));
}

// By its number it is found in the profile, where names may be alike.
std::string rank_trace::location_name(std::uint32_t thread) const
{
    const std::string numbered = thread == 0 ? first_location : "Thread " + std::to_string(thread);
    const auto name = names_.find(thread);
    return name == names_.end() ? numbered : numbered + ": " + name->second;
}

rank_part rank_trace::part() const
{
    rank_part part{rank_, host_, {}, ""};
    for (const auto &[number, t] : threads_)
        part.locations.push_back({location_number(rank_, number), location_name(number), t.events});
    return part;
}

// In its own archive all others are one.
void rank_trace::add_others()
{
    if (found_.comms.empty())
        return;
    found_.ranks.push_back({ranks_, "", {{location_number(ranks_, 0), first_location, 0}}, "other ranks"});
    for (int rank = 0; rank < ranks_; rank++)
        found_.world.push_back(location_number(rank == rank_ ? rank : ranks_, 0));
}

void rank_trace::end(const tare_trace_region_t *regions, std::size_t count)
{
    define_what_is_lost();
    end_locations();
    for (std::size_t i = 0; i < count; i++) {
        const region_kind kind = kind_of(regions[i].name, regions[i].group);
        found_.regions.push_back({kind.name, regions[i].group, kind.role, kind.paradigm});
    }
    found_.ranks = {part()};
    add_others();
    archive_.set("TEXTS", std::to_string(found_.texts.size()));
    trace::write(archive_, found_, true);
    archive_.close();
    const std::string mark = mark_of_rank(dir_, rank_);
    const int descriptor = open(mark.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (descriptor < 0)
        throw error("cannot make " + mark + ": " + std::strerror(errno));
    close(descriptor);
}

}  // namespace tare::trace
