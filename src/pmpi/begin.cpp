// SPDX-License-Identifier: BSD-3-Clause
// What the ranks settle when MPI begins.
//
// Everything that is wrong with the settings is said in one sentence by one rank, and every rank exits non-zero. So
// it is noted before PMPI_Init and settled by one reduction after it, which also tells whether all ranks run the same
// version in the same mode.
#include "begin.hpp"

#include "carrier.hpp"
#include "constants.hpp"
#include "exits.hpp"
#include "found_uses.hpp"
#include "known_comms.hpp"
#include "muted.hpp"
#include "peers.hpp"
#include "static_data.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

namespace tare::pmpi {

namespace {

// Increase with every change of what ranks must agree on beside the wire layout.
constexpr std::int64_t layer_version = 3;

int effective_mode;
bool has_begun;  // by MPI_Init or by the first session
bool has_formats_to_make;  // rank 0 is asked for them; the same on all ranks

// TARE_MODE where the user has not set it. tare exec always sets TARE_PROFILE; without it this is a plain run.
int default_mode(const tare_settings_t &settings)
{
    if (settings.profile == -1)
        return TARE_MODE_OFF;
    return state.core->carries_header ? TARE_MODE_HEADER : TARE_MODE_DATATYPE;
}

std::string library_version()
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    real.Get_library_version(text, &length);
    std::string words(text, static_cast<std::size_t>(length));
    words.resize(std::min(words.find('\n'), words.size()));
    for (char &c : words)
        c = c == '\t' ? ' ' : c;
    return words;
}

bool mode_has_carrier()
{
    return effective_mode == TARE_MODE_DATATYPE || effective_mode == TARE_MODE_MESSAGE ||
           effective_mode == TARE_MODE_COPY;
}

// What is wrong with this process's settings; empty: nothing.
std::string own_error()
{
    if (const char *error = tare_measure_settings_error())
        return error;
    const std::string mode = std::string("TARE_MODE=") + tare_env_mode_name(effective_mode);
    if (effective_mode == TARE_MODE_HEADER && !state.core->carries_header)
        return mode + " needs the patched MPICH, and this program runs on " + library_version() +
               "; use datatype, message, copy or off, or link with Tare's mpicc";
    return "";
}

// Ends the run on every rank; they all come here.
[[noreturn]] void end_together(bool speaks, const std::string &sentence)
{
    if (speaks) {
        fprintf(stderr, "tare: %s\n", sentence.c_str());
        fflush(nullptr);
    }
    real.Barrier(MPI_COMM_WORLD);
    real.Finalize();
    _exit(1);
}

// What ranks must agree on, in one word: the version, then a byte with the carrier's form, whether its stamps have an origin,
// and the mode.
constexpr std::int64_t published_bit = 0x80, origin_bit = 0x40, mode_bits = 0x3f;

std::int64_t own_word()
{
    const std::int64_t form = mode_has_carrier() && state.published ? published_bit : 0;
    const std::int64_t origin = mode_has_carrier() && tare_measure_is_traced() ? origin_bit : 0;
    return (layer_version << 8 | TARE_WIRE_VERSION) << 8 | form | origin | (effective_mode & mode_bits);
}

std::string mode_name_of(std::int64_t word) { return tare_env_mode_name(static_cast<int>(word & mode_bits)); }
const char *form_name(bool published) { return published ? "published" : "cached"; }

// `least` and `most`: word << 32 | rank of ranks whose words differ.
std::string disagreement(std::int64_t least, std::int64_t most)
{
    const std::int64_t a = least >> 32, b = most >> 32;
    const std::string ranks[2] = {"rank " + std::to_string(least & 0xffffffff),
                                  "rank " + std::to_string(most & 0xffffffff)};
    if (a >> 8 != b >> 8)
        return "Tare's carriers have protocol version " + std::to_string(a >> 8) + " on " + ranks[0] + " and " +
               std::to_string(b >> 8) + " on " + ranks[1] + ": all ranks need the same installation";
    std::string variable = "TARE_MODE", values[2] = {mode_name_of(a), mode_name_of(b)};
    const auto settle = [&](const char *name, std::int64_t bit, const char *set, const char *unset) {
        variable = name;
        values[0] = a & bit ? set : unset;
        values[1] = b & bit ? set : unset;
    };
    if (((a ^ b) & mode_bits) == 0)
        (a ^ b) & published_bit ? settle("TARE_CARRIER_FORM", published_bit, form_name(true), form_name(false))
                                : settle("TARE_TRACE", origin_bit, "1", "0");
    return variable + " is " + values[0] + " on " + ranks[0] + " and " + values[1] + " on " + ranks[1] +
           ": all ranks need the same";
}

void agree(int rank)
{
    const std::string error = own_error();
    const std::int64_t word = own_word();
    const std::int64_t mine[3] = {word << 32 | rank, -(word << 32) + rank, error.empty() ? INT64_MAX : rank};
    std::int64_t least[3];
    real.Allreduce(mine, least, 3, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    if (least[2] != INT64_MAX)
        end_together(least[2] == rank, error);
    const std::int64_t most_rank = least[1] & 0xffffffff;
    const std::int64_t most = -(least[1] - most_rank) | most_rank;
    if (least[0] >> 32 != most >> 32)
        end_together(rank == 0, disagreement(least[0], most));
    MPI_Comm parent = MPI_COMM_NULL;
    real.Comm_get_parent(&parent);
    if (mode_has_carrier() && parent != MPI_COMM_NULL)
        end_together(rank == 0, std::string("MPI_Comm_spawn is not carried by TARE_MODE=") +
                                    tare_env_mode_name(effective_mode) +
                                    ": spawned processes need TARE_MODE=header or off");
}

// What rank 0 decides for all.
struct decided {
    char run_id[39];
    char makes_formats;
};

std::string take_from_first_rank(int rank, int size)
{
    decided all{};
    if (rank == 0)
        snprintf(all.run_id, sizeof all.run_id, "%016" PRIx64 "-%x", static_cast<std::uint64_t>(clock_ns()) ^
                 static_cast<std::uint64_t>(time(nullptr)) << 32, static_cast<unsigned>(getpid()));
    all.makes_formats = rank == 0 && tare_measure_wants_formats();
    real.Bcast(&all, sizeof all, MPI_CHAR, 0, MPI_COMM_WORLD);
    has_formats_to_make = all.makes_formats != 0 && size > 1;
    return all.run_id;
}

// Whether all ranks share one. Those of a node agree on memory in common.
bool meet_on_node(int rank, int size)
{
    MPI_Comm node = MPI_COMM_NULL;
    int here = 0;
    real.Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    real.Comm_size(node, &here);
    begin_exits(node);
    real.Comm_free(&node);
    int all = here == size, everywhere = 0;
    real.Allreduce(&all, &everywhere, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return everywhere != 0;
}

void note_thread_level()
{
    int level = MPI_THREAD_SINGLE;
    real.Query_thread(&level);
    state.concurrent = level == MPI_THREAD_MULTIPLE;
}

void begin_comms()
{
    if (!is_recorded() && !tare_measure_is_traced())
        return;
    known::begin_comms(tare_measure_is_traced() != 0);
    state.knows_comms = true;
}

// Of events of MPI.
void begin_trace()
{
    if (!tare_measure_is_traced())
        return;
    state.traced = true;
    state.traces_header = effective_mode == TARE_MODE_HEADER;
    state.numbered = state.traces_header && state.core->global->numbered != 0;
    state.carries_origin = mode_has_carrier();
    state.records = tare_env_trace_records();
}

void describe(int rank)
{
    const char *form = form_name(state.published);
    tare_measure_metadata("MPI Library", library_version().c_str());
    if (carrier_is_on())
        tare_measure_metadata("Tare Carrier Form", form);
    if (rank != 0 || tare_measure_settings()->verbose < 1)
        return;
    fprintf(stderr, "tare: PMPI layer: mode %s, rule %s, %s, MPI library %s\n", tare_env_mode_name(effective_mode),
            tare_env_rule_name(tare_measure_settings()->rule),
            state.concurrent ? "MPI_THREAD_MULTIPLE" : "one thread in MPI at a time", library_version().c_str());
    if (carrier_is_on())
        fprintf(stderr, "tare: TARE_MODE=%s (form %s) carries delay on point-to-point messages and collective calls; "
                        "one-sided, partitioned and file operations, ways back and edges inside collective calls are "
                        "not seen\n",
                tare_env_mode_name(effective_mode), form);
}

}  // namespace

// Before the MPI library reads its environment.
void prepare_settings()
{
    tare_measure_adopt(library_handle());
    state.core = tare_measure_core();
    state.core->global->layers |= TARE_LAYER_PMPI;
    const tare_settings_t *settings = tare_measure_settings();
    if (settings == nullptr || tare_measure_settings_error() != nullptr)
        return;
    effective_mode = settings->mode_is_set ? settings->mode : default_mode(*settings);
    state.published = settings->carrier_published;
    if (!settings->mode_is_set)
        setenv("TARE_MODE", tare_env_mode_name(effective_mode), 1);
}

void begin_world()
{
    const std::int64_t started_ns = clock_ns();
    int size = 1;
    real.Comm_rank(MPI_COMM_WORLD, &state.rank);
    real.Comm_size(MPI_COMM_WORLD, &size);
    muted_thread muted;
    agree(state.rank);
    const std::string run_id = take_from_first_rank(state.rank, size);
    state.one_node = meet_on_node(state.rank, size);
    note_thread_level();
    begin_peers();
    begin_comms();
    begin_trace();
    if (mode_has_carrier())
        start_carrier(effective_mode);
    describe(state.rank);
    if (!has_begun)
        tare_measure_initialized(state.rank, size, run_id.c_str());
    has_begun = true;
    if (tare_measure_is_on())
        tare_measure_overhead(clock_ns() - started_ns);
    calibrate_constants();
    // It enters regions, whose time stamps are right when all of that has been declared.
    if ((state.records & TARE_RECORD_DATA) != 0)
        name_static_data();
    if ((state.records & TARE_RECORD_USES) != 0)
        prepare_found_uses();
}

#if MPI_VERSION >= 4

namespace {

// A name for the run without a message: ranks of one node have the same launcher.
std::string launcher_run_id()
{
    char line[512] = "";
    const pid_t launcher = getppid();
    if (FILE *f = fopen(("/proc/" + std::to_string(launcher) + "/stat").c_str(), "r")) {
        if (fgets(line, sizeof line, f) == nullptr)
            line[0] = 0;
        fclose(f);
    }
    // Field 22 is the start time; the name in field 2 may hold blanks, and ends with the last parenthesis.
    const char *from = std::strrchr(line, ')');
    unsigned long long started = 0;
    if (from != nullptr)
        sscanf(from, ") %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &started);
    return "launcher-" + std::to_string(launcher) + "-" + std::to_string(started);
}

// The first rank of the job speaks, the others give it the time to.
[[noreturn]] void end_without_world(const std::string &sentence)
{
    constexpr useconds_t silent_rank_wait_us = 500000;
    if (state.rank == 0)
        die("%s", sentence.c_str());
    usleep(silent_rank_wait_us);
    _exit(1);
}

}  // namespace

// A session is opened by one process alone, so nothing can be settled by a message here.
void begin_session(MPI_Session session)
{
    if (has_begun)
        return;
    MPI_Group group = MPI_GROUP_NULL;
    int size = 1;
    real.Group_from_session_pset(session, "mpi://WORLD", &group);
    real.Group_rank(group, &state.rank);
    real.Group_size(group, &size);
    real.Group_free(&group);
    const std::string error = own_error();
    if (!error.empty())
        end_without_world(error);
    if (mode_has_carrier())
        end_without_world(std::string("MPI_Session_init is not carried by TARE_MODE=") +
                          tare_env_mode_name(effective_mode) + "; use TARE_MODE=header or off");
    describe(state.rank);
    if (state.rank == 0 && tare_measure_is_traced())
        fputs("tare: TARE_TRACE=1: this program uses MPI by MPI_Session_init; until it calls MPI_Init its trace has its calls, "
              "but no messages and communicators\n", stderr);
    tare_measure_initialized(state.rank, size, launcher_run_id().c_str());
    has_begun = true;
    calibrate_constants();
}

#endif

void end_layer()
{
    state.knows_comms = state.traced = state.traces_header = state.numbered = false;
    state.records = 0;
    if (carrier_is_on())
        stop_carrier();
    tare_measure_finalizing();
    end_peers();
}

// A rank whose own profile could not be written has said why.
void end_world()
{
    end_layer();
    if (!has_formats_to_make)
        return;
    const std::int64_t started_ns = clock_ns();
    muted_thread muted;
    const int is_written = tare_measure_is_written();
    int state_of_all[2] = {0, 0};            // all have written; no more is written
    real.Allreduce(&is_written, &state_of_all[0], 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (state.rank == 0)
        state_of_all[1] = tare_measure_make_formats(state_of_all[0]);
    real.Bcast(state_of_all, 2, MPI_INT, 0, MPI_COMM_WORLD);
    if (state_of_all[1] != 0)
        tare_measure_end_profile();
    if (tare_measure_is_on())
        tare_measure_overhead(clock_ns() - started_ns);
}

}  // namespace tare::pmpi
