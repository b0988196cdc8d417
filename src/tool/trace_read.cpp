// SPDX-License-Identifier: BSD-3-Clause
#include "trace_read.hpp"

#include <exception>

namespace tare::tool {
namespace {

// No exception goes through the module, which C functions lie between.
struct reading {
    trace_visitor &to;
    const char *command;
    std::exception_ptr failure;
    bool has_begun = false;
    bool has_problems = false;

    template <typename Work> int attempt(Work work) {
        try {
            work();
            return 0;
        } catch (...) {
            failure = std::current_exception();
            return 1;
        }
    }
};

reading &of(void *data) { return *static_cast<reading *>(data); }

int begin(void *data, const tare_archive_t *archive) {
    of(data).has_begun = true;
    return of(data).attempt([&] { of(data).to.begin(*archive); });
}

int events(void *data, const tare_archive_event_t *events, std::size_t count) {
    return of(data).attempt([&] { of(data).to.events(events, count); });
}

int end(void *data) {
    return of(data).attempt([&] { of(data).to.end(); });
}

void problem(void *data, const char *sentence) {
    of(data).has_problems = true;
    trace_remark(sentence, of(data).command);
}

}  // namespace

int read_trace(const std::string &path, trace_visitor &to, const char *command) {
    const tare_trace_module_t *module = find_trace_module(command);
    if (module == nullptr)
        return exit_failed;
    reading state{to, command, nullptr};
    const tare_archive_reading_t calls = {&state, begin, events, end, problem};
    char message[TARE_TRACE_MESSAGE] = "";
    const int status = module->read(path.c_str(), &calls, message);
    if (state.failure)
        std::rethrow_exception(state.failure);
    if (status < 0)
        return fail(command, exit_failed, message);
    return state.has_problems ? exit_failed : exit_good;
}

std::string place_text(const tare_archive_t &archive, std::uint32_t location) {
    const tare_archive_location_t &l = archive.locations[location];
    return std::to_string(archive.processes[l.process].rank) + "." + std::to_string(l.thread);
}

}  // namespace tare::tool
