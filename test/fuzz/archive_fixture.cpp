// SPDX-License-Identifier: BSD-3-Clause
#include "archive_fixture.hpp"

#include <iterator>
#include <memory>

#include "holds.hpp"
#include "tare_measure.h"
#include "trace_module.h"

namespace fuzz {
namespace {

constexpr int ranks = 2;
enum region : std::uint32_t { main_region, mpi_region, wait_region, work_region, lock_region };
const tare_trace_region_t regions[] = {{"main()", TARE_GROUP_FUNCTION},
                                       {"MPI_Sendrecv()", TARE_GROUP_MPI},
                                       {"MPI_Wait()", TARE_GROUP_MPI},
                                       {"work", TARE_GROUP_USER},
                                       {"pthread_mutex_lock()", TARE_GROUP_PTHREAD}};

// Numbers of what each process defines.
enum group : std::uint32_t { world_group, own_group, other_group };
enum comm : std::uint32_t { world, self, duplicate, between };
constexpr std::uint32_t window = 0;
constexpr std::uint32_t lock = 7, made_thread = 1 << 15;         // what threads meet at
enum text : std::uint32_t { site_text, type_text, data_text };

struct step {
    std::uint32_t kind, of;
    tare_trace_message_t message;        // peer: 1 is the other process, 0 the own one
};

constexpr std::int32_t barrier = TARE_TRACE_BARRIER, none = TARE_TRACE_ROOT_NONE;
const step steps_of_mpi[] = {
    {TARE_TRACE_ENTER, main_region, {}},
    {TARE_TRACE_ENTER, mpi_region, {}},
    {TARE_TRACE_SITE, site_text, {}},
    {TARE_TRACE_SENT_BUFFER, type_text, {4096, 64, 0, 0}},
    {TARE_TRACE_RECEIVED_BUFFER, TARE_TRACE_NONE, {8192, 64, 0, 0}},
    {TARE_TRACE_CONTENTS, 0, {0x123456789abcdef0, 0, 0, 0}},
    {TARE_TRACE_SEND, world, {64, 0, 1, 5}},
    {TARE_TRACE_RECV, world, {64, 0, 1, 5}},
    {TARE_TRACE_ISEND, world, {128, 1, 1, 6}},
    {TARE_TRACE_IRECV_REQUEST, 0, {0, 2, 0, 0}},
    {TARE_TRACE_LEAVE, 0, {}},
    {TARE_TRACE_ENTER, wait_region, {}},
    {TARE_TRACE_REQUEST_TEST, 0, {0, 1, 0, 0}},
    {TARE_TRACE_ISEND_COMPLETE, 0, {0, 1, 0, 0}},
    {TARE_TRACE_IRECV, world, {128, 2, 1, 6}},
    {TARE_TRACE_LEAVE, 0, {}},
    {TARE_TRACE_ENTER, work_region, {}},
    {TARE_TRACE_DATA_NAME, data_text, {}},
    {TARE_TRACE_DATA, type_text, {4096, 800, 0, 0}},
    {TARE_TRACE_LEAVE, 0, {}},
    {TARE_TRACE_IRECV_REQUEST, 0, {0, 3, 0, 0}},
    {TARE_TRACE_REQUEST_CANCELLED, 0, {0, 3, 0, 0}},
    {TARE_TRACE_COMM_CREATE, duplicate, {}},
    {TARE_TRACE_COLLECTIVE_BEGIN, 0, {}},
    {TARE_TRACE_COLLECTIVE_END, duplicate, {8, 0, 0, TARE_TRACE_BCAST}},
    {TARE_TRACE_COLLECTIVE_REQUEST, 0, {0, 4, 0, 0}},
    {TARE_TRACE_COLLECTIVE_COMPLETE, world, {0, 4, none, barrier}},
    {TARE_TRACE_SEND, between, {300, 0, 0, 1}},
    {TARE_TRACE_RECV, between, {300, 0, 0, 1}},
    {TARE_TRACE_COMM_DESTROY, duplicate, {}},
    {TARE_TRACE_RECEIVED_BUFFER, TARE_TRACE_NONE, {16384, 64, 8, 0}},
    {TARE_TRACE_WINDOW_CREATE, window, {}},
    {TARE_TRACE_RMA_COLLECTIVE_BEGIN, 0, {}},
    {TARE_TRACE_RMA_COLLECTIVE_END, window, {TARE_TRACE_SYNC_PROCESSES, 0, none, TARE_TRACE_CREATE_AND_ALLOCATE}},
    {TARE_TRACE_RMA_REQUEST_LOCK, window, {0, 0, 1, 1}},
    {TARE_TRACE_STACK_FRAME, data_text, {}},
    {TARE_TRACE_SENT_BUFFER, type_text, {4096, 16, -32, -1}},
    {TARE_TRACE_TARGET_BUFFER, type_text, {0, 16, 2, 0}},
    {TARE_TRACE_RMA_PUT, window, {16, 5, 1, 0}},
    {TARE_TRACE_RMA_COMPLETE_REMOTE, window, {0, 5, 0, 0}},
    {TARE_TRACE_RMA_GET, window, {16, 6, 1, 0}},
    {TARE_TRACE_RMA_TEST, window, {0, 6, 0, 0}},
    {TARE_TRACE_RMA_COMPLETE, window, {0, 6, 0, 0}},
    {TARE_TRACE_RMA_ATOMIC, window, {4, 7, 1, TARE_TRACE_SWAP}},
    {TARE_TRACE_RMA_RELEASE_LOCK, window, {0, 0, 1, 0}},
    {TARE_TRACE_RMA_SYNC, window, {0, 0, 0, 0}},
    {TARE_TRACE_RMA_GROUP_SYNC, window, {TARE_TRACE_SYNC_MEMORY, 0, own_group, 0}},
    {TARE_TRACE_WINDOW_DESTROY, window, {}},
    {TARE_TRACE_THREAD_RELEASE, lock, {1, 0, 0, 0}},
    {TARE_TRACE_THREAD_RELEASE, made_thread, {TARE_TRACE_ROUND_END, 0, 0, 0}},
    {TARE_TRACE_END, 0, {}},
};
const step steps_of_thread[] = {
    {TARE_TRACE_ENTER, work_region, {}},
    {TARE_TRACE_THREAD_BEGIN, made_thread, {TARE_TRACE_ROUND_END, 0, 0, 0}},
    {TARE_TRACE_ENTER, lock_region, {}},
    {TARE_TRACE_THREAD_ACQUIRE, lock, {1, 0, 0, 1}},
    {TARE_TRACE_LEAVE, 0, {}},
    {TARE_TRACE_SEND, self, {32, 0, 0, 9}},
    {TARE_TRACE_RECV, self, {32, 0, 0, 9}},
    {TARE_TRACE_END, 0, {}},
};

bool is_sent(std::uint32_t kind) { return kind == TARE_TRACE_SEND || kind == TARE_TRACE_ISEND; }

bool names_a_process(std::uint32_t kind)
{
    return (kind >= TARE_TRACE_SEND && kind <= TARE_TRACE_IRECV) ||
           (kind >= TARE_TRACE_RMA_PUT && kind <= TARE_TRACE_RMA_ATOMIC) ||
           (kind >= TARE_TRACE_RMA_REQUEST_LOCK && kind <= TARE_TRACE_RMA_SYNC);
}

class process {
  public:
    process(const std::string &dir, int rank) : rank_(rank)
    {
        const tare_trace_run_t run = {dir.c_str(), rank, ranks, "run", "host", "program", 0};
        trace_ = tare_trace_module.begin(&run, message_);
        HOLDS(trace_ != nullptr);
    }

    void write(std::uint32_t thread, const step &s)
    {
        tare_trace_record_t r{};
        const bool has_parts = s.kind > TARE_TRACE_END;
        at_ns_ += 100;
        r.event = {at_ns_, at_ns_ / 10, s.of, s.kind | (has_parts ? TARE_TRACE_PARTS(TARE_TRACE_MOST_PARTS) : 0)};
        r.message = s.message;
        if (names_a_process(s.kind) && s.of != between && s.of != self)
            r.message.peer = s.message.peer == 1 ? 1 - rank_ : rank_;
        // What is sent is received next.
        sequence_ += is_sent(s.kind);
        if (s.kind >= TARE_TRACE_SEND && s.kind <= TARE_TRACE_IRECV)
            r.more.origin = {at_ns_ / 20, sequence_, thread, known(s.kind), at_ns_ - 50, {}};
        const auto *events = reinterpret_cast<const tare_trace_event_t *>(&r);
        const std::size_t count = has_parts ? 1 + TARE_TRACE_MOST_PARTS : 1;
        HOLDS(tare_trace_module.write(trace_, thread, events, count, UINT32_MAX, message_) == 0);
    }

    void name_thread(std::uint32_t thread, const char *name)
    {
        HOLDS(tare_trace_module.name_thread(trace_, thread, name, message_) == 0);
    }

    void end()
    {
        const std::uint32_t all[] = {0, 1}, own[] = {static_cast<std::uint32_t>(rank_)},
                            other[] = {static_cast<std::uint32_t>(1 - rank_)};
        const auto id = static_cast<std::uint64_t>(rank_) + 20;
        const tare_trace_definition_t definitions[] = {
            {TARE_TRACE_GROUP, 2, all, 0, 0, 0, 0, 0, ""},
            {TARE_TRACE_GROUP, 1, own, 0, 0, 0, 0, 0, ""},
            {TARE_TRACE_GROUP, 1, other, 0, 0, 0, 0, 0, ""},
            {TARE_TRACE_COMM, 0, nullptr, 1, world_group, TARE_TRACE_NONE, TARE_TRACE_NONE, 0, "MPI_COMM_WORLD"},
            {TARE_TRACE_COMM, 0, nullptr, id, TARE_TRACE_SELF_GROUP, TARE_TRACE_NONE, TARE_TRACE_NONE, 0, "MPI_COMM_SELF"},
            {TARE_TRACE_COMM, 0, nullptr, 2, world_group, TARE_TRACE_NONE, world, 1, "duplicate"},
            {TARE_TRACE_COMM, 0, nullptr, 3, own_group, other_group, world, 0, ""},
            {TARE_TRACE_WINDOW, 0, nullptr, 4, world, 0, 0, 1, "window"},
            {TARE_TRACE_TEXT, 0, nullptr, 0, 0, 0, 0, 0, "main+0x1c (/program+0x11c)"},
            {TARE_TRACE_TEXT, 0, nullptr, 0, 0, 0, 0, 0, "vector(3,1,4;;MPI_INT)"},
            {TARE_TRACE_TEXT, 0, nullptr, 0, 0, 0, 0, 0, rank_ == 0 ? "field" : "grid"},
        };
        HOLDS(tare_trace_module.end(trace_, regions, std::size(regions), definitions, std::size(definitions), message_) == 0);
    }

  private:
    static std::uint32_t known(std::uint32_t kind)
    {
        const std::uint32_t of_both = TARE_TRACE_KNOWS_SEQUENCE | TARE_TRACE_KNOWS_THREAD;
        return is_sent(kind) ? of_both : of_both | TARE_TRACE_KNOWS_DELAY | TARE_TRACE_KNOWS_SENT;
    }

    const int rank_;
    void *trace_;
    std::int64_t at_ns_ = 1000;
    std::uint64_t sequence_ = 0;
    char message_[TARE_TRACE_MESSAGE] = "";
};

}  // namespace

void write_archive(const std::string &dir)
{
    for (int rank = 0; rank < ranks; rank++) {
        process p(dir, rank);
        for (const step &s : steps_of_mpi)
            p.write(0, s);
        if (rank == 0)
            for (const step &s : steps_of_thread)
                p.write(1, s);
        if (rank == 0)
            p.name_thread(1, "helper");
        p.end();
    }
    char message[TARE_TRACE_MESSAGE] = "";
    HOLDS(tare_trace_module.join(dir.c_str(), ranks, 0, message) == 0);
}

}  // namespace fuzz
