// SPDX-License-Identifier: BSD-3-Clause
// Finds the MPI library of this process and its functions.
//
// Where it may be: behind us in the global search order (linked by the program), or opened later by dlopen, locally
// or not (mpi4py, JNI). In both cases the program's calls of MPI_Xxx find our wrappers first, because we were
// preloaded or linked before it.
#include "layer.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <string>
#include <vector>

namespace tare::pmpi {

real_calls real;
std::atomic<bool> bound{false};

namespace {

static_assert(sizeof(real_calls) == calls * sizeof(void *), "one pointer a call");

struct address_range {
    uintptr_t first = 0, last = 0;
    bool holds(const void *p) const
    {
        const uintptr_t at = reinterpret_cast<uintptr_t>(p);
        return at >= first && at < last;
    }
};

address_range own_object, mpi_object;
void *mpi_handle;

struct range_query {
    const void *inside;
    address_range found;
};

int find_range(dl_phdr_info *object, size_t, void *data)
{
    auto *query = static_cast<range_query *>(data);
    address_range r{UINTPTR_MAX, 0};
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) &segment = object->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD)
            continue;
        const uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
        r.first = begin < r.first ? begin : r.first;
        r.last = begin + segment.p_memsz > r.last ? begin + segment.p_memsz : r.last;
    }
    if (!r.holds(query->inside))
        return 0;
    query->found = r;
    return 1;
}

address_range object_around(const void *address)
{
    range_query query{address, {}};
    dl_iterate_phdr(find_range, &query);
    return query.found;
}

int note_name(dl_phdr_info *object, size_t, void *data)
{
    static_cast<std::vector<std::string> *>(data)->emplace_back(object->dlpi_name);
    return 0;
}

bool is_another_ones(const void *symbol) { return symbol != nullptr && !own_object.holds(symbol); }

// A handle whose scope holds PMPI_Init, or null. The loader's lock is not held while asking.
void *opened_library()
{
    std::vector<std::string> names;
    dl_iterate_phdr(note_name, &names);
    for (const std::string &name : names) {
        if (name.empty())
            continue;
        void *handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
        if (handle != nullptr && is_another_ones(dlsym(handle, "PMPI_Init")))
            return handle;
        if (handle != nullptr)
            dlclose(handle);
    }
    return nullptr;
}

[[noreturn]] void absent_function()
{
    die("the MPI library of this process has no %s, which the mpi.h has that Tare was built for",
        facts[static_cast<unsigned>(self.current)].symbol + 1);
}

void check_family(void *handle)
{
#ifdef OPEN_MPI
    const bool fits = dlsym(handle, "ompi_mpi_comm_world") != nullptr;
    const char *built_for = "Open MPI";
#else
    const bool fits = dlsym(handle, "ompi_mpi_comm_world") == nullptr;
    const char *built_for = "MPICH";
#endif
    if (!fits)
        die("this libtare-mpi was built for %s and the program runs on another MPI: use the one in lib/tare that "
            "belongs to it, or tare exec, which chooses", built_for);
}

}  // namespace

void *library_handle() { return mpi_handle; }

bool bind()
{
    own_object = object_around(reinterpret_cast<const void *>(&bound));
    void *handle = is_another_ones(dlsym(RTLD_NEXT, "PMPI_Init")) ? RTLD_NEXT : opened_library();
    if (handle == nullptr)
        return false;
    check_family(handle == RTLD_NEXT ? RTLD_DEFAULT : handle);
    char *table = reinterpret_cast<char *>(&real);
    for (unsigned i = 0; i < calls; i++) {
        void *function = dlsym(handle, facts[i].symbol);
        if (!is_another_ones(function))
            function = reinterpret_cast<void *>(&absent_function);
        std::memcpy(table + i * sizeof(void *), &function, sizeof function);
    }
    mpi_object = object_around(reinterpret_cast<const void *>(real.Init));
    mpi_handle = handle == RTLD_NEXT ? nullptr : handle;
    bound.store(true, std::memory_order_release);
    return true;
}

bool is_users_code(const void *caller) { return !mpi_object.holds(caller) && !own_object.holds(caller); }

}  // namespace tare::pmpi
