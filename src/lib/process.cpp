// SPDX-License-Identifier: BSD-3-Clause
// Loading and leaving: the library's life in a process, with or without MPI.
#include "process.hpp"

#include "arena.hpp"
#include "formats.hpp"
#include "region.hpp"
#include "safe_file.hpp"
#include "tare_env_own.h"
#include "trace.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace tare {

process_switches switches = {{0, 0, no_hooks}, false, {false}, {&tare_core_table}, {&switches}, {}, {}};

namespace {

int exit_status = 0;

// Variables by which launchers tell rank and size. They serve until MPI tells; without libtare-mpi it never does.
struct launcher {
    const char *rank, *ranks;
};
constexpr launcher launchers[] = {
    {"PMI_RANK", "PMI_SIZE"}, {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMIX_RANK", "PMIX_SIZE"}};

int number_of(const char *variable, int otherwise)
{
    const char *text = secure_getenv(variable);
    char *end = nullptr;
    const long value = text == nullptr ? -1 : std::strtol(text, &end, 10);
    return text == nullptr || end == text || *end != '\0' || value < 0 ? otherwise : static_cast<int>(value);
}

void ask_launcher(process &p)
{
    for (const launcher &l : launchers) {
        const int rank = number_of(l.rank, -1);
        if (rank < 0)
            continue;
        p.rank = rank;
        p.ranks = number_of(l.ranks, rank + 1);
        // What the ranks have in common on one host, where MPI does not tell: who started them.
        p.run_id = "started-by-" + std::to_string(getppid());
        return;
    }
    p.run_id = std::to_string(getpid()) + "-" + std::to_string(clock_ns());
}

void read_filter(process &p)
{
    if (!p.settings_error.empty() || p.settings.filter == nullptr)
        return;
    try {
        p.filter = filter::read(p.settings.filter, std::string("TARE_FILTER=") + p.settings.filter);
    } catch (const filter::error &e) {
        p.settings_error = e.what();
    }
}

void read_settings(process &p)
{
    char message[512];
    if (tare_env_read(&p.settings, message, sizeof message) != 0)
        p.settings_error = message;
    // A trace is of what is recorded.
    if (p.settings.trace == 1)
        p.settings.profile = 1;
    read_filter(p);
    prepare_trace(p);
    profile::share_files(tare_env_file_access());
    if (!p.settings_error.empty())
        p.settings.profile = 0, p.settings.inject = nullptr;
    p.repeat_probes = p.settings.profile == 1 ? tare_env_repeat_probes() : 0;
    std::error_code failure;
    const std::filesystem::path path = std::filesystem::absolute(p.settings.profile_dir, failure);
    p.profile_dir = failure ? p.settings.profile_dir : path.lexically_normal().string();
    if (p.profile_dir.size() > 1 && p.profile_dir.back() == '/')
        p.profile_dir.pop_back();
}

void stop_recording()
{
    switches.recording = false;
    switches.quick = &switches;
    switches.shared = {0, 0, no_hooks};
}

// The child may make regions, so nobody is in the middle of that.
void hold_for_fork()
{
    hold_regions();
    arena_hold();
}

void let_go_after_fork()
{
    arena_let_go();
    let_go_of_regions();
}

// The child's changes are no business of the parent's record, which both have in memory.
void leave_records_to_parent()
{
    let_go_after_fork();
    stop_recording();
    self = {};
    leave_live_file();
    leave_trace();
    stop_listening();
}

void remember_status(int status, void *) { exit_status = status; }

bool fits(const tare_transport_v1_table_t &table)
{
    return table.version == TARE_TRANSPORT_VERSION && table.size >= sizeof(tare_transport_v1_table_t) &&
           table.wire_version == TARE_WIRE_VERSION;
}

const tare_transport_v1_table_t *find_core(void *handle)
{
    const void *symbol = dlsym(handle == nullptr ? RTLD_DEFAULT : handle, "tare_transport_v1");
    const auto *table = static_cast<const tare_transport_v1_table_t *>(symbol);
    return table != nullptr && fits(*table) ? table : &tare_core_table;
}

void use_core(const tare_transport_v1_table_t *table)
{
    switches.core.store(table, std::memory_order_release);
    // The other bit is the core's own.
    if (switches.recording)
        __atomic_or_fetch(&table->global->account_waits, 1u, __ATOMIC_RELAXED);
    else
        __atomic_and_fetch(&table->global->account_waits, ~1u, __ATOMIC_RELAXED);
    choose_way();
}

// libmpi configures its own core. libtare's has no transport, so it carries nothing by itself.
void configure_own_core(const tare_settings_t &s)
{
    tare_core_configure(s.mode, s.mode == TARE_MODE_OFF ? TARE_RULE_LOCAL : s.rule, 0);
}

const hooks &hooks_of(const process &p)
{
    if (!switches.shared.on)
        return no_hooks;
    if (!switches.recording)
        return unrecorded_hooks;
    return recorded_hooks(switches.shared.measured, p.is_selective(), p.repeat_probes > 0);
}

__attribute__((constructor)) void load()
{
    process &p = this_process();
    read_settings(p);
    ask_launcher(p);
    configure_own_core(p.settings);
    switches.recording = p.settings.profile == 1;
    switches.shared.on = switches.recording || p.settings.inject != nullptr || !p.settings_error.empty();
    switches.shared.measured = switches.recording && p.settings.overhead == TARE_OVERHEAD_MEASURED;
    switches.shared.hooks = hooks_of(p);
    p.first_run_id = p.run_id;
    use_core(find_core(nullptr));
    if (p.is_selective() && p.settings.filter != nullptr)
        set_filter(p.filter);
    set_injection(p.settings.inject, p.rank);
    find_converter(p);
    pthread_atfork(hold_for_fork, let_go_after_fork, leave_records_to_parent);
    if (!switches.recording)
        return;
    prepare_threads();
    on_exit(remember_status, nullptr);
}

void set_attribute(profile::attributes &all, const std::string &name, const std::string &value)
{
    for (auto &[known, old] : all) {
        if (known == name) {
            old = value;
            return;
        }
    }
    all.emplace_back(name, value);
}

// Failure is said once and remembered.
void try_to_make_formats(process &p)
{
    try {
        p.is_final = make_formats(p);
    } catch (const std::exception &e) {
        say(std::string("TARE_PROFILE_FORMAT: ") + e.what() + "; the profile stays in " + p.profile_dir +
            " as tau: tare convert makes the others of it");
        p.failed = true;
    }
}

// Of several ranks only MPI_Finalize knows when all have written.
void make_formats_at_exit(process &p)
{
    if (!wants_formats(p) || p.formats_are_settled || !p.is_written)
        return;
    if (p.ranks == 1)
        try_to_make_formats(p);
    else if (p.rank == 0)
        say("TARE_PROFILE_FORMAT: the others than tau are made in MPI_Finalize, which this rank has not called: tare "
            "convert makes them of what is in " + p.profile_dir);
}

// A process that recorded nothing and has no MPI (a shell in between) leaves no profile.
bool has_something_to_write(const process &p) { return p.initialized || p.has_entered; }

__attribute__((destructor)) void unload()
{
    process &p = this_process();
    if (switches.recording && has_something_to_write(p) && has_changed_since_writing())
        write_profile();
    // Until the trace is whole the live file has it.
    if (switches.recording && has_something_to_write(p))
        finish_trace(p);
    if (switches.recording)
        p.is_written || !p.failed ? remove_live_file() : give_up_live_file();
    make_formats_at_exit(p);
    stop_recording();
    if (!p.failed)
        return;
    std::fflush(nullptr);
    _exit(exit_status == 0 ? 1 : exit_status);
}

}  // namespace

process &this_process()
{
    static process *p = new process;
    return *p;
}

// A function that the PMPI layer does not export itself: it wraps almost all.
bool has_mpi() { return dlsym(RTLD_DEFAULT, "PMPI_Wtime") != nullptr; }

void set_metadata(const profile::attributes &values)
{
    process &p = this_process();
    {
        const std::lock_guard<std::mutex> lock(p.describing);
        for (const auto &[name, value] : values)
            set_attribute(p.metadata, name, value);
    }
    describe_live_file(p);
}

void say(const std::string &sentence) { std::fprintf(stderr, "tare: %s\n", sentence.c_str()); }

void choose_way() noexcept
{
    // Whoever comes later sees the change of the one before.
    static std::mutex choosing;
    const std::lock_guard<std::mutex> lock(choosing);
    const bool is_usual = switches.recording && !switches.paused && this_process().settings.inject == nullptr;
    switches.quick = is_usual ? static_cast<const void *>(switches.core.load()) : &switches;
}

void stop_measuring(process &p)
{
    p.is_unmeasured = true;
    switches.recording = false;
    switches.shared.on = p.settings.inject != nullptr;
    switches.shared.measured = 0;
    switches.shared.hooks = hooks_of(p);
    use_core(switches.core.load());
}

void end_run(const std::string &sentence)
{
    switches.recording = false;
    switches.quick = &switches;
    remove_live_file();
    say(sentence);
    std::fflush(nullptr);
    _exit(1);
}

// Whoever takes the subject's name first speaks. The name goes with the process.
void say_once(const process &p, const char *subject, const std::string &sentence)
{
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    const int length = std::snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "tare-%s-%s", subject,
                                     p.run_id.c_str());
    const auto size = offsetof(sockaddr_un, sun_path) + 1 + std::min<std::size_t>(static_cast<std::size_t>(length),
                                                                                   sizeof name.sun_path - 2);
    const int taken = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (taken < 0 || bind(taken, reinterpret_cast<const sockaddr *>(&name), static_cast<socklen_t>(size)) == 0 ||
        errno != EADDRINUSE) {
        say(sentence);
        return;
    }
    close(taken);
}

void complain_without_mpi() noexcept
{
    const process &p = this_process();
    if (!p.settings_error.empty() && !has_mpi())
        end_run(p.settings_error);
}

}  // namespace tare

using namespace tare;

extern "C" {

const tare_transport_v1_table_t *tare_measure_core(void) { return switches.core.load(std::memory_order_acquire); }

const tare_settings_t *tare_measure_settings(void) { return &this_process().settings; }

const char *tare_measure_settings_error(void)
{
    const process &p = this_process();
    return p.settings_error.empty() ? nullptr : p.settings_error.c_str();
}

tare_region_t *tare_measure_trial_region(void)
{
    if (!switches.recording)
        return nullptr;
    return this_process().repeat_probes > 0 ? repeated_region()
                                            : find_or_make_region(profile::calibrated_region, TARE_GROUP_USER);
}

const tare_measure_state_t *tare_measure_state(void) { return &switches.shared; }

int tare_measure_is_on(void) { return switches.shared.on != 0; }

void tare_measure_note_cost(unsigned what, double ns)
{
    switches.note_costs[what].store(to_units(ns), std::memory_order_relaxed);
}

void tare_measure_metadata(const char *name, const char *value) { set_metadata(name, value); }

void tare_measure_say_at_end(const char *sentence)
{
    if (this_process().rank == 0)
        say(sentence);
}

void tare_measure_adopt(void *libmpi_handle)
{
    const tare_transport_v1_table_t *old = tare_measure_core();
    const tare_transport_v1_table_t *found = find_core(libmpi_handle);
    if (found == old || found == &tare_core_table)
        return;
    use_core(found);
    if (self.state != nullptr)
        bind_core(*self.state);
    else
        move_delay(*old->thread(), *found->thread());
}

void tare_measure_initialized(int rank, int size, const char *run_id)
{
    process &p = this_process();
    p.rank = rank;
    p.ranks = size;
    p.run_id = run_id;
    p.initialized = true;
    set_injection(p.settings.inject, rank);
    // The PMPI layer may have chosen the mode since the library was loaded.
    tare_settings_t now;
    char message[512];
    if (tare_measure_core() == &tare_core_table && tare_env_read(&now, message, sizeof message) == 0)
        configure_own_core(now);
    if (!switches.recording)
        return;
    p.place_is_ready = false;
    prepare_place();
    say_what_is_not_told(p);
}

void tare_measure_finalizing(void)
{
    tare_flush();
    if (switches.recording && this_process().is_written)
        remove_live_file();
}

int tare_measure_wants_formats(void) { return wants_formats(this_process()); }

int tare_measure_is_written(void)
{
    const process &p = this_process();
    return !p.is_unmeasured && (!switches.recording || p.is_written);
}

int tare_measure_make_formats(int all_are_written)
{
    process &p = this_process();
    p.formats_are_settled = true;
    if (all_are_written != 0)
        try_to_make_formats(p);
    return p.is_final;
}

void tare_measure_end_profile(void) { this_process().is_final = true; }

}  // extern "C"
