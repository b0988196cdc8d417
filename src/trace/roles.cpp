// SPDX-License-Identifier: BSD-3-Clause
#include "roles.hpp"

#include "tare_measure.h"

#include <array>

namespace tare::trace {
namespace {

struct family {
    const char *begins;                  // behind "MPI_", "MPI_I"
    OTF2_RegionRole role;
};

// The first that fits: a longer name stands before what it begins with.
constexpr std::array families = {
    family{"Allgather", OTF2_REGION_ROLE_COLL_ALL2ALL}, family{"Allreduce", OTF2_REGION_ROLE_COLL_ALL2ALL},
    family{"Alltoall", OTF2_REGION_ROLE_COLL_ALL2ALL},  family{"Barrier", OTF2_REGION_ROLE_BARRIER},
    family{"Bcast", OTF2_REGION_ROLE_COLL_ONE2ALL},     family{"Exscan", OTF2_REGION_ROLE_COLL_OTHER},
    family{"Gather", OTF2_REGION_ROLE_COLL_ALL2ONE},    family{"Neighbor_", OTF2_REGION_ROLE_COLL_OTHER},
    family{"Reduce_scatter", OTF2_REGION_ROLE_COLL_ALL2ALL}, family{"Reduce_local", OTF2_REGION_ROLE_FUNCTION},
    family{"Reduce", OTF2_REGION_ROLE_COLL_ALL2ONE},    family{"Scan", OTF2_REGION_ROLE_COLL_OTHER},
    family{"Scatter", OTF2_REGION_ROLE_COLL_ONE2ALL},   family{"Bsend", OTF2_REGION_ROLE_POINT2POINT},
    family{"Rsend", OTF2_REGION_ROLE_POINT2POINT},      family{"Send", OTF2_REGION_ROLE_POINT2POINT},
    family{"Ssend", OTF2_REGION_ROLE_POINT2POINT},      family{"Recv", OTF2_REGION_ROLE_POINT2POINT},
    family{"Mrecv", OTF2_REGION_ROLE_POINT2POINT},      family{"Probe", OTF2_REGION_ROLE_POINT2POINT},
    family{"Mprobe", OTF2_REGION_ROLE_POINT2POINT},     family{"Start", OTF2_REGION_ROLE_POINT2POINT},
    family{"Precv", OTF2_REGION_ROLE_POINT2POINT},      family{"Psend", OTF2_REGION_ROLE_POINT2POINT},
    family{"Pready", OTF2_REGION_ROLE_POINT2POINT},     family{"Parrived", OTF2_REGION_ROLE_POINT2POINT},
    family{"Accumulate", OTF2_REGION_ROLE_RMA},         family{"Compare_and_swap", OTF2_REGION_ROLE_RMA},
    family{"Fetch_and_op", OTF2_REGION_ROLE_RMA},       family{"Get_accumulate", OTF2_REGION_ROLE_RMA},
    family{"Put", OTF2_REGION_ROLE_RMA},                family{"Raccumulate", OTF2_REGION_ROLE_RMA},
    family{"Rget", OTF2_REGION_ROLE_RMA},               family{"Rput", OTF2_REGION_ROLE_RMA},
    family{"Win_", OTF2_REGION_ROLE_RMA},               family{"File_", OTF2_REGION_ROLE_FILE_IO},
};

// Whole names: others begin with them (MPI_Get_count, MPI_Testany and so on are their own).
constexpr std::array<family, 9> whole_names = {{
    {"Get", OTF2_REGION_ROLE_RMA},
    {"Wait", OTF2_REGION_ROLE_POINT2POINT},
    {"Waitall", OTF2_REGION_ROLE_POINT2POINT},
    {"Waitany", OTF2_REGION_ROLE_POINT2POINT},
    {"Waitsome", OTF2_REGION_ROLE_POINT2POINT},
    {"Test", OTF2_REGION_ROLE_POINT2POINT},
    {"Testall", OTF2_REGION_ROLE_POINT2POINT},
    {"Testany", OTF2_REGION_ROLE_POINT2POINT},
    {"Testsome", OTF2_REGION_ROLE_POINT2POINT},
}};

// Waits between threads (src/threads).
constexpr std::array<family, 9> thread_waits = {{
    {"pthread_join()", OTF2_REGION_ROLE_THREAD_WAIT},
    {"pthread_mutex_lock()", OTF2_REGION_ROLE_CRITICAL},
    {"pthread_cond_wait()", OTF2_REGION_ROLE_THREAD_WAIT},
    {"pthread_barrier_wait()", OTF2_REGION_ROLE_BARRIER},
    {"omp parallel end", OTF2_REGION_ROLE_IMPLICIT_BARRIER},
    {"omp barrier", OTF2_REGION_ROLE_BARRIER},
    {"omp critical", OTF2_REGION_ROLE_CRITICAL},
    {"omp atomic", OTF2_REGION_ROLE_ATOMIC},
    {"omp set lock", OTF2_REGION_ROLE_CRITICAL},
}};

OTF2_RegionRole role_of_wait(const std::string &name)
{
    for (const family &f : thread_waits)
        if (name == f.begins)
            return f.role;
    return OTF2_REGION_ROLE_FUNCTION;
}

// Ibarrier: what a nonblocking call begins is of the blocking one's family.
std::string without_i(const std::string &name)
{
    if (name.size() < 2 || name[0] != 'I' || name[1] < 'a' || name[1] > 'z')
        return name;
    std::string rest = name.substr(1);
    rest[0] = static_cast<char>(rest[0] - 'a' + 'A');
    return rest;
}

OTF2_RegionRole role_of_call(const std::string &call)
{
    for (const family &f : whole_names)
        if (call == f.begins)
            return f.role;
    for (const std::string &name : {call, without_i(call)})
        for (const family &f : families)
            if (name.rfind(f.begins, 0) == 0)
                return f.role;
    return OTF2_REGION_ROLE_FUNCTION;
}

bool ends_with(const std::string &text, const std::string &end)
{
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string without_parentheses(const std::string &name)
{
    return ends_with(name, "()") ? name.substr(0, name.size() - 2) : name;
}

}  // namespace

region_kind kind_of(const std::string &name, const std::string &group)
{
    const std::string prefix = "MPI_";
    if (group == TARE_GROUP_MPI && name.rfind(prefix, 0) == 0) {
        const std::string call = without_parentheses(name);
        return {call, role_of_call(call.substr(prefix.size())), OTF2_PARADIGM_MPI};
    }
    if (group == TARE_GROUP_PTHREAD)
        return {without_parentheses(name), role_of_wait(name), OTF2_PARADIGM_PTHREAD};
    if (group == TARE_GROUP_OPENMP)
        return {without_parentheses(name), role_of_wait(name), OTF2_PARADIGM_OPENMP};
    if (group == TARE_GROUP_FUNCTION || group == TARE_GROUP_JAVA || group == TARE_GROUP_JAVA_GC)
        return {name, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER};
    return {name, OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER};
}

}  // namespace tare::trace
