// SPDX-License-Identifier: BSD-3-Clause
// Ways to carry a delay with the tagged messages of libfabric (layout.hpp), between two processes of this machine:
// whether everything arrives, on each provider, and what each way costs.
#include <getopt.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "report.hpp"

namespace {

constexpr const char *usage =
    "usage: ofi_layouts [--without-delivery-complete] [PROVIDER...]\n"
    "       ofi_layouts --measure [--turns N] [--batch-ms MS] [--bytes N] [...]\n"
    "Sends messages in each layout through each provider and judges what arrives (TAP); with --measure a table of\n"
    "times. MPICH asks for FI_DELIVERY_COMPLETE, so this is the default. Providers by default: tcp;ofi_rxm, shm,\n"
    "sockets, and to judge also net, net;ofi_rxm, udp;ofi_rxd.\n";

struct options {
    bool measure = false;
    report::settings settings;
    std::vector<const char *> providers;
};

[[noreturn]] void bad_usage(const std::string& what)
{
    std::fprintf(stderr, "ofi_layouts: %s; see --help\n", what.c_str());
    std::exit(2);
}

double number(const char *option, const char *text, double least, double most)
{
    char *end;
    const double value = std::strtod(text, &end);
    if (end == text || *end || !(value >= least && value <= most))
        bad_usage(std::string(option) + " " + text + ": wants a number from " +
                  std::to_string(static_cast<int>(least)) + " to " + std::to_string(static_cast<int>(most)));
    return value;
}

options parse(int argc, char **argv)
{
    const option known[] = {{"measure", no_argument, nullptr, 'm'}, {"turns", required_argument, nullptr, 't'},
                            {"batch-ms", required_argument, nullptr, 'b'}, {"bytes", required_argument, nullptr, 'n'},
                            {"without-delivery-complete", no_argument, nullptr, 'w'},
                            {"help", no_argument, nullptr, 'h'}, {}};
    options o;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, "", known, nullptr)) != -1;) {
        switch (c) {
        case 'm': o.measure = true; break;
        case 't': o.settings.turns = static_cast<int>(number("--turns", optarg, 3, 10000)); break;
        case 'b': o.settings.batch_ms = number("--batch-ms", optarg, 1, 1000); break;
        case 'n':
            o.settings.bytes = static_cast<long>(number("--bytes", optarg, 0, session::largest_bytes));
            break;
        case 'w': fabric::delivery_complete = 0; break;
        case 'h': std::fputs(usage, stdout); std::exit(0);
        default: bad_usage(std::string("unknown or incomplete option ") + argv[optind - 1]);
        }
    }
    o.providers.assign(argv + optind, argv + argc);
    if (o.providers.empty())
        o.providers = {"tcp;ofi_rxm", "shm", "sockets"};
    if (optind == argc && !o.measure)
        o.providers.insert(o.providers.end(), {"net", "net;ofi_rxm", "udp;ofi_rxd"});
    return o;
}

// --- two processes a provider: libfabric reads FI_PROVIDER once ---

constexpr int exit_absent = 3;

char *memory()
{
    void *all = mmap(nullptr, session::memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        fabric::die("no memory for %zu bytes: %s", session::memory_bytes, std::strerror(errno));
    return static_cast<char *>(all);
}

// What two processes do: a table, all cases, or one with a layout.
enum class part { table, cases, truncated };
struct job {
    part what;
    layout::kind layout;
    const char *provider;
};

void do_job(session::side& s, const job& j, const options& o, report::tally *seen)
{
    if (j.what == part::table)
        report::table(s, o.settings);
    else if (j.what == part::cases)
        report::cases(s, seen);
    else
        report::case_truncated(s, seen, j.layout);
    session::lead(s, {session::task::end, layout::kind::plain, session::arrival::posted, 0, 0, 0});
}

[[noreturn]] void be(int rank, int fd, const job& j, const options& o, report::tally *seen)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv("FI_PROVIDER", j.provider, 1);
    alarm(session::order_limit_s);
    if (!fabric::find(j.provider))
        _exit(exit_absent);
    static session::side s{rank, fabric::partner(fd), memory(), memory(), {}, {}, {}};
    fabric::open(s.other);
    if (rank == 0)
        do_job(s, j, o, seen);
    else
        session::follow(s);
    fabric::close();
    std::fflush(stdout);
    _exit(0);
}

// The status of who ended first with an error; then the other one is ended, too: by SIGKILL, since what libfabric does at
// SIGTERM, exit(), waits for ever inside fi_getinfo.
int wait_for(pid_t (&ranks)[2])
{
    int first = 0;
    for (int left = 2; left > 0; --left) {
        int status;
        const pid_t ended = wait(&status);
        if (status == 0 || first != 0)
            continue;
        first = status;
        if (left == 2)
            kill(ranks[ended == ranks[0]], SIGKILL);
    }
    for (const pid_t rank : ranks)
        fabric::remove_memory_of(rank);
    return first;
}

int run(const job& j, const options& o, report::tally *seen)
{
    int ends[2];
    pid_t ranks[2];
    fabric::last_words[0] = 0;
    std::fflush(stdout);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        fabric::die("socketpair: %s", std::strerror(errno));
    for (int rank = 0; rank < 2; ++rank) {
        ranks[rank] = fork();
        if (ranks[rank] == 0) {
            close(ends[1 - rank]);
            be(rank, ends[rank], j, o, seen);
        }
        if (ranks[rank] < 0)
            fabric::die("fork: %s", std::strerror(errno));
    }
    close(ends[0]);
    close(ends[1]);
    return wait_for(ranks);
}

bool is_absent(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == exit_absent;
}

const char *reason(int status)
{
    if (is_absent(status))
        return "not there, or without tagged messages, 8 bytes of completion data and iov";
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        return "no progress for a minute";
    return fabric::last_words[0] ? fabric::last_words : "a process ended with an error";
}

// What cannot be judged here is skipped and said.
void say_end(const job& j, int status, report::tally *seen)
{
    if (j.what == part::table)
        std::fprintf(stderr, "ofi_layouts: %s: %s\n", j.provider, reason(status));
    else
        std::printf("%s %d - %s%s%s\n", is_absent(status) ? "ok" : "not ok", ++seen->run, j.provider,
                    is_absent(status) ? " # SKIP " : ": ", reason(status));
}

std::vector<job> jobs_of(const char *provider, const options& o)
{
    std::vector<job> jobs = {{o.measure ? part::table : part::cases, layout::kind::plain, provider}};
    for (int k = 0; k < layout::kinds && !o.measure; ++k)
        jobs.push_back({part::truncated, static_cast<layout::kind>(k), provider});
    return jobs;
}

// False: something failed. *worked: how many jobs came to their end.
bool run_all(const char *provider, const options& o, report::tally *seen, int *worked)
{
    bool fine = true;
    for (const job& j : jobs_of(provider, o)) {
        const int status = run(j, o, seen);
        *worked += status == 0;
        if (status == 0)
            continue;
        say_end(j, status, seen);
        fine = fine && is_absent(status) && !o.measure;
        if (is_absent(status))
            break;
    }
    return fine;
}

// Zeroed, and one for both processes of every job.
void *shared(std::size_t bytes)
{
    void *pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        fabric::die("no shared memory: %s", std::strerror(errno));
    return pages;
}

}  // namespace

int main(int argc, char **argv)
{
    const options o = parse(argc, argv);
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    report::tally *seen = static_cast<report::tally *>(shared(sizeof *seen));
    fabric::last_words = static_cast<char *>(shared(fabric::last_words_bytes));
    int worked = 0;
    bool fine = true;
    for (const char *provider : o.providers)
        fine = run_all(provider, o, seen, &worked) && fine;
    if (!o.measure)
        std::printf("1..%d\n", seen->run);
    return fine && worked > 0 && seen->failed == 0 ? 0 : 1;
}
