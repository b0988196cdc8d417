// SPDX-License-Identifier: BSD-3-Clause
#include "collect.hpp"

#include <algorithm>

namespace tare::pmpi::collect {

namespace {

// Two a dimension: where the call's data come from, and go to.
neighbours on_grid(MPI_Comm comm)
{
    neighbours near;
    int dimensions = 0;
    real.Cartdim_get(comm, &dimensions);
    for (int i = 0; i < dimensions; i++) {
        int before = MPI_PROC_NULL, after = MPI_PROC_NULL;
        real.Cart_shift(comm, i, 1, &before, &after);
        near.sources.insert(near.sources.end(), {before, after});
    }
    near.destinations = near.sources;
    return near;
}

neighbours in_graph(MPI_Comm comm)
{
    neighbours near;
    int rank = 0, count = 0;
    real.Comm_rank(comm, &rank);
    real.Graph_neighbors_count(comm, rank, &count);
    near.sources.resize(static_cast<std::size_t>(count));
    real.Graph_neighbors(comm, rank, count, near.sources.data());
    near.destinations = near.sources;
    return near;
}

neighbours in_distributed_graph(MPI_Comm comm)
{
    neighbours near;
    int in = 0, out = 0, weighted = 0;
    real.Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    near.sources.resize(static_cast<std::size_t>(in));
    near.destinations.resize(static_cast<std::size_t>(out));
    // Never null: some libraries take that for a mistake.
    std::vector<int> in_weights(near.sources.size() + 1), out_weights(near.destinations.size() + 1);
    real.Dist_graph_neighbors(comm, in, near.sources.data(), in_weights.data(), out, near.destinations.data(),
                              out_weights.data());
    return near;
}

void make_unique(std::vector<int> &ranks)
{
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
}

comm_record *record_of(MPI_Comm comm)
{
    shared_lock lock;
    return comm_of(comm);
}

// Between two groups: a message along each edge, since MPI libraries have few operations there that work (MPI_Ibcast
// of MPICH 4.0.2 moves nothing).
collective_call between_groups(flow how, MPI_Comm comm, int root)
{
    collective_call call = edges(comm);
    if (how == flow::to_all) {
        add_all(call, call.from, true);
        add_all(call, call.to, true);
    } else if (root == MPI_ROOT) {
        add_all(call, how == flow::from_root ? call.to : call.from, true);
    } else {
        add(call, how == flow::from_root ? call.from : call.to, root, true);
    }
    return call;
}

}  // namespace

collective_call along(flow how, MPI_Comm comm, std::int64_t bytes, int root)
{
    collective_call call;
    call.comm = record_of(comm);
    if (call.comm != nullptr && call.comm->inter)
        return between_groups(how, comm, root);
    if (call.comm == nullptr || call.comm->size == 1 || bytes <= 0)
        return call;
    call.how = how;
    call.root = root;
    call.bytes = bytes;
    return call;
}

collective_call edges(MPI_Comm comm)
{
    collective_call call;
    call.comm = record_of(comm);
    if (call.comm != nullptr)
        call.how = flow::listed;
    return call;
}

bool is_root(const collective_call &call, int root)
{
    return root == MPI_ROOT || (call.comm != nullptr && !call.comm->inter && call.comm->rank == root);
}

void add(const collective_call &call, std::vector<int> &ranks, int rank, bool has_data)
{
    if (has_data && call.comm != nullptr && rank >= 0 && (call.comm->inter || rank != call.comm->rank))
        ranks.push_back(rank);
}

void add_all(const collective_call &call, std::vector<int> &ranks, bool have_data)
{
    for (int i = 0; have_data && i < peers(call); i++)
        add(call, ranks, i, true);
}

int peers(const collective_call &call)
{
    if (call.comm == nullptr)
        return 0;
    return call.comm->inter ? call.comm->remote_size : call.comm->size;
}

neighbours neighbours_of(MPI_Comm comm)
{
    int kind = MPI_UNDEFINED;
    real.Topo_test(comm, &kind);
    switch (kind) {
    case MPI_CART: return on_grid(comm);
    case MPI_GRAPH: return in_graph(comm);
    case MPI_DIST_GRAPH: return in_distributed_graph(comm);
    }
    return {};
}

collective_call tidy(collective_call call)
{
    make_unique(call.from);
    make_unique(call.to);
    return call;
}

}  // namespace tare::pmpi::collect
