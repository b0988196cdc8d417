// SPDX-License-Identifier: BSD-3-Clause
// The process as a whole: its settings, its place among the ranks, its threads, and when its profile is written.
#ifndef TARE_LIB_PROCESS_HPP
#define TARE_LIB_PROCESS_HPP

#include "filter.hpp"
#include "mpi_calls.hpp"
#include "profile.hpp"
#include "state.hpp"

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tare {

// Everything that is not on the hot path. One object, made when the library is loaded and never destroyed: regions
// may still be entered while the process exits.
struct process {
    tare_settings_t settings{};
    std::string settings_error;
    int repeat_probes = 0;               // TARE_REPEAT_PROBES
    filter::rules filter;                // TARE_FILTER
    bool has_told_of_filter = false;
    std::string profile_dir;             // absolute: the program may change its folder
    int rank = 0;
    int ranks = 1;
    std::string run_id;
    std::string first_run_id;            // before MPI has told
    bool initialized = false;            // MPI has told rank, ranks and run id
    bool place_is_ready = false;
    std::mutex describing;
    profile::attributes metadata;
    std::mutex threads_changing;
    thread_state *threads = nullptr;     // the newest first; numbered without gaps
    thread_state *first_thread = nullptr;        // main's, made at load
    std::atomic<bool> has_entered{false};        // some region, on some thread
    // TARE_FILTER or TARE_THROTTLE: some regions are not measured.
    bool is_selective() const { return settings.profile == 1 && (settings.filter != nullptr || settings.throttle_calls > 0); }
    std::mutex writing;
    std::uint64_t written_changes = 0;
    bool failed = false;                 // a profile was asked for and could not be written
    bool is_written = false;             // the latest one could be
    std::string converter;               // path of the tool, for TARE_PROFILE_FORMAT; empty: not needed, or not found
    bool formats_are_settled = false;    // made, or not, which somebody has said
    bool is_unmeasured = false;          // another run is being measured in its place
    bool is_final = false;               // no more is written: the profile is there in other formats only
};

process &this_process();

// The file that this code was loaded from: others of Tare's are found from there. Empty: unknown.
std::filesystem::path own_library();

// Whether an MPI library is in the process.
bool has_mpi();

void set_metadata(const profile::attributes &values);
inline void set_metadata(const std::string &name, const std::string &value) { set_metadata({{name, value}}); }

// What the profile says of the run.
profile::attributes describe(process &p);

// One sentence on stderr. end_run also ends the process with status 1; files that are open are written out.
void say(const std::string &sentence);
[[noreturn]] void end_run(const std::string &sentence);
// From now on as if nobody had asked for a profile.
void stop_measuring(process &p);
// For what all ranks may find out at the same time: the first one of this node that has this to say.
void say_once(const process &p, const char *subject, const std::string &sentence);

// ---- keep.cpp: the live file ----

// With the first region of the process, before any other thread records: from now on records are in a file, which has
// no name yet and so leaves no trace.
void keep_records();
// Place and rank are known: the file gets its name, and is what a killed process leaves. Before the place is cleared
// of older files its own is put aside.
void put_live_file_aside();
void name_live_file(process &p);
// The metadata have changed.
void describe_live_file(process &p);
// The profile has been written; or it could not be, and the process ends.
void remove_live_file();
void give_up_live_file();
// In a forked child: the file is its parent's.
void leave_live_file() noexcept;

// ---- dump.cpp ----

// From now on TARE_SIGNAL makes this process write its profile.
void listen_for_signal();
void stop_listening() noexcept;

// ---- thread.cpp ----

void prepare_threads();
void name_thread(const char *name) noexcept;
// What one core knows of the calling thread goes over to another core.
void move_delay(tare_thread_t &from, tare_thread_t &to) noexcept;
// Declares the time since start_ns as overhead of the calling thread.
void declare_since(std::int64_t start_ns);

// ---- calibrate.cpp ----

// With the process's first region, and again whenever asked for. Finds all constants and describes them in the metadata.
// Threads take them over by and by (set_pace).
void calibrate();
void pause_measuring(bool paused);
// TARE_REPEAT_PROBES: the region of the pairs.
tare_region_t *repeated_region() noexcept;

// ---- output.cpp ----

// Looks at the place of the profile and removes what an older run left there. Ends the run if that cannot be done. Where
// another run is being measured, as where this program was started by one that is, this process is not.
void prepare_place();
// Writes the profile of every thread as it is now. Failure is said once and remembered.
void write_profile();
bool has_changed_since_writing();

// ---- formats.cpp, formats.hpp ----

// Whether TARE_PROFILE_FORMAT asks for others than tau.
bool wants_formats(const process &p);

// ---- notes.cpp ----

// What the PMPI layer has noted of its calls, if it is there: a table that goes beside the profile, and the messages
// that the process has sent.
struct notes {
    std::optional<profile::rank_calls> calls;
    std::vector<profile::sent_messages> sent;
};
notes collect_notes(process &p);

}  // namespace tare

#endif
