// SPDX-License-Identifier: BSD-3-Clause
// Profiles: what one run measured, as data, and how it is written to and read from a directory.
//
// A profile is four folders, MULTI__<METRIC>, with one TAU file profile.N.C.T for each thread T of rank N. The data
// model does not know how the numbers arose: the recorder fills it, the tool and the reports read it.
//
// Units: nanoseconds, signed 64 bit. The files hold microseconds with enough digits to give every nanosecond back.
// Errors: every function here throws tare::profile::error, whose what() is one sentence without a line end.
// Threads: nothing is shared; different threads may work on different objects.
#ifndef TARE_PROFILE_PROFILE_HPP
#define TARE_PROFILE_PROFILE_HPP

#include <cstddef>
#include "trace_event.h"

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tare::profile {

class error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Of one region on one thread. Measured inclusive = compensated inclusive + removed, exactly.
struct figures {
    std::int64_t calls = 0;
    std::int64_t subrs = 0;              // calls of other regions made directly from this one
    std::int64_t incl_ns = 0;            // measured
    std::int64_t excl_ns = 0;
    std::int64_t incl_comp_ns = 0;       // compensated; negative if more was removed than there was
    std::int64_t excl_comp_ns = 0;       // as read from files never negative: see residue_ns
    std::int64_t wait_ns = 0;            // blocked in MPI, measured, inclusive
    std::int64_t wait_excl_ns = 0;
    std::int64_t wait_comp_ns = 0;       // blocked in MPI, compensated, inclusive
    std::int64_t wait_comp_excl_ns = 0;
    std::int64_t removed_ns = 0;         // incl_ns - incl_comp_ns
    std::int64_t residue_ns = 0;         // overhead declared beyond what had elapsed, signed
    std::int64_t lo_ns = 0;              // bounds of incl_comp_ns; lo <= incl_comp <= hi
    std::int64_t hi_ns = 0;
    std::int64_t counted_calls = 0;      // of the calls, those that were counted and not measured (TARE_THROTTLE)
};

struct row : figures {
    std::string region;
    std::string group;                   // groups separated by |
};

using attributes = std::vector<std::pair<std::string, std::string>>;

// The names of the attributes that every Tare profile has. The first is what tells a Tare file from others.
namespace key {
constexpr const char *version = "tare version";
constexpr const char *run_id = "tare run id";
constexpr const char *ranks = "tare ranks";
constexpr const char *mode = "tare mode";
constexpr const char *rule = "tare rule";
constexpr const char *overhead = "tare overhead";
constexpr const char *clock = "tare clock";
constexpr const char *host = "tare host";
// Not in profiles of older versions: as the process was started, without its folder.
constexpr const char *program = "tare program";
// Not in every profile: the time from MPI_Init's return to MPI_Finalize's call, and its bounds.
constexpr const char *total = "tare total ns";
constexpr const char *total_compensated = "tare total compensated ns";
constexpr const char *total_lo = "tare total lo ns";
constexpr const char *total_hi = "tare total hi ns";
constexpr const char *total_residue = "tare total residue ns";
// Only with call paths: how many regions a path has at most; and how often one was entered that found no room.
constexpr const char *callpath_depth = "tare callpath depth";
constexpr const char *lost_calls = "tare calls without path";
// Only with TARE_FILTER: its file, how many regions of the process it has left out so far, and how often the thread has
// called them. Only with TARE_THROTTLE: its value.
constexpr const char *filter = "tare filter";
constexpr const char *excluded_regions = "tare excluded regions";
constexpr const char *excluded_calls = "tare excluded calls";
constexpr const char *refused_calls = "tare refused calls";         // of a thread: in handlers, inside a hook
constexpr const char *throttle = "tare throttle";
constexpr const char *thread_name = "tare thread name";         // of a thread: only where the program has named it
constexpr const char *trace_clock = "tare trace clock";         // only with TARE_TRACE: compensated, measured
constexpr const char *recovered = "tare recovered";      // only where the figures come from a rank's live file
}  // namespace key

// Its values: why there was nothing else to read.
namespace recovered {
constexpr const char *killed = "killed";
constexpr const char *torn = "killed inside a hook";     // the enter or leave that it was in may be missing
constexpr const char *running = "running";
constexpr const char *unwritten = "not written";
}  // namespace recovered

// The messages to one process from all threads of a rank together; those of collective calls are not among them.
struct sent_messages {
    int to = 0;                          // rank in MPI_COMM_WORLD, or `elsewhere`
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
    std::int64_t least_bytes = 0;        // in one message
    std::int64_t most_bytes = 0;
    double squares = 0;                  // sum of bytes^2, for their deviation
};

// Processes that are not in the sender's MPI_COMM_WORLD: of another job, or spawned; and those of a run without it.
constexpr int elsewhere = -1;

void add(sent_messages &a, const sent_messages &b);

// One thread of one rank: the content of one file in each metric's folder.
struct thread {
    int rank = 0;
    int number = 0;
    attributes metadata;                 // without TAU's "Metric Name", which belongs to the files
    std::vector<row> rows;               // the root, .TAU application, is the first
    // Call paths, where they were recorded: `region` is A => B => C, `group` is C's. What C did is in the row of C too,
    // so rows and paths are not to be added up together.
    std::vector<row> paths;
    std::vector<sent_messages> sent;     // the rank's, with its thread 0; each `to` once, in order

    // The value of an attribute, or an empty string.
    const std::string &attribute(const std::string &name) const;
};

struct run {
    std::vector<thread> threads;         // by rank, then number

    // Attributes that are the same in all files; empty without any.
    const std::string &attribute(const std::string &name) const;
    int ranks() const;                   // as the run was started; a killed rank has no file
};

constexpr const char *root_region = ".TAU application";
// What libtare enters and leaves to find out what that costs.
constexpr const char *calibrated_region = "tare calibration";
// What tare_data, tare_copied and tare_uses (tare.h) tell of.
constexpr const char *data_region = "tare_data()", *copied_region = "tare_copied()", *uses_region = TARE_TRACE_USES_REGION;
// The region of the pairs that TARE_REPEAT_PROBES adds; also the attribute that says how many to each.
constexpr const char *repeated_region = "tare repeated probes";

// Behind the name of a region that is no more measured, in files and reports; TAU's, like the group in files.
constexpr std::string_view throttled_suffix = " [THROTTLED]";
constexpr std::string_view throttled_group = "TAU_DISABLE";

// Between the regions of a call path.
constexpr std::string_view path_arrow = " => ";
// The innermost region of a call path.
std::string last_of_path(const std::string &path);

// ---- reading ----

// The profile in this directory, with what ranks that did not end well have left in their live files. Strict: what is
// not as the writer would have written it is an error that names the file and the line; so are files of different runs
// beside each other.
run read_directory(const std::string &directory);

// ---- writing ----

// A row whose texts somebody else keeps.
struct row_view : figures {
    std::string_view region;
    std::string_view group;
};
using row_visitor = std::function<void(const row_view &)>;

// What is written of a thread. A process of many regions does not make all rows and copy all names for that: it calls
// a visitor with one row after the other, each time it is asked.
struct thread_view {
    int rank;
    int number;
    const attributes &metadata;
    std::size_t row_count;
    std::function<void(const row_visitor &)> for_each_row;
    const std::vector<row> &paths;
    const std::vector<sent_messages> &sent;
};
thread_view view_of(const thread &t);        // as long as the thread is there

// Writes one thread's files: first under other names, then moved into place, so that a reader never sees half a file.
void write_thread(const std::string &directory, const thread_view &t);
void write_thread(const std::string &directory, const thread &t);

// Before anything is measured, on rank 0: makes the folders, tries whether they can be written to, and looks for
// files that are not Tare's in the profile's place.
void check_place(const std::string &directory);

// At the start of a run: removes what an older run left for this rank. Rank 0 also removes the files of ranks that
// this run does not have. Every file has one rank that may remove it, so no order between the ranks is needed, and
// nothing that this run wrote can be hit. Files that are not Tare's are left alone.
void remove_older(const std::string &directory, int rank, int ranks);

}  // namespace tare::profile

#endif
