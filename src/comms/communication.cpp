// SPDX-License-Identifier: BSD-3-Clause
#include "communication.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace tare::comms {
namespace {

bool knows_sent(const tare_archive_event_t &e) { return (e.known & TARE_ARCHIVE_SEND_ADDRESS) != 0; }
bool knows_received(const tare_archive_event_t &e) { return (e.known & TARE_ARCHIVE_RECEIVE_ADDRESS) != 0; }

bool overlap(const interval &a, const interval &b) { return a.begin < b.end && b.begin < a.end; }

}  // namespace

communication::communication(const tare_archive_t &archive, clock_change change, find_variable find)
    : archive_(archive), change_(change), places_(match::places_of(archive)), find_variable_(std::move(find)),
      readers_(archive.location_count), processes_(archive.process_count), layouts_(archive.text_count),
      matcher_(places_, false),
      gatherings_([this](const auto &what, const auto &sender, const auto &part) { know(what, sender, part); })
{
    for (std::size_t i = 0; i < archive.region_count; i++)
        kinds_.push_back(kind_of(archive.regions[i]));
    matcher_.listen(this);
}

void communication::add(const tare_archive_event_t &event)
{
    reader &r = readers_[event.location];
    r.latest_ns = ns_of(event, change_);
    if (!r.has_begun)
        r.first_ns = r.latest_ns;
    r.has_begun = true;
    switch (event.kind) {
    case TARE_ARCHIVE_ENTER: return enter(event);
    case TARE_ARCHIVE_LEAVE: return leave(event);
    case TARE_ARCHIVE_SEND:
    case TARE_ARCHIVE_ISEND: return send(event);
    case TARE_ARCHIVE_ISEND_COMPLETE: return complete_send(event);
    case TARE_ARCHIVE_IRECV_REQUEST: return post(event);
    case TARE_ARCHIVE_RECV:
    case TARE_ARCHIVE_IRECV: return receive(event);
    case TARE_ARCHIVE_COLLECTIVE_END: return collective(event);
    case TARE_ARCHIVE_COLLECTIVE_REQUEST: return begin_collective(event);
    case TARE_ARCHIVE_COLLECTIVE_COMPLETE: return complete_collective(event);
    case TARE_ARCHIVE_WINDOW_CREATE: return create_window(event);
    case TARE_ARCHIVE_WINDOW_DESTROY: windows_.erase({process_at(event), event.window}); return;
    case TARE_ARCHIVE_RMA_PUT:
    case TARE_ARCHIVE_RMA_GET:
    case TARE_ARCHIVE_RMA_ATOMIC: return operate(event);
    case TARE_ARCHIVE_RMA_COMPLETE: return complete_operation(event);
    default: matcher_.add(event);
    }
}

// --- memory ---

const layout &communication::layout_of_type(std::uint32_t text)
{
    static const layout nothing;
    if (text >= layouts_.size())
        return nothing;
    if (!layouts_[text])
        layouts_[text] = layout_of(archive_.texts[text]);
    return *layouts_[text];
}

std::vector<interval> communication::pieces_of(const tare_archive_buffer_t &buffer, bool has_type, std::uint64_t most_bytes)
{
    if (buffer.address > UINT64_MAX - buffer.span_bytes)
        return {};                       // no memory is there
    // Packed data, and what the program has copied, are bytes in a row.
    if (!has_type)
        return place(bytes_, buffer.address, buffer.span_bytes, most_bytes).pieces;
    placed p = place(layout_of_type(buffer.type), buffer.address, buffer.span_bytes, most_bytes);
    result_.taken_whole += p.is_whole ? 1 : 0;
    return std::move(p.pieces);
}

end_pointer communication::end_of(const tare_archive_event_t &event, bool is_sender, std::uint64_t most_bytes)
{
    auto e = std::make_shared<call_end>();
    e->process = process_at(event);
    e->is_sender = is_sender;
    const tare_archive_buffer_t &buffer = is_sender ? event.sent_buffer : event.received_buffer;
    const bool has_type = (event.known & (is_sender ? TARE_ARCHIVE_SEND_TYPE : TARE_ARCHIVE_RECEIVE_TYPE)) != 0;
    if (is_sender ? knows_sent(event) : knows_received(event)) {
        e->at.type = has_type ? buffer.type : unknown;
        e->at.data = name_of(event, is_sender);
        const std::uint64_t before = result_.taken_whole;
        e->memory = pieces_of(buffer, has_type, most_bytes);
        e->is_taken_whole = result_.taken_whole > before;
    }
    e->bytes = bytes_of(e->memory);
    return e;
}

// --- calls ---

void communication::note_end(const tare_archive_event_t &event, const end_pointer &end)
{
    reader &r = readers_[event.location];
    if (r.depth == 0) {
        result_.outside++;
        end->is_placed = true;
        return;
    }
    r.begun.push_back(end);
    r.timed.push_back(end);
}

// The call in progress completes it.
void communication::complete(const tare_archive_event_t &event, const end_pointer &end)
{
    reader &r = readers_[event.location];
    if (r.depth > 0)
        r.timed.push_back(end);
}

void communication::enter(const tare_archive_event_t &event)
{
    reader &r = readers_[event.location];
    if (r.depth > 0) {
        r.depth++;
    } else if (event.region < kinds_.size() && kinds_[event.region].is_mpi) {
        r.depth = 1;
        r.call = event.region;
        r.entered_ns = r.latest_ns;
    } else {
        r.regions.push_back(event.region);
    }
}

void communication::leave(const tare_archive_event_t &event)
{
    reader &r = readers_[event.location];
    declare(event);
    if (r.depth > 1) {
        r.depth--;
    } else if (r.depth == 1) {
        leave_call(r, event);
        r.depth = 0;
    } else if (!r.regions.empty()) {
        r.regions.pop_back();
    }
}

// What the program says of its data, and copies: its own, or those that MPI makes when it packs.
void communication::declare(const tare_archive_event_t &event)
{
    if ((event.known & TARE_ARCHIVE_DATA_ADDRESS) != 0) {
        name(event);
    } else if (event.region < kinds_.size() && kinds_[event.region].makes_persistent) {
        note_persistent(event);
    } else if (knows_sent(event) && knows_received(event)) {
        memory &known = processes_[process_at(event)].known;
        const std::vector<interval> from =
            pieces_of(event.sent_buffer, (event.known & TARE_ARCHIVE_SEND_TYPE) != 0, UINT64_MAX);
        known.copy(pieces_of(event.received_buffer, (event.known & TARE_ARCHIVE_RECEIVE_TYPE) != 0, UINT64_MAX), from);
    }
}

void communication::name(const tare_archive_event_t &event)
{
    memory &known = processes_[process_at(event)].known;
    const tare_archive_buffer_t &data = event.received_buffer;
    if (data.address > UINT64_MAX - data.span_bytes || (event.known & TARE_ARCHIVE_DATA_NAME) == 0)
        return;
    const interval i = {data.address, data.address + data.span_bytes};
    const bool is_module = (event.known & TARE_ARCHIVE_DATA_TYPE) != 0 && data.type < archive_.text_count &&
                           std::string_view(archive_.texts[data.type]) == TARE_TRACE_STATIC_DATA;
    const bool is_use = event.region < archive_.region_count &&
                        std::string_view(archive_.regions[event.region]) == TARE_TRACE_USES_REGION;
    if (is_use)
        known.use(i, data.name);
    else if (is_module)
        known.name_module(i, data.name);
    else if (data.span_bytes == 0)
        known.forget_name(data.address);
    else
        known.name(i, data.name);
}

// What the program calls it, else the variable that is there.
std::uint32_t communication::name_at(std::uint32_t process, std::uint64_t address)
{
    memory &known = processes_[process].known;
    const std::uint32_t text = known.name_at(address);
    if (text != unknown || !find_variable_.in_module)
        return text;
    return known.variable_at(address, [this](std::uint32_t module, const interval &where, std::uint64_t at) {
        return find_in(module, where, at);
    });
}

// The module's text ends in the value that its symbol table gives the first byte.
std::pair<std::uint32_t, interval> communication::find_in(std::uint32_t module, const interval &where, std::uint64_t address)
{
    const std::string text = module < archive_.text_count ? archive_.texts[module] : "";
    const std::size_t plus = text.rfind("+0x");
    const std::pair<std::uint32_t, interval> nothing = {unknown, {address, address + 1}};
    if (plus == std::string::npos)
        return nothing;
    const std::uint64_t first = std::strtoull(text.c_str() + plus + 1, nullptr, 16), value = first + (address - where.begin);
    const variable v = find_variable_.in_module(text.substr(0, plus), value);
    if (v.name.empty() || v.begin > value || v.end <= value)
        return nothing;
    return {number_of(v.name), {address - (value - v.begin), address + (v.end - value)}};
}

std::uint32_t communication::number_of(const std::string &variable)
{
    const auto next = static_cast<std::uint32_t>(archive_.text_count + variables_.size());
    return variables_.emplace(variable, next).first->second;
}

// What a call sends from or receives into; else the variable of the function on whose stack it is.
std::uint32_t communication::name_of(const tare_archive_event_t &event, bool is_sender)
{
    const std::uint64_t frame = is_sender ? TARE_ARCHIVE_SEND_FRAME | TARE_ARCHIVE_SEND_FRAME_OFFSET
                                          : TARE_ARCHIVE_RECEIVE_FRAME | TARE_ARCHIVE_RECEIVE_FRAME_OFFSET;
    const tare_archive_buffer_t &buffer = is_sender ? event.sent_buffer : event.received_buffer;
    const std::uint32_t text = name_at(process_at(event), buffer.address);
    if (text != unknown || (event.known & frame) != frame || buffer.frame >= archive_.text_count)
        return text;
    return name_on_stack(processes_[process_at(event)].known, buffer);
}

std::uint32_t communication::name_on_stack(memory &known, const tare_archive_buffer_t &buffer)
{
    const std::string frame = archive_.texts[buffer.frame], function = frame.substr(0, frame.rfind(" ("));
    const local_variable &v = local_at(buffer.frame, buffer.frame_offset);
    const auto difference = [](std::int64_t from, std::int64_t to) {
        return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
    };
    interval where = {buffer.address - difference(v.begin, buffer.frame_offset),
                      buffer.address + difference(buffer.frame_offset, v.end)};
    const bool is_found = !v.name.empty() && v.begin <= buffer.frame_offset && buffer.frame_offset < v.end &&
                          where.begin <= buffer.address && buffer.address < where.end;
    if (!is_found)
        where = {buffer.address, buffer.address + std::min(buffer.span_bytes, UINT64_MAX - buffer.address)};
    const std::uint32_t number = number_of(is_found ? function + "::" + v.name : "stack of " + function);
    known.name_local(where, number);
    return number;
}

const local_variable &communication::local_at(std::uint32_t frame, std::int64_t offset)
{
    const auto [at, is_new] = locals_.try_emplace({frame, offset});
    if (is_new && find_variable_.on_stack)
        at->second = find_variable_.on_stack(archive_.texts[frame], offset);
    return at->second;
}

// The time of a call is that of all that it sends, receives or waits for, in equal parts.
void communication::leave_call(reader &r, const tare_archive_event_t &event)
{
    const std::int64_t ns = minus(r.latest_ns, r.entered_ns);
    add_up(result_.communicating_ns, r.timed.empty() ? 0 : ns);
    const std::uint32_t site = (event.known & TARE_ARCHIVE_SITE) != 0 ? event.site : unknown;
    for (const end_pointer &end : r.begun) {
        end->at.region = r.regions.empty() ? unknown : r.regions.back();
        end->at.call = r.call;
        end->at.site = site;
        end->is_placed = true;
        result_.without_site += site == unknown ? 1 : 0;
    }
    std::int64_t left = ns;
    for (std::size_t i = 0; i < r.timed.size(); i++) {
        const std::int64_t part = left / static_cast<std::int64_t>(r.timed.size() - i);
        add_time(*r.timed[i], part);
        left -= part;
    }
    for (const end_pointer &end : r.begun)
        for (transfer_pointer &t : std::exchange(end->waiting, {}))
            settle(std::move(t));
    r.begun.clear();
    r.timed.clear();
}

void communication::add_time(call_end &end, std::int64_t ns)
{
    if (end.left_out_ns != nullptr) {
        add_up(*end.left_out_ns, ns);
    } else if (end.in_class == unknown) {
        add_up(end.ns, ns);
    } else {
        transfer_class &c = classes_[end.in_class];
        add_up(end.is_sender ? c.sender_ns : c.receiver_ns, ns);
        add_unknown_time(c, end, ns);
    }
}

// Of collective operations an end has no bytes where its memory is not known.
void communication::add_unknown_time(const transfer_class &c, const call_end &end, std::int64_t ns)
{
    const bool is_message = c.operation == transfer::message;
    if (end.memory.empty() && (end.bytes > 0 || !is_message))
        add_up(result_.without_memory_ns, ns);
    if (end.is_taken_whole)
        add_up(result_.taken_whole_ns, ns);
    if (is_message && end.is_sender && !end.has_contents)
        add_up(result_.without_contents_ns, ns);
}

std::int64_t communication::classified_ns() const
{
    std::int64_t sum = 0;
    for (const transfer_class &c : classes_.all())
        add_up(sum, plus(c.sender_ns, c.receiver_ns));
    return sum;
}

// --- messages ---

void communication::send(const tare_archive_event_t &event)
{
    const end_pointer e = end_of(event, true, UINT64_MAX);
    e->bytes = event.length;
    result_.sends++;
    note_follows(*e, event.peer, hull_of(e->memory));
    compare_contents(event, *e);
    note_end(event, e);
    if (event.kind == TARE_ARCHIVE_ISEND)
        requests_[{e->process, event.request}] = e;
    sends_[++labels_] = {e, part_of(e->memory, processes_[e->process].known.brought())};
    matcher_.add(event, labels_);
}

void communication::note_follows(call_end &e, std::uint32_t to, const interval &memory)
{
    const auto [latest, is_first] = processes_[e.process].latest_sent.try_emplace(to, memory);
    e.follows = !is_first && memory.bytes() > 0 && !overlap(memory, latest->second);
    latest->second = memory;
}

// With what went from there to the same process the time before.
void communication::compare_contents(const tare_archive_event_t &event, call_end &e)
{
    e.has_contents = (event.known & TARE_ARCHIVE_CONTENTS) != 0 && !e.memory.empty();
    e.contents = event.contents;
    if (!e.has_contents)
        return;
    const auto [found, is_new] =
        processes_[e.process].sent.try_emplace({event.peer, e.memory.front().begin}, sent_before{e.contents, e.bytes});
    e.is_repeated = !is_new && found->second.contents == e.contents && found->second.bytes == e.bytes;
    found->second = {e.contents, e.bytes};
}

void communication::complete_send(const tare_archive_event_t &event)
{
    const auto found = requests_.find({process_at(event), event.request});
    if (found != requests_.end()) {
        complete(event, found->second);
        requests_.erase(found);
    }
    matcher_.add(event);
}

void communication::post(const tare_archive_event_t &event)
{
    const end_pointer e = end_of(event, false, UINT64_MAX);
    note_end(event, e);
    requests_[{e->process, event.request}] = e;
    matcher_.add(event);
}

void communication::receive(const tare_archive_event_t &event)
{
    const request_key key = {process_at(event), event.request};
    const auto found = event.kind == TARE_ARCHIVE_IRECV ? requests_.find(key) : requests_.end();
    end_pointer e;
    if (found == requests_.end()) {
        e = end_of(event, false, event.length);
        note_end(event, e);
    } else {
        e = std::move(found->second);
        requests_.erase(found);
        e->memory = cut(e->memory, 0, event.length);
        complete(event, e);
    }
    e->bytes = event.length;
    result_.receives++;
    processes_[e->process].latest_sent.clear();
    receives_[++labels_] = received(transfer::message, e, e->memory, event.length);
    matcher_.add(event, labels_);
}

void communication::paired(match::method m, const match::message_end &send, const match::message_end &receive)
{
    if (!match::is_believed(m, send, receive))
        return;
    const auto s = sends_.find(send.label);
    const auto r = receives_.find(receive.label);
    if (s == sends_.end() || r == receives_.end())
        return;
    know(r->second, s->second.end, s->second.part);
    sends_.erase(s);
    receives_.erase(r);
}

// --- transfers ---

sent_part communication::part_of(const std::vector<interval> &pieces, const brought_map &brought)
{
    return {hull_of(pieces), bytes_of(pieces), origin_of(pieces, brought)};
}

// From here on the receiver's memory is what it has brought.
transfer_pointer communication::received(std::uint32_t operation, const end_pointer &receiver,
                                         const std::vector<interval> &pieces, std::uint64_t bytes)
{
    auto t = std::make_shared<transfer>();
    t->operation = operation;
    t->receiver = receiver;
    t->received = hull_of(pieces);
    t->bytes = bytes;
    processes_[receiver->process].known.bring(pieces, t);
    return t;
}

void communication::know(const transfer_pointer &t, const end_pointer &sender, const sent_part &part)
{
    t->sender = sender;
    t->source = sender->process;
    t->sent = part.memory;
    t->previous = part.from.previous;
    t->previous_bytes = part.from.previous_bytes;
    t->has_contents = sender->has_contents;
    t->contents = sender->contents;
    t->is_whole = t->previous != nullptr && t->previous_bytes == t->bytes;
    unsettled_[t.get()] = t;
    settle(t);
}

// Where a transfer waits: for its calls to end, and for its previous one; nullptr: for nothing.
std::vector<transfer_pointer> *communication::waited_for_by(const transfer &t)
{
    for (call_end *end : {t.sender.get(), t.receiver.get()})
        if (!end->is_placed)
            return &end->waiting;
    return t.previous && t.previous->in_class == unknown ? &t.previous->waiting : nullptr;
}

// As far as it can be. One may have been in two places, when the trace has ended.
void communication::settle(transfer_pointer first)
{
    ready_.push_back(std::move(first));
    if (ready_.size() > 1)
        return;
    while (!ready_.empty()) {
        const transfer_pointer t = ready_.front();
        if (t->in_class == unknown) {
            std::vector<transfer_pointer> *where = waited_for_by(*t);
            where != nullptr ? where->push_back(t) : classify(t);
        }
        ready_.pop_front();
    }
}

void communication::count_in(std::uint32_t number, call_end &end)
{
    if (end.in_class != unknown)
        return;
    end.in_class = number;
    add_time(end, std::exchange(end.ns, 0));
}

// Data that only pass through the sender are those that the previous transfer has brought, all of them, unless their contents
// are known and are others.
void communication::count_origin(transfer_class &c, const transfer &t)
{
    c.previous[t.previous ? t.previous->in_class : unknown]++;
    if (!t.previous)
        return;
    const transfer &before = *t.previous;
    c.previous_bytes += std::min(t.previous_bytes, t.bytes);
    const bool can_tell = t.has_contents && before.has_contents && before.bytes == t.bytes;
    const bool is_another = can_tell && before.contents != t.contents;
    const bool is_combined = is_reduction(t.operation) || before.operation == transfer::accumulate;
    if (!t.is_whole || is_another || before.source == t.source || is_combined)
        return;
    (before.source == t.receiver->process ? c.returned : c.relayed).add(t.bytes, can_tell);
}

void communication::count(transfer_class &c, const transfer &t)
{
    c.transfers++;
    c.bytes += t.bytes;
    c.with_contents += t.has_contents ? 1 : 0;
    if (t.sender->is_repeated)
        c.repeated.add(t.bytes, true);
    count_origin(c, t);
    pair_sum &p = c.pairs[{t.source, t.receiver->process}];
    p.transfers++;
    p.bytes += t.bytes;
    p.follow += t.sender->follows ? 1 : 0;
    if (t.sent.bytes() > 0)
        p.sent.add(t.sent);
    if (t.received.bytes() > 0)
        p.received.add(t.received);
}

void communication::classify(const transfer_pointer &t)
{
    const std::uint32_t number = classes_.class_of(*t);
    t->in_class = number;
    count(classes_[number], *t);
    count_in(number, *t->sender);
    count_in(number, *t->receiver);
    result_.transfers++;
    result_.bytes += t->bytes;
    const bool has_memory = t->sent.bytes() > 0 && t->received.bytes() > 0;
    result_.without_memory += t->bytes > 0 && !has_memory ? 1 : 0;
    result_.unnamed_bytes += t->sender->at.data == unknown ? t->bytes : 0;
    t->previous.reset();
    t->sender.reset();
    t->receiver.reset();
    for (transfer_pointer &next : std::exchange(t->waiting, {}))
        ready_.push_back(std::move(next));
    unsettled_.erase(t.get());
}

result communication::finish()
{
    matcher_.finish();
    // Calls that have not ended, of ranks that were killed: they are where they are.
    for (reader &r : readers_) {
        add_up(result_.total_ns, minus(r.latest_ns, r.first_ns));
        if (r.depth > 0)
            leave_call(r, tare_archive_event_t{});
    }
    result_.unpaired = sends_.size() + receives_.size() + gatherings_.unpaired();
    for (const auto &[key, all] : early_)
        result_.unpaired += all.size();
    for (const auto &[request, part] : collectives_)
        give_up(part);
    // What is brought by one whose sender nobody knows has no class before it.
    while (!unsettled_.empty()) {
        const transfer_pointer t = unsettled_.begin()->second;
        t->previous.reset();
        t->sender->is_placed = t->receiver->is_placed = true;
        settle(t);
    }
    const std::int64_t left_out_ns = plus(result_.of_neighbours_ns, result_.not_ended_ns);
    result_.unpaired_ns = minus(result_.communicating_ns, plus(classified_ns(), left_out_ns));
    result_.classes = classes_.take();
    for (transfer_class &c : result_.classes)
        for (const auto &[who, sum] : c.pairs)
            processes_[who.second].known.add_users({sum.received.lowest, sum.received.highest}, c.users);
    result_.variables.resize(variables_.size());
    for (const auto &[text, number] : variables_)
        result_.variables[number - archive_.text_count] = text;
    return std::move(result_);
}

}  // namespace tare::comms
