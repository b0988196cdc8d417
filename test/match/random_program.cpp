// SPDX-License-Identifier: BSD-3-Clause
#include "random_program.hpp"

#include <algorithm>
#include <deque>
#include <random>

namespace matching {
namespace {

constexpr std::uint32_t any = UINT32_MAX;

struct message {
    std::uint32_t from, to, thread, communicator, tag;
    std::uint64_t length, number;
};

struct receive {
    std::uint32_t process, thread, from, communicator, tag;
    std::uint64_t request;
    bool is_blocking;

    bool takes(const message &m) const
    {
        return m.communicator == communicator && (from == any || from == m.from) && (tag == any || tag == m.tag);
    }
};

struct matched {
    receive by;
    message what;
};

class run {
  public:
    run(const program_wish &wish, std::uint32_t seed)
        : wish_(wish), random_(seed), posted_(wish.processes), unexpected_(wish.processes), ahead_(wish.processes),
          is_blocked_(wish.processes * wish.threads), sent_(wish.processes * wish.threads), busy_until_(sent_.size()),
          channels_(wish.processes * wish.processes)
    {
        result_.start(wish.processes, wish.threads);
        result_.communicators.push_back({"other", result_.communicators[world].first, {}, false});
        std::reverse(result_.communicators.back().first.begin(), result_.communicators.back().first.end());
        for (std::uint64_t &ns : ahead_)
            ns = wish.most_skew_ns == 0 ? 0 : random_() % wish.most_skew_ns;
    }

    scenario play()
    {
        for (std::uint32_t i = 0; i < wish_.steps; i++)
            step();
        for (std::uint32_t c = 0; c < channels_.size(); c++)
            while (!channels_[c].empty())
                deliver(c);
        while (!done_.empty())
            complete();
        result_.sort();
        return std::move(result_);
    }

  private:
    std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
    bool happens(unsigned percent) { return random_() % 100 < percent; }
    // The world, or the one in which ranks go the other way.
    std::uint32_t some_communicator() { return below(wish_.communicators) == 0 ? world : self + 1; }
    std::uint32_t rank_in(std::uint32_t communicator, std::uint32_t process) const
    {
        return communicator == world ? process : wish_.processes - 1 - process;
    }

    void step()
    {
        const std::uint32_t process = below(wish_.processes), thread = below(wish_.threads);
        now_ += 10;
        if (now_ <= busy_until_[process * wish_.threads + thread])
            return;
        switch (below(4)) {
        case 0: deliver(below(static_cast<std::uint32_t>(channels_.size()))); return;
        case 1: complete(); return;
        case 2:
            if (!is_blocked_[process * wish_.threads + thread])
                send(process, thread, below(wish_.processes), some_communicator(), below(wish_.tags));
            return;
        default:
            if (is_blocked_[process * wish_.threads + thread])
                feed(process, thread);
            else
                post(process, thread);
        }
    }

    // So that there is always a thread which can send what a blocked one waits for.
    bool may_block(const receive &r) const
    {
        if (wish_.threads > 1)
            return r.thread > 0;
        const bool is_any_blocked = std::count(is_blocked_.begin(), is_blocked_.end(), 1) > 0;
        return r.process > 0 && r.from != r.process && !is_any_blocked;
    }

    // Somebody sends what a blocked thread waits for, so that not all come to wait for each other.
    void feed(std::uint32_t process, std::uint32_t thread)
    {
        const auto &line = posted_[process];
        const auto waits = std::find_if(line.begin(), line.end(),
                                        [thread](const receive &r) { return r.is_blocking && r.thread == thread; });
        const std::uint32_t from = waits->from == any ? 0 : waits->from;
        if (!is_blocked_[from * wish_.threads] && now_ > busy_until_[from * wish_.threads])
            send(from, 0, process, waits->communicator, waits->tag == any ? 0 : waits->tag);
    }

    tare_archive_event_t event(std::uint32_t process, std::uint32_t thread, std::uint32_t kind,
                               std::uint64_t later_ns = 0) const
    {
        tare_archive_event_t e{};
        e.kind = kind;
        e.location = result_.location(process, thread);
        e.time_ns = now_ + later_ns + ahead_[process];
        return e;
    }

    void send(std::uint32_t process, std::uint32_t thread, std::uint32_t to, std::uint32_t communicator,
              std::uint32_t tag)
    {
        const message m = {process, to, thread, communicator, tag, 8 * (1 + std::uint64_t{below(wish_.lengths)}),
                           sent_[process * wish_.threads + thread]++};
        channels_[m.from * wish_.processes + m.to].push_back(m);
        const std::uint64_t later_ns = happens(wish_.overtaking_percent) ? 10 + below(200) : 0;
        busy_until_[process * wish_.threads + thread] = now_ + later_ns;
        tare_archive_event_t e = event(process, thread, TARE_ARCHIVE_SEND, later_ns);
        e.communicator = m.communicator;
        e.peer = m.to;
        e.peer_rank = rank_in(m.communicator, m.to);
        e.tag = m.tag;
        e.length = m.length;
        e.known = TARE_ARCHIVE_SEQUENCE;
        e.sequence = m.number;
        result_.events.push_back(e);
    }

    void post(std::uint32_t process, std::uint32_t thread)
    {
        receive r = {process, thread, happens(wish_.wildcard_percent) ? any : below(wish_.processes), some_communicator(),
                     happens(wish_.wildcard_percent) ? any : below(wish_.tags), ++requests_, false};
        r.is_blocking = may_block(r) && happens(30);
        if (!r.is_blocking) {
            tare_archive_event_t e = event(process, thread, TARE_ARCHIVE_IRECV_REQUEST);
            e.request = r.request;
            result_.events.push_back(e);
        }
        auto &early = unexpected_[process];
        const auto found = std::find_if(early.begin(), early.end(), [&r](const message &m) { return r.takes(m); });
        if (found == early.end()) {
            posted_[process].push_back(r);
            is_blocked_[process * wish_.threads + thread] = r.is_blocking;
            return;
        }
        const message m = *found;
        early.erase(found);
        match({r, m});
    }

    void deliver(std::uint32_t channel)
    {
        if (channels_[channel].empty())
            return;
        now_ += 10;
        const message m = channels_[channel].front();
        channels_[channel].pop_front();
        auto &line = posted_[m.to];
        const auto found = std::find_if(line.begin(), line.end(), [&m](const receive &r) { return r.takes(m); });
        if (found == line.end())
            return unexpected_[m.to].push_back(m);
        const receive r = *found;
        line.erase(found);
        match({r, m});
    }

    void match(const matched &pair)
    {
        if (!pair.by.is_blocking)
            return done_.push_back(pair);
        is_blocked_[pair.by.process * wish_.threads + pair.by.thread] = false;
        received(pair, TARE_ARCHIVE_RECV, pair.by.thread);
    }

    // Any that has been matched, by any thread that is not blocked.
    void complete()
    {
        if (done_.empty())
            return;
        now_ += 10;
        const auto chosen = done_.begin() + below(static_cast<std::uint32_t>(done_.size()));
        const matched pair = *chosen;
        done_.erase(chosen);
        received(pair, TARE_ARCHIVE_IRECV, below(wish_.threads));
    }

    void received(const matched &pair, std::uint32_t kind, std::uint32_t thread)
    {
        const message &m = pair.what;
        tare_archive_event_t e = event(pair.by.process, thread, kind, 1);
        e.communicator = m.communicator;
        e.peer = m.from;
        e.peer_rank = rank_in(m.communicator, m.from);
        e.tag = m.tag;
        e.length = m.length;
        e.request = kind == TARE_ARCHIVE_IRECV ? pair.by.request : 0;
        e.known = TARE_ARCHIVE_SEQUENCE | TARE_ARCHIVE_PEER_THREAD;
        e.sequence = m.number;
        e.peer_thread = m.thread;
        result_.events.push_back(e);
    }

    const program_wish wish_;
    std::mt19937 random_;
    scenario result_;
    std::uint64_t now_ = 1000, requests_ = 0;
    std::vector<std::deque<receive>> posted_;        // by process
    std::vector<std::deque<message>> unexpected_;
    std::vector<std::uint64_t> ahead_;
    std::vector<char> is_blocked_;                   // by location
    std::vector<std::uint64_t> sent_, busy_until_;
    std::vector<std::deque<message>> channels_;      // by sender and receiver
    std::vector<matched> done_;
};

}  // namespace

scenario random_program(const program_wish &wish, std::uint32_t seed) { return run(wish, seed).play(); }

}  // namespace matching
