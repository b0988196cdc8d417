// SPDX-License-Identifier: BSD-3-Clause
// TARE_MODE=message: the payload travels as it is, and a second message of the tool's, its twin, on a communicator
// that nobody else knows (comms.hpp), with the same source, destination and tag.
//
// Which twin belongs to which message? Messages of one source and tag, and their twins, come in the order in which
// they were sent, and receives that may match them take them in the order in which they were posted. So the twin of a
// message that is complete is the first one that is left, but for one for each receive that was posted earlier, may
// match the same messages, and is not complete: it must have matched an earlier message, or this one would have gone
// to it. A receive with a wildcard gets its place among them when it is complete, by its status. Until then it may
// have matched another source or tag instead, and the size decides, which the twin tells, too; of messages of the
// same size the first twin is taken, so two messages of one source, tag and size under way at once may have their
// delays exchanged.
//
// A receive that has a request and no wildcard posts the receive of a twin, too. MPICH compares what comes with all
// receives that are posted, on all communicators, and keeps what has none in 16 KB each, so that twins that nobody
// expected would make a million open receives slow and large.
//
// The twin is sent behind its message, and before the call waits for anything else: that MPI_Sendrecv waits for what
// it receives must not keep the other side from the twin of what it has sent.
//
// Threads: with MPI_THREAD_MULTIPLE message and twin leave, and receives are posted, under the lock.
#include "bytes.hpp"
#include "carrier.hpp"
#include "handle_hash.hpp"
#include "item_pool.hpp"

#include <algorithm>
#include <new>
#include <sched.h>
#include <utility>
#include <vector>

namespace tare::pmpi {

namespace {

struct twin_message {
    tare_wire_t stamp;
    std::int64_t bytes;      // of the message that it belongs to
    std::uint64_t origin;    // sent where the trace is written
};

// One that was received before its message was complete, or that will be.
struct early_twin {
    twin_message content;
    MPI_Request request;     // null: it has come
    early_twin *next, *previous;
};

template <typename Item> struct ring_of {
    Item *first = nullptr, *last = nullptr;
    std::size_t count = 0;

    void push(Item *i)
    {
        i->next = nullptr;
        i->previous = last;
        (last == nullptr ? first : last->next) = i;
        last = i;
        count++;
    }
    // By number; mostly it is among the last.
    void insert(Item *i)
    {
        Item *before = last;
        while (before != nullptr && before->number > i->number)
            before = before->previous;
        i->previous = before;
        i->next = before == nullptr ? first : before->next;
        (before == nullptr ? first : before->next) = i;
        (i->next == nullptr ? last : i->next->previous) = i;
        count++;
    }
    void remove(Item *i)
    {
        (i->previous == nullptr ? first : i->previous->next) = i->next;
        (i->next == nullptr ? last : i->next->previous) = i->previous;
        count--;
    }
};

struct lane;

struct twinned : parcel {
    bool kept;               // a request stands for it
    bool has_twin;
    std::uint64_t number;    // of the posted receives of its communicator; 0: not posted
    std::int64_t bytes;      // that are sent, or that there is room for
    lane *in;                // nullptr: it has a wildcard
    twinned *next, *previous;
};

// Of one source and tag of a communicator: the receives that were posted for it and are not complete, and twins that
// came before their messages were.
struct lane {
    std::uint64_t key;
    ring_of<twinned> posted;
    ring_of<early_twin> early;
};

}  // namespace

// What a communicator keeps for this carrier.
struct comm_twins {
    std::uint64_t posted = 0;
    handle_table<std::uint64_t, lane *> lanes;
    ring_of<twinned> wildcards;
};

namespace {

constexpr std::uint64_t key_of(int source, int tag)
{
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << 32 | static_cast<std::uint32_t>(tag);
}

// Twins on their way. Most are complete when they leave, and one that goes to this process itself waits for its
// receive. To ask the MPI library costs as much as to send, so it is asked for many at once: for twice as many as
// were left.
class sent_twins {
  public:
    void send(const twin_message &content, const twinned &p)
    {
        if (count_ == look_at_)
            look();
        if (count_ == slots_.size())
            grow();
        *slots_[count_] = content;
        const int size = state.carries_origin ? sizeof content : offsetof(twin_message, origin);
        if (real.Isend(slots_[count_], size, MPI_BYTE, p.peer, p.tag, p.comm->twin, &requests_[count_]) ==
            MPI_SUCCESS)
            count_++;
    }

    // What nobody has received is left to the MPI library.
    void stop()
    {
        look();
        for (; count_ > 0; count_--)
            real.Request_free(&requests_[count_ - 1]);
    }

  private:
    static constexpr std::size_t at_once = 16;

    void look()
    {
        if (count_ == 0)
            return;
        int complete = 0;
        real.Testsome(static_cast<int>(count_), requests_.data(), &complete, indices_.data(), MPI_STATUSES_IGNORE);
        std::size_t left = 0;
        for (std::size_t i = 0; i < count_; i++)
            if (requests_[i] != MPI_REQUEST_NULL) {
                std::swap(slots_[left], slots_[i]);
                requests_[left++] = requests_[i];
            }
        count_ = left;
        look_at_ = std::max(at_once, 2 * left);
    }

    // The MPI library sends from a slot, so that stays where it is; it is never given back.
    void grow()
    {
        auto *fresh = new (std::nothrow) twin_message[at_once];
        if (fresh == nullptr)
            die("no memory for the messages of TARE_MODE=message");
        for (std::size_t i = 0; i < at_once; i++)
            slots_.push_back(fresh + i);
        requests_.resize(slots_.size());
        indices_.resize(slots_.size());
    }

    std::vector<twin_message *> slots_;    // the first `count_` of them are in use
    std::vector<MPI_Request> requests_;
    std::vector<int> indices_;
    std::size_t count_ = 0, look_at_ = at_once;
};

class message_carrier : public carrier {
  public:
    message_carrier() : carrier(0) {}

    // The lock is held where messages need an order.
    void departed(parcel *p) override
    {
        const auto *own = static_cast<twinned *>(p);
        sent_.send({own->stamp, own->bytes, own->origin}, *own);
    }

    bool follows_sends() const override { return false; }

    // A call that waits for its own message is behind all that were posted before and in front of nothing: it needs
    // no number.
    void post(parcel *p) override
    {
        carrier::post(p);
        auto *own = static_cast<twinned *>(p);
        own->has_twin = false;
        if (!own->kept && !state.concurrent)
            return;
        comm_twins &twins = twins_of(own->comm);
        own->number = ++twins.posted;
        const bool is_wildcard = own->peer == MPI_ANY_SOURCE || own->tag == MPI_ANY_TAG;
        own->in = is_wildcard ? nullptr : lane_of(twins, own->peer, own->tag);
        (own->in == nullptr ? twins.wildcards : own->in->posted).push(own);
        if (own->kept && own->in != nullptr)
            expect_twin(*own);
    }

    parcel *matched(const envelope &from) override
    {
        parcel *p = incoming({}, from, true);
        if (p == nullptr)
            return nullptr;
        static_cast<twinned *>(p)->bytes = INT64_MAX;        // not known yet
        shared_lock lock;
        post(p);
        return p;
    }

    void withdraw(parcel *p) override
    {
        shared_lock lock;
        unpost(static_cast<twinned *>(p));
    }

    void completed(parcel *p, const MPI_Status *status) override
    {
        p->request = MPI_REQUEST_NULL;
        auto *own = static_cast<twinned *>(p);
        shared_lock lock;
        if (receives(p) && own->number != 0 && own->in == nullptr && has_come(own, status))
            place(twins_of(p->comm), own, status);
    }

    bool is_whole(parcel *p, const MPI_Status *status) override
    {
        auto *own = static_cast<twinned *>(p);
        return !has_come(own, status) || own->has_twin || fetch(own, status, false);
    }

    bool arrive(parcel *p, const MPI_Status *status) override
    {
        auto *own = static_cast<twinned *>(p);
        if (p->seen)
            return true;
        if (!has_come(own, status)) {
            withdraw(p);
            return false;
        }
        if (!own->has_twin)
            fetch(own, status, true);
        return true;
    }

    bool needs_order() const override { return true; }

    void drop_type(MPI_Datatype type) override
    {
        shared_lock lock;
        if (type == sized_type_)
            type_size_ = -1;
    }

    void stop() override { sent_.stop(); }

  private:
    // Arguments that the MPI library will refuse are left for it to refuse: their twin would be one too many.
    parcel *describe(const user_data &data, const envelope &e, direction role, bool kept,
                     const comm_record &comm) override
    {
        if (data.count < 0 || (data.count > 0 && data.type == MPI_DATATYPE_NULL))
            return nullptr;
        const int peers = comm.inter ? comm.remote_size : comm.size;
        if (e.peer >= peers || (role == direction::send && (e.peer < 0 || e.tag < 0)))
            return nullptr;
        twinned *p = parcels_.take();
        keep_data(&p->library, data);
        p->has_twin = false;
        p->kept = kept;
        p->number = 0;
        p->in = nullptr;
        p->bytes = data.count > 0 ? data.count * size_of(data.type) : 0;
        return p;
    }

    void take_back(parcel *p) override
    {
        auto *own = static_cast<twinned *>(p);
        unpost(own);
        parcels_.give_back(own);
    }

    // Most messages have the type of the one before.
    MPI_Count size_of(MPI_Datatype type)
    {
        if (type != sized_type_ || type_size_ < 0) {
            sized_type_ = type;
            type_size_ = 0;
            real.Type_size_x(type, &type_size_);
        }
        return type_size_;
    }

    // Nor was it cancelled, maybe by another thread while this one had taken the request.
    static bool has_come(const twinned *p, const MPI_Status *status)
    {
        if (status->MPI_SOURCE < 0)
            return false;
        int cancelled = 0;
        if (p->cancelled || state.concurrent)
            real.Test_cancelled(status, &cancelled);
        return !cancelled;
    }

    static comm_twins &twins_of(comm_record *comm)
    {
        if (comm->twins == nullptr)
            comm->twins = new comm_twins;
        return *comm->twins;
    }

    lane *lane_of(comm_twins &twins, int source, int tag)
    {
        const std::uint64_t key = key_of(source, tag);
        lane *l = twins.lanes.find(key);
        if (l != nullptr)
            return l;
        l = lanes_.take();
        l->key = key;
        twins.lanes.put(key, l);
        return l;
    }

    void drop_if_idle(comm_twins &twins, lane *l)
    {
        if (l->posted.count + l->early.count > 0)
            return;
        twins.lanes.take(l->key);
        lanes_.give_back(l);
    }

    void unpost(twinned *p)
    {
        if (p->number == 0)
            return;
        p->number = 0;
        comm_twins &twins = *p->comm->twins;
        (p->in == nullptr ? twins.wildcards : p->in->posted).remove(p);
        if (p->in == nullptr)
            return;
        expect_no_more(p->in);
        drop_if_idle(twins, p->in);
    }

    void expect_twin(const twinned &p)
    {
        if (p.in->early.count >= p.in->posted.count || expected_ == expected_at_most)
            return;
        early_twin *t = early_.take();
        if (real.Irecv(&t->content, sizeof t->content, MPI_BYTE, p.peer, p.tag, p.comm->twin, &t->request) !=
            MPI_SUCCESS)
            return early_.give_back(t);
        p.in->early.push(t);
        expected_++;
    }

    // Than there are receives: one was withdrawn.
    void expect_no_more(lane *l)
    {
        while (l->early.count > l->posted.count && is_withdrawn(l->early.last))
            drop(l, l->early.last);
    }

    // False: it has come.
    bool is_withdrawn(early_twin *t)
    {
        if (t->request == MPI_REQUEST_NULL)
            return false;
        expected_--;
        int cancelled = 0;
        MPI_Status status{};
        real.Cancel(&t->request);
        real.Wait(&t->request, &status);
        real.Test_cancelled(&status, &cancelled);
        return cancelled;
    }

    void drop(lane *l, early_twin *t)
    {
        l->early.remove(t);
        early_.give_back(t);
    }

    // --- which twin ---

    // What has come, and from whom.
    struct message {
        comm_record *comm;
        int source, tag;
        const MPI_Status *status;
    };

    // Its place among those that are not complete.
    static std::size_t posted_before(const lane *l, const twinned *p)
    {
        if (l == nullptr || l->posted.first == p)
            return 0;
        if (p->number == 0)
            return l->posted.count;
        if (l->posted.last == p)
            return l->posted.count - 1;
        std::size_t before = 0;
        for (const twinned *i = l->posted.first; i != nullptr && i->number < p->number; i = i->next)
            before++;
        return before;
    }

    // A receive with a wildcard that was posted before and is complete has a source and a tag, so it gets its place.
    void place_complete(comm_twins &twins, const twinned *p)
    {
        for (twinned *i = twins.wildcards.first, *next; i != nullptr && is_before(i, p); i = next) {
            next = i->next;
            MPI_Status status{};
            int complete = 0;
            if (i->request == MPI_REQUEST_NULL ||
                real.Request_get_status(i->request, &complete, &status) != MPI_SUCCESS || !complete ||
                !has_come(i, &status))
                continue;
            place(twins, i, &status);
        }
    }

    void place(comm_twins &twins, twinned *p, const MPI_Status *status)
    {
        twins.wildcards.remove(p);
        p->in = lane_of(twins, status->MPI_SOURCE, status->MPI_TAG);
        p->in->posted.insert(p);
    }

    static bool is_before(const twinned *i, const twinned *p)
    {
        return i != p && (p->number == 0 || i->number < p->number);
    }

    // Of those that were posted before: which may have matched the same messages, or others.
    static std::size_t wildcards_before(const comm_twins &twins, const twinned *p, const message &m)
    {
        std::size_t before = 0;
        for (const twinned *i = twins.wildcards.first; i != nullptr && is_before(i, p); i = i->next)
            before += (i->peer == MPI_ANY_SOURCE || i->peer == m.source) &&
                      (i->tag == MPI_ANY_TAG || i->tag == m.tag);
        return before;
    }

    // False: it has not come yet.
    static bool receive_twin(const message &m, twin_message *content, bool may_wait)
    {
        *content = {};
        if (may_wait) {
            real.Recv(content, sizeof *content, MPI_BYTE, m.source, m.tag, m.comm->twin, MPI_STATUS_IGNORE);
            return true;
        }
        int has_come = 0;
        MPI_Message found = MPI_MESSAGE_NULL;
        real.Improbe(m.source, m.tag, m.comm->twin, &has_come, &found, MPI_STATUS_IGNORE);
        if (has_come)
            real.Mrecv(content, sizeof *content, MPI_BYTE, &found, MPI_STATUS_IGNORE);
        return has_come != 0;
    }

    // The twin with this place among those that are left. Null: it has not come yet.
    early_twin *nth_twin(const message &m, lane *l, std::size_t place, bool may_wait)
    {
        while (l->early.count <= place) {
            early_twin *t = early_.take();
            t->request = MPI_REQUEST_NULL;
            if (!receive_twin(m, &t->content, may_wait)) {
                early_.give_back(t);
                return nullptr;
            }
            l->early.push(t);
        }
        early_twin *t = place + 1 == l->early.count ? l->early.last : l->early.first;
        for (; t != l->early.last && place > 0; place--)
            t = t->next;
        return has_arrived(t, may_wait) ? t : nullptr;
    }

    bool has_arrived(early_twin *t, bool may_wait)
    {
        int complete = 1;
        if (t->request == MPI_REQUEST_NULL)
            return true;
        if (may_wait)
            real.Wait(&t->request, MPI_STATUS_IGNORE);
        else
            real.Test(&t->request, &complete, MPI_STATUS_IGNORE);
        expected_ -= complete;
        return complete;
    }

    // A message that was too long for its receive tells its size no more.
    static bool fits(const early_twin *t, const twinned *p, MPI_Count bytes)
    {
        return t->content.bytes == bytes || t->content.bytes > p->bytes;
    }

    bool choose(twinned *p, const message &m, lane *l, std::size_t before, std::size_t unsure, bool may_wait)
    {
        early_twin *chosen = nth_twin(m, l, before, may_wait);
        if (chosen == nullptr)
            return false;
        const MPI_Count bytes = unsure > 0 ? bytes::received(m.status) : 0;
        for (std::size_t i = 1; i <= unsure && !fits(chosen, p, bytes); i++) {
            early_twin *t = nth_twin(m, l, before + i, may_wait);
            if (t == nullptr)
                return false;
            if (fits(t, p, bytes))
                chosen = t;
        }
        take(p, chosen->content);
        drop(l, chosen);
        return true;
    }

    static void take(twinned *p, const twin_message &content)
    {
        p->stamp = content.stamp;
        p->origin = content.origin;
        p->payload_bytes = content.bytes;
    }

    // No receive was posted before that could have to do with this one: so the next twin belongs to it.
    static bool is_first(const twinned *p)
    {
        const comm_twins *twins = p->comm->twins;
        if (twins == nullptr)
            return true;
        if (twins->wildcards.first != nullptr)
            return false;
        return p->number == 0 ? twins->lanes.size() == 0 : p->in->posted.first == p;
    }

    bool try_fetch(twinned *p, const message &m, bool may_wait)
    {
        const bool is_found = is_first(p) ? receive_next(p, m, may_wait) : find_twin(p, m, may_wait);
        if (!is_found)
            return false;
        p->has_twin = true;
        unpost(p);
        return true;
    }

    bool receive_next(twinned *p, const message &m, bool may_wait)
    {
        if (p->in != nullptr && p->in->early.count > 0)
            return choose(p, m, p->in, 0, 0, may_wait);
        twin_message content;
        if (!receive_twin(m, &content, may_wait))
            return false;
        take(p, content);
        return true;
    }

    bool find_twin(twinned *p, const message &m, bool may_wait)
    {
        comm_twins &twins = twins_of(m.comm);
        place_complete(twins, p);
        lane *l = twins.lanes.find(key_of(m.source, m.tag));
        const std::size_t before = posted_before(l, p), unsure = wildcards_before(twins, p, m);
        if (before + unsure == 0 && (l == nullptr || l->early.count == 0))
            return receive_next(p, m, may_wait);
        if (l == nullptr)
            l = lane_of(twins, m.source, m.tag);
        const bool is_found = choose(p, m, l, before, unsure, may_wait);
        if (p->in != l)
            drop_if_idle(twins, l);
        return is_found;
    }

    // Another thread may be the one that has to receive in order to let this one's twin come, so the lock is not held
    // while waiting.
    bool fetch(twinned *p, const MPI_Status *status, bool waits)
    {
        const message m{p->comm, status->MPI_SOURCE, status->MPI_TAG, status};
        for (;;) {
            {
                shared_lock lock;
                if (try_fetch(p, m, waits && !state.concurrent))
                    return true;
            }
            if (!waits)
                return false;
            sched_yield();
        }
    }

    item_pool<twinned> parcels_;
    item_pool<lane> lanes_;
    // MPICH has 262,144 requests.
    static constexpr int expected_at_most = 1 << 16;

    item_pool<early_twin> early_;
    int expected_ = 0;           // of those that have not come
    sent_twins sent_;
    MPI_Datatype sized_type_{};
    MPI_Count type_size_ = -1;   // of that; -1: not known
};

}  // namespace

// Its lanes are the pool's, which is never given back.
void drop_twins(comm_twins *twins) { delete twins; }

std::unique_ptr<carrier> make_message_carrier() { return std::make_unique<message_carrier>(); }

}  // namespace tare::pmpi
