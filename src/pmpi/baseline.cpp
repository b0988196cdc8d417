// SPDX-License-Identifier: BSD-3-Clause
// libtare-baseline: what `tare validate` can know of a run that is not measured. It stands in front of MPI in the
// baseline, where the rest of Tare does not, and reads the clock when MPI_Init has returned, when MPI_Finalize is
// called, and around the calls that wait for one message or for all ranks. Nothing is declared, carried or recorded
// call by call. MPI_Finalize leaves the sums in a file.
#include "mpi_api.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

namespace {

// Not TARE_...: it is nobody's to set but the tool's, and no name that a user should be offered.
constexpr const char *folder_variable = "LIBTARE_BASELINE_DIR";

struct {
    decltype(&PMPI_Init) Init;
    decltype(&PMPI_Init_thread) Init_thread;
    decltype(&PMPI_Finalize) Finalize;
    decltype(&PMPI_Comm_rank) Comm_rank;
    decltype(&PMPI_Comm_size) Comm_size;
    decltype(&PMPI_Send) Send;
    decltype(&PMPI_Recv) Recv;
    decltype(&PMPI_Wait) Wait;
    decltype(&PMPI_Waitall) Waitall;
    decltype(&PMPI_Barrier) Barrier;
} real;

enum region { r_send, r_recv, r_wait, r_waitall, r_barrier, regions };
const char *const region_names[regions] = {"MPI_Send()", "MPI_Recv()", "MPI_Wait()", "MPI_Waitall()",
                                           "MPI_Barrier()"};

struct sum {
    std::atomic<std::int64_t> calls, ns;
};
sum sums[regions];
std::int64_t begin_ns;

std::int64_t clock_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::int64_t>(t.tv_sec) * 1000000000 + t.tv_nsec;
}

[[noreturn]] void die(const char *what, const char *why)
{
    fprintf(stderr, "tare: baseline: %s: %s\n", what, why);
    fflush(nullptr);
    _exit(1);
}

int note_name(dl_phdr_info *object, size_t, void *names)
{
    static_cast<std::vector<std::string> *>(names)->emplace_back(object->dlpi_name);
    return 0;
}

// An MPI library that the program has opened by itself, locally (mpi4py, JNI), is not in the search order behind us.
// The loader's lock is not held while asking.
void *opened_library()
{
    std::vector<std::string> names;
    dl_iterate_phdr(note_name, &names);
    const void *own = dlsym(RTLD_DEFAULT, "PMPI_Init");
    for (const std::string &name : names) {
        void *handle = name.empty() ? nullptr : dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
        const void *found = handle == nullptr ? nullptr : dlsym(handle, "PMPI_Init");
        if (found != nullptr && found != own)
            return handle;
        if (handle != nullptr)
            dlclose(handle);
    }
    return nullptr;
}

template <typename F> void look_up(void *handle, const char *symbol, F &function)
{
    void *found = dlsym(handle, symbol);
    if (found == nullptr)
        die(symbol, "the MPI library of this process does not have it");
    std::memcpy(&function, &found, sizeof found);
}

void bind()
{
    void *handle = dlsym(RTLD_NEXT, "PMPI_Init") == nullptr ? opened_library() : RTLD_NEXT;
    if (handle == nullptr)
        die("MPI was called", "this process has loaded no MPI library");
    look_up(handle, "PMPI_Init", real.Init);
    look_up(handle, "PMPI_Init_thread", real.Init_thread);
    look_up(handle, "PMPI_Finalize", real.Finalize);
    look_up(handle, "PMPI_Comm_rank", real.Comm_rank);
    look_up(handle, "PMPI_Comm_size", real.Comm_size);
    look_up(handle, "PMPI_Send", real.Send);
    look_up(handle, "PMPI_Recv", real.Recv);
    look_up(handle, "PMPI_Wait", real.Wait);
    look_up(handle, "PMPI_Waitall", real.Waitall);
    look_up(handle, "PMPI_Barrier", real.Barrier);
    // A program may hold data of the library itself, and comes first in the search order.
    void *data = handle == RTLD_NEXT ? RTLD_DEFAULT : handle;
    tare::pmpi::find_handles([data](const char *symbol) { return dlsym(data, symbol); });
}

// A program may begin with MPI_Session_init, which is not seen here.
void need_library()
{
    if (__builtin_expect(real.Barrier == nullptr, 0))
        bind();
}

__thread int depth __attribute__((tls_model("initial-exec")));

// One call of the program's; calls of the MPI library itself inside it are not counted.
class visit {
  public:
    explicit visit(region where) : sum_(sums[where])
    {
        need_library();
        if (depth++ == 0)
            start_ns_ = clock_ns();
    }
    ~visit()
    {
        if (--depth > 0)
            return;
        sum_.ns.fetch_add(clock_ns() - start_ns_, std::memory_order_relaxed);
        sum_.calls.fetch_add(1, std::memory_order_relaxed);
    }
    visit(const visit &) = delete;
    visit &operator=(const visit &) = delete;

  private:
    sum &sum_;
    std::int64_t start_ns_ = 0;
};

void write_sums(FILE *file, int ranks, std::int64_t total_ns)
{
    fprintf(file, "tare baseline %d\ntotal 1 %lld\n", ranks, static_cast<long long>(total_ns));
    for (int i = 0; i < regions; i++)
        if (sums[i].calls > 0)
            fprintf(file, "%s %lld %lld\n", region_names[i], static_cast<long long>(sums[i].calls),
                    static_cast<long long>(sums[i].ns));
}

void leave_file(const char *folder, std::int64_t total_ns)
{
    int rank = 0, ranks = 1;
    real.Comm_rank(MPI_COMM_WORLD, &rank);
    real.Comm_size(MPI_COMM_WORLD, &ranks);
    char path[4096];
    snprintf(path, sizeof path, "%s/baseline.%d", folder, rank);
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *file = descriptor < 0 ? nullptr : fdopen(descriptor, "w");
    if (file == nullptr)
        die(path, strerror(errno));
    write_sums(file, ranks, total_ns);
    if (fclose(file) != 0)
        die(path, strerror(errno));
}

int begin(int rc)
{
    if (rc == MPI_SUCCESS && begin_ns == 0)
        begin_ns = clock_ns();
    return rc;
}

}  // namespace

TARE_MPI_EXPORT int MPI_Init(int *argc, char ***argv)
{
    need_library();
    return begin(real.Init(argc, argv));
}
TARE_MPI_ALIAS(MPI_Init);

TARE_MPI_EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    need_library();
    return begin(real.Init_thread(argc, argv, required, provided));
}
TARE_MPI_ALIAS(MPI_Init_thread);

TARE_MPI_EXPORT int MPI_Finalize(void)
{
    const std::int64_t end_ns = clock_ns();
    need_library();
    const char *folder = secure_getenv(folder_variable);
    if (begin_ns != 0 && folder != nullptr)
        leave_file(folder, end_ns - begin_ns);
    begin_ns = 0;
    return real.Finalize();
}
TARE_MPI_ALIAS(MPI_Finalize);

TARE_MPI_EXPORT int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    const visit timed(r_send);
    return real.Send(buf, count, datatype, dest, tag, comm);
}
TARE_MPI_ALIAS(MPI_Send);

TARE_MPI_EXPORT int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                             MPI_Status *status)
{
    const visit timed(r_recv);
    return real.Recv(buf, count, datatype, source, tag, comm, status);
}
TARE_MPI_ALIAS(MPI_Recv);

TARE_MPI_EXPORT int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    const visit timed(r_wait);
    return real.Wait(request, status);
}
TARE_MPI_ALIAS(MPI_Wait);

TARE_MPI_EXPORT int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    const visit timed(r_waitall);
    return real.Waitall(count, requests, statuses);
}
TARE_MPI_ALIAS(MPI_Waitall);

TARE_MPI_EXPORT int MPI_Barrier(MPI_Comm comm)
{
    const visit timed(r_barrier);
    return real.Barrier(comm);
}
TARE_MPI_ALIAS(MPI_Barrier);
