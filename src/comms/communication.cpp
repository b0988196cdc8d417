// SPDX-License-Identifier: BSD-3-Clause
#include "communication.hpp"

#include <cstdlib>
#include <string_view>
#include <utility>

namespace tare::comms {
namespace {

// MPI_Recv, MPI_Recv(), and of other tools in small letters, too.
bool is_call_of_mpi(std::string_view region)
{
    constexpr std::string_view prefix = "mpi_";
    const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return region.size() > prefix.size() &&
           std::equal(prefix.begin(), prefix.end(), region.begin(), [&](char a, char b) { return a == small(b); });
}

bool knows_sent(const tare_archive_event_t &e) { return (e.known & TARE_ARCHIVE_SEND_ADDRESS) != 0; }
bool knows_received(const tare_archive_event_t &e) { return (e.known & TARE_ARCHIVE_RECEIVE_ADDRESS) != 0; }

bool overlap(const interval &a, const interval &b) { return a.begin < b.end && b.begin < a.end; }

// Rank of a process in a communicator; unknown: it is none of it, or nobody knows who is.
std::uint32_t rank_in(const tare_archive_communicator_t &c, std::uint32_t process)
{
    if (c.members == nullptr)
        return unknown;
    const auto *end = c.members + c.size, *found = std::find(c.members, end, process);
    return found == end ? unknown : static_cast<std::uint32_t>(found - c.members);
}

}  // namespace

communication::communication(const tare_archive_t &archive, clock_change change, find_variable find)
    : archive_(archive), change_(change), places_(match::places_of(archive)), find_variable_(std::move(find)),
      readers_(archive.location_count),
      processes_(archive.process_count), layouts_(archive.text_count), matcher_(places_, false)
{
    for (std::size_t i = 0; i < archive.region_count; i++) {
        is_mpi_.push_back(is_call_of_mpi(archive.regions[i]));
        is_uses_.push_back(std::string_view(archive.regions[i]) == TARE_TRACE_USES_REGION);
    }
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
    case TARE_ARCHIVE_COLLECTIVE_COMPLETE: result_.not_read++; return;
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
        e->at.data = name_at(e->process, buffer.address);
        e->memory = pieces_of(buffer, has_type, most_bytes);
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
    r.moves = true;
    r.begun.push_back(end);
    r.timed.push_back(end);
}

void communication::enter(const tare_archive_event_t &event)
{
    reader &r = readers_[event.location];
    if (r.depth > 0) {
        r.depth++;
    } else if (event.region < is_mpi_.size() && is_mpi_[event.region]) {
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
    if (event.region < is_uses_.size() && is_uses_[event.region])
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
    if (text != unknown || !find_variable_)
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
    const variable v = find_variable_(text.substr(0, plus), value);
    if (v.name.empty() || v.begin > value || v.end <= value)
        return nothing;
    const auto next = static_cast<std::uint32_t>(archive_.text_count + variables_.size());
    const std::uint32_t number = variables_.emplace(v.name, next).first->second;
    return {number, {address - (value - v.begin), address + (v.end - value)}};
}

// The time of a call is that of all that it sends, receives or waits for, in equal parts.
void communication::leave_call(reader &r, const tare_archive_event_t &event)
{
    const std::int64_t ns = r.latest_ns - r.entered_ns;
    result_.communicating_ns += r.moves ? ns : 0;
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
    r.moves = false;
}

void communication::add_time(call_end &end, std::int64_t ns)
{
    if (end.in_class == unknown)
        end.ns += ns;
    else
        (end.is_sender ? classes_[end.in_class].sender_ns : classes_[end.in_class].receiver_ns) += ns;
}

// --- messages ---

void communication::send(const tare_archive_event_t &event)
{
    const end_pointer e = end_of(event, true, UINT64_MAX);
    const interval memory = hull_of(e->memory);
    process_state &p = processes_[e->process];
    e->bytes = event.length;
    result_.sends++;
    const auto [latest, is_first] = p.latest_sent.try_emplace(event.peer, memory);
    e->follows = !is_first && memory.bytes() > 0 && !overlap(memory, latest->second);
    latest->second = memory;
    compare_contents(event, *e);
    note_end(event, e);
    if (event.kind == TARE_ARCHIVE_ISEND)
        requests_[{e->process, event.request}] = e;
    sends_[++labels_] = {e, p.known.origin_of(e->memory), memory};
    matcher_.add(event, labels_);
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
        reader &r = readers_[event.location];
        r.moves = r.depth > 0;
        if (r.depth > 0)
            r.timed.push_back(std::move(found->second));
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
        reader &r = readers_[event.location];
        r.moves = r.depth > 0;
        if (r.depth > 0)
            r.timed.push_back(e);
    }
    e->bytes = event.length;
    result_.receives++;
    processes_[e->process].latest_sent.clear();
    auto t = std::make_shared<transfer>();
    t->receiver = e;
    t->received = hull_of(e->memory);
    t->bytes = event.length;
    processes_[e->process].known.bring(e->memory, t);
    receives_[++labels_] = t;
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
    know(r->second, s->second.end, s->second.memory, s->second.from);
    sends_.erase(s);
    receives_.erase(r);
}

// --- collective operations ---

communication::gathering_pointer communication::gathering_of(const tare_archive_event_t &event)
{
    const tare_archive_communicator_t &c = archive_.communicators[event.communicator];
    const std::uint32_t root = event.peer == unknown ? unknown : rank_in(c, event.peer);
    const std::uint64_t number = numbers_[{process_at(event), event.communicator}]++;
    gathering_pointer &g = open_[{event.communicator, number}];
    if (!g) {
        g = std::make_shared<gathering>();
        g->operation = event.operation;
        g->root = root;
        g->size = c.size;
        g->slots.resize(c.size);
    }
    gathering_pointer found = g;
    if (++found->arrived == c.size)
        open_.erase({event.communicator, number});
    return found;
}

void communication::collective(const tare_archive_event_t &event)
{
    if (event.communicator >= archive_.communicator_count)
        return;
    const tare_archive_communicator_t &c = archive_.communicators[event.communicator];
    const movement m = movement_of(event.operation);
    const std::uint32_t rank = rank_in(c, process_at(event));
    if (rank == unknown || c.size < 2)
        return;
    const gathering_pointer g = gathering_of(event);
    if (m.to == flow::none || g->operation != event.operation || g->slots[rank].sender != nullptr)
        return;
    result_.collectives++;
    const end_pointer s = end_of(event, true, UINT64_MAX), r = end_of(event, false, UINT64_MAX);
    if (m.to == flow::combined)
        s->memory = s->memory.empty() ? r->memory : s->memory;
    // Data in place: a rank's own share is sent.
    if (m.to == flow::to_all && !m.sent_is_divided && m.received_is_divided && hull_of(s->memory).begin == hull_of(r->memory).begin)
        s->memory = share_of(r->memory, rank, c.size);
    note_end(event, s);
    note_end(event, r);
    processes_[s->process].latest_sent.clear();
    if (m.to == flow::combined)
        combine(event.operation, s, r);
    else
        arrive(*g, rank, s, r);
}

void communication::combine(std::uint32_t operation, const end_pointer &sender, const end_pointer &receiver)
{
    auto t = std::make_shared<transfer>();
    t->operation = operation;
    t->receiver = receiver;
    t->received = hull_of(receiver->memory);
    t->bytes = receiver->bytes;
    memory &known = processes_[receiver->process].known;
    const origin from = known.origin_of(sender->memory);
    known.bring(receiver->memory, t);
    know(t, sender, hull_of(sender->memory), from);
}

void communication::arrive(gathering &g, std::uint32_t rank, const end_pointer &sender, const end_pointer &receiver)
{
    const movement m = movement_of(g.operation);
    slot &own = g.slots[rank];
    const memory &known = processes_[sender->process].known;
    own.sender = sender;
    for (std::uint32_t to = 0; to < (m.sent_is_divided ? g.size : 1); to++)
        own.origins.push_back(known.origin_of(m.sent_is_divided ? share_of(sender->memory, to, g.size) : sender->memory));
    for (std::uint32_t from = 0; from < g.size; from++) {
        const bool comes = m.to == flow::to_all || (m.to == flow::from_root ? from == g.root : rank == g.root);
        if (from != rank && comes)
            want(g, from, rank, receiver);
    }
    for (const wanted &w : own.wanting)
        connect(g, own, w);
    own.wanting.clear();
}

void communication::want(gathering &g, std::uint32_t from, std::uint32_t to, const end_pointer &receiver)
{
    const std::vector<interval> part =
        movement_of(g.operation).received_is_divided ? share_of(receiver->memory, from, g.size) : receiver->memory;
    auto t = std::make_shared<transfer>();
    t->operation = g.operation;
    t->receiver = receiver;
    t->received = hull_of(part);
    t->bytes = bytes_of(part);
    processes_[receiver->process].known.bring(part, t);
    const wanted w = {t, to};
    if (g.slots[from].sender)
        connect(g, g.slots[from], w);
    else
        g.slots[from].wanting.push_back(w);
}

void communication::connect(const gathering &g, const slot &from, const wanted &w)
{
    const bool is_divided = movement_of(g.operation).sent_is_divided;
    const std::vector<interval> part =
        is_divided ? share_of(from.sender->memory, w.receiver, g.size) : from.sender->memory;
    if (w.what->bytes == 0)
        w.what->bytes = bytes_of(part);
    know(w.what, from.sender, hull_of(part), from.origins[is_divided ? w.receiver : 0]);
}

// --- transfers ---

void communication::know(const transfer_pointer &t, const end_pointer &sender, const interval &sent, const origin &from)
{
    t->sender = sender;
    t->source = sender->process;
    t->sent = sent;
    t->previous = from.previous;
    t->previous_bytes = from.previous_bytes;
    t->has_contents = sender->has_contents;
    t->contents = sender->contents;
    t->is_whole = from.previous != nullptr && from.previous_bytes == t->bytes;
    t->is_known = true;
    unsettled_[t.get()] = t;
    settle(t);
}

// As far as it can be: one waits for its calls to end, and for its previous one.
void communication::settle(transfer_pointer first)
{
    ready_.push_back(std::move(first));
    if (ready_.size() > 1)
        return;
    while (!ready_.empty()) {
        const transfer_pointer t = ready_.front();
        if (t->in_class != unknown)
            ;                            // it has not waited for its previous one to the end
        else if (!t->sender->is_placed)
            t->sender->waiting.push_back(t);
        else if (!t->receiver->is_placed)
            t->receiver->waiting.push_back(t);
        else if (t->previous && t->previous->in_class == unknown)
            t->previous->waiting.push_back(t);
        else
            classify(t);
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
    const std::uint32_t receiver = t.receiver->process;
    c.previous_bytes += std::min(t.previous_bytes, t.bytes);
    const bool is_proved = t.has_contents && before.has_contents && before.bytes == t.bytes && before.contents == t.contents;
    const bool is_another = t.has_contents && before.has_contents && before.bytes == t.bytes && !is_proved;
    if (!t.is_whole || is_another || before.source == t.source || is_reduction(t.operation))
        return;
    const bool is_back = before.source == receiver;
    (is_back ? c.returned : c.relayed)++;
    (is_back ? c.returned_bytes : c.relayed_bytes) += t.bytes;
    (is_back ? c.returned_proved : c.relayed_proved) += is_proved ? 1 : 0;
}

void communication::count(transfer_class &c, const transfer &t)
{
    c.transfers++;
    c.bytes += t.bytes;
    c.largest_bytes = std::max(c.largest_bytes, t.bytes);
    c.with_contents += t.has_contents ? 1 : 0;
    c.repeated += t.sender->is_repeated ? 1 : 0;
    c.repeated_bytes += t.sender->is_repeated ? t.bytes : 0;
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
        result_.total_ns += r.latest_ns - r.first_ns;
        if (r.depth > 0)
            leave_call(r, tare_archive_event_t{});
    }
    for (const auto &[label, s] : sends_)
        result_.unpaired_ns += s.end->ns;
    for (const auto &[label, t] : receives_)
        result_.unpaired_ns += t->receiver->ns;
    result_.unpaired = sends_.size() + receives_.size();
    for (const auto &[which, g] : open_)
        for (const slot &s : g->slots)
            result_.unpaired += s.wanting.size();
    // What is brought by one whose sender nobody knows has no class before it.
    while (!unsettled_.empty()) {
        const transfer_pointer t = unsettled_.begin()->second;
        t->previous.reset();
        t->sender->is_placed = t->receiver->is_placed = true;
        settle(t);
    }
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
