// SPDX-License-Identifier: BSD-3-Clause
// From what a process left behind of its trace to events. Nothing in the file is believed before it is checked.
#include "live_file.hpp"
#include "live_record.hpp"

#include <algorithm>
#include <utility>

namespace tare {
namespace {

using profile::live_trace;

bool has_rma_message(std::uint32_t kind)
{
    return kind >= TARE_TRACE_RMA_PUT && kind <= TARE_TRACE_RMA_SYNC && kind != TARE_TRACE_RMA_COLLECTIVE_BEGIN;
}

// What these name is defined nowhere.
bool is_between_threads(std::uint32_t kind)
{
    return kind >= TARE_TRACE_THREAD_RELEASE && kind <= TARE_TRACE_THREAD_BEGIN;
}

bool has_one_part(std::uint32_t kind)
{
    return has_rma_message(kind) || is_between_threads(kind) || kind == TARE_TRACE_SENT_BUFFER || kind == TARE_TRACE_RECEIVED_BUFFER ||
           kind == TARE_TRACE_DATA || kind == TARE_TRACE_CONTENTS || kind == TARE_TRACE_PAGES || kind == TARE_TRACE_TARGET_BUFFER;
}

// How many parts follow an event; of others than these none.
bool has_possible_parts(const tare_trace_event_t &e)
{
    const std::uint32_t kind = TARE_TRACE_KIND(e.kind), parts = TARE_TRACE_PARTS_OF(e.kind);
    if ((kind >= TARE_TRACE_COLLECTIVE_END && kind <= TARE_TRACE_COLLECTIVE_COMPLETE) || kind == TARE_TRACE_RMA_ATOMIC)
        return parts == 2;
    if (has_one_part(kind))
        return parts == 1;
    if (kind == TARE_TRACE_COUNTERS)
        return parts == sizeof(tare_trace_counters_t) / sizeof(tare_trace_event_t);
    if ((kind >= TARE_TRACE_SEND && kind <= TARE_TRACE_REQUEST_CANCELLED) || kind == TARE_TRACE_COLLECTIVE_REQUEST)
        return parts >= 1 && parts <= TARE_TRACE_MOST_PARTS;
    return kind < TARE_TRACE_KINDS && parts == 0;
}

// Without the parts that follow them.
template <typename Visit> void for_each_event(const live_file &file, const live_trace::piece &piece, Visit visit)
{
    for (std::size_t i = 0; i < piece.events.size();) {
        const tare_trace_event_t &e = piece.events[i];
        i += 1 + std::size_t{TARE_TRACE_PARTS_OF(e.kind)};
        if (!has_possible_parts(e) || i > piece.events.size())
            file.damaged("a piece of its trace has an event that cannot be");
        visit(e);
    }
}

// Who reads the events defines all that they name up to the greatest number.
constexpr std::uint32_t most_named = 1 << 22;

bool names_too_much(const tare_trace_event_t &e)
{
    const std::uint32_t kind = TARE_TRACE_KIND(e.kind);
    tare_trace_message_t sync{};
    if (kind == TARE_TRACE_RMA_GROUP_SYNC)
        std::memcpy(&sync, &e + 1, sizeof sync);         // a part is there: has_possible_parts
    const bool has_no_type = kind >= TARE_TRACE_SENT_BUFFER && e.of == TARE_TRACE_NONE;
    const bool is_named = kind >= TARE_TRACE_SEND && !has_no_type && !is_between_threads(kind);
    return (is_named && e.of >= most_named) || static_cast<std::uint32_t>(sync.peer) >= most_named;
}

// The next one of its thread may have taken its place while it is read. Without events: what was in it has been written, or
// nothing has come yet.
live_trace::piece read_piece(const live_file &file, const live_trace_chunk &chunk, live_address address)
{
    const std::uint32_t count = __atomic_load_n(&chunk.count, __ATOMIC_ACQUIRE);
    const auto *events = file.at<tare_trace_event_t>(address + live_trace_chunk::events_begin, count);
    if (count > 0 && events == nullptr)
        file.damaged("a piece of its trace is too long");
    live_trace::piece piece{chunk.thread, chunk.number, {}};
    if (count > 0)
        piece.events.assign(events, events + count);
    for_each_event(file, piece, [&file](const tare_trace_event_t &e) {
        if (!is_possible(e.time_ns) || !is_possible(e.delay_ns))
            file.damaged("its figures cannot be");
        if (names_too_much(e))
            file.damaged("the number of a communicator, a window or a text is too great");
    });
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
        for_each_event(file, p, [&count](const tare_trace_event_t &e) {
            count = std::max<std::size_t>(count, e.kind == TARE_TRACE_ENTER ? std::size_t{e.of} + 1 : 0);
        });
    constexpr std::size_t most = 1 << 20;            // as many as a recorder has room for
    if (count > most)
        file.damaged("a region's number is too great");
    while (result.regions.size() < count)
        result.regions.push_back({"", ""});
    for (std::size_t i = 0; i < count; i++)
        if (result.regions[i].name.empty())
            result.regions[i] = {"unnamed region " + std::to_string(i), "TAU_DEFAULT"};
}

live_trace::definition read_definition(const live_file &file, const live_definition &d, live_address address)
{
    live_trace::definition result;
    result.kind = d.kind;
    result.identity = d.identity;
    result.group = d.group;
    result.other_group = d.other_group;
    result.parent = d.parent;
    result.is_made = d.is_made;
    result.name = d.name == 0 ? "" : file.text(d.name);
    if (d.kind != TARE_TRACE_GROUP)
        return result;
    const auto *ranks = file.at<std::uint32_t>(address + sizeof d, d.group);
    if (ranks == nullptr)
        file.damaged("a group of its communicators is too long");
    result.ranks.assign(ranks, ranks + d.group);
    return result;
}

bool names_what_is_known(const live_trace::definition &d, const std::uint32_t (&counts)[TARE_TRACE_DEFINITION_KINDS])
{
    if (d.kind == TARE_TRACE_WINDOW)
        return d.group < counts[TARE_TRACE_COMM];
    const auto is_group = [&counts](std::uint32_t group) {
        return group < counts[TARE_TRACE_GROUP] || group == TARE_TRACE_SELF_GROUP;
    };
    return d.kind == TARE_TRACE_GROUP || d.kind == TARE_TRACE_TEXT ||
           (is_group(d.group) && (is_group(d.other_group) || d.other_group == TARE_TRACE_NONE) &&
            (d.parent < counts[TARE_TRACE_COMM] || d.parent == TARE_TRACE_NONE));
}

// The newest is the first in the list. What found no room in the file ends what is known: later ones name it.
void read_definitions(const live_file &file, live_trace &result)
{
    const auto next = [](const live_definition &d, live_address) { return d.next; };
    std::vector<std::pair<std::uint32_t, live_trace::definition>> found;
    file.for_each<live_definition>(file.header().definitions, sizeof(live_definition), next,
                                   [&](const live_definition &d, live_address address) {
                                       found.emplace_back(d.number, read_definition(file, d, address));
                                   });
    std::uint32_t counts[TARE_TRACE_DEFINITION_KINDS] = {};
    for (auto d = found.rbegin(); d != found.rend(); ++d) {
        if (d->second.kind >= TARE_TRACE_DEFINITION_KINDS)
            file.damaged("it defines what is no group, communicator, window or text");
        if (d->first != counts[d->second.kind] || !names_what_is_known(d->second, counts))
            continue;
        counts[d->second.kind]++;
        result.definitions.push_back(std::move(d->second));
    }
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
                                        live_trace::piece piece = read_piece(file, c, address);
                                        if (!piece.events.empty())
                                            result.pieces.push_back(std::move(piece));
                                    });
    std::sort(result.pieces.begin(), result.pieces.end(), comes_before);
    name_threads(result, file);
    name_regions(result, read_regions(file), file);
    read_definitions(file, result);
    return result;
}

}  // namespace

namespace profile {

live_trace read_live_trace(const std::string &path) { return read_again(path, read_once); }

}  // namespace profile
}  // namespace tare
