// SPDX-License-Identifier: BSD-3-Clause
// Archives whose truth is known, by OTF2 itself: a scenario of test/match, a random program, or as many events as are asked
// for. Numbers of locations, groups and attributes are none of Tare's own.
//
//     write_archive scenario FILE NAME DIR
//     write_archive random SEED PROCESSES THREADS STEPS OVERTAKING% DIR
//     write_archive events COUNT DIR              of four processes with two threads, a third of them messages
//     write_archive waiting DIR                   of two processes, on the compensated clock: two waits that are known
//     write_archive list FILE                     the names of the scenarios
//     write_archive expect FILE NAME              what a scenario expects
#include "otf2_calls.hpp"
#include "random_program.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>

using namespace matching;
using tare::trace::archive_out;

namespace {

constexpr OTF2_AttributeRef removed_number = 7, sequence_number = 3, thread_number = 12;
// By the regions of events, from 0 on.
constexpr OTF2_RegionRef first_region = 40;
constexpr const char *region_names[] = {"work", "MPI_Recv", "MPI_Send", "MPI_Barrier"};
constexpr OTF2_GroupRef world_locations = 5, self_group = 6, first_group = 10;

class writer {
  public:
    writer(const scenario &s, const std::string &dir) : s_(s), to_(dir), list_(OTF2_AttributeList_New())
    {
        check(OTF2_Archive_OpenEvtFiles(to_.get()));
        counts_.resize(s.processes * s.threads);
        for (std::uint32_t i = 0; i < counts_.size(); i++)
            out_.push_back(to_.check(OTF2_Archive_GetEvtWriter(to_.get(), number(i))));
    }
    ~writer() { OTF2_AttributeList_Delete(list_); }
    writer(const writer &) = delete;
    writer &operator=(const writer &) = delete;

    void write(const tare_archive_event_t &e)
    {
        OTF2_EvtWriter *out = out_[e.location];
        counts_[e.location]++;
        latest_ = std::max(latest_, e.time_ns);
        const bool is_told = (e.known & TARE_ARCHIVE_REMOVED_NS) != 0;
        check(OTF2_AttributeList_AddInt64(list_, removed_number,
                                          is_told ? e.removed_ns : static_cast<std::int64_t>(e.time_ns / 10)));
        if (e.known & TARE_ARCHIVE_SEQUENCE)
            check(OTF2_AttributeList_AddUint64(list_, sequence_number, e.sequence));
        if (e.known & TARE_ARCHIVE_PEER_THREAD)
            check(OTF2_AttributeList_AddUint32(list_, thread_number, e.peer_thread));
        check(record(out, e));
    }

    // It is one of Tare's then.
    void set_clock(const std::string &clock) { to_.set("CLOCK", clock); }

    void end()
    {
        for (OTF2_EvtWriter *out : out_)
            check(OTF2_Archive_CloseEvtWriter(to_.get(), out));
        check(OTF2_Archive_CloseEvtFiles(to_.get()));
        definitions_ = to_.check(OTF2_Archive_GetGlobalDefWriter(to_.get()));
        check(OTF2_GlobalDefWriter_WriteClockProperties(definitions_, 1'000'000'000, 0, latest_ + 1,
                                                        OTF2_UNDEFINED_TIMESTAMP));
        attributes_and_regions();
        places();
        communicators();
        to_.close();
    }

  private:
    void check(OTF2_ErrorCode code) { to_.check(code); }
    OTF2_LocationRef number(std::uint32_t location) const { return 1000 + 3 * location; }
    OTF2_CommRef comm(const tare_archive_event_t &e) const { return 20 + e.communicator; }

    OTF2_ErrorCode record(OTF2_EvtWriter *out, const tare_archive_event_t &e)
    {
        switch (e.kind) {
        case TARE_ARCHIVE_ENTER: return OTF2_EvtWriter_Enter(out, list_, e.time_ns, first_region + e.region);
        case TARE_ARCHIVE_LEAVE: return OTF2_EvtWriter_Leave(out, list_, e.time_ns, first_region + e.region);
        case TARE_ARCHIVE_SEND:
            return OTF2_EvtWriter_MpiSend(out, list_, e.time_ns, e.peer_rank, comm(e), e.tag, e.length);
        case TARE_ARCHIVE_ISEND:
            return OTF2_EvtWriter_MpiIsend(out, list_, e.time_ns, e.peer_rank, comm(e), e.tag, e.length, e.request);
        case TARE_ARCHIVE_RECV:
            return OTF2_EvtWriter_MpiRecv(out, list_, e.time_ns, e.peer_rank, comm(e), e.tag, e.length);
        case TARE_ARCHIVE_IRECV:
            return OTF2_EvtWriter_MpiIrecv(out, list_, e.time_ns, e.peer_rank, comm(e), e.tag, e.length, e.request);
        case TARE_ARCHIVE_IRECV_REQUEST: return OTF2_EvtWriter_MpiIrecvRequest(out, list_, e.time_ns, e.request);
        case TARE_ARCHIVE_ISEND_COMPLETE: return OTF2_EvtWriter_MpiIsendComplete(out, list_, e.time_ns, e.request);
        case TARE_ARCHIVE_COLLECTIVE_BEGIN: return OTF2_EvtWriter_MpiCollectiveBegin(out, list_, e.time_ns);
        case TARE_ARCHIVE_COLLECTIVE_END:
            return OTF2_EvtWriter_MpiCollectiveEnd(out, list_, e.time_ns, OTF2_COLLECTIVE_OP_BARRIER, comm(e),
                                                   OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
        default: return OTF2_EvtWriter_MpiRequestCancelled(out, list_, e.time_ns, e.request);
        }
    }

    OTF2_StringRef text(const std::string &value)
    {
        check(OTF2_GlobalDefWriter_WriteString(definitions_, texts_, value.c_str()));
        return texts_++;
    }

    void attribute(OTF2_AttributeRef number, const char *name, OTF2_Type type)
    {
        const OTF2_StringRef what = text(name);
        check(OTF2_GlobalDefWriter_WriteAttribute(definitions_, number, what, what, type));
    }

    void attributes_and_regions()
    {
        attribute(removed_number, "removed_ns", OTF2_TYPE_INT64);
        attribute(sequence_number, "sequence", OTF2_TYPE_UINT64);
        attribute(thread_number, "peer_thread", OTF2_TYPE_UINT32);
        OTF2_RegionRef number = first_region;
        for (const char *region : region_names) {
            const OTF2_StringRef name = text(region);
            check(OTF2_GlobalDefWriter_WriteRegion(definitions_, number++, name, name, name, OTF2_REGION_ROLE_CODE,
                                                   OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0,
                                                   0));
        }
    }

    void places()
    {
        const OTF2_StringRef machine = text("machine");
        check(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions_, 0, machine, machine,
                                                       OTF2_UNDEFINED_SYSTEM_TREE_NODE));
        for (std::uint32_t rank = 0; rank < s_.processes; rank++) {
            const OTF2_LocationGroupRef process = 100 + rank;
            const OTF2_StringRef rank_name = text("MPI Rank " + std::to_string(rank));
            check(OTF2_GlobalDefWriter_WriteLocationGroup(definitions_, process, rank_name,
                                                          OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                          OTF2_UNDEFINED_LOCATION_GROUP));
            for (std::uint32_t thread = 0; thread < s_.threads; thread++) {
                const std::uint32_t i = s_.location(rank, thread);
                const std::string name = thread == 0 ? "Master thread" : "Thread " + std::to_string(thread);
                check(OTF2_GlobalDefWriter_WriteLocation(definitions_, number(i), text(name),
                                                         OTF2_LOCATION_TYPE_CPU_THREAD, counts_[i], process));
            }
        }
    }

    void group(OTF2_GroupRef number, OTF2_GroupType type, const std::vector<std::uint64_t> &members)
    {
        check(OTF2_GlobalDefWriter_WriteGroup(definitions_, number, text(""), type, OTF2_PARADIGM_MPI,
                                              OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(members.size()),
                                              members.data()));
    }

    OTF2_GroupRef group_of(const std::vector<std::uint32_t> &ranks)
    {
        group(groups_, OTF2_GROUP_TYPE_COMM_GROUP, {ranks.begin(), ranks.end()});
        return groups_++;
    }

    void communicators()
    {
        std::vector<std::uint64_t> masters;
        for (std::uint32_t rank = 0; rank < s_.processes; rank++)
            masters.push_back(number(s_.location(rank, 0)));
        group(world_locations, OTF2_GROUP_TYPE_COMM_LOCATIONS, masters);
        group(self_group, OTF2_GROUP_TYPE_COMM_SELF, {});
        for (std::uint32_t i = 0; i < s_.communicators.size(); i++)
            communicator_of(i);
    }

    void communicator_of(std::uint32_t i)
    {
        const communicator &c = s_.communicators[i];
        const OTF2_CommRef number = 20 + i;
        const OTF2_GroupRef first = i == self ? self_group : group_of(c.first);
        if (c.is_inter)
            check(OTF2_GlobalDefWriter_WriteInterComm(definitions_, number, text(c.name), first, group_of(c.second),
                                                      OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
        else
            check(OTF2_GlobalDefWriter_WriteComm(definitions_, number, text(c.name), first, OTF2_UNDEFINED_COMM,
                                                 OTF2_COMM_FLAG_NONE));
    }

    const scenario &s_;
    archive_out to_;
    OTF2_AttributeList *list_;
    OTF2_GlobalDefWriter *definitions_ = nullptr;
    std::vector<OTF2_EvtWriter *> out_;
    std::vector<std::uint64_t> counts_;
    std::uint64_t latest_ = 0;
    OTF2_StringRef texts_ = 0;
    OTF2_GroupRef groups_ = first_group;
};

void write_scenario(const scenario &s, const std::string &dir)
{
    writer to(s, dir);
    for (const tare_archive_event_t &e : s.events)
        to.write(e);
    to.end();
}

// Each thread in turn: enter, send to the next process, leave, enter, receive from the one before, leave.
void write_events(std::uint64_t count, const std::string &dir)
{
    scenario s;
    s.start(4, 2);
    writer to(s, dir);
    constexpr std::uint32_t kinds[] = {TARE_ARCHIVE_ENTER, TARE_ARCHIVE_SEND, TARE_ARCHIVE_LEAVE,
                                       TARE_ARCHIVE_ENTER, TARE_ARCHIVE_RECV, TARE_ARCHIVE_LEAVE};
    const std::uint64_t turns = count / (8 * std::size(kinds));
    for (std::uint64_t i = 0, time = 0; i < turns; i++)
        for (const std::uint32_t kind : kinds)
            for (std::uint32_t location = 0; location < 8; location++) {
                tare_archive_event_t e{};
                e.kind = kind;
                e.location = location;
                e.time_ns = time += 10;
                e.peer_rank = (location / 2 + (kind == TARE_ARCHIVE_SEND ? 1 : 3)) % 4;
                e.tag = static_cast<std::uint32_t>(i % 16);
                e.length = 64;
                e.sequence = i;
                e.peer_thread = location % 2;
                e.known = kind == TARE_ARCHIVE_SEND || kind == TARE_ARCHIVE_RECV
                              ? TARE_ARCHIVE_SEQUENCE | TARE_ARCHIVE_PEER_THREAD
                              : 0;
                to.write(e);
            }
    to.end();
}

// Rank 0 waits in MPI_Recv and in MPI_Barrier for rank 1: 7000 and 2000 ns, of 8000 and 3000 measured.
void write_waiting(const std::string &dir)
{
    scenario s;
    s.start(2, 1);
    writer to(s, dir);
    to.set_clock("compensated");
    const auto event = [&to](std::uint32_t location, std::uint64_t time_ns, std::int64_t removed_ns, std::uint32_t kind,
                             std::uint32_t region = 0) {
        tare_archive_event_t e{};
        e.location = location;
        e.time_ns = time_ns;
        e.removed_ns = removed_ns;
        e.kind = kind;
        e.region = region;
        e.peer_rank = 1 - location;
        e.length = 64;
        e.known = TARE_ARCHIVE_REMOVED_NS;
        to.write(e);
    };
    constexpr std::uint32_t work = 0, receive = 1, send = 2, barrier = 3;
    event(0, 1000, 0, TARE_ARCHIVE_ENTER, receive);
    event(0, 9000, 500, TARE_ARCHIVE_RECV);
    event(0, 9000, 500, TARE_ARCHIVE_LEAVE, receive);
    event(1, 1000, 0, TARE_ARCHIVE_ENTER, work);
    event(1, 8000, 1000, TARE_ARCHIVE_LEAVE, work);
    event(1, 8000, 1000, TARE_ARCHIVE_ENTER, send);
    event(1, 8000, 1000, TARE_ARCHIVE_SEND);
    event(1, 8500, 1000, TARE_ARCHIVE_LEAVE, send);
    const std::uint64_t entered[] = {10000, 12000}, removed[] = {500, 1500};
    for (const std::uint32_t rank : {0, 1}) {
        event(rank, entered[rank], static_cast<std::int64_t>(removed[rank]), TARE_ARCHIVE_ENTER, barrier);
        event(rank, entered[rank], static_cast<std::int64_t>(removed[rank]), TARE_ARCHIVE_COLLECTIVE_BEGIN);
        event(rank, 12100, 1600, TARE_ARCHIVE_COLLECTIVE_END);
        event(rank, 12100, 1600, TARE_ARCHIVE_LEAVE, barrier);
    }
    to.end();
}

const scenario &find(const std::vector<scenario> &all, const std::string &name)
{
    for (const scenario &s : all)
        if (s.name == name)
            return s;
    throw std::runtime_error("there is no scenario " + name);
}

std::uint32_t number(const char *text) { return static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)); }

int run(const std::vector<const char *> &words)
{
    const std::string what = words.empty() ? "" : words[0];
    if (what == "list" && words.size() == 2) {
        for (const scenario &s : read_scenarios(words[1]))
            std::printf("%s\n", s.name.c_str());
    } else if (what == "expect" && words.size() == 3) {
        const std::vector<scenario> all = read_scenarios(words[1]);
        for (const auto &[method, text] : find(all, words[2]).expected)
            std::printf("%s %s\n", method.c_str(), text.c_str());
    } else if (what == "scenario" && words.size() == 4) {
        const std::vector<scenario> all = read_scenarios(words[1]);
        write_scenario(find(all, words[2]), words[3]);
    } else if (what == "random" && words.size() == 7) {
        program_wish wish;
        wish.processes = number(words[2]);
        wish.threads = number(words[3]);
        wish.steps = number(words[4]);
        wish.overtaking_percent = number(words[5]);
        write_scenario(random_program(wish, number(words[1])), words[6]);
    } else if (what == "waiting" && words.size() == 2) {
        write_waiting(words[1]);
    } else if (what == "events" && words.size() == 3) {
        write_events(std::strtoull(words[1], nullptr, 10), words[2]);
    } else {
        return 2;
    }
    return 0;
}

}  // namespace

int main(int argc, char **argv)
{
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::exception &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
