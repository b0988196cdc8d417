// SPDX-License-Identifier: BSD-3-Clause
#include "known_comms.hpp"

#include "fnv.hpp"
#include "handle_hash.hpp"
#include "peers.hpp"

#include <unordered_map>
#include <utility>
#include <vector>

namespace tare::pmpi::traced {
namespace {

struct known_comm {
    comm_summary summary;
    std::uint64_t identity;
    std::vector<std::uint32_t> group, other_group;       // other_group: of an intercommunicator
    std::uint64_t made = 0;                              // of it, and windows on it
};

struct comm_tables {
    std::mutex changing;
    handle_table<MPI_Comm, known_comm *> by_handle;
    std::unordered_map<std::uint64_t, std::uint64_t> made_alike;
    std::atomic<unsigned> freed{0};
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
    // Both sides of an intercommunicator come to one hash.
    identity_hash &add(const known_comm &c)
    {
        const bool in_order = !(c.other_group < c.group);
        return add(in_order ? c.group : c.other_group).add(in_order ? c.other_group : c.group);
    }
    std::uint64_t value() const { return hash_; }

  private:
    identity_hash &add(const std::vector<std::uint32_t> &ranks)
    {
        add(ranks.size());
        for (const std::uint32_t rank : ranks)
            add(rank);
        return *this;
    }

    std::uint64_t hash_ = fnv_start;
};

bool find_members(MPI_Comm comm, bool remote, std::vector<std::uint32_t> &ranks)
{
    MPI_Group group;
    if ((remote ? real.Comm_remote_group : real.Comm_group)(comm, &group) != MPI_SUCCESS)
        return false;
    const bool is_found = world_ranks_of(group, ranks);
    real.Group_free(&group);
    return is_found;
}

// Without number and identity.
bool describe(MPI_Comm comm, known_comm &c)
{
    int is_inter = 0;
    return real.Comm_rank(comm, &c.summary.rank) == MPI_SUCCESS &&
           real.Comm_test_inter(comm, &is_inter) == MPI_SUCCESS && find_members(comm, false, c.group) &&
           (!is_inter || find_members(comm, true, c.other_group));
}

std::uint32_t group_number(const std::vector<std::uint32_t> &ranks)
{
    return tare_measure_trace_group(ranks.data(), static_cast<std::uint32_t>(ranks.size()));
}

// With the lock held. A record that is there already is of a communicator that another thread is freeing.
void define(MPI_Comm comm, known_comm c, std::uint32_t group, std::uint32_t parent, const char *name, bool is_made)
{
    const std::uint32_t other_group = c.other_group.empty() ? TARE_TRACE_NONE : group_number(c.other_group);
    const tare_trace_definition_t definition = {TARE_TRACE_COMM, 0, nullptr, c.identity, group, other_group, parent, is_made,
                                                name};
    c.summary.number = tare_measure_trace_define(&definition);
    c.summary.size = static_cast<int>(c.group.size());
    c.summary.remote_size = static_cast<int>(c.other_group.size());
    delete comms->by_handle.take(comm);
    comms->by_handle.put(comm, new known_comm(std::move(c)));
}

void define_made(MPI_Comm comm, known_comm c, std::uint32_t parent)
{
    if (const std::uint32_t group = group_number(c.group); group != TARE_TRACE_NONE)
        define(comm, std::move(c), group, parent, "", true);
}

// The how manyth that was made so.
std::uint64_t count_alike(const identity_hash &hash) { return comms->made_alike[hash.value()]++; }

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
        c.group = p->group, c.other_group = p->other_group, c.summary.rank = p->summary.rank;
    c.identity = identity_hash('p').add(p->identity).add(count).add(c).value();
    define_made(comm, std::move(c), p->summary.number);
}

void made_alike(MPI_Comm comm, identity_hash hash, std::uint32_t parent)
{
    known_comm c{};
    if (comm == MPI_COMM_NULL || !describe(comm, c))
        return;
    const std::lock_guard<std::mutex> lock(comms->changing);
    hash.add(c);
    c.identity = hash.add(count_alike(hash)).value();
    define_made(comm, std::move(c), parent);
}

comm_summary look_up(MPI_Comm comm)
{
    const std::lock_guard<std::mutex> lock(comms->changing);
    const known_comm *c = comms->by_handle.find(comm);
    return c == nullptr ? unknown_comm : c->summary;
}

}  // namespace

void begin_comms()
{
    comms = new comm_tables;
    known_comm world{}, self{};
    world.identity = identity_hash('w').value();
    self.identity = identity_hash('s').value();
    if (!describe(MPI_COMM_WORLD, world) || !describe(MPI_COMM_SELF, self))
        return;
    const std::lock_guard<std::mutex> lock(comms->changing);
    define(MPI_COMM_WORLD, world, group_number(world.group), TARE_TRACE_NONE, "MPI_COMM_WORLD", false);
    define(MPI_COMM_SELF, self, TARE_TRACE_SELF_GROUP, TARE_TRACE_NONE, "MPI_COMM_SELF", false);
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
    std::uint64_t identity;
    std::uint32_t number;
    {
        const std::lock_guard<std::mutex> lock(comms->changing);
        const known_comm *p = comms->by_handle.find(parent);
        if (p == nullptr)
            return;
        identity = p->identity;
        number = p->summary.number;
    }
    made_alike(comm, identity_hash('g').add(identity).add(static_cast<std::uint64_t>(tag)), number);
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
        identity = identity_hash('o').add(c->identity).add(c->made++).value();
    return c != nullptr;
}

void named(MPI_Comm comm, const char *name)
{
    if (const std::uint32_t number = look_up(comm).number; number != TARE_TRACE_NONE)
        tare_measure_trace_name(TARE_TRACE_COMM, number, name);
}

void freed(MPI_Comm comm, std::uint32_t number)
{
    const std::lock_guard<std::mutex> lock(comms->changing);
    if (const known_comm *c = comms->by_handle.find(comm); c != nullptr && c->summary.number == number)
        delete comms->by_handle.take(comm);
    comms->freed.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace tare::pmpi::traced
