// SPDX-License-Identifier: BSD-3-Clause
#include "example.hpp"

using namespace tare::profile;

namespace {

row make_row(const char *name, const char *group, std::int64_t calls, std::int64_t incl, std::int64_t removed)
{
    row r;
    r.region = name;
    r.group = group;
    r.calls = calls;
    r.incl_ns = r.excl_ns = incl;
    r.removed_ns = removed;
    r.incl_comp_ns = r.excl_comp_ns = r.lo_ns = r.hi_ns = incl - removed;
    return r;
}

}  // namespace

thread example_thread(int rank, const char *run_id)
{
    thread t;
    t.rank = rank;
    t.metadata = {{key::version, "9.9"}, {key::run_id, run_id}, {key::ranks, "2"}, {key::mode, "header"}};
    row root = make_row(root_region, "TAU_DEFAULT", 1, 5'000'000'003, 1'000'000'001);
    root.subrs = 3;
    root.excl_ns = 1'234'567'891;
    root.excl_comp_ns = 1'234'567'890;
    row tiny = make_row("km operator\"\" _km(long double)", "TAU_DEFAULT", 1'000'000, 900'000, 900'123);
    row receive = make_row("MPI_Recv()", "MPI|TAU_MESSAGE", 10, 623'000'000, 519'000'001);
    receive.wait_ns = receive.wait_excl_ns = 622'000'000;
    receive.wait_comp_ns = receive.wait_comp_excl_ns = 103'000'007;
    receive.lo_ns -= 64;
    receive.hi_ns += 128;
    receive.residue_ns = 5;
    t.rows = {root, tiny, receive};
    return t;
}

bool same(const row &a, const row &b)
{
    return a.region == b.region && a.group == b.group && a.calls == b.calls && a.subrs == b.subrs &&
           a.incl_ns == b.incl_ns && a.excl_ns == b.excl_ns && a.incl_comp_ns == b.incl_comp_ns &&
           a.excl_comp_ns == b.excl_comp_ns && a.wait_ns == b.wait_ns && a.wait_excl_ns == b.wait_excl_ns &&
           a.wait_comp_ns == b.wait_comp_ns && a.wait_comp_excl_ns == b.wait_comp_excl_ns &&
           a.removed_ns == b.removed_ns && a.residue_ns == b.residue_ns && a.lo_ns == b.lo_ns && a.hi_ns == b.hi_ns;
}
