// SPDX-License-Identifier: BSD-3-Clause
// Archives of ranks and what becomes of them together: with the real library, in a folder of the test's.
#include "archive_in.hpp"
#include "join.hpp"
#include "rank_trace.hpp"
#include "roles.hpp"

#include "tare_measure.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cmocka_cpp.hpp"

using namespace tare::trace;
namespace fs = std::filesystem;

namespace {

std::string dir;

int in_a_folder(void **)
{
    char name[] = "test-trace-XXXXXX";
    dir = std::string(mkdtemp(name)) + "/trace";
    return 0;
}

int without_it(void **)
{
    fs::remove_all(fs::path(dir).parent_path());
    return 0;
}

tare_trace_run_t run_of(int rank, int ranks, const char *id = "run")
{
    return {dir.c_str(), rank, ranks, id, rank < 2 ? "near" : "far", "program", 0};
}

tare_trace_event_t enter(std::int64_t ns, std::uint32_t region, std::int64_t delay_ns = 0)
{
    return {ns, delay_ns, region, TARE_TRACE_ENTER};
}

tare_trace_event_t leave(std::int64_t ns, std::int64_t delay_ns = 0) { return {ns, delay_ns, 0, TARE_TRACE_LEAVE}; }

constexpr std::uint32_t nothing = UINT32_MAX;

// Regions 0: main; 1: first; 2: second.
void write_rank(int rank, int ranks, const char *first, const char *second, const char *id = "run")
{
    const tare_trace_event_t events[] = {enter(1000 + rank, 0), enter(1100, 1), leave(1200), enter(1300, 2),
                                         leave(1400), leave(1500 + rank)};
    const tare_trace_region_t regions[] = {{"main", TARE_GROUP_FUNCTION}, {first, TARE_GROUP_USER},
                                           {second, TARE_GROUP_USER}};
    rank_trace trace(run_of(rank, ranks, id));
    trace.write(0, events, 6, nothing);
    trace.end(regions, 3);
}

// What the events of an archive say, in the order of time: "<main@1000 >@1500", by the names that it defines.
struct events_read {
    std::map<OTF2_RegionRef, std::string> names;
    std::map<OTF2_StringRef, std::string> texts;
    std::map<OTF2_LocationRef, std::string> of_location;
    std::map<OTF2_CommRef, std::string> comms;
    std::map<OTF2_GroupRef, std::string> groups;
};

OTF2_CallbackCode on_text(void *to, OTF2_StringRef number, const char *text)
{
    static_cast<events_read *>(to)->texts[number] = text;
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_region(void *to, OTF2_RegionRef number, OTF2_StringRef name, OTF2_StringRef, OTF2_StringRef,
                            OTF2_RegionRole, OTF2_Paradigm, OTF2_RegionFlag, OTF2_StringRef, std::uint32_t, std::uint32_t)
{
    auto &all = *static_cast<events_read *>(to);
    all.names[number] = all.texts[name];
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_comm(void *to, OTF2_CommRef number, OTF2_StringRef name, OTF2_GroupRef group, OTF2_CommRef, OTF2_CommFlag)
{
    auto &all = *static_cast<events_read *>(to);
    all.comms[number] = all.texts[name] + ":" + all.groups[group];
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_intercomm(void *to, OTF2_CommRef number, OTF2_StringRef name, OTF2_GroupRef a, OTF2_GroupRef b,
                               OTF2_CommRef, OTF2_CommFlag)
{
    auto &all = *static_cast<events_read *>(to);
    all.comms[number] = all.texts[name] + ":" + all.groups[a] + "|" + all.groups[b];
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_group(void *to, OTF2_GroupRef number, OTF2_StringRef, OTF2_GroupType, OTF2_Paradigm, OTF2_GroupFlag,
                           std::uint32_t count, const std::uint64_t *members)
{
    std::string &text = static_cast<events_read *>(to)->groups[number];
    for (std::uint32_t i = 0; i < count; i++)
        text += (i == 0 ? "" : ",") + std::to_string(members[i]);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_location(void *to, OTF2_LocationRef number, OTF2_StringRef, OTF2_LocationType, std::uint64_t,
                              OTF2_LocationGroupRef)
{
    static_cast<events_read *>(to)->of_location[number] = "";
    return OTF2_CALLBACK_SUCCESS;
}

std::string removed_in(OTF2_AttributeList *attributes)
{
    std::int64_t ns = 0;
    OTF2_AttributeList_GetInt64(attributes, removed_attribute, &ns);
    return ns == 0 ? "" : "-" + std::to_string(ns);
}

void add(void *to, OTF2_LocationRef location, const std::string &what)
{
    std::string &all = static_cast<events_read *>(to)->of_location[location];
    all += (all.empty() ? "" : " ") + what;
}

OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, void *to, OTF2_AttributeList *attributes,
                           OTF2_RegionRef region)
{
    add(to, location, static_cast<events_read *>(to)->names[region] + "@" + std::to_string(time) + removed_in(attributes));
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, void *to, OTF2_AttributeList *attributes,
                           OTF2_RegionRef)
{
    add(to, location, "." + std::to_string(time) + removed_in(attributes));
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_send(OTF2_LocationRef location, OTF2_TimeStamp, void *to, OTF2_AttributeList *attributes,
                          std::uint32_t receiver, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes)
{
    std::int64_t delay_ns = 0;
    OTF2_AttributeList_GetInt64(attributes, delay_attribute, &delay_ns);
    add(to, location, "send(" + static_cast<events_read *>(to)->comms[comm] + " " + std::to_string(receiver) + " " +
                          std::to_string(tag) + " " + std::to_string(bytes) + " " + std::to_string(delay_ns) + ")");
    return OTF2_CALLBACK_SUCCESS;
}

// As any reader of OTF2 does it, so numbers of a rank are looked up in its location's file.
events_read read_events(const std::string &folder)
{
    events_read result;
    OTF2_Reader *reader = OTF2_Reader_Open((folder + "/traces.otf2").c_str());
    if (reader == nullptr)
        return result;
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *on_definitions = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(on_definitions, on_text);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(on_definitions, on_region);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(on_definitions, on_location);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(on_definitions, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(on_definitions, on_comm);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(on_definitions, on_intercomm);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, on_definitions, &result);
    OTF2_GlobalDefReaderCallbacks_Delete(on_definitions);
    std::uint64_t count = 0;
    OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count);
    for (const auto &[location, nothing_yet] : result.of_location)
        OTF2_Reader_SelectLocation(reader, location);
    OTF2_Reader_OpenDefFiles(reader);
    OTF2_Reader_OpenEvtFiles(reader);
    for (const auto &[location, nothing_yet] : result.of_location) {
        OTF2_DefReader *local = OTF2_Reader_GetDefReader(reader, location);
        OTF2_Reader_ReadAllLocalDefinitions(reader, local, &count);
        OTF2_Reader_CloseDefReader(reader, local);
        OTF2_Reader_GetEvtReader(reader, location);
    }
    OTF2_Reader_CloseDefFiles(reader);
    OTF2_GlobalEvtReader *events = OTF2_Reader_GetGlobalEvtReader(reader);
    OTF2_GlobalEvtReaderCallbacks *on_events = OTF2_GlobalEvtReaderCallbacks_New();
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(on_events, on_enter);
    OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(on_events, on_leave);
    OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(on_events, on_send);
    OTF2_Reader_RegisterGlobalEvtCallbacks(reader, events, on_events, &result);
    OTF2_GlobalEvtReaderCallbacks_Delete(on_events);
    OTF2_Reader_ReadAllGlobalEvents(reader, events, &count);
    OTF2_Reader_CloseGlobalEvtReader(reader, events);
    OTF2_Reader_CloseEvtFiles(reader);
    OTF2_Reader_Close(reader);
    return result;
}

// Of a location; static, because a failing assert jumps over destructors.
const char *events_in(const std::string &folder, int rank, std::uint32_t thread = 0)
{
    static std::string text;
    text = read_events(folder).of_location[location_number(rank, thread)];
    return text.c_str();
}

bool is_there(const std::string &name) { return fs::exists(dir + "/" + name); }

// --- the archive of one rank ---

void write_one(const tare_trace_event_t *events, std::size_t count, std::uint32_t left_out = nothing)
{
    const tare_trace_region_t regions[] = {{"main", TARE_GROUP_FUNCTION}, {"a", TARE_GROUP_USER}, {"b", TARE_GROUP_USER}};
    rank_trace trace(run_of(0, 1));
    trace.write(0, events, count, left_out);
    trace.end(regions, 3);
}

void time_stamps_are_the_compensated_clock_and_removed_is_beside_them(void **)
{
    const tare_trace_event_t events[] = {enter(1000, 0, 100), enter(2000, 1, 300), leave(3000, 350), leave(4000, 400)};
    write_one(events, 4);
    assert_string_equal(events_in(folder_of_rank(dir, 0), 0), "main@900-100 a@1700-300 .2650-350 .3600-400");
}

void time_does_not_go_back(void **)
{
    const tare_trace_event_t events[] = {enter(1000, 0), enter(2000, 1, 1500), leave(2001, 1400), leave(2002, 1402)};
    write_one(events, 4);
    assert_string_equal(events_in(folder_of_rank(dir, 0), 0), "main@1000 a@1000-1000 .1000-1001 .1000-1002");
}

void end_of_a_thread_leaves_what_is_open(void **)
{
    const tare_trace_event_t events[] = {enter(1, 0), enter(2, 1), {9, 0, 0, TARE_TRACE_END}};
    write_one(events, 3);
    assert_string_equal(events_in(folder_of_rank(dir, 0), 0), "main@1 a@2 .9 .9");
}

void leave_of_nothing_is_ignored(void **)
{
    const tare_trace_event_t events[] = {leave(1), enter(2, 1), leave(3), leave(4)};
    write_one(events, 4);
    assert_string_equal(events_in(folder_of_rank(dir, 0), 0), "a@2 .3");
}

void region_that_is_left_out_is_not_there(void **)
{
    const tare_trace_event_t events[] = {enter(1, 0), enter(2, 1), enter(3, 2), leave(4), leave(5), enter(6, 2),
                                         leave(7), leave(8)};
    write_one(events, 8, 1);
    assert_string_equal(events_in(folder_of_rank(dir, 0), 0), "main@1 b@6 .7 .8");
}

// --- together ---

void archives_of_all_ranks_become_one(void **)
{
    write_rank(0, 2, "a", "b");
    assert_false(join(dir, 2, false).is_joined);
    write_rank(1, 2, "b", "c");
    assert_true(join(dir, 2, false).is_joined);
    assert_string_equal(events_in(dir, 0), "main@1000 a@1100 .1200 b@1300 .1400 .1500");
    assert_string_equal(events_in(dir, 1), "main@1001 b@1100 .1200 c@1300 .1400 .1501");
    assert_int_equal(read_events(dir).names.size(), 4);
    assert_false(is_there("rank.0") || is_there("rank.1") || is_there("joining"));
}

void archive_of_one_rank_is_readable_before_the_others_end(void **)
{
    write_rank(1, 2, "b", "c");
    assert_string_equal(events_in(folder_of_rank(dir, 1), 1), "main@1001 b@1100 .1200 c@1300 .1400 .1501");
}

void rank_that_left_nothing_whole_is_named(void **)
{
    write_rank(0, 3, "a", "b");
    write_rank(2, 3, "a", "b");
    rank_trace broken(run_of(1, 3));
    const joined result = join(dir, 0, true);
    assert_true(result.is_joined);
    assert_string_equal(result.left_out.c_str(), "no whole trace of this run was left by rank 1");
    assert_string_equal(events_in(dir, 2), "main@1002 a@1100 .1200 b@1300 .1400 .1502");
}

void ranks_of_another_run_are_not_joined(void **)
{
    write_rank(0, 2, "a", "b", "new");
    write_rank(1, 2, "a", "b", "old");
    assert_false(join(dir, 2, false).is_joined);
    assert_string_equal(join(dir, 0, true).left_out.c_str(), "no whole trace of this run was left by rank 1");
}

void newer_run_of_fewer_ranks_removes_the_others(void **)
{
    write_rank(2, 3, "a", "b", "old");
    write_rank(0, 2, "a", "b", "new");
    assert_false(is_there("rank.2") && !is_there("rank.1"));
}

void folder_without_a_trace_is_an_error(void **)
{
    fs::create_directories(dir);
    static std::string said;
    said.clear();
    try {
        join(dir, 0, true);
    } catch (const error &e) {
        said = e.what();
    }
    assert_string_equal(said.c_str(), ("no rank has left a whole trace in " + dir).c_str());
}

void damaged_archive_is_an_error_that_names_it(void **)
{
    write_rank(0, 1, "a", "b");
    const std::string anchor = folder_of_rank(dir, 0) + "/traces.otf2";
    fs::resize_file(anchor, fs::file_size(anchor) / 2);
    static std::string said;
    said.clear();
    const errors_are_quiet quiet;
    try {
        join(dir, 0, true);
    } catch (const error &e) {
        said = e.what();
    }
    assert_string_equal(said.substr(0, 12 + anchor.size()).c_str(), ("cannot read " + anchor).c_str());
}

// --- what events of MPI name ---

// A send on a communicator, with the delay that it carries: an event and two parts.
void write_send(rank_trace &trace, std::uint32_t comm, int peer, std::int64_t delay_ns)
{
    tare_trace_record_t r{};
    r.event = {2000, 0, comm, TARE_TRACE_SEND | TARE_TRACE_PARTS(2)};
    r.message = {8, 0, peer, 5};
    r.more.origin.delay_ns = delay_ns;
    r.more.origin.known = TARE_TRACE_KNOWS_DELAY;
    trace.write(0, &r.event, 3, nothing);
}

tare_trace_definition_t group_of(const std::uint32_t *ranks, std::uint32_t count)
{
    return {TARE_TRACE_GROUP, count, ranks, 0, 0, 0, 0, 0, ""};
}

tare_trace_definition_t comm_of(std::uint64_t identity, std::uint32_t group, const char *name,
                                std::uint32_t other_group = TARE_TRACE_NONE)
{
    return {TARE_TRACE_COMM, 0, nullptr, identity, group, other_group, TARE_TRACE_NONE, 0, name};
}

// Rank 1 has one that rank 0 has not, and another order.
void communicators_of_all_ranks_become_one_each(void **)
{
    static const std::uint32_t both[] = {0, 1}, own[] = {1};
    rank_trace *first = new rank_trace(run_of(0, 2));
    const tare_trace_definition_t of_first[] = {group_of(both, 2), comm_of(1, 0, "world"), comm_of(7, 0, "")};
    write_send(*first, 1, 1, 42);
    first->define(of_first, 3);
    first->end(nullptr, 0);
    delete first;
    rank_trace *second = new rank_trace(run_of(1, 2));
    const tare_trace_definition_t of_second[] = {group_of(own, 1), group_of(both, 2), comm_of(9, 0, "own"),
                                                 comm_of(7, 1, "pair"), comm_of(1, 1, "world")};
    write_send(*second, 1, 0, 43);
    second->define(of_second, 5);
    second->end(nullptr, 0);
    delete second;
    assert_string_equal(events_in(folder_of_rank(dir, 1), 1), "send(pair:0,1 0 5 8 43)");
    assert_true(join(dir, 2, false).is_joined);
    assert_int_equal(read_events(dir).comms.size(), 3);
    assert_string_equal(events_in(dir, 0), "send(pair:0,1 1 5 8 42)");
    assert_string_equal(events_in(dir, 1), "send(pair:0,1 0 5 8 43)");
}

void two_sides_of_an_intercommunicator_are_one(void **)
{
    static const std::uint32_t of[2] = {0, 1};
    for (int rank = 0; rank < 2; rank++) {
        rank_trace *trace = new rank_trace(run_of(rank, 2));
        const tare_trace_definition_t all[] = {group_of(&of[rank], 1), group_of(&of[1 - rank], 1), comm_of(3, 0, "", 1)};
        write_send(*trace, 0, 0, 1);
        trace->define(all, 3);
        trace->end(nullptr, 0);
        delete trace;
    }
    assert_true(join(dir, 2, false).is_joined);
    assert_string_equal(events_in(dir, 0), "send(:0|1 0 5 8 1)");
    assert_string_equal(events_in(dir, 1), "send(:0|1 0 5 8 1)");
}

void communicator_of_no_rank_of_the_run_is_an_error(void **)
{
    static const std::uint32_t ranks[] = {0, 2};
    const tare_trace_definition_t all[] = {group_of(ranks, 2)};
    static std::string said;
    said.clear();
    rank_trace *trace = new rank_trace(run_of(0, 2));
    try {
        trace->define(all, 1);
    } catch (const error &e) {
        said = e.what();
    }
    trace->end(nullptr, 0);
    delete trace;
    assert_true(said.find("a communicator has rank 2 of 2") != std::string::npos);
}

void event_without_its_parts_is_an_error(void **)
{
    tare_trace_record_t r{};
    r.event = {2000, 0, 0, TARE_TRACE_SEND | TARE_TRACE_PARTS(2)};
    static std::string said;
    said.clear();
    rank_trace *trace = new rank_trace(run_of(0, 1));
    try {
        trace->write(0, &r.event, 2, nothing);
    } catch (const error &e) {
        said = e.what();
    }
    trace->end(nullptr, 0);
    delete trace;
    assert_true(said.find("an event of thread 0 is not whole") != std::string::npos);
}

// --- what OTF2 says of regions ---

void calls_of_mpi_have_their_names_paradigm_and_role(void **)
{
    struct expectation {
        const char *name;
        OTF2_RegionRole role;
    };
    for (const expectation &e : {expectation{"Send", OTF2_REGION_ROLE_POINT2POINT},
                                 {"Irecv", OTF2_REGION_ROLE_POINT2POINT},
                                 {"Waitall", OTF2_REGION_ROLE_POINT2POINT},
                                 {"Sendrecv_replace", OTF2_REGION_ROLE_POINT2POINT},
                                 {"Improbe", OTF2_REGION_ROLE_POINT2POINT},
                                 {"Barrier", OTF2_REGION_ROLE_BARRIER},
                                 {"Ibarrier", OTF2_REGION_ROLE_BARRIER},
                                 {"Bcast", OTF2_REGION_ROLE_COLL_ONE2ALL},
                                 {"Scatterv", OTF2_REGION_ROLE_COLL_ONE2ALL},
                                 {"Igatherv", OTF2_REGION_ROLE_COLL_ALL2ONE},
                                 {"Reduce", OTF2_REGION_ROLE_COLL_ALL2ONE},
                                 {"Reduce_scatter_block", OTF2_REGION_ROLE_COLL_ALL2ALL},
                                 {"Allreduce_init", OTF2_REGION_ROLE_COLL_ALL2ALL},
                                 {"Reduce_local", OTF2_REGION_ROLE_FUNCTION},
                                 {"Get", OTF2_REGION_ROLE_RMA},
                                 {"Get_accumulate", OTF2_REGION_ROLE_RMA},
                                 {"Get_count", OTF2_REGION_ROLE_FUNCTION},
                                 {"Test_cancelled", OTF2_REGION_ROLE_FUNCTION},
                                 {"Win_fence", OTF2_REGION_ROLE_RMA},
                                 {"File_open", OTF2_REGION_ROLE_FILE_IO},
                                 {"Init", OTF2_REGION_ROLE_FUNCTION},
                                 {"Comm_rank", OTF2_REGION_ROLE_FUNCTION}}) {
        static region_kind kind;
        kind = kind_of(std::string("MPI_") + e.name + "()", TARE_GROUP_MPI);
        assert_string_equal(kind.name.c_str(), (std::string("MPI_") + e.name).c_str());
        assert_int_equal(kind.paradigm, OTF2_PARADIGM_MPI);
        if (kind.role != e.role)
            print_error("MPI_%s\n", e.name);
        assert_int_equal(kind.role, e.role);
    }
}

void functions_and_regions_of_users_are_told_apart(void **)
{
    assert_int_equal(kind_of("f(int)", TARE_GROUP_FUNCTION).paradigm, OTF2_PARADIGM_COMPILER);
    assert_int_equal(kind_of("solve", TARE_GROUP_USER).paradigm, OTF2_PARADIGM_USER);
    assert_string_equal(kind_of("f()", TARE_GROUP_FUNCTION).name.c_str(), "f()");
}

}  // namespace

#define in_folder(test) cmocka_unit_test_setup_teardown(test, in_a_folder, without_it)

int main()
{
    const CMUnitTest tests[] = {
        in_folder(time_stamps_are_the_compensated_clock_and_removed_is_beside_them),
        in_folder(time_does_not_go_back),
        in_folder(end_of_a_thread_leaves_what_is_open),
        in_folder(leave_of_nothing_is_ignored),
        in_folder(region_that_is_left_out_is_not_there),
        in_folder(archives_of_all_ranks_become_one),
        in_folder(archive_of_one_rank_is_readable_before_the_others_end),
        in_folder(rank_that_left_nothing_whole_is_named),
        in_folder(ranks_of_another_run_are_not_joined),
        in_folder(newer_run_of_fewer_ranks_removes_the_others),
        in_folder(folder_without_a_trace_is_an_error),
        in_folder(damaged_archive_is_an_error_that_names_it),
        in_folder(communicators_of_all_ranks_become_one_each),
        in_folder(two_sides_of_an_intercommunicator_are_one),
        in_folder(communicator_of_no_rank_of_the_run_is_an_error),
        in_folder(event_without_its_parts_is_an_error),
        cmocka_unit_test(calls_of_mpi_have_their_names_paradigm_and_role),
        cmocka_unit_test(functions_and_regions_of_users_are_told_apart),
    };
    return cmocka_run_group_tests_name("traces", tests, nullptr, nullptr);
}
