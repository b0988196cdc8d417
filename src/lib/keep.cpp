// SPDX-License-Identifier: BSD-3-Clause
// The live file: what a process leaves behind that is killed, whatever the signal.
//
// All records are in the arena. With the first region of the process a file without a name is put behind it, where the
// place has such files (O_TMPFILE); at that moment no thread records. The file gets its name when place and rank are
// known: without MPI at once, else in MPI_Init. Where files need a name from the start, it is made only then, and only
// if no second thread has recorded before: moving records under a thread's hands would tear them.
#include "arena.hpp"
#include "place.hpp"
#include "process.hpp"
#include "region.hpp"
#include "safe_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

namespace tare {
namespace {

std::mutex keeping;
bool has_file = false;
std::atomic<bool> is_removed{false};
// What the file is called and what it was called before: it is renamed after the new name is here. nullptr: it has no
// name (yet). Texts are never freed: a thread may be reading them.
std::atomic<const std::string *> name{nullptr}, former_name{nullptr};
std::atomic<int> nameless{-1};   // the file while it has none
struct stat identity;            // somebody else may have put another there

bool is_own(int descriptor)
{
    struct stat found;
    return fstat(descriptor, &found) == 0 && found.st_dev == identity.st_dev && found.st_ino == identity.st_ino;
}

// A descriptor of the file, or -1.
int own_or_closed(int descriptor)
{
    if (descriptor < 0 || is_own(descriptor))
        return descriptor;
    close(descriptor);
    errno = ENOENT;
    return -1;
}

int open_own(const std::atomic<const std::string *> &called)
{
    const std::string *path = called.load(std::memory_order_acquire);
    if (path == nullptr)
        return -1;
    return own_or_closed(open(path->c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
}

// No descriptor is kept once the file has a name: the program may close what it does not know. Any thread may come
// here while another one gives the file another name: then one of these finds it.
int open_again()
{
    int descriptor = own_or_closed(fcntl(nameless.load(std::memory_order_acquire), F_DUPFD_CLOEXEC, 0));
    for (const auto *called : {&name, &former_name, &name})
        if (descriptor < 0)
            descriptor = open_own(*called);
    return descriptor;
}

void complain(int reason)
{
    if (is_removed)
        return;
    const process &p = this_process();
    say_once(p, "keeping", "what is measured from now on is lost if the process is killed: " + p.profile_dir +
                               "/.tare-live.* cannot be written: " + std::strerror(reason));
}

bool is_named() { return has_file && name.load() != nullptr; }

bool move_to(int descriptor)
{
    const regions_stand_still still;
    has_file = fstat(descriptor, &identity) == 0 && arena_move_to(descriptor, {open_again, complain});
    return has_file;
}

std::string live_path(const process &p) { return p.profile_dir + "/" + profile::live_name(p.rank); }

// No reader looks for it. What a process killed meanwhile has left there goes with this rank's next run.
std::string hidden_path(const process &p) { return live_path(p) + profile::hidden_suffix; }

const char *path_now() { return name.load(std::memory_order_acquire)->c_str(); }

void set_name(const std::string &text)
{
    former_name.store(name.load(), std::memory_order_release);
    name.store(new std::string(text), std::memory_order_release);
}

bool rename_to(const std::string &path)
{
    const std::string before = path_now();
    set_name(path);
    if (std::rename(before.c_str(), path.c_str()) == 0)
        return true;
    const int reason = errno;
    set_name(before);
    errno = reason;
    return false;
}

void close_nameless()
{
    const int saved_errno = errno;
    if (const int descriptor = nameless.exchange(-1); descriptor >= 0 && is_own(descriptor))
        close(descriptor);
    errno = saved_errno;
}

bool give_name_to_nameless(const process &p)
{
    const int descriptor = nameless;
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor), path = hidden_path(p);
    unlink(path.c_str());
    errno = EBADF;
    if (!is_own(descriptor) || linkat(AT_FDCWD, link.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) != 0)
        return false;
    set_name(path);
    close_nameless();
    return true;
}

// Whether nobody but the calling thread has a record to write to. Under the lock `threads_changing`.
bool may_move(const process &p)
{
    for (const thread_state *t = p.threads; p.has_entered && t != nullptr; t = t->next)
        if (t->block != nullptr && t != self.state)
            return false;
    return true;
}

bool move_to_new_file(process &p, int descriptor)
{
    const std::lock_guard<std::mutex> lock(p.threads_changing);
    if (may_move(p))
        return move_to(descriptor);
    errno = EBUSY;
    return false;
}

// False: rank 0 says so in MPI_Init, or who opens a file there.
bool make_place(const process &p)
{
    try {
        profile::make_folder(p.profile_dir);
        return true;
    } catch (const profile::error &) {
        return false;
    }
}

bool make_named_file(process &p)
{
    const std::string path = hidden_path(p);
    make_place(p);
    const int descriptor = profile::make_new_file(path);
    if (descriptor < 0)
        return false;
    const bool is_good = move_to_new_file(p, descriptor);
    const int reason = errno;
    close(descriptor);
    if (is_good)
        set_name(path);
    else
        unlink(path.c_str());
    errno = reason;
    return is_good;
}

void describe_locked(process &p)
{
    std::string text;
    for (const auto &[key, value] : describe(p))
        text += key + '\0' + value + '\0';
    void *memory = arena_take(sizeof(live_text) + text.size());
    if (memory == nullptr || !arena_keeps(memory))
        return;
    auto *kept = new (memory) live_text{text.size()};
    std::memcpy(kept + 1, text.data(), text.size());
    __atomic_store_n(&arena_header()->attributes, address_of(memory), __ATOMIC_RELEASE);
}

void describe_process(const process &p)
{
    live_header &h = *arena_header();
    h.rank = p.rank;
    h.process = getpid();
    h.started = start_of_process(getpid());
}

// 0, or an errno.
int name_it(process &p, const std::string &path)
{
    if (!is_named() && !(has_file ? give_name_to_nameless(p) : make_named_file(p)))
        return errno;
    describe_process(p);
    describe_locked(p);
    if (profile::is_foreign_live_file(path))
        return EEXIST;
    return rename_to(path) ? 0 : errno;
}

// Then rank 0 says so of the profile, which is more.
bool nobody_may_write(const process &p)
{
    return p.rank != 0 && access(profile::folder(p.profile_dir, 0).c_str(), W_OK) != 0 &&
           access(p.profile_dir.c_str(), W_OK) != 0;
}

}  // namespace

void keep_records()
{
    const std::lock_guard<std::mutex> lock(keeping);
    const process &p = this_process();
    if (!switches.recording || has_file || is_removed || !make_place(p))
        return;
    const int descriptor = open(p.profile_dir.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, profile::file_mode());
    if (descriptor < 0)
        return;
    nameless = descriptor;
    if (!move_to(descriptor))
        close_nameless();
}

void put_live_file_aside()
{
    const std::lock_guard<std::mutex> lock(keeping);
    if (is_named())
        rename_to(hidden_path(this_process()));
}

void name_live_file(process &p)
{
    const std::lock_guard<std::mutex> lock(keeping);
    const std::string path = live_path(p);
    const int reason = is_removed ? 0 : name_it(p, path);
    if (reason != 0 && !nobody_may_write(p))
        say_once(p, "keeping", "a process that is killed leaves no profile: " + path + " cannot be made: " +
                                   (reason == EBUSY ? "threads were measured before MPI_Init" : std::strerror(reason)));
}

void describe_live_file(process &p)
{
    const std::lock_guard<std::mutex> lock(keeping);
    if (is_named())
        describe_locked(p);
}

void remove_live_file()
{
    const std::lock_guard<std::mutex> lock(keeping);
    if (!is_named())
        return;
    const int descriptor = open_again();
    if (descriptor >= 0) {
        unlink(path_now());
        close(descriptor);
    }
    is_removed = true;
    has_file = false;
}

// The locks may be held by threads that the child does not have.
void leave_live_file() noexcept
{
    has_file = false;
    is_removed = true;
    close_nameless();
    arena_leave_file();
}

void give_up_live_file()
{
    if (live_header *h = arena_header(); h != nullptr)
        h->unwritten = 1;
}

}  // namespace tare
