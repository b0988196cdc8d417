// SPDX-License-Identifier: BSD-3-Clause
#include "traced_collectives.hpp"

#include "found_uses.hpp"
#include "traced.hpp"
#include "traced_buffers.hpp"

namespace tare::pmpi::traced {
namespace {

int traced_root(int root)
{
    if (root == no_root)
        return TARE_TRACE_ROOT_NONE;
    if (root == MPI_ROOT)
        return TARE_TRACE_ROOT_SELF;
    return root == MPI_PROC_NULL ? TARE_TRACE_ROOT_THIS_GROUP : root;
}

followed_request followed(const collective_facts &c)
{
    followed_request r;
    r.sent_bytes = c.sent;
    r.received_bytes = c.received;
    r.comm = comm_number(c.comm);
    r.peer = traced_root(c.root);
    r.tag = c.operation;
    r.is_traced = r.is_collective = true;
    keep_place(r);
    return r;
}

}  // namespace

void write_collective(const collective_facts &c)
{
    const followed_request r = followed(c);
    if (r.comm == TARE_TRACE_NONE)
        return;
    write_plain(TARE_TRACE_COLLECTIVE_BEGIN, 0, TARE_MOMENT_ENTER);
    write_collective(TARE_TRACE_COLLECTIVE_END, r);
    if (are_uses_looked_for())
        note_received(receives_where(), r.received_bytes);
}

void begin_collective(const collective_facts &c, MPI_Request request)
{
    followed_request r = followed(c);
    r.number = requests::follow(request, r);
    write_started(r, {});
}

// MPI_Start counts no bytes of it.
void describe_collective(const collective_facts &c, MPI_Request request)
{
    followed_request r = followed(c);
    r.persistent = true;
    requests::follow(request, r);
    keep_buffers(request);
}

}  // namespace tare::pmpi::traced
