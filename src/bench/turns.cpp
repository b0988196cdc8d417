// SPDX-License-Identifier: BSD-3-Clause
#include "turns.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <ctime>

#include <mpi.h>

namespace tare::bench {

// A file of zeros is where it begins.
struct turns::shared {
    std::atomic<std::uint32_t> present;  // ranks of all runs that are there
    std::atomic<std::uint32_t> turn;     // counts on; run number turn % runs has it
    std::atomic<std::uint32_t> ended;    // ranks of that run that have ended theirs
};

namespace {

constexpr std::time_t patience_s = 60;

long futex(std::atomic<std::uint32_t> &word, int what, std::uint32_t value, const timespec *timeout) {
    return syscall(SYS_futex, reinterpret_cast<std::uint32_t *>(&word), what, value, timeout, nullptr, 0);
}

void wake(std::atomic<std::uint32_t> &word) {
    futex(word, FUTEX_WAKE, INT_MAX, nullptr);
}

// False: nothing has changed for too long.
bool wait_for_change(std::atomic<std::uint32_t> &word, std::uint32_t seen) {
    const timespec timeout = {patience_s, 0};
    return futex(word, FUTEX_WAIT, seen, &timeout) == 0 || errno != ETIMEDOUT || word != seen;
}

// `awaited`: tare bench reads it, to know which run has failed.
[[noreturn]] void give_up(const turn_place &place, const std::string &awaited) {
    std::fprintf(stderr, "run %d of the %d that take turns by %s has waited a minute for %s\n", place.number,
                 place.runs, place.file.c_str(), awaited.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
    _exit(1);
}

// A file of this user's alone, which may be there already: all runs open it. -1 and errno: it is not.
int open_shared(const char *path, std::size_t bytes) {
    const int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    struct stat found;
    if (file < 0)
        return -1;
    const bool is_ours = fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == geteuid() &&
                         (found.st_size == 0 || found.st_size == static_cast<off_t>(bytes));
    if (is_ours && ftruncate(file, static_cast<off_t>(bytes)) == 0)
        return file;
    close(file);
    errno = is_ours ? errno : EEXIST;
    return -1;
}

bool parse_number(const std::string &text, int high, int &value) {
    if (text.empty() || text.size() > 2 || text.find_first_not_of("0123456789") != std::string::npos)
        return false;
    value = std::stoi(text);
    return value <= high;
}

}  // namespace

bool parse_turn(const std::string &text, turn_place &place) {
    const auto last = text.rfind(':');
    const auto middle = last == std::string::npos || last == 0 ? std::string::npos : text.rfind(':', last - 1);
    if (middle == std::string::npos || middle == 0)
        return false;
    place.file = text.substr(0, middle);
    return parse_number(text.substr(last + 1), most_runs, place.runs) && place.runs >= 1 &&
           parse_number(text.substr(middle + 1, last - middle - 1), place.runs - 1, place.number);
}

turns::~turns() {
    if (shared_ != nullptr)
        munmap(shared_, sizeof *shared_);
}

std::string turns::join(const turn_place &place, int ranks) {
    if (place.runs == 0)
        return {};
    place_ = place;
    ranks_ = static_cast<std::uint32_t>(ranks);
    const int file = open_shared(place.file.c_str(), sizeof *shared_);
    void *memory = file >= 0 ? mmap(nullptr, sizeof *shared_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    const int reason = errno;
    if (file >= 0)
        close(file);
    if (memory == MAP_FAILED)
        return place.file + " cannot be shared: " + std::strerror(reason);
    shared_ = static_cast<shared *>(memory);
    shared_->present++;
    wake(shared_->present);
    const std::uint32_t all = ranks_ * static_cast<std::uint32_t>(place_.runs);
    for (std::uint32_t seen = shared_->present; seen < all; seen = shared_->present)
        if (!wait_for_change(shared_->present, seen))
            give_up(place_, "the others");
    return {};
}

void turns::wait_until(std::uint32_t turn) {
    for (std::uint32_t seen = shared_->turn; static_cast<std::int32_t>(seen - turn) < 0; seen = shared_->turn)
        if (!wait_for_change(shared_->turn, seen))
            give_up(place_, "run " + std::to_string(seen % static_cast<std::uint32_t>(place_.runs)));
}

void turns::begin() {
    if (shared_ != nullptr)
        wait_until(taken_ * static_cast<std::uint32_t>(place_.runs) + static_cast<std::uint32_t>(place_.number));
}

void turns::end() {
    if (shared_ == nullptr)
        return;
    taken_++;
    if (++shared_->ended != ranks_)
        return;
    shared_->ended = 0;
    shared_->turn++;
    wake(shared_->turn);
}

void turns::wait_for_others() {
    if (shared_ != nullptr)
        wait_until(taken_ * static_cast<std::uint32_t>(place_.runs));
}

}  // namespace tare::bench
