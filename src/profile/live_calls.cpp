// SPDX-License-Identifier: BSD-3-Clause
// From the notes of MPI calls that a process left behind to its table of them. Nothing in the file is believed before
// it is checked.
#include "live_calls.hpp"

#include "live_file.hpp"
#include "site_name.hpp"

#include <climits>
#include <cmath>
#include <map>

namespace tare {
namespace {

using profile::call_site;
using profile::rank_calls;

class notes_reader {
  public:
    explicit notes_reader(const live_file &file) : file_(file), layout_(file.header().notes_layout) {}

    std::vector<call_site> sites() const { return sums_.list(); }
    std::vector<profile::waiting> waits() const { return waits_.list(); }

    void add_thread(const char *notes, rank_calls &result)
    {
        const std::uint32_t classes = std::min<std::uint32_t>(layout_.classes, profile::size_classes);
        for (std::uint32_t i = 0; i < classes; i++) {
            const std::uint32_t at = i * std::uint32_t{sizeof(std::int64_t)};
            add(result.sizes[i].messages, count(notes, layout_.messages + at));
            add(result.sizes[i].bytes, count(notes, layout_.bytes + at));
        }
        const auto next = [this](const char &s, live_address) { return part<live_address>(&s, layout_.site_next); };
        file_.for_each<char>(part<live_address>(notes, layout_.sites), layout_.site_size, next,
                             [this](const char &s, live_address) { add_site(&s); });
        const auto older = [this](const char &w, live_address) { return part<live_address>(&w, layout_.wait_next); };
        file_.for_each<char>(part<live_address>(notes, layout_.waits), layout_.wait_size, older,
                             [this](const char &w, live_address) { add_waiting(&w); });
    }

    void add_sent(const char *notes, std::map<int, profile::sent_messages> &to)
    {
        const auto next = [this](const char &p, live_address) { return part<live_address>(&p, layout_.peer_next); };
        file_.for_each<char>(part<live_address>(notes, layout_.peers), layout_.peer_size, next,
                             [this, &to](const char &p, live_address) { add_peer(&p, to); });
    }

  private:
    std::int64_t number(const char *from, std::uint32_t offset) const
    {
        const auto value = part<std::int64_t>(from, offset);
        if (!is_possible(value))
            file_.damaged("its figures cannot be");
        return value;
    }

    std::int64_t count(const char *from, std::uint32_t offset) const
    {
        const std::int64_t value = number(from, offset);
        if (value < 0)
            file_.damaged("its figures cannot be");
        return value;
    }

    void add(std::int64_t &sum, std::int64_t value) const
    {
        sum += value;
        if (!is_possible(sum))
            file_.damaged("its figures cannot be");
    }

    std::string text(const char *site, std::uint32_t offset) const
    {
        return file_.text(part<live_address>(site, offset));
    }

    // A site whose first call had not been summed up has no figures yet.
    void add_site(const char *site)
    {
        if (++count_ > file_.most(layout_.site_size))
            file_.damaged("sites are in two lists");
        const std::int64_t calls = count(site, layout_.calls);
        if (calls > 0)
            check(sums_.add(named(site, calls)));
    }

    call_site named(const char *site, std::int64_t calls) const
    {
        const live_notes_layout &l = layout_;
        call_site s;
        s.function = text(site, l.function);
        if (s.function.empty())
            file_.damaged("a function of MPI has no name");
        s.site = symbols::name_of_site({text(site, l.module), part<std::uint64_t>(site, l.offset),
                                        text(site, l.symbol), part<std::uint64_t>(site, l.symbol_offset)});
        s.calls = calls;
        s.sent_bytes = count(site, l.sent_bytes);
        s.received_bytes = count(site, l.received_bytes);
        s.time_ns = number(site, l.time);
        s.least_ns = number(site, l.least);
        s.most_ns = std::max(s.least_ns, number(site, l.most));
        s.comp_ns = s.time_ns - number(site, l.delay);
        s.wait_ns = number(site, l.wait);
        s.wait_comp_ns = number(site, l.wait_compensated);
        s.completed = std::min(calls, count(site, l.completed));         // while it runs it may be one more
        s.completion_ns = count(site, l.completion);
        s.completion_comp_ns = count(site, l.completion_compensated);
        return s;
    }

    // A peer whose first message had not been summed up has no figures yet.
    void add_peer(const char *peer, std::map<int, profile::sent_messages> &to)
    {
        const live_notes_layout &l = layout_;
        if (++count_ > file_.most(l.peer_size))
            file_.damaged("peers are in two lists");
        profile::sent_messages s;
        const std::int64_t rank = number(peer, l.peer_rank);
        if (rank < profile::elsewhere || rank >= INT_MAX)
            file_.damaged("messages went to a rank that cannot be");
        s.to = static_cast<int>(rank);
        s.messages = count(peer, l.peer_messages);
        s.bytes = count(peer, l.peer_bytes);
        s.most_bytes = count(peer, l.peer_most);
        if (s.messages == 0)
            return;
        // While it runs, the mean may be of one message more or less.
        const std::int64_t mean = s.bytes / s.messages;
        s.most_bytes = std::max(s.most_bytes, mean);
        s.least_bytes = std::min(count(peer, l.peer_least), mean);
        s.squares = part<double>(peer, l.peer_squares);
        profile::sent_messages &sum = to[s.to];
        sum.to = s.to;
        profile::add(sum, s);
        if (!is_possible(sum.messages) || !is_possible(sum.bytes) || !(sum.squares >= 0 && std::isfinite(sum.squares)))
            file_.damaged("its figures cannot be");
    }

    // One whose first call had not been summed up has no figures yet.
    void add_waiting(const char *waiting)
    {
        const live_notes_layout &l = layout_;
        if (++count_ > file_.most(l.wait_size))
            file_.damaged("waits are in two lists");
        profile::waiting w;
        const std::int64_t whom = number(waiting, l.wait_whom), order = number(waiting, l.wait_order);
        w.calls = count(waiting, l.wait_calls);
        if (whom < profile::unknown || whom >= INT_MAX)
            file_.damaged("a rank that cannot be was waited for");
        if (order < 0 || order >= profile::orders)
            file_.damaged("there is no such order of messages");
        if (w.calls == 0)
            return;
        w.whom = static_cast<int>(whom);
        w.order = static_cast<profile::message_order>(order);
        w.function = text(waiting, l.wait_function);
        if (w.function.empty())
            file_.damaged("a function of MPI has no name");
        w.wait_ns = number(waiting, l.wait_measured);
        w.wait_comp_ns = number(waiting, l.wait_without_delay);
        const profile::waiting &sum = waits_.add(w);
        if (!is_possible(sum.calls) || !is_possible(sum.wait_ns) || !is_possible(sum.wait_comp_ns))
            file_.damaged("its figures cannot be");
    }

    // What is possible once need not be so together.
    void check(const call_site &sum) const
    {
        for (const std::int64_t value : {sum.calls, sum.sent_bytes, sum.received_bytes, sum.time_ns, sum.comp_ns,
                                         sum.wait_ns, sum.wait_comp_ns, sum.completed, sum.completion_ns,
                                         sum.completion_comp_ns})
            if (!is_possible(value))
                file_.damaged("its figures cannot be");
    }

    const live_file &file_;
    const live_notes_layout &layout_;
    profile::site_sums sums_;
    profile::wait_sums waits_;
    std::uint64_t count_ = 0;
};

template <typename Visit> void for_each_thread(const live_file &file, Visit visit)
{
    const live_header &h = file.header();
    const auto next = [&h](const char &n, live_address) { return part<live_address>(&n, h.notes_layout.next); };
    file.for_each<char>(h.notes, h.notes_layout.size, next, [&](const char &n, live_address) { visit(&n); });
}

std::vector<profile::sent_messages> read_sent_once(const std::string &path)
{
    const live_file file(path);
    if (file.header().notes == 0)
        return {};
    std::map<int, profile::sent_messages> by_rank;
    notes_reader notes(file);
    for_each_thread(file, [&](const char *n) { notes.add_sent(n, by_rank); });
    std::vector<profile::sent_messages> sent;
    for (const auto &[rank, messages] : by_rank)
        sent.push_back(messages);
    return sent;
}

std::optional<rank_calls> read_once(const std::string &path)
{
    const live_file file(path);
    const live_header &h = file.header();
    if (h.notes == 0)
        return std::nullopt;
    profile::run described;
    described.threads.emplace_back().metadata = file.attributes();
    rank_calls result;
    result.rank = h.rank;
    result.ranks = described.ranks();
    result.run_id = described.attribute(profile::key::run_id);
    result.mode = described.attribute(profile::key::mode);
    result.rule = described.attribute(profile::key::rule);
    notes_reader notes(file);
    for_each_thread(file, [&](const char *n) { notes.add_thread(n, result); });
    result.sites = notes.sites();
    result.waits = notes.waits();
    return result;
}

}  // namespace

namespace profile {

std::optional<rank_calls> read_live_calls(const std::string &path) { return read_again(path, read_once); }

std::vector<sent_messages> read_live_sent(const std::string &path) { return read_again(path, read_sent_once); }

}  // namespace profile
}  // namespace tare
