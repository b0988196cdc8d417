// SPDX-License-Identifier: BSD-3-Clause
#include "chrome_events.hpp"

#include "json.hpp"

namespace tare::tool {

std::string usec_text(std::int64_t ns) {
    char text[40];
    std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(ns / 1000),
                  static_cast<long long>(ns % 1000));
    return text;
}

chrome_events::chrome_events(std::FILE *to, std::string_view writer, const std::string &about) : to_(to) {
    put("{\"otherData\": {\"written by\": " + text_json(std::string(writer) + TARE_VERSION) + ", " + about +
        "},\n\"displayTimeUnit\": \"ns\",\n\"traceEvents\": [");
}

void chrome_events::begin(const char *phase, const std::string &name, std::int64_t pid, std::int64_t tid) {
    put((has_events_ ? ",\n{\"name\": " : "\n{\"name\": ") + name + ", \"ph\": \"" + phase + "\", \"pid\": " +
        std::to_string(pid) + ", \"tid\": " + std::to_string(tid));
    has_events_ = true;
}

void chrome_events::meta(const char *name, std::int64_t pid, std::int64_t tid, const std::string &args) {
    begin("M", text_json(name), pid, tid);
    put(", \"args\": {" + args + "}}");
}

void chrome_events::name_process(std::int64_t pid, const std::string &name, std::int64_t sort_index) {
    meta("process_name", pid, 0, "\"name\": " + text_json(name));
    meta("process_sort_index", pid, 0, "\"sort_index\": " + std::to_string(sort_index));
}

void chrome_events::name_thread(std::int64_t pid, std::int64_t tid, const std::string &name) {
    meta("thread_name", pid, tid, "\"name\": " + text_json(name));
}

void chrome_events::sort_thread(std::int64_t pid, std::int64_t tid) {
    meta("thread_sort_index", pid, tid, "\"sort_index\": " + std::to_string(tid));
}

void chrome_events::end() { put("\n]}\n"); }

}  // namespace tare::tool
