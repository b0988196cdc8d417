// SPDX-License-Identifier: BSD-3-Clause
#include "trace.hpp"

#include "arena.hpp"
#include "file_size_guard.hpp"
#include "own_memory.hpp"
#include "process.hpp"
#include "region.hpp"
#include "load_trace_module.hpp"
#include "signals_wait.hpp"
#include "tare_env_own.h"
#include "trace_definitions.hpp"

#include <climits>
#include <cstring>
#include <condition_variable>
#include <filesystem>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include <utility>

namespace tare {
namespace fs = std::filesystem;
namespace {

// So many are full when the library's thread begins to write, and when others wait for it: 1.4 and 2.8 million events.
constexpr std::size_t chunks_before_writing = 32, chunks_before_waiting = 64;

// Chunks in a row: the oldest first.
class chunk_list {
  public:
    bool is_empty() const noexcept { return first_ == nullptr; }
    std::size_t count() const noexcept { return count_; }
    void add(trace_chunk *chunk) noexcept
    {
        count_++;
        chunk->next = nullptr;
        *last_ = chunk;
        last_ = &chunk->next;
    }
    trace_chunk *take() noexcept
    {
        trace_chunk *chunk = first_;
        if (chunk == nullptr)
            return nullptr;
        count_--;
        if ((first_ = chunk->next) == nullptr)
            last_ = &first_;
        return chunk;
    }

  private:
    trace_chunk *first_ = nullptr;
    trace_chunk **last_ = &first_;
    std::size_t count_ = 0;
};

// In the build tree, or beside the library.
const tare_trace_module_t *find_module()
{
    const fs::path folder = own_library().parent_path();
    const bool is_build_tree = folder.filename() == ".libs";
    const fs::path place = is_build_tree ? folder.parent_path().parent_path() / "trace" / ".libs" : folder / "tare";
    return load_trace_module((place / "libtare-otf2.so").c_str());
}

// One object, never destroyed: threads may still record while the process exits.
class trace_of_process {
  public:
    void use(const tare_trace_module_t *module) noexcept { module_ = module; }
    bool is_on() const noexcept { return module_ != nullptr; }
    void leave() noexcept { module_ = nullptr; }

    // Not from a hook, which may have interrupted malloc. No handler of the program's runs in there: signals wait.
    void start() noexcept
    {
        const signals_wait quiet;
        const std::lock_guard<std::mutex> lock(changing_);
        if (is_writing_ || has_ended_)
            return;
        is_writing_ = pthread_create(&writer_, nullptr, [](void *self) -> void * {
            static_cast<trace_of_process *>(self)->write_until_the_end();
            return nullptr;
        }, this) == 0;
        const sched_param none{};
        if (is_writing_)
            pthread_setschedparam(writer_, SCHED_IDLE, &none);
    }

    // Takes a full chunk, if there is one, and gives an empty one. nullptr: there is no memory.
    trace_chunk *turn_over(trace_chunk *full) noexcept
    {
        const signals_wait quiet;
        std::unique_lock<std::mutex> lock(changing_);
        if (full != nullptr) {
            full_.add(full);
            there_is_one_.notify_one();
            // Before the rank is known nobody writes.
            while (free_.is_empty() && full_.count() >= chunks_before_waiting && can_write() && is_writing_) {
                run_as_others_do();
                came_back_.wait(lock);
            }
        }
        trace_chunk *chunk = free_.take();
        if (chunk == nullptr && (chunk = bare_ != nullptr ? std::exchange(bare_, nullptr) : bare_chunk()) != nullptr) {
            make_pages(chunk);
            show(chunk);
        }
        if (full != nullptr && is_writing_ && free_.is_empty() && bare_ == nullptr && !makes_pages_)
            bare_ = bare_chunk();
        return chunk;
    }

    void give(trace_chunk *last) noexcept
    {
        const signals_wait quiet;
        const std::lock_guard<std::mutex> lock(changing_);
        full_.add(last);
    }

    // Nothing comes any more.
    void finish(process &p)
    {
        stop_writing();
        const file_size_guard guard;
        while (trace_chunk *chunk = full_.take())
            write(p, *chunk);
        end(p);
    }

  private:
    // Where the trace goes and under which rank.
    static bool can_write() { return this_process().initialized || !has_mpi(); }

    static trace_chunk *bare_chunk() noexcept { return static_cast<trace_chunk *>(arena_take(sizeof(trace_chunk))); }

    // They are there when the first event comes. On a disk's file system that takes as long as 7 ns an event.
    static void make_pages(trace_chunk *chunk) noexcept
    {
        if (!fault_in(chunk, sizeof(trace_chunk)))
            touch(chunk);
    }
    static void touch(trace_chunk *bare) noexcept
    {
        constexpr std::size_t page = 4096;
        for (std::size_t at = 0; at < sizeof(trace_chunk); at += page)
            reinterpret_cast<volatile char *>(bare)[at] = 0;
    }

    // To who reads the live file. Under the lock.
    static void show(trace_chunk *chunk) noexcept
    {
        if (!arena_keeps(chunk))
            return;
        live_header &h = *arena_header();
        chunk->live.next = h.traces;
        __atomic_store_n(&h.traces, address_of(chunk), __ATOMIC_RELEASE);
    }

    // Somebody waits for the writer.
    void run_as_others_do() noexcept
    {
        const sched_param none{};
        if (is_idle_)
            pthread_setschedparam(writer_, SCHED_OTHER, &none);
        is_idle_ = false;
    }

    void stop_writing() noexcept
    {
        bool was_writing;
        {
            const std::lock_guard<std::mutex> lock(changing_);
            has_ended_ = true;
            was_writing = is_writing_;
            is_writing_ = false;
            there_is_one_.notify_one();
            came_back_.notify_all();
        }
        if (!was_writing)
            return;
        run_as_others_do();
        pthread_join(writer_, nullptr);
    }

    // The writer's own thread, on what the program leaves of the cores. Between, it makes the pages of the chunk that comes
    // next: one by one, so that it never is in the kernel for long while others want to be.
    void write_until_the_end() noexcept
    {
        std::unique_lock<std::mutex> lock(changing_);
        while (!has_ended_) {
            const bool writes = full_.count() >= chunks_before_writing && can_write();
            if (!writes && bare_ == nullptr) {
                there_is_one_.wait(lock);
                continue;
            }
            trace_chunk *chunk = writes ? full_.take() : std::exchange(bare_, nullptr);
            makes_pages_ = !writes;
            lock.unlock();
            writes ? write_out(*chunk) : touch(chunk);
            lock.lock();
            if (makes_pages_)
                show(chunk);
            makes_pages_ = false;
            free_.add(chunk);
            came_back_.notify_all();
        }
    }

    void write_out(trace_chunk &chunk) noexcept
    {
        write(this_process(), chunk);
        __atomic_store_n(&chunk.live.count, 0, __ATOMIC_RELEASE);
    }

    void write(process &p, const trace_chunk &chunk)
    {
        if (has_failed_ || (trace_ == nullptr && !begin(p)))
            return;
        char message[TARE_TRACE_MESSAGE];
        const std::uint32_t left_out = find_or_make_region(profile::calibrated_region, TARE_GROUP_USER)->number;
        const std::uint32_t count = __atomic_load_n(&chunk.live.count, __ATOMIC_ACQUIRE);
        if (module_->write(trace_, chunk.live.thread, chunk.events, count, left_out, message) != 0)
            fail(p, message);
    }

    bool begin(process &p)
    {
        char message[TARE_TRACE_MESSAGE], host[HOST_NAME_MAX + 1] = "";
        gethostname(host, sizeof host - 1);
        dir_ = p.profile_dir + "/tare-trace";
        const tare_trace_run_t run = {dir_.c_str(), p.rank, p.ranks, p.run_id.c_str(), host, program_invocation_short_name,
                                      p.settings.trace_clock == TARE_CLOCK_MEASURED};
        trace_ = module_->begin(&run, message);
        if (trace_ == nullptr)
            fail(p, message);
        return trace_ != nullptr;
    }

    bool name_threads(process &p, char *message)
    {
        const std::lock_guard<std::mutex> lock(p.threads_changing);
        for (const thread_state *t = p.threads; t != nullptr; t = t->next)
            if (const char *name = __atomic_load_n(&t->name, __ATOMIC_ACQUIRE);
                t->trace != nullptr && name != nullptr &&
                module_->name_thread(trace_, static_cast<std::uint32_t>(t->number), name, message) != 0)
                return false;
        return true;
    }

    void end(process &p)
    {
        if (trace_ == nullptr || has_failed_)
            return;
        std::vector<tare_trace_region_t> regions;
        tare_region_t *newest = newest_region();
        regions.resize(newest == nullptr ? 0 : std::size_t{newest->number} + 1);
        for (tare_region_t *r = newest; r != nullptr; r = r->next)
            regions[r->number] = {name_of(*r), r->group};
        const std::vector<tare_trace_definition_t> defined = trace_definitions();
        char message[TARE_TRACE_MESSAGE];
        if (!name_threads(p, message) ||
            module_->end(trace_, regions.data(), regions.size(), defined.data(), defined.size(), message) != 0 ||
            module_->join(dir_.c_str(), p.ranks, 0, message) < 0)
            fail(p, message);
    }

    void fail(process &p, const char *message)
    {
        has_failed_ = true;
        p.failed = true;
        say_once(p, "trace", message);
    }

    const tare_trace_module_t *module_ = nullptr;        // nullptr: no trace is written
    std::mutex changing_;
    std::condition_variable there_is_one_, came_back_;
    chunk_list full_, free_;
    bool is_writing_ = false;            // there is a thread for it
    bool is_idle_ = true;                // which has what others leave of the cores
    bool has_ended_ = false;
    trace_chunk *bare_ = nullptr;        // the one that comes next, whose pages nobody has made yet
    bool makes_pages_ = false;           // the library's thread, of one that was bare
    pthread_t writer_{};
    // Of who writes: the thread, and behind it who ends the process.
    void *trace_ = nullptr;
    std::string dir_;
    bool has_failed_ = false;
};

trace_of_process &trace()
{
    static trace_of_process *t = new trace_of_process;
    return *t;
}

}  // namespace

bool thread_trace::turn_over() noexcept
{
    if (is_over_)
        return false;
    const std::int64_t start_ns = clock_ns();
    chunk_ = trace().turn_over(chunk_);
    waited_ns_ += clock_ns() - start_ns;
    is_over_ = chunk_ == nullptr;
    if (is_over_) {
        count_ = trace_chunk::capacity;
        return false;
    }
    chunk_->live.thread = thread_;
    chunk_->live.number = chunks_++;
    __atomic_store_n(&chunk_->live.count, count_ = 0, __ATOMIC_RELEASE);
    return true;
}

// nullptr: there is no room for so many.
inline tare_trace_event_t *thread_trace::take(std::uint32_t events) noexcept
{
    if (__builtin_expect(count_ + events > trace_chunk::capacity, 0) && !turn_over())
        return nullptr;
    return chunk_->events + count_;
}

inline void thread_trace::add(const tare_trace_record_t &record, const moment &at) noexcept
{
    const std::uint32_t size = 1 + TARE_TRACE_PARTS_OF(record.event.kind);
    if (__builtin_expect(count_ + size > trace_chunk::capacity, 0))
        return add_to_next_chunk(record, at);
    tare_trace_event_t *to = chunk_->events + count_;
    *to++ = {at.time_ns, at.delay_ns, record.event.of, record.event.kind};
    // No call of memcpy for so few, whose number the compiler does not know.
    const char *from = reinterpret_cast<const char *>(&record.message);
    for (const char *end = from + (size - 1) * sizeof *to; from != end; from += sizeof *to)
        std::memcpy(to++, from, sizeof *to);
    __atomic_store_n(&chunk_->live.count, count_ += size, __ATOMIC_RELEASE);
}

void thread_trace::add(const tare_trace_record_t &record) noexcept { add(record, moment()); }

static bool tells_of_failed_poll(const tare_trace_record_t &record) noexcept
{
    const std::uint32_t kind = TARE_TRACE_KIND(record.event.kind);
    return kind == TARE_TRACE_REQUEST_TEST || kind == TARE_TRACE_RMA_TEST;
}

// Events of a call that waits for its end have its time; a poll that goes on has said that it failed.
inline void thread_trace::add_to_call(const tare_trace_record_t &record, bool at_end) noexcept
{
    if (__builtin_expect(!call_.is_there, 0) || (__builtin_expect(call_.goes_on, 0) && tells_of_failed_poll(record)))
        return;
    add(record, at_end ? call_.end : call_.start);
}

void thread_trace::add_to_next_chunk(const tare_trace_record_t &record, const moment &at) noexcept
{
    if (turn_over())
        add(record, at);
}

void thread_trace::read_at_enter(std::uint32_t region) noexcept
{
    const std::int64_t start_ns = clock_ns(), waited_ns = waited_ns_;
    if (pages_ != nullptr)
        pages_->enter(region);
    add_readings();
    waited_ns_ = waited_ns + clock_ns() - start_ns;
}

void thread_trace::read_at_leave() noexcept
{
    const std::int64_t start_ns = clock_ns(), waited_ns = waited_ns_;
    if (pages_ != nullptr)
        pages_->leave();
    add_readings();
    waited_ns_ = waited_ns + clock_ns() - start_ns;
}

void thread_trace::add_readings() noexcept
{
    if (counters_ != nullptr) {
        tare_trace_counters_t now;
        counters_->read(now);
        add_reading(now, TARE_TRACE_COUNTERS);
    }
    if (pages_ != nullptr && has_used_pages())
        add_reading(pages_->seen(), TARE_TRACE_PAGES);
}

template <typename Reading> void thread_trace::add_reading(const Reading &reading, std::uint32_t kind) noexcept
{
    constexpr std::uint32_t parts = sizeof reading / sizeof(tare_trace_event_t);
    static_assert(sizeof reading == parts * sizeof(tare_trace_event_t) && parts <= TARE_TRACE_MOST_PARTS);
    tare_trace_event_t *to = take(1 + parts);
    if (to == nullptr)
        return;
    *to = {0, 0, 0, kind | TARE_TRACE_PARTS(parts)};
    std::memcpy(to + 1, &reading, sizeof reading);
    __atomic_store_n(&chunk_->live.count, count_ += 1 + parts, __ATOMIC_RELEASE);
}

void thread_trace::finish(const sample &end) noexcept
{
    if (counters_ != nullptr)
        counters_->close();
    add(end, 0, TARE_TRACE_END);
    if (chunk_ != nullptr)
        trace().give(chunk_);
    chunk_ = nullptr;
    count_ = trace_chunk::capacity;
}

// nullptr: it is not wished, or there is no memory.
template <typename Object> static Object *make_if(bool is_wished) noexcept
{
    void *memory = is_wished ? arena_take(sizeof(Object)) : nullptr;
    return memory == nullptr ? nullptr : new (memory) Object;
}

thread_trace *trace_of_thread(std::uint32_t thread) noexcept
{
    if (!trace().is_on())
        return nullptr;
    void *memory = arena_take(sizeof(thread_trace));
    if (memory == nullptr)
        return nullptr;
    static const unsigned records = tare_env_trace_records();
    return new (memory) thread_trace(thread, make_if<thread_counters>((records & TARE_RECORD_COUNTERS) != 0),
                                     make_if<thread_pages>((records & TARE_RECORD_PAGES) != 0));
}

bool is_traced() noexcept { return trace().is_on(); }

void thread_trace::add_at(const tare_trace_record_t &record, const sample &now) noexcept { add(record, moment(now)); }

void prepare_trace(process &p)
{
    if (p.settings.trace == 0 || !p.settings_error.empty())
        return;
    const tare_trace_module_t *module = find_module();
    if (module == nullptr)
        p.settings_error = "TARE_TRACE=1: this Tare was built without OTF2 (libotf2-trace-dev)";
    else
        trace().use(module);
}

void start_trace()
{
    if (trace().is_on())
        trace().start();
}

void say_what_is_not_told(const process &p)
{
    const auto is_wanted = [](unsigned record, const char *told) {
        return trace().is_on() && (tare_env_trace_records() & record) != 0 && dlsym(RTLD_DEFAULT, told) == nullptr;
    };
    if (is_wanted(TARE_RECORD_HEAP, "tare_heap_is_told"))
        say_once(p, "heap", "TARE_TRACE_RECORDS=heap: nothing is said of the heap: libtare-heap.so is not preloaded, as "
                            "tare exec does");
    if (is_wanted(TARE_RECORD_THREADS, "tare_threads_are_told"))
        say_once(p, "threads", "TARE_TRACE_RECORDS=threads: nothing is said of what threads wait for: libtare-threads.so is "
                               "not preloaded, as tare exec does");
}

void finish_trace(process &p)
{
    if (!trace().is_on())
        return;
    bool is_cut = false;
    {
        const std::lock_guard<std::mutex> lock(p.threads_changing);
        for (thread_state *t = p.threads; t != nullptr; t = t->next) {
            if (t->trace == nullptr)
                continue;
            is_cut |= t->trace->is_over_;
            if (t->trace->chunk_ != nullptr)
                t->trace->finish(t->block == nullptr ? t->last : counters(*t, clock_ns(), 0));
        }
    }
    if (is_cut)
        say_once(p, "memory", "the trace of rank " + std::to_string(p.rank) + " ends early: there was no memory for it");
    if (!p.initialized)
        say_what_is_not_told(p);
    if (pages_refused() != 0)
        say_once(p, "pages", std::string("TARE_TRACE_RECORDS=pages: the kernel does not tell where pages are: ") +
                                 std::strerror(pages_refused()));
    trace().finish(p);
    trace().leave();
}

void leave_trace() noexcept { trace().leave(); }

}  // namespace tare

using namespace tare;

extern "C" {

int tare_measure_is_traced(void) { return is_traced(); }

int tare_measure_traces_threads(void) { return is_traced() && (tare_env_trace_records() & TARE_RECORD_THREADS) != 0; }

uint32_t tare_measure_thread_number(void)
{
    return self.state == nullptr ? UINT32_MAX : static_cast<uint32_t>(self.state->number);
}

void tare_measure_trace(const tare_trace_record_t *record, enum tare_measure_moment when)
{
    if (const thread_state *t = self.state; t != nullptr && t->trace != nullptr)
        t->trace->add_to_call(*record, when == TARE_MOMENT_LEAVE);
}

}  // extern "C"
