// SPDX-License-Identifier: BSD-3-Clause
#include "found_uses.hpp"

#include "library_file.hpp"
#include "site_name.hpp"
#include "tare.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if defined __x86_64__ && defined PR_SET_SYSCALL_USER_DISPATCH
#define HAS_DISPATCH 1
#endif

namespace tare::pmpi {

int pieces_received = 0;

namespace {

void say_that_it_cannot(const char *what)
{
    if (state.rank == 0)
        std::fprintf(stderr, "tare: TARE_TRACE_RECORDS=uses: nothing is found: this %s does not hold system calls (prctl(2))\n", what);
}

}  // namespace

#ifdef HAS_DISPATCH
namespace {

constexpr std::uint64_t page = 4096;
constexpr int most_pieces = 64;
constexpr int held_by_dispatch = 2;      // SYS_USER_DISPATCH, which the C library's headers do not have everywhere

struct piece {
    std::uint64_t address, bytes;        // of what was received
    std::uint64_t begin, end;            // the whole pages of it
    bool is_protected;
    std::uint64_t user, caller;          // the code that has touched it, and what may have called that; 0: nobody has
};

// Of the one thread that it is all about, and its handlers.
struct watch {
    bool is_possible = false;
    unsigned threads = 0;                // that are not the program's, and its first one
    struct sigaction segv{}, sys{};      // the program's
    piece pieces[most_pieces];
    int open = 0;                        // that are protected
    std::int64_t handling_ns = 0;
};
watch w;
volatile char selector = SYSCALL_DISPATCH_FILTER_ALLOW;
thread_local bool is_own __attribute__((tls_model("initial-exec"))) = false;

bool change(const piece &p, int protection)
{
    return mprotect(reinterpret_cast<void *>(p.begin), p.end - p.begin, protection) == 0;
}

void free_piece(piece &p)
{
    if (!p.is_protected)
        return;
    change(p, PROT_READ | PROT_WRITE);
    p.is_protected = false;
    w.open--;
}

void free_all()
{
    for (int i = 0; i < pieces_received; i++)
        free_piece(w.pieces[i]);
}

piece *protected_at(std::uint64_t address)
{
    for (int i = 0; i < pieces_received; i++)
        if (w.pieces[i].is_protected && address >= w.pieces[i].begin && address < w.pieces[i].end)
            return &w.pieces[i];
    return nullptr;
}

// It comes again when the handler returns, unless somebody has sent it.
void die_of(int signal, const siginfo_t *info)
{
    struct sigaction none{};
    none.sa_handler = SIG_DFL;
    sigaction(signal, &none, nullptr);
    if (info->si_code <= 0)
        raise(signal);
}

// A program's handler may have kept this one as its own last resort: it calls it, or puts it in again and returns, for ever.
bool goes_round(const siginfo_t *info, const void *frame)
{
    static const siginfo_t *latest_info = nullptr;
    static const void *latest_frame = nullptr, *latest_address = nullptr;
    static int times = 0;
    constexpr int most_times = 10000;
    const bool is_called = info == latest_info && frame < latest_frame;
    times = info->si_addr == latest_address ? times + 1 : 0;
    latest_info = info;
    latest_frame = frame;
    latest_address = info->si_addr;
    return is_called || times > most_times;
}

// What the program would have had without this.
void pass_on(const struct sigaction &to, int signal, siginfo_t *info, void *context)
{
    const bool has_none = (to.sa_flags & SA_SIGINFO) == 0 && to.sa_handler == SIG_DFL;
    if (has_none || goes_round(info, __builtin_frame_address(0)))
        return die_of(signal, info);
    if ((to.sa_flags & SA_SIGINFO) != 0)
        to.sa_sigaction(signal, info, context);
    else if (to.sa_handler != SIG_IGN)
        to.sa_handler(signal);
}

// A function of the C library that copies has no frame: who has called it is on top of the stack.
void on_segv(int signal, siginfo_t *info, void *context)
{
    const char before = selector;
    selector = SYSCALL_DISPATCH_FILTER_ALLOW;
    const int saved_errno = errno;
    piece *p = protected_at(reinterpret_cast<std::uint64_t>(info->si_addr));
    if (p == nullptr) {
        free_all();
        errno = saved_errno;
        return pass_on(w.segv, signal, info, context);
    }
    const std::int64_t start_ns = clock_ns();
    const auto &registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
    p->user = static_cast<std::uint64_t>(registers[REG_RIP]);
    std::memcpy(&p->caller, reinterpret_cast<const void *>(registers[REG_RSP]), sizeof p->caller);
    free_piece(*p);
    w.handling_ns += clock_ns() - start_ns;
    errno = saved_errno;
    selector = w.open > 0 ? before : static_cast<char>(SYSCALL_DISPATCH_FILTER_ALLOW);
}

// The call is made again, when nothing is protected.
void on_sys(int signal, siginfo_t *info, void *context)
{
    if (info->si_code != held_by_dispatch)
        return pass_on(w.sys, signal, info, context);
    selector = SYSCALL_DISPATCH_FILTER_ALLOW;
    const int saved_errno = errno;
    const std::int64_t start_ns = clock_ns();
    free_all();
    w.handling_ns += clock_ns() - start_ns;
    errno = saved_errno;
    constexpr int instruction_bytes = 2;
    static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP] -= instruction_bytes;
}

// Also where the program has put in one of its own since.
void handle(int signal, void (*with)(int, siginfo_t *, void *), struct sigaction &programs)
{
    struct sigaction now{};
    sigaction(signal, nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == with)
        return;
    programs = now;
    struct sigaction own{};
    own.sa_sigaction = with;
    own.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(signal, &own, nullptr);
}

// The code that handlers return by, whose system call must pass: the kernel's own structure has it.
std::uint64_t return_of_handlers()
{
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        std::uint64_t mask;
    } kernels{};
    const bool is_known = syscall(SYS_rt_sigaction, SIGSYS, nullptr, &kernels, sizeof kernels.mask) == 0;
    return is_known ? reinterpret_cast<std::uint64_t>(kernels.restorer) : 0;
}

unsigned count_threads()
{
    struct stat folder{};
    return stat("/proc/self/task", &folder) == 0 ? static_cast<unsigned>(folder.st_nlink) : 0;
}

bool are_signals_held()
{
    sigset_t held;
    pthread_sigmask(SIG_SETMASK, nullptr, &held);
    return sigismember(&held, SIGSEGV) == 1 || sigismember(&held, SIGSYS) == 1;
}

std::string function_at(std::uint64_t code)
{
    const symbols::loaded_place place = symbols::place_of_return(reinterpret_cast<const void *>(code + 1));
    if (place.module.empty() || symbols::is_library_file(place.module.c_str()))
        return "";
    const std::string text = symbols::text_of_caller(place);
    return text.substr(0, text.rfind(" ("));
}

// "": none of the program's.
const std::string &user_of(const piece &p)
{
    static auto *known = new std::map<std::pair<std::uint64_t, std::uint64_t>, std::string>;
    const auto [at, is_new] = known->try_emplace({p.user, p.caller});
    if (is_new)
        at->second = function_at(p.user);
    if (is_new && at->second.empty())
        at->second = function_at(p.caller - 1);
    return at->second;
}

}  // namespace

void prepare_found_uses()
{
    is_own = true;
    handle(SIGSEGV, on_segv, w.segv);
    handle(SIGSYS, on_sys, w.sys);
    constexpr unsigned long instructions = 16;
    const std::uint64_t passes = return_of_handlers();
    w.threads = count_threads();
    w.is_possible = passes != 0 && w.threads != 0 && sysconf(_SC_PAGESIZE) == page &&
                    prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, passes, instructions, &selector) == 0;
    if (w.is_possible)
        return;
    sigaction(SIGSEGV, &w.segv, nullptr);
    sigaction(SIGSYS, &w.sys, nullptr);
    say_that_it_cannot("kernel");
}

void note_received(const tare_trace_buffer_t &where, std::int64_t received_bytes)
{
    const std::uint64_t address = where.address,
                        bytes = std::min(where.span_bytes, static_cast<std::uint64_t>(std::max<std::int64_t>(received_bytes, 0))),
                        begin = (address + page - 1) / page * page, end = (address + bytes) / page * page;
    if (!w.is_possible || !is_own || self.depth != 1 || begin >= end || pieces_received == most_pieces)
        return;
    for (int i = 0; i < pieces_received; i++)
        if (begin < w.pieces[i].end && w.pieces[i].begin < end)
            return;
    w.pieces[pieces_received++] = {address, bytes, begin, end, false, 0, 0};
}

void protect_received()
{
    const std::int64_t start_ns = clock_ns();
    if (count_threads() > w.threads || are_signals_held()) {
        pieces_received = 0;
        return;
    }
    handle(SIGSEGV, on_segv, w.segv);
    handle(SIGSYS, on_sys, w.sys);
    for (int i = 0; i < pieces_received; i++) {
        piece &p = w.pieces[i];
        p.is_protected = change(p, PROT_NONE);
        w.open += p.is_protected ? 1 : 0;
    }
    tare_measure_overhead(clock_ns() - start_ns);
    if (w.open > 0)
        selector = SYSCALL_DISPATCH_FILTER_BLOCK;
}

void tell_found_uses()
{
    const std::int64_t start_ns = clock_ns();
    selector = SYSCALL_DISPATCH_FILTER_ALLOW;
    free_all();
    const int count = pieces_received;
    pieces_received = 0;
    for (int i = 0; i < count; i++)
        if (w.pieces[i].user != 0)
            user_of(w.pieces[i]);
    tare_measure_overhead(clock_ns() - start_ns + w.handling_ns);
    w.handling_ns = 0;
    for (int i = 0; i < count; i++)
        if (const piece &p = w.pieces[i]; p.user != 0 && !user_of(p).empty())
            tare_uses(user_of(p).c_str(), reinterpret_cast<const void *>(p.address), p.bytes);
}

#else

void prepare_found_uses() { say_that_it_cannot("system"); }
void note_received(const tare_trace_buffer_t &, std::int64_t) {}
void protect_received() {}
void tell_found_uses() {}

#endif

}  // namespace tare::pmpi
