// SPDX-License-Identifier: BSD-3-Clause
// One endpoint of libfabric, opened with the hints of MPICH's OFI netmod, and what is done with it there: retries,
// reading of the completion queue, probes. Two processes of this machine, joined by a pair of sockets.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

namespace fabric {

// Ends the process: "ofi_layouts: PROVIDER: what".
[[noreturn]] void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Where it leaves what it said for the process that waits for this one; null: nowhere.
constexpr std::size_t last_words_bytes = 200;
extern char *last_words;

// The other process. Who waits for it makes progress: its sends may need that to complete.
class partner {
public:
    explicit partner(int fd) : fd_(fd) {}
    void put(const void *data, std::size_t bytes) const;
    void get(void *data, std::size_t bytes) const;
    void signal() const;
    void await_signal() const;

private:
    int fd_;
};

struct prefix {
    std::uint64_t word[2];
};

// An operation under way: what a request of MPI has room for. The context is first: libfabric gives its address back.
struct request {
    fi_context2 context;
    bool done = false;
    int error = 0;
    fi_cq_tagged_entry entry{};
    prefix stamp{};
    iovec iov[2]{};
};

// What provider, endpoint and address table are, for the whole process.
struct endpoint {
    fi_info *info;
    fid_ep *ep;
    fid_cq *cq;
    fi_addr_t peer;
    fid_fabric *fabric;
    fid_domain *domain;
    fid_av *av;
};
extern endpoint self;

// FI_DELIVERY_COMPLETE, or nothing: what sends ask for.
extern std::uint64_t delivery_complete;

// False where the provider is not there, or cannot do what MPICH needs.
bool find(const char *provider);
// libfabric's shm names its memory by process, user and endpoint. A killed process leaves it behind, and whoever gets the
// number next is told that it is in use (FI_EBUSY): by a process that is alive, itself.
void remove_memory_of(pid_t process);
void open(const partner& other);
void close();
// Inject size, bits of completion data, ... of the provider, each line behind `lead`.
void describe(const char *lead);

void progress();
void read_error();

inline void wait(const request& r)
{
    while (!r.done)
        progress();
}

// The message is in the queue of what nobody waits for. FI_CLAIM: it is taken out, for this request alone.
void probe(request& r, std::uint64_t tag, std::uint64_t ignore, std::uint64_t claim);

template <class operation>
void retry(const char *name, const operation& call)
{
    for (;;) {
        const ssize_t result = call();
        if (__builtin_expect(result == 0, 1))
            return;
        if (result != -FI_EAGAIN)
            die("%s: %s", name, fi_strerror(static_cast<int>(-result)));
        progress();
    }
}

}  // namespace fabric
