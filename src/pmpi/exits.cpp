// SPDX-License-Identifier: BSD-3-Clause
#include "exits.hpp"

#include "exit_board.hpp"
#include "file_size_guard.hpp"
#include "known_comms.hpp"
#include "thread_notes.hpp"

#include <algorithm>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tare::pmpi {
namespace {

exit_board *board;                       // nullptr: this process has none in common with the others of its node

// The memory is a file without a name, which the others find by the process that has it open.
struct offer {
    std::int64_t process, descriptor;    // descriptor: -1: there is none
    std::uint64_t processes, clocks;     // the namespaces in which the process has this number, and times are these
    std::uint64_t device, file;
};

bool look_at(const std::string &path, struct stat &found) { return stat(path.c_str(), &found) == 0; }

// 0: the kernel knows no such namespaces.
std::uint64_t own_namespace(const char *kind)
{
    struct stat found;
    return look_at(std::string("/proc/self/ns/") + kind, found) ? found.st_ino : 0;
}

bool is_in_same_namespaces(const offer &o)
{
    return o.processes == own_namespace("pid") && o.clocks == own_namespace("time");
}

bool is_offered(const struct stat &found, const offer &o) { return found.st_dev == o.device && found.st_ino == o.file; }

// Of the size that it keeps.
int make_memory()
{
    const file_size_guard guard;
    const int fd = memfd_create("tare exits", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -1;
    if (ftruncate(fd, sizeof(exit_board)) == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        return fd;
    close(fd);
    return -1;
}

offer make_offer(int fd)
{
    struct stat found;
    if (fd < 0 || fstat(fd, &found) != 0)
        return {0, -1, 0, 0, 0, 0};
    return {getpid(), fd, own_namespace("pid"), own_namespace("time"), found.st_dev, found.st_ino};
}

// It is looked at first: whatever else may be there is not opened.
int open_offered(const offer &o)
{
    const std::string path = "/proc/" + std::to_string(o.process) + "/fd/" + std::to_string(o.descriptor);
    struct stat found;
    if (!is_in_same_namespaces(o) || !look_at(path, found) || !is_offered(found, o))
        return -1;
    const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &found) == 0 && is_offered(found, o))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

exit_board *map(int fd)
{
    void *memory = mmap(nullptr, sizeof(exit_board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<exit_board *>(memory);
}

// Memory that not all of the node have is none. The file stays open until all have looked for it.
void agree_on_board(int fd, MPI_Comm node)
{
    board = fd < 0 ? nullptr : map(fd);
    const int has_it = board != nullptr;
    int all_have_it = 0;
    real.Allreduce(&has_it, &all_have_it, 1, MPI_INT, MPI_MIN, node);
    if (has_it && !all_have_it) {
        munmap(board, sizeof(exit_board));
        board = nullptr;
    }
}

std::int64_t within(std::int64_t ns, std::int64_t most_ns)
{
    return std::clamp<std::int64_t>(ns, 0, std::max<std::int64_t>(most_ns, 0));
}

// Where no delay is carried, those of two processes have nothing to do with each other: their clocks agree as they are.
std::int64_t left_compensated_ns(const tare_measure_spent_t &spent)
{
    return are_messages_stamped() ? spent.left_ns - spent.left_delay_ns : spent.left_ns;
}

void count(known::left_operation &own, std::int64_t first_ns, std::int64_t first_compensated_ns)
{
    const std::int64_t ns = within(own.left_ns - first_ns, own.most_ns);
    const std::int64_t compensated_ns = within(own.left_compensated_ns - first_compensated_ns, own.most_compensated_ns);
    own.at->completion_ns.add(ns - own.counted_ns);
    own.at->completion_compensated_ns.add(compensated_ns - own.counted_compensated_ns);
    own.counted_ns = ns;
    own.counted_compensated_ns = compensated_ns;
}

// False: others are too far ahead for that.
bool tell(exits_of_comm::operation &others, known::left_operation &own)
{
    std::int64_t first_ns, first_compensated_ns;
    if (!others.measured.put(own.number, own.left_ns, first_ns) ||
        !others.compensated.put(own.number, own.left_compensated_ns, first_compensated_ns))
        return false;
    count(own, first_ns, first_compensated_ns);
    return true;
}

void look_again(const exits_of_comm::operation &others, known::left_operation &own)
{
    std::int64_t first_ns, first_compensated_ns;
    if (own.by == self.notes && others.measured.find(own.number, own.left_ns, first_ns) &&
        others.compensated.find(own.number, own.left_compensated_ns, first_compensated_ns))
        count(own, first_ns, first_compensated_ns);
}

}  // namespace

void begin_exits(MPI_Comm node)
{
    int rank = 0, size = 1;
    real.Comm_rank(node, &rank);
    real.Comm_size(node, &size);
    int fd = rank == 0 && size > 1 && is_recorded() ? make_memory() : -1;
    offer o = make_offer(fd);
    real.Bcast(&o, sizeof o, MPI_CHAR, 0, node);
    if (o.descriptor >= 0) {
        if (rank != 0)
            fd = open_offered(o);
        agree_on_board(fd, node);
    }
    if (fd >= 0)
        close(fd);
}

void waits_for_all_on::begin(MPI_Comm comm)
{
    const known::comm_summary &on = known::summary_of(comm);
    is_alone_ = on.size == 1 && on.remote_size == 0;
    if (on.together == nullptr || is_alone_ || on.remote_size > 0)
        return;
    known::operations &all = *on.together;
    if (__builtin_expect(!all.is_sought, 0)) {
        all.is_sought = true;
        all.exits = board == nullptr ? nullptr : board->find(on.identity);
    }
    begin(all);
}

void waits_for_all_on::begin(known::operations &all)
{
    all_ = &all;
    operation_ = all.begun++;
}

void waits_for_all_on::note_exit(site &at, const tare_measure_spent_t &spent) const
{
    if (is_alone_)
        at.completed.add(1);
    if (all_ == nullptr || all_->exits == nullptr || carrier_is_on())
        return;
    known::left_operation &latest = all_->latest;
    if (latest.at != nullptr)
        look_again(all_->exits->at(latest.number), latest);
    latest = {&at, self.notes, operation_, spent.left_ns, left_compensated_ns(spent),
              spent.time_ns, spent.time_ns - spent.delay_ns};
    if (tell(all_->exits->at(operation_), latest))
        at.completed.add(1);
    else
        latest = {};
}

}  // namespace tare::pmpi
