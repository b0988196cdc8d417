// SPDX-License-Identifier: BSD-3-Clause
// From what a process left behind of its trace to events. Nothing in the file is believed before it is checked.
#include "live_file.hpp"
#include "live_record.hpp"

#include <algorithm>

namespace tare {
namespace {

using profile::live_trace;

// The next one of its thread may have taken its place while it is read.
live_trace::piece read_piece(const live_file &file, const live_trace_chunk &chunk, live_address address)
{
    const std::uint32_t count = __atomic_load_n(&chunk.count, __ATOMIC_ACQUIRE);
    const auto *events = file.at<tare_trace_event_t>(address + live_trace_chunk::events_begin, count);
    if (count > 0 && events == nullptr)
        file.damaged("a piece of its trace is too long");
    live_trace::piece piece{chunk.thread, chunk.number, {}};
    if (count > 0)
        piece.events.assign(events, events + count);
    for (const tare_trace_event_t &e : piece.events)
        if (!is_possible(e.time_ns) || !is_possible(e.delay_ns))
            file.damaged("its figures cannot be");
    return piece;
}

bool comes_before(const live_trace::piece &a, const live_trace::piece &b)
{
    return a.thread != b.thread ? a.thread < b.thread : a.number < b.number;
}

void name_threads(live_trace &result, const live_file &file)
{
    const live_layout &l = file.header().layout;
    const auto next = [&l](const char &t, live_address) { return part<live_address>(&t, l.next); };
    file.for_each<char>(file.threads(), l.size, next, [&](const char &t, live_address) {
        if (const std::string name = name_of_thread(file, &t); !name.empty())
            result.threads[part<std::uint32_t>(&t, l.number)] = name;
    });
}

// The events may name regions that found no room in the file.
void name_regions(live_trace &result, const std::vector<region_text> &found, const live_file &file)
{
    for (const region_text &r : found)
        result.regions.push_back({r.name, r.group});
    std::size_t count = found.size();
    for (const live_trace::piece &p : result.pieces)
        for (const tare_trace_event_t &e : p.events)
            count = std::max<std::size_t>(count, e.kind == TARE_TRACE_ENTER ? std::size_t{e.region} + 1 : 0);
    constexpr std::size_t most = 1 << 20;            // as many as a recorder has room for
    if (count > most)
        file.damaged("a region's number is too great");
    while (result.regions.size() < count)
        result.regions.push_back({"", ""});
    for (std::size_t i = 0; i < count; i++)
        if (result.regions[i].name.empty())
            result.regions[i] = {"unnamed region " + std::to_string(i), "TAU_DEFAULT"};
}

live_trace read_once(const std::string &path)
{
    const live_file file(path);
    live_trace result;
    result.rank = file.header().rank;
    result.metadata = file.attributes();
    const auto next = [](const live_trace_chunk &c, live_address) { return c.next; };
    file.for_each<live_trace_chunk>(file.header().traces, live_trace_chunk::events_begin, next,
                                    [&](const live_trace_chunk &c, live_address address) {
                                        result.pieces.push_back(read_piece(file, c, address));
                                    });
    std::sort(result.pieces.begin(), result.pieces.end(), comes_before);
    name_threads(result, file);
    name_regions(result, read_regions(file), file);
    return result;
}

}  // namespace

namespace profile {

live_trace read_live_trace(const std::string &path) { return read_again(path, read_once); }

}  // namespace profile
}  // namespace tare
