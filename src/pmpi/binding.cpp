// SPDX-License-Identifier: BSD-3-Clause
// Finds the MPI library of this process and its functions.
//
// Where it may be: behind us in the global search order (linked by the program), or opened later by dlopen, locally
// or not (mpi4py, JNI). In both cases the program's calls of MPI_Xxx find our wrappers first, because we were
// preloaded or linked before it.
#include "handle_hash.hpp"
#include "layer.hpp"
#include "type_envelope.hpp"

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

void *find_library()
{
    own_object = object_around(reinterpret_cast<const void *>(&bound));
    return is_another_ones(dlsym(RTLD_NEXT, "PMPI_Init")) ? RTLD_NEXT : opened_library();
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

const char *base_name(const char *path)
{
    const char *slash = std::strrchr(path, '/');
    return slash == nullptr ? path : slash + 1;
}

bool begins(const char *text, const char *with) { return std::strncmp(text, with, std::strlen(with)) == 0; }

// Parts of Open MPI that it opens itself call MPI functions, too (ROMIO).
bool is_plugin([[maybe_unused]] const void *caller)
{
#ifdef OPEN_MPI
    Dl_info where;
    if (dladdr(caller, &where) != 0 && where.dli_fname != nullptr)
        return begins(base_name(where.dli_fname), "mca_") || begins(base_name(where.dli_fname), "libmca_");
#endif
    return false;
}

// libmpifort, libmpichfort; libmpi_mpifh, libmpi_usempif08.
bool is_fortran_binding(const char *path)
{
    const char *name = base_name(path);
    return begins(name, "libmpi") && (std::strstr(name, "fort") != nullptr || begins(name, "libmpi_mpifh") ||
                                      begins(name, "libmpi_usempi"));
}

// A binding of MPI_Comm_size is called mpi_comm_size_, MPI_Comm_size_f08, ompi_comm_size_f; those of large counts
// (MPI_Type_contiguous_c) have a word behind. What the library does not export has no name, and is none.
bool is_binding_of(call c, const char *symbol)
{
    std::string function = facts[static_cast<unsigned>(c)].symbol + std::strlen("PMPI_");
    if (function.size() > 2 && function.compare(function.size() - 2, 2, "_c") == 0)
        function.resize(function.size() - 2);
    return symbol != nullptr && strcasestr(symbol, function.c_str()) != nullptr;
}

bool serves_another_function(call c, const void *caller)
{
    Dl_info where;
    if (dladdr(caller, &where) == 0 || where.dli_fname == nullptr || !is_fortran_binding(where.dli_fname))
        return false;
    return !is_binding_of(c, where.dli_sname);
}

// The answers of is_bindings_own: an address of code, with the highest bit set for yes.
constexpr std::uintptr_t own_use = std::uintptr_t(1) << (sizeof(std::uintptr_t) * 8 - 1);
std::atomic<std::uintptr_t> callers_seen[64];

std::size_t callers_index(const void *caller) { return hash_handle(caller) >> 58; }

}  // namespace

void *library_handle() { return mpi_handle; }

bool is_mpi_initialized()
{
    void *handle = find_library();
    void *symbol = handle == nullptr ? nullptr : dlsym(handle, "PMPI_Initialized");
    int flag = 0;
    if (symbol != nullptr)
        reinterpret_cast<int (*)(int *)>(symbol)(&flag);
    return flag != 0;
}

bool bind()
{
    void *handle = find_library();
    if (handle == nullptr)
        return false;
    // A program may hold data of the library itself (copied when it was loaded), and comes first in the search order.
    void *data = handle == RTLD_NEXT ? RTLD_DEFAULT : handle;
    check_family(data);
    find_handles([data](const char *symbol) { return dlsym(data, symbol); });
    char *table = reinterpret_cast<char *>(&real);
    for (unsigned i = 0; i < calls; i++) {
        void *function = dlsym(handle, facts[i].symbol);
        if (!is_another_ones(function))
            function = reinterpret_cast<void *>(&absent_function);
        std::memcpy(table + i * sizeof(void *), &function, sizeof function);
    }
    library_tells_large_counts = is_another_ones(dlsym(handle, "PMPI_Type_get_envelope_c")) &&
        is_another_ones(dlsym(handle, "PMPI_Type_get_contents_c"));
    mpi_object = object_around(reinterpret_cast<const void *>(real.Init));
    mpi_handle = handle == RTLD_NEXT ? nullptr : handle;
    bound.store(true, std::memory_order_release);
    return true;
}

bool is_users_code(const void *caller)
{
    return !mpi_object.holds(caller) && !own_object.holds(caller) && !is_plugin(caller);
}

bool is_bindings_own(call c, const void *caller)
{
    std::atomic<std::uintptr_t> &seen = callers_seen[callers_index(caller)];
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(caller);
    const std::uintptr_t cell = seen.load(std::memory_order_relaxed);
    if ((cell & ~own_use) == at)
        return cell & own_use;
    const bool own = serves_another_function(c, caller);
    seen.store(own ? at | own_use : at, std::memory_order_relaxed);
    return own;
}

}  // namespace tare::pmpi
