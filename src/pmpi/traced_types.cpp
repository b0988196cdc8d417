// SPDX-License-Identifier: BSD-3-Clause
#include "traced_types.hpp"

#include "bytes.hpp"
#include "handle_hash.hpp"
#include "small_array.hpp"
#include "type_envelope.hpp"

#include <algorithm>
#include <string>

namespace tare::pmpi::traced {
namespace {

struct type_table {
    std::mutex changing;
    handle_table<MPI_Datatype, known_type> known;
};
type_table &types()
{
    static auto *t = new type_table;
    return *t;
}

// A thread's latest one, as long as no type has been freed since.
std::atomic<std::uint64_t> times_freed{1};
struct latest_type {
    std::uint64_t times_freed = 0;       // 0: there is none
    MPI_Datatype handle{};
    known_type type;
};
thread_local latest_type latest __attribute__((tls_model("initial-exec")));

// --- how it is made ---

constexpr int deepest = 4;
constexpr std::int64_t most_listed = 8;

const char *name_of_combiner(int combiner)
{
    switch (combiner) {
    case MPI_COMBINER_DUP: return "dup";
    case MPI_COMBINER_CONTIGUOUS: return "contiguous";
    case MPI_COMBINER_VECTOR: return "vector";
    case MPI_COMBINER_HVECTOR: return "hvector";
    case MPI_COMBINER_INDEXED: return "indexed";
    case MPI_COMBINER_HINDEXED: return "hindexed";
    case MPI_COMBINER_INDEXED_BLOCK: return "indexed_block";
    case MPI_COMBINER_HINDEXED_BLOCK: return "hindexed_block";
    case MPI_COMBINER_STRUCT: return "struct";
    case MPI_COMBINER_SUBARRAY: return "subarray";
    case MPI_COMBINER_DARRAY: return "darray";
    case MPI_COMBINER_RESIZED: return "resized";
    default: return "other";
    }
}

std::string name_of_type(MPI_Datatype type)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    real.Type_get_name(type, name, &length);
    return name[0] == '\0' ? "unnamed" : name;
}

template <typename Number> std::string listed(const Number *numbers, std::int64_t count)
{
    std::string text;
    for (std::int64_t i = 0; i < std::min(count, most_listed); i++)
        text += (i > 0 ? "," : "") + std::to_string(numbers[i]);
    return count > most_listed ? text + ",..." : text;
}

std::string text_of(MPI_Datatype type, int depth);

std::string listed_types(const MPI_Datatype *of, std::int64_t count, int depth)
{
    std::string text;
    for (std::int64_t i = 0; i < count; i++) {
        if (i < most_listed)
            text += (i > 0 ? "," : "") + text_of(of[i], depth + 1);
        else if (i == most_listed)
            text += ",...";
    }
    return text;
}

// Those that MPI_Type_get_contents has made.
void give_back(MPI_Datatype *made, int count)
{
    for (int i = 0; i < count; i++)
        if (!is_predefined(made[i]))
            real.Type_free(&made[i]);
}

std::string text_of(MPI_Datatype type, int depth)
{
    if (depth > deepest)
        return "...";
    type_envelope e;
    if (type_calls<real_calls>::envelope(real, type, e) != MPI_SUCCESS || e.combiner == MPI_COMBINER_NAMED || e.types == 0)
        return name_of_type(type);
    small_array<int> integers(e.integers);
    small_array<MPI_Aint> addresses(e.addresses);
    small_array<MPI_Count> large(e.large);
    small_array<MPI_Datatype> types(e.types);
    type_calls<real_calls>::contents(real, type, e, integers.data(), addresses.data(), large.data(), types.data());
    const std::string numbers = listed(integers.data(), e.integers), more = listed(large.data(), e.large);
    const std::string text = std::string(name_of_combiner(e.combiner)) + "(" + numbers +
                             (numbers.empty() || more.empty() ? "" : ",") + more + ";" +
                             listed(addresses.data(), e.addresses) + ";" + listed_types(types.data(), e.types, depth) + ")";
    give_back(types.data(), e.types);
    return text;
}

known_type find_out(MPI_Datatype type)
{
    known_type t;
    MPI_Aint lb = 0, extent = 0, true_lb = 0, true_extent = 0;
    real.Type_get_extent(type, &lb, &extent);
    real.Type_get_true_extent(type, &true_lb, &true_extent);
    t.text = tare_measure_trace_text(text_of(type, 0).c_str());
    t.extent = extent;
    t.true_lb = true_lb;
    t.true_extent = true_extent;
    t.is_dense = bytes::size_of(1, type) == true_extent && extent == true_extent;
    return t;
}

known_type look_up(MPI_Datatype type)
{
    {
        const std::lock_guard<std::mutex> lock(types().changing);
        if (const known_type t = types().known.find(type); t != known_type{})
            return t;
    }
    const known_type t = find_out(type);
    const std::lock_guard<std::mutex> lock(types().changing);
    types().known.take(type);
    if (t != known_type{})
        types().known.put(type, t);
    return t;
}

}  // namespace

known_type type_of(MPI_Datatype type)
{
    const std::uint64_t freed = times_freed.load(std::memory_order_acquire);
    if (latest.times_freed != freed || latest.handle != type)
        latest = {freed, type, look_up(type)};
    return latest.type;
}

void forget_type(MPI_Datatype type)
{
    times_freed.fetch_add(1, std::memory_order_release);
    const std::lock_guard<std::mutex> lock(types().changing);
    types().known.take(type);
}

void span::join(const span &other)
{
    if (other.bytes == 0)
        return;
    if (bytes == 0) {
        *this = other;
        return;
    }
    const std::uint64_t end = std::max(address + bytes, other.address + other.bytes);
    address = std::min(address, other.address);
    bytes = end - address;
}

// A negative extent goes down from the first one.
span span_of(const void *buffer, std::int64_t count, const known_type &type)
{
    if (count <= 0 || type.true_extent <= 0)
        return {};
    const std::int64_t reach = (count - 1) * type.extent, lowest = std::min<std::int64_t>(reach, 0);
    return {reinterpret_cast<std::uint64_t>(buffer) + static_cast<std::uint64_t>(type.true_lb + lowest),
            static_cast<std::uint64_t>(std::max(reach, -reach) + type.true_extent)};
}

}  // namespace tare::pmpi::traced
