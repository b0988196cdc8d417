// SPDX-License-Identifier: BSD-3-Clause
#include "known_comms.hpp"

#include "fnv.hpp"
#include "handle_hash.hpp"
#include "peers.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tare::pmpi::known {
namespace {

struct known_comm {
    comm_summary summary;
    std::uint64_t members = 0;           // a hash of its processes, those of an intercommunicator in either order
    std::uint32_t group = TARE_TRACE_NONE, other_group = TARE_TRACE_NONE;        // of a trace
    std::uint64_t made = 0, windows = 0;         // of it, and on it
    operations together{};
};

struct comm_tables {
    std::mutex changing;
    handle_table<MPI_Comm, known_comm *> by_handle;
    std::unordered_map<std::uint64_t, std::uint64_t> made_alike;
    std::atomic<unsigned> freed{0};
    bool traced = false;
};
comm_tables *comms;

// What a thread remembers until a communicator is freed: then its handle may be another's.
struct remembered {
    std::uint64_t handle;
    bool is_there;
    comm_summary comm;
};
struct memory {
    unsigned freed;
    remembered cells[4];
};
__thread memory latest __attribute__((tls_model("initial-exec")));

class identity_hash {
  public:
    explicit identity_hash(char how) { add(static_cast<std::uint64_t>(how)); }
    identity_hash &add(std::uint64_t value)
    {
        for (int i = 0; i < 8; i++, value >>= 8)
            hash_ = fnv_step(hash_, static_cast<char>(value));
        return *this;
    }
    std::uint64_t value() const { return hash_; }

  private:
    std::uint64_t hash_ = fnv_start;
};

std::uint64_t hash_of(const std::vector<std::uint32_t> &ranks)
{
    identity_hash hash('r');
    for (const std::uint32_t rank : ranks)
        hash.add(rank);
    return hash.value();
}

bool find_members(MPI_Comm comm, bool remote, std::vector<std::uint32_t> &ranks)
{
    MPI_Group group;
    if ((remote ? real.Comm_remote_group : real.Comm_group)(comm, &group) != MPI_SUCCESS)
        return false;
    const bool is_found = world_ranks_of(group, ranks);
    real.Group_free(&group);
    return is_found;
}

// The group's number for a trace. False: there is no memory for it.
bool define_group(const std::vector<std::uint32_t> &ranks, std::uint32_t &number)
{
    if (comms->traced)
        number = tare_measure_trace_group(ranks.data(), static_cast<std::uint32_t>(ranks.size()));
    return !comms->traced || number != TARE_TRACE_NONE;
}

// Without number and identity. Both sides of an intercommunicator come to one hash of its members.
bool describe(MPI_Comm comm, known_comm &c)
{
    int is_inter = 0;
    std::vector<std::uint32_t> own, other;
    if (real.Comm_rank(comm, &c.summary.rank) != MPI_SUCCESS || real.Comm_test_inter(comm, &is_inter) != MPI_SUCCESS ||
        !find_members(comm, false, own) || (is_inter && !find_members(comm, true, other)) ||
        !define_group(own, c.group) || (is_inter && !define_group(other, c.other_group)))
        return false;
    c.summary.size = static_cast<int>(own.size());
    c.summary.remote_size = static_cast<int>(other.size());
    const auto [a, b] = std::minmax({hash_of(own), hash_of(other)});
    c.members = identity_hash('m').add(a).add(b).value();
    return true;
}

// With the lock held. A record that is there already is of a communicator that another thread is freeing.
void put(MPI_Comm comm, const known_comm &c)
{
    delete comms->by_handle.take(comm);
    auto *kept = new known_comm(c);
    kept->summary.together = &kept->together;
    comms->by_handle.put(comm, kept);
}

void define(MPI_Comm comm, known_comm c, std::uint64_t identity, std::uint32_t parent, const char *name, bool is_made)
{
    c.summary.identity = identity;
    c.summary.number = TARE_TRACE_NONE;
    if (comms->traced) {
        const tare_trace_definition_t definition = {TARE_TRACE_COMM, 0, nullptr, identity, c.group, c.other_group,
                                                    parent, is_made, name};
        c.summary.number = tare_measure_trace_define(&definition);
    }
    put(comm, c);
}

void define_made(MPI_Comm comm, const known_comm &c, const identity_hash &identity, std::uint32_t parent)
{
    define(comm, c, identity.value(), parent, "", true);
}

// The how manyth that was made so.
std::uint64_t count_alike(const identity_hash &hash) { return comms->made_alike[hash.value()]++; }

known_comm like(const known_comm &parent)
{
    known_comm c{};
    c.summary = parent.summary;
    c.members = parent.members;
    c.group = parent.group;
    c.other_group = parent.other_group;
    return c;
}

void made(MPI_Comm parent, MPI_Comm comm, bool like_parent)
{
    known_comm c{};
    const bool is_described = comm != MPI_COMM_NULL && !like_parent && describe(comm, c);
    const std::lock_guard<std::mutex> lock(comms->changing);
    known_comm *p = comms->by_handle.find(parent);
    if (p == nullptr)
        return;
    const std::uint64_t count = p->made++;
    if (comm == MPI_COMM_NULL || (!is_described && !like_parent))
        return;
    if (like_parent)
        c = like(*p);
    define_made(comm, c, identity_hash('p').add(p->summary.identity).add(count).add(c.members), p->summary.number);
}

void made_alike(MPI_Comm comm, identity_hash hash, std::uint32_t parent)
{
    known_comm c{};
    if (comm == MPI_COMM_NULL || !describe(comm, c))
        return;
    const std::lock_guard<std::mutex> lock(comms->changing);
    hash.add(c.members);
    hash.add(count_alike(hash));
    define_made(comm, c, hash, parent);
}

comm_summary look_up(MPI_Comm comm)
{
    const std::lock_guard<std::mutex> lock(comms->changing);
    const known_comm *c = comms->by_handle.find(comm);
    return c == nullptr ? unknown_comm : c->summary;
}

void begin_comm(MPI_Comm comm, char how, const char *name)
{
    known_comm c{};
    if (!describe(comm, c))
        return;
    const std::lock_guard<std::mutex> lock(comms->changing);
    define(comm, c, identity_hash(how).value(), TARE_TRACE_NONE, name, false);
}

}  // namespace

void begin_comms(bool traced)
{
    comms = new comm_tables;
    comms->traced = traced;
    begin_comm(MPI_COMM_WORLD, 'w', "MPI_COMM_WORLD");
    begin_comm(MPI_COMM_SELF, 's', "MPI_COMM_SELF");
}

static remembered &cell_of(MPI_Comm comm) { return latest.cells[hash_handle(comm) >> 62]; }

static __attribute__((noinline, cold)) const comm_summary &remember(MPI_Comm comm)
{
    if (const unsigned freed = comms->freed.load(std::memory_order_relaxed); latest.freed != freed)
        latest = {freed, {}};
    remembered &r = cell_of(comm);
    r = {handle_bits(comm), true, look_up(comm)};
    return r.comm;
}

const comm_summary &summary_of(MPI_Comm comm)
{
    const remembered &r = cell_of(comm);
    const bool is_valid = latest.freed == comms->freed.load(std::memory_order_relaxed) && r.is_there;
    if (__builtin_expect(!is_valid || r.handle != handle_bits(comm), 0))
        return remember(comm);
    return r.comm;
}

void made_of(MPI_Comm parent, MPI_Comm comm) { made(parent, comm, false); }

void made_like(MPI_Comm parent, MPI_Comm comm) { made(parent, comm, true); }

void made_by_some(MPI_Comm parent, int tag, MPI_Comm comm)
{
    const comm_summary p = look_up(parent);
    if (p.together != nullptr)
        made_alike(comm, identity_hash('g').add(p.identity).add(static_cast<std::uint64_t>(tag)), p.number);
}

void made_by_two(int tag, MPI_Comm comm)
{
    made_alike(comm, identity_hash('i').add(static_cast<std::uint64_t>(tag)), TARE_TRACE_NONE);
}

bool identity_of_window_on(MPI_Comm comm, std::uint64_t &identity)
{
    const std::lock_guard<std::mutex> lock(comms->changing);
    known_comm *c = comms->by_handle.find(comm);
    if (c != nullptr)
        identity = identity_hash('o').add(c->summary.identity).add(c->windows++).value();
    return c != nullptr;
}

void named(MPI_Comm comm, const char *name)
{
    if (const std::uint32_t number = look_up(comm).number; number != TARE_TRACE_NONE)
        tare_measure_trace_name(TARE_TRACE_COMM, number, name);
}

void freed(MPI_Comm comm, std::uint64_t identity)
{
    const std::lock_guard<std::mutex> lock(comms->changing);
    if (const known_comm *c = comms->by_handle.find(comm); c != nullptr && c->summary.identity == identity)
        delete comms->by_handle.take(comm);
    comms->freed.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace tare::pmpi::known
