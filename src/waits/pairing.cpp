// SPDX-License-Identifier: BSD-3-Clause
#include "pairing.hpp"

namespace tare::waits {

pairing::pairing(std::vector<match::place> places, replay &to)
    : places_(std::move(places)), to_(to), matcher_(places_, false)
{
    matcher_.listen(this);
}

pairing::end_pointer pairing::take_request(const request &r)
{
    const auto found = requests_.find(r);
    if (found == requests_.end())
        return nullptr;
    end_pointer end = std::move(found->second);
    requests_.erase(found);
    return end;
}

// The end is known before the matcher may pair it.
pairing::end_pointer pairing::end_of(const tare_archive_event_t &event, std::int64_t begun_ns)
{
    const request r = {places_[event.location].process, event.request};
    const bool is_send = match::is_send(event.kind);
    end_pointer end = event.kind == TARE_ARCHIVE_IRECV ? take_request(r) : nullptr;
    if (event.peer == TARE_ARCHIVE_UNKNOWN)
        return nullptr;
    if (!end)
        end = std::make_shared<message_end>();
    if (event.kind != TARE_ARCHIVE_IRECV)
        end->begun_ns = begun_ns;
    if (is_send)
        end->peer = event.peer;
    if (event.kind == TARE_ARCHIVE_ISEND)
        requests_[r] = end;
    const auto side = is_send ? match::side_send : match::side_receive;
    open_[side][++numbers_[side]] = end;
    return end;
}

pairing::end_pointer pairing::post(const request &r, std::int64_t begun_ns)
{
    end_pointer end = std::make_shared<message_end>();
    end->begun_ns = begun_ns;
    return requests_[r] = end;
}

std::shared_ptr<message_end> pairing::add(const tare_archive_event_t &event, std::int64_t begun_ns)
{
    const request r = {places_[event.location].process, event.request};
    end_pointer end;
    switch (event.kind) {
    case TARE_ARCHIVE_SEND:
    case TARE_ARCHIVE_ISEND:
    case TARE_ARCHIVE_RECV:
    case TARE_ARCHIVE_IRECV: end = end_of(event, begun_ns); break;
    case TARE_ARCHIVE_IRECV_REQUEST: end = post(r, begun_ns); break;
    case TARE_ARCHIVE_ISEND_COMPLETE: end = take_request(r); break;
    case TARE_ARCHIVE_REQUEST_CANCELLED: take_request(r); break;
    default: return nullptr;
    }
    matcher_.add(event);
    return end;
}

void pairing::paired(match::method m, const match::message_end &send, const match::message_end &receive)
{
    if (!match::is_believed(m, send, receive))
        return;
    auto &sends = open_[match::side_send], &receives = open_[match::side_receive];
    const auto s = sends.find(send.number);
    const auto r = receives.find(receive.number);
    if (s == sends.end() || r == receives.end())
        return;
    to_.pair(s->second, r->second);
    sends.erase(s);
    receives.erase(r);
}

void pairing::finish()
{
    matcher_.finish();
    for (auto &side : open_)
        side.clear();
    requests_.clear();
}

}  // namespace tare::waits
