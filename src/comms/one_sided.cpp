// SPDX-License-Identifier: BSD-3-Clause
// What operations on windows write into them and read from them. No call of the target's has part in one: its end is its
// part of the window. Memory is taken as it is when the operation begins: until it is complete nobody may change it.
#include "communication.hpp"

#include <utility>

namespace tare::comms {

// One without memory is one to which memory is attached later: displacements are addresses there.
void communication::create_window(const tare_archive_event_t &event)
{
    const window_key key = {process_at(event), event.window};
    const bool has_memory = (event.known & TARE_ARCHIVE_RECEIVE_ADDRESS) != 0;
    const bool has_unit = (event.known & TARE_ARCHIVE_DISPLACEMENT_UNIT) != 0;
    const window_part part = {has_memory ? event.received_buffer.address : 0, has_unit ? event.displacement : 1};
    windows_[key] = part;
    const auto early = early_.find(key);
    if (early == early_.end())
        return;
    const std::vector<access> all = std::move(early->second);
    early_.erase(early);
    for (const access &a : all)
        reach(a, key.first, part);
}

void communication::operate(const tare_archive_event_t &event)
{
    access a{};
    a.target = event.target_buffer;
    a.displacement = event.displacement;
    a.is_known = (event.known & TARE_ARCHIVE_TARGET_OFFSET) != 0;
    a.has_type = (event.known & TARE_ARCHIVE_TARGET_TYPE) != 0;
    a.is_atomic = event.kind == TARE_ARCHIVE_RMA_ATOMIC;
    const bool is_get = event.kind == TARE_ARCHIVE_RMA_GET;
    a.sent_bytes = is_get ? 0 : event.length;
    const std::uint64_t received_bytes = is_get ? event.length : a.is_atomic ? event.received_length : 0;
    std::vector<end_pointer> &open = operations_[{process_at(event), event.request}];
    open.clear();
    if (a.sent_bytes > 0) {
        a.sender = end_of(event, true, a.sent_bytes);
        a.part = part_of(a.sender->memory, processes_[a.sender->process].known.brought());
        if (!a.is_atomic)
            note_follows(*a.sender, event.peer, a.part.memory);
        compare_contents(event, *a.sender);
        open.push_back(a.sender);
    }
    if (received_bytes > 0) {
        a.receiver = end_of(event, false, received_bytes);
        a.brought = received(a.is_atomic ? transfer::fetch : transfer::get, a.receiver, a.receiver->memory, received_bytes);
        open.push_back(a.receiver);
    }
    for (const end_pointer &end : open)
        note_end(event, end);
    if (open.empty())
        return;
    const auto found = windows_.find({event.peer, event.window});
    if (found != windows_.end())
        reach(a, event.peer, found->second);
    else
        early_[{event.peer, event.window}].push_back(std::move(a));
}

// The next one may depend on what it has brought, or on its being there.
void communication::complete_operation(const tare_archive_event_t &event)
{
    const auto found = operations_.find({process_at(event), event.request});
    if (found == operations_.end())
        return;
    for (const end_pointer &end : found->second)
        complete(event, end);
    operations_.erase(found);
    processes_[process_at(event)].latest_sent.clear();
}

end_pointer communication::target_of(const access &a, std::uint32_t process, const window_part &part, bool is_sender)
{
    auto e = std::make_shared<call_end>();
    e->process = process;
    e->is_sender = is_sender;
    e->is_placed = true;
    if (!a.is_known)
        return e;
    tare_archive_buffer_t there = a.target;
    there.address += part.base + static_cast<std::uint64_t>(a.displacement) * static_cast<std::uint64_t>(part.unit);
    e->at.type = a.has_type ? there.type : unknown;
    e->at.data = name_at(process, there.address);
    e->memory = pieces_of(there, a.has_type, UINT64_MAX);
    e->bytes = bytes_of(e->memory);
    return e;
}

// What comes back is what was there before.
void communication::reach(const access &a, std::uint32_t process, const window_part &part)
{
    if (a.brought) {
        const end_pointer from = target_of(a, process, part, true);
        know(a.brought, from, part_of(from->memory, processes_[process].known.brought()));
    }
    if (a.sender) {
        const end_pointer to = target_of(a, process, part, false);
        know(received(a.is_atomic ? transfer::accumulate : transfer::put, to, to->memory, a.sent_bytes), a.sender, a.part);
    }
}

}  // namespace tare::comms
