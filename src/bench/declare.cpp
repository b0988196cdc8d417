// SPDX-License-Identifier: BSD-3-Clause
#include "declare.hpp"

#include <dlfcn.h>
#include <time.h>

namespace tare::bench {
namespace {

constexpr const char *library = "libtare.so.0";
constexpr const char *names[] = {"none", "event", "overhead"};

template <typename Function> void find(void *handle, const char *name, Function *&found) {
    found = reinterpret_cast<Function *>(dlsym(handle, name));
}

}  // namespace

std::optional<declaration> parse_declaration(const std::string &word) {
    for (const declaration declared : {declaration::none, declaration::event, declaration::overhead}) {
        if (word == name_of(declared))
            return declared;
    }
    return std::nullopt;
}

const char *name_of(declaration declared) {
    return names[static_cast<int>(declared)];
}

std::string load_tool(declaration wanted, int rank, tool_calls &loaded) {
    if (wanted == declaration::none)
        return {};
    void *handle = dlopen(library, RTLD_NOW);
    if (handle == nullptr)
        return std::string("libtare is needed to declare anything: ") + dlerror();
    find(handle, "tare_overhead_add", loaded.overhead_add);
    if (wanted == declaration::event)
        find(handle, "tare_event_ns", loaded.event_ns);
    loaded.cost_ns = cost_ns(rank);
    if (loaded.overhead_add == nullptr || (wanted == declaration::event && loaded.event_ns == nullptr))
        return std::string(library) + " lacks tare_overhead_add or tare_event_ns: it is of another version";
    return {};
}

std::int64_t monotonic_ns() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace tare::bench
