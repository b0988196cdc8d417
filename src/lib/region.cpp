// SPDX-License-Identifier: BSD-3-Clause
#include "region.hpp"

#include "arena.hpp"
#include "fnv.hpp"
#include "own_memory.hpp"
#include "profile.hpp"
#include "signals_wait.hpp"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string>

namespace tare {
namespace {

// An open hash table of names. Slots are only ever filled; a table that gets full is replaced by a larger one and
// kept, because somebody may be looking at it.
struct table {
    std::size_t mask;
    const table *older;
    std::atomic<tare_region_t *> slots[];
};

std::mutex making;
sigset_t before_held;                     // the signals of the thread that holds it between hold and let go
own_memory memory;                       // under this lock
std::mutex naming;                       // taken with the other held, or without it
own_memory late_names;                   // under this one
std::atomic<table *> names{nullptr};
std::atomic<tare_region_t *> newest{nullptr};
std::uint32_t region_count = 0;
std::uint32_t named_count = 0;
const char *injection = nullptr;
int injection_rank = 0;
bool is_kept = false;
const filter::rules *selecting = nullptr;
std::atomic<std::size_t> excluded_count{0};

std::size_t hash_of(const char *name) noexcept
{
    std::uint64_t h = fnv_start;
    for (; *name != '\0'; name++)
        h = fnv_step(h, *name);
    return static_cast<std::size_t>(h ^ h >> 32);
}

// The slot of this name, or the empty one where it would go.
std::atomic<tare_region_t *> &slot_of(table &t, const char *name) noexcept
{
    for (std::size_t i = hash_of(name);; i++) {
        std::atomic<tare_region_t *> &slot = t.slots[i & t.mask];
        const tare_region_t *r = slot.load(std::memory_order_acquire);
        if (r == nullptr || std::strcmp(r->name.load(std::memory_order_relaxed), name) == 0)
            return slot;
    }
}

tare_region_t *find(const char *name) noexcept
{
    table *t = names.load(std::memory_order_acquire);
    return t == nullptr ? nullptr : slot_of(*t, name).load(std::memory_order_acquire);
}

table *make_table(std::size_t slots)
{
    auto *t = new (memory.take(sizeof(table) + slots * sizeof(std::atomic<tare_region_t *>))) table;
    t->mask = slots - 1;
    return t;
}

void make_room()
{
    table *old = names.load(std::memory_order_relaxed);
    if (old != nullptr && 2 * (named_count + 1) <= old->mask)
        return;
    table *larger = make_table(old == nullptr ? 1024 : 2 * (old->mask + 1));
    larger->older = old;
    for (std::size_t i = 0; old != nullptr && i <= old->mask; i++)
        if (tare_region_t *r = old->slots[i].load(std::memory_order_relaxed); r != nullptr)
            slot_of(*larger, r->name.load(std::memory_order_relaxed)).store(r, std::memory_order_relaxed);
    names.store(larger, std::memory_order_release);
}

// Most regions have the group of the one before them: then one copy serves both.
const char *keep_group(const char *group, const tare_region_t *before)
{
    return before != nullptr && std::strcmp(before->group, group) == 0 ? before->group : memory.copy(group);
}

tare_region_t *make_region(const char *group)
{
    auto *r = new (memory.take(sizeof(tare_region_t))) tare_region_t{};
    r->number = region_count++;
    r->next = newest.load(std::memory_order_relaxed);
    r->group = keep_group(group, r->next);
    return r;
}

// Takes an entry for the live file, with room for texts behind it.
live_region *take_entry(const tare_region_t &r, std::size_t text_bytes) noexcept
{
    void *kept = is_kept ? arena_take(sizeof(live_region) + text_bytes) : nullptr;
    if (kept == nullptr || !arena_keeps(kept))
        return nullptr;
    live_region *entry = new (kept) live_region{};
    entry->number = r.number;
    return entry;
}

live_address put_text(char *&at, const char *text) noexcept
{
    const std::size_t bytes = std::strlen(text) + 1;
    std::memcpy(at, text, bytes);
    at += bytes;
    return address_of(at - bytes);
}

// The entry is whole before the list shows it.
void publish_entry(live_region &entry) noexcept
{
    live_header &h = *arena_header();
    entry.next = h.regions;
    __atomic_store_n(&h.regions, address_of(&entry), __ATOMIC_RELEASE);
}

void keep(const tare_region_t &r, const char *name) noexcept
{
    live_region *entry = take_entry(r, std::strlen(name) + std::strlen(r.group) + 2);
    if (entry == nullptr)
        return;
    char *at = reinterpret_cast<char *>(entry + 1);
    entry->name = put_text(at, name);
    entry->group = put_text(at, r.group);
    publish_entry(*entry);
}

// Functions of one module come one after the other.
live_address keep_module(const char *module) noexcept
{
    static const char *latest = "";
    if (std::strcmp(latest, module) != 0)
        if (const char *copy = arena_copy(module); copy != nullptr)
            latest = copy;
    return std::strcmp(latest, module) == 0 ? address_of(latest) : 0;
}

void publish(tare_region_t *r) { newest.store(r, std::memory_order_release); }

// A rule names a region in full, or a function without its parameters: work stands for work(int), too.
bool means(const tare_inject_rule_t &rule, const char *name)
{
    return std::strncmp(name, rule.region, rule.region_length) == 0 &&
           (name[rule.region_length] == '\0' || name[rule.region_length] == '(');
}

void match(tare_region_t &r)
{
    const char *text = injection;
    tare_inject_rule_t rule;
    std::int64_t ns = 0;
    while (tare_env_inject_next(&text, &rule))
        if ((rule.rank < 0 || rule.rank == injection_rank) && means(rule, name_of(r)))
            ns += rule.ns;
    r.inject_ns.store(ns, std::memory_order_relaxed);
}

std::string resolved(const tare_region_t &r, tare_measure_name which)
{
    char buffer[4096];
    buffer[0] = '\0';
    r.resolve(r.what, which, buffer, sizeof buffer);
    return buffer;
}

// What MPI's regions tell is what carriers need, and those of the tool itself are few.
bool is_always_measured(const tare_region_t &r)
{
    if (r.resolve != nullptr)
        return false;
    const std::string name = r.name.load(std::memory_order_relaxed);
    return std::strcmp(r.group, TARE_GROUP_MPI) == 0 || name == profile::root_region ||
           name == profile::repeated_region || name == profile::calibrated_region || name == profile::data_region ||
           name == profile::copied_region || name == profile::uses_region;
}

bool is_excluded(tare_region_t &r)
{
    if (selecting == nullptr)
        return false;
    const std::string name = name_of(r);
    const bool finds_mangled = selecting->wants_mangled() && r.resolve != nullptr;
    return selecting->excludes(name, finds_mangled ? resolved(r, TARE_NAME_MANGLED) : name);
}

void select(tare_region_t &r)
{
    r.selected = is_always_measured(r) ? selection::always
                 : is_excluded(r)      ? selection::excluded
                                       : selection::usual;
    if (r.selected != selection::excluded)
        return;
    excluded_count.fetch_add(1, std::memory_order_relaxed);
    if (is_kept && arena_header() != nullptr)
        arena_header()->excluded_regions++;
}

}  // namespace

tare_region_t *find_or_make_region(const char *name, const char *group) noexcept
{
    if (tare_region_t *known = find(name); known != nullptr)
        return known;
    const quiet_lock lock(making);
    if (tare_region_t *known = find(name); known != nullptr)
        return known;
    make_room();
    tare_region_t *r = make_region(group);
    r->name.store(memory.copy(name), std::memory_order_relaxed);
    select(*r);
    match(*r);
    keep(*r, name);
    slot_of(*names.load(std::memory_order_relaxed), name).store(r, std::memory_order_release);
    named_count++;
    publish(r);
    return r;
}

tare_region_t *make_late_region(const void *what, tare_measure_resolve_t resolve, const char *group) noexcept
{
    const quiet_lock lock(making);
    tare_region_t *r = make_region(group);
    r->what = what;
    r->resolve = resolve;
    select(*r);
    match(*r);
    publish(r);
    return r;
}

void keep_place(const tare_region_t &region, const char *module, std::uint64_t offset, const char *symbol) noexcept
{
    const quiet_lock lock(making);
    live_region *entry = take_entry(region, std::strlen(symbol) + std::strlen(region.group) + 2);
    if (entry == nullptr)
        return;
    char *at = reinterpret_cast<char *>(entry + 1);
    entry->symbol = put_text(at, symbol);
    entry->group = put_text(at, region.group);
    entry->module = keep_module(module);
    entry->offset = offset;
    publish_entry(*entry);
}

const char *name_of(tare_region_t &region)
{
    const char *name = region.name.load(std::memory_order_acquire);
    if (name != nullptr)
        return name;
    const std::string found = resolved(region, TARE_NAME_SHOWN);
    const quiet_lock lock(naming);
    name = region.name.load(std::memory_order_relaxed);
    if (name == nullptr) {
        name = late_names.copy(found.c_str());
        region.name.store(name, std::memory_order_release);
    }
    return name;
}

tare_region_t *newest_region() noexcept { return newest.load(std::memory_order_acquire); }

void set_filter(const filter::rules &rules) noexcept { selecting = &rules; }

std::size_t excluded_regions() noexcept { return excluded_count.load(std::memory_order_relaxed); }

void set_injection(const char *rules, int rank)
{
    const quiet_lock lock(making);
    injection = rules;
    injection_rank = rank;
    for (tare_region_t *r = newest.load(std::memory_order_relaxed); r != nullptr; r = r->next)
        match(*r);
}

void keep_regions() noexcept { is_kept = true; }

void hold_regions() noexcept
{
    sigset_t before;
    let_signals_wait(before);
    making.lock();
    naming.lock();
    before_held = before;
}

void let_go_of_regions() noexcept
{
    const sigset_t before = before_held;
    naming.unlock();
    making.unlock();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace tare
