// SPDX-License-Identifier: BSD-3-Clause
// The functions of trace_module.h.
#include "archive_events.hpp"
#include "copy.hpp"
#include "find_archive.hpp"
#include "join.hpp"
#include "rank_trace.hpp"

#include <cstdio>
#include <exception>

using namespace tare::trace;

namespace {

void say(char *message, const char *what) { std::snprintf(message, TARE_TRACE_MESSAGE, "%s", what); }

// What an exception says is the message.
template <typename Work> int attempt(char *message, Work work)
{
    const errors_are_quiet quiet;
    try {
        return work();
    } catch (const std::exception &e) {
        say(message, e.what());
        return -1;
    }
}

rank_trace &of(void *trace) { return *static_cast<rank_trace *>(trace); }

void *begin(const tare_trace_run_t *run, char *message)
{
    void *trace = nullptr;
    attempt(message, [&] { return trace = new rank_trace(*run), 0; });
    return trace;
}

int write(void *trace, std::uint32_t thread, const tare_trace_event_t *events, std::size_t count, std::uint32_t left_out,
          char *message)
{
    return attempt(message, [&] { return of(trace).write(thread, events, count, left_out), 0; });
}

int name_thread(void *trace, std::uint32_t thread, const char *name, char *message)
{
    return attempt(message, [&] { return of(trace).name_thread(thread, name), 0; });
}

void give_up(void *trace)
{
    const errors_are_quiet quiet;
    delete &of(trace);
}

int end(void *trace, const tare_trace_region_t *regions, std::size_t count, const tare_trace_definition_t *definitions,
        std::size_t definition_count, char *message)
{
    const std::unique_ptr<rank_trace> owned(&of(trace));
    return attempt(message, [&] {
        owned->define(definitions, definition_count);
        return owned->end(regions, count), 0;
    });
}

int join_ranks(const char *dir, int ranks, int force, char *message)
{
    return attempt(message, [&] {
        const joined result = join(dir, ranks, force != 0);
        say(message, result.left_out.c_str());
        return result.is_joined ? 0 : 1;
    });
}

int read(const char *path, const tare_archive_reading_t *to, char *message)
{
    return attempt(message, [&] { return read_archive(find_archive(path), *to), 0; });
}

int copy_archives(const tare_trace_copy_t *wish, char *message)
{
    return attempt(message, [&] { return copy(*wish), 0; });
}

}  // namespace

extern "C" const tare_trace_module_t tare_trace_module = {sizeof(tare_trace_module_t), begin, write, name_thread, give_up, end,
                                                          join_ranks, read, copy_archives};
