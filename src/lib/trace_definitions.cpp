// SPDX-License-Identifier: BSD-3-Clause
#include "trace_definitions.hpp"

#include "arena.hpp"
#include "fnv.hpp"
#include "signals_wait.hpp"
#include "tare_measure.h"

#include <cstring>
#include <mutex>
#include <unordered_map>

namespace tare {
namespace {

// A definition in the arena, and behind it the ranks of a group.
std::uint32_t *ranks_of(live_definition *d) { return reinterpret_cast<std::uint32_t *>(d + 1); }

std::uint64_t hash_of(const std::uint32_t *ranks, std::uint32_t count)
{
    std::uint64_t hash = fnv_start;
    const auto *bytes = reinterpret_cast<const char *>(ranks);
    for (std::size_t i = 0; i < count * sizeof *ranks; i++)
        hash = fnv_step(hash, bytes[i]);
    return hash;
}

// One object, never destroyed: threads may still define something while the process exits.
class definitions_of_process {
  public:
    std::uint32_t group_of(const std::uint32_t *ranks, std::uint32_t count)
    {
        const std::lock_guard<std::mutex> lock(changing_);
        const auto [first, last] = by_ranks_.equal_range(hash_of(ranks, count));
        for (auto found = first; found != last; ++found)
            if (is(groups_[found->second], ranks, count))
                return found->second;
        live_definition *d = make(TARE_TRACE_GROUP, groups_, count * sizeof *ranks);
        if (d == nullptr)
            return TARE_TRACE_NONE;
        d->group = count;
        std::memcpy(ranks_of(d), ranks, count * sizeof *ranks);
        by_ranks_.emplace(hash_of(ranks, count), d->number);
        show(d);
        return d->number;
    }

    std::uint32_t text_of(const char *text)
    {
        const std::lock_guard<std::mutex> lock(changing_);
        if (const auto known = by_text_.find(text); known != by_text_.end())
            return known->second;
        live_definition *d = make(TARE_TRACE_TEXT, texts_, 0);
        if (d == nullptr)
            return TARE_TRACE_NONE;
        d->name = address_of(arena_copy(text));
        by_text_.emplace(text, d->number);
        show(d);
        return d->number;
    }

    // A communicator or a window.
    std::uint32_t add(const tare_trace_definition_t &what)
    {
        const std::lock_guard<std::mutex> lock(changing_);
        live_definition *d = make(what.kind, list_of(what.kind), 0);
        if (d == nullptr)
            return TARE_TRACE_NONE;
        d->identity = what.identity;
        d->group = what.group;
        d->other_group = what.other_group;
        d->parent = what.parent;
        d->is_made = what.is_made;
        d->name = what.name[0] == '\0' ? 0 : address_of(arena_copy(what.name));
        show(d);
        return d->number;
    }

    void name(std::uint32_t kind, std::uint32_t number, const char *text)
    {
        const std::lock_guard<std::mutex> lock(changing_);
        const list &all = list_of(kind);
        if (number < all.size() && std::strcmp(name_of(all[number]), text) != 0)
            __atomic_store_n(&all[number]->name, address_of(arena_copy(text)), __ATOMIC_RELEASE);
    }

    std::vector<tare_trace_definition_t> all()
    {
        const std::lock_guard<std::mutex> lock(changing_);
        std::vector<tare_trace_definition_t> result;
        for (live_definition *d : groups_)
            result.push_back({TARE_TRACE_GROUP, d->group, ranks_of(d), 0, 0, 0, 0, 0, ""});
        for (const list *all : {&comms_, &windows_, &texts_})
            for (const live_definition *d : *all)
                result.push_back({d->kind, 0, nullptr, d->identity, d->group, d->other_group, d->parent, d->is_made,
                                  name_of(d)});
        return result;
    }

  private:
    using list = std::vector<live_definition *>;

    list &list_of(std::uint32_t kind) { return kind == TARE_TRACE_WINDOW ? windows_ : comms_; }

    static const char *name_of(const live_definition *d)
    {
        return d->name == 0 ? "" : reinterpret_cast<const char *>(d->name);
    }

    static bool is(live_definition *group, const std::uint32_t *ranks, std::uint32_t count)
    {
        return group->group == count && std::memcmp(ranks_of(group), ranks, count * sizeof *ranks) == 0;
    }

    static live_definition *make(std::uint32_t kind, list &to, std::size_t more_bytes)
    {
        auto *d = static_cast<live_definition *>(arena_take(sizeof(live_definition) + more_bytes));
        if (d == nullptr)
            return nullptr;
        d->kind = kind;
        d->number = static_cast<std::uint32_t>(to.size());
        to.push_back(d);
        return d;
    }

    // It is whole.
    static void show(live_definition *d)
    {
        if (!arena_keeps(d))
            return;
        live_header &h = *arena_header();
        d->next = h.definitions;
        __atomic_store_n(&h.definitions, address_of(d), __ATOMIC_RELEASE);
    }

    std::mutex changing_;
    list groups_, comms_, windows_, texts_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> by_ranks_;
    std::unordered_map<std::string, std::uint32_t> by_text_;
};

definitions_of_process &definitions()
{
    static auto *d = new definitions_of_process;
    return *d;
}

}  // namespace

std::vector<tare_trace_definition_t> trace_definitions() { return definitions().all(); }

}  // namespace tare

using namespace tare;

extern "C" {

uint32_t tare_measure_trace_group(const uint32_t *ranks, uint32_t count)
{
    const signals_wait quiet;
    return definitions().group_of(ranks, count);
}

uint32_t tare_measure_trace_text(const char *text)
{
    const signals_wait quiet;
    return definitions().text_of(text);
}

uint32_t tare_measure_trace_define(const tare_trace_definition_t *what)
{
    const signals_wait quiet;
    return definitions().add(*what);
}

void tare_measure_trace_name(uint32_t kind, uint32_t number, const char *name)
{
    const signals_wait quiet;
    definitions().name(kind, number, name);
}

}  // extern "C"
