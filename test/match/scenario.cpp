// SPDX-License-Identifier: BSD-3-Clause
#include "scenario.hpp"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sstream>
#include <stdexcept>

namespace matching {

using tare::match::match_result;

void scenario::start(std::uint32_t process_count, std::uint32_t thread_count)
{
    processes = process_count;
    threads = thread_count;
    communicators = {{"world", {}, {}, false}, {"self", {}, {}, false}};
    communicators[world].first.resize(processes);
    std::iota(communicators[world].first.begin(), communicators[world].first.end(), 0);
}

void scenario::sort()
{
    std::stable_sort(events.begin(), events.end(), [](const tare_archive_event_t &a, const tare_archive_event_t &b) {
        return std::pair(a.time_ns, a.location) < std::pair(b.time_ns, b.location);
    });
}

namespace {

class parser {
  public:
    explicit parser(std::vector<scenario> &to) : to_(to) {}

    void line(std::string text)
    {
        number_++;
        text.resize(std::min(text.find('#'), text.size()));
        std::istringstream words(text);
        if (std::string first; words >> first)
            directive(first, words);
    }

    void end()
    {
        for (scenario &s : to_)
            s.sort();
    }

  private:
    [[noreturn]] void refuse(const std::string &what) const
    {
        throw std::runtime_error("line " + std::to_string(number_) + ": " + what);
    }

    template <typename Number> Number take(std::istream &words) const
    {
        Number value{};
        if (!(words >> value))
            refuse("a number is missing");
        return value;
    }

    scenario &current() const
    {
        if (to_.empty())
            refuse("there is no scenario yet");
        return to_.back();
    }

    void directive(const std::string &first, std::istringstream &words)
    {
        if (first == "scenario")
            words >> to_.emplace_back().name;
        else if (first == "processes")
            processes(words);
        else if (first == "communicator" || first == "intercommunicator")
            define(words, first == "intercommunicator");
        else if (first == "expect")
            expect(words);
        else
            event(first, words);
    }

    void processes(std::istringstream &words)
    {
        const auto count = take<std::uint32_t>(words);
        std::string word;
        const std::uint32_t threads = words >> word ? take<std::uint32_t>(words) : 1;
        current().start(count, threads);
    }

    void define(std::istringstream &words, bool is_inter)
    {
        communicator c;
        c.is_inter = is_inter;
        words >> c.name;
        std::vector<std::uint32_t> *group = &c.first;
        for (std::string word; words >> word;)
            if (word == "/")
                group = &c.second;
            else
                group->push_back(static_cast<std::uint32_t>(std::stoul(word)));
        current().communicators.push_back(c);
    }

    void expect(std::istringstream &words)
    {
        std::string what, rest;
        words >> what >> std::ws;
        std::getline(words, rest);
        current().expected[what] = rest.substr(0, rest.find_last_not_of(' ') + 1);
    }

    void event(const std::string &time, std::istringstream &words)
    {
        tare_archive_event_t e{};
        e.time_ns = std::stoull(time);
        const auto rank = take<std::uint32_t>(words);
        words.ignore();
        e.location = current().location(rank, take<std::uint32_t>(words));
        std::string what;
        words >> what;
        if (what == "send" || what == "recv")
            message(e, rank, what == "send", words);
        else
            request(e, what, words);
        current().events.push_back(e);
    }

    void request(tare_archive_event_t &e, const std::string &what, std::istringstream &words)
    {
        const std::map<std::string, std::uint32_t> kinds = {{"post", TARE_ARCHIVE_IRECV_REQUEST},
                                                            {"done", TARE_ARCHIVE_ISEND_COMPLETE},
                                                            {"cancel", TARE_ARCHIVE_REQUEST_CANCELLED}};
        if (kinds.count(what) == 0)
            refuse(what + " is not known");
        e.kind = kinds.at(what);
        e.request = take<std::uint64_t>(words);
    }

    void message(tare_archive_event_t &e, std::uint32_t rank, bool is_send, std::istringstream &words)
    {
        e.kind = is_send ? TARE_ARCHIVE_SEND : TARE_ARCHIVE_RECV;
        e.peer_rank = take<std::uint32_t>(words);
        e.tag = take<std::uint32_t>(words);
        e.length = take<std::uint64_t>(words);
        for (std::string word; words >> word;)
            option(e, word, words);
        e.peer = peer(rank, e);
    }

    void option(tare_archive_event_t &e, const std::string &word, std::istringstream &words)
    {
        if (word == "in") {
            std::string name;
            words >> name;
            e.communicator = find(name);
        } else if (word == "request") {
            e.kind = e.kind == TARE_ARCHIVE_SEND ? TARE_ARCHIVE_ISEND : TARE_ARCHIVE_IRECV;
            e.request = take<std::uint64_t>(words);
        } else if (word == "number" || word == "of") {
            e.known = TARE_ARCHIVE_SEQUENCE;
            if (word == "of") {
                e.known |= TARE_ARCHIVE_PEER_THREAD;
                e.peer_thread = take<std::uint32_t>(words);
            }
            e.sequence = take<std::uint64_t>(words);
        } else {
            refuse(word + " is not known");
        }
    }

    std::uint32_t find(const std::string &name) const
    {
        const auto &all = current().communicators;
        for (std::uint32_t i = 0; i < all.size(); i++)
            if (all[i].name == name)
                return i;
        refuse("there is no communicator " + name);
    }

    std::uint32_t peer(std::uint32_t rank, const tare_archive_event_t &e) const
    {
        if (e.communicator == self)
            return rank;
        const communicator &c = current().communicators[e.communicator];
        const bool is_first = std::find(c.first.begin(), c.first.end(), rank) != c.first.end();
        const auto &others = c.is_inter && is_first ? c.second : c.first;
        return e.peer_rank < others.size() ? others[e.peer_rank] : TARE_ARCHIVE_UNKNOWN;
    }

    std::vector<scenario> &to_;
    int number_ = 0;
};

std::string pair_text(const char *name, std::uint64_t a, std::uint64_t b)
{
    return std::string(name) + "=" + std::to_string(a) + "/" + std::to_string(b);
}

std::string one_text(const char *name, std::uint64_t value) { return std::string(name) + "=" + std::to_string(value); }

}  // namespace

std::vector<scenario> read_scenarios(std::istream &in)
{
    std::vector<scenario> all;
    parser p(all);
    for (std::string text; std::getline(in, text);)
        p.line(text);
    p.end();
    return all;
}

std::vector<scenario> read_scenarios(const std::string &file)
{
    std::ifstream in(file);
    if (!in)
        throw std::runtime_error("cannot read " + file);
    return read_scenarios(in);
}

match_result match(const scenario &s, std::size_t most_waiting)
{
    std::vector<tare::match::place> places;
    for (std::uint32_t rank = 0; rank < s.processes; rank++)
        for (std::uint32_t thread = 0; thread < s.threads; thread++)
            places.push_back({rank, thread});
    tare::match::matcher m(std::move(places), true, most_waiting);
    for (const tare_archive_event_t &e : s.events)
        m.add(e);
    return m.finish();
}

std::string text_of(const match_result &result, int method)
{
    const tare::match::tally &t = result.methods[method];
    const tare::match::difference &d = result.difference_of(method);
    return one_text("pairs", t.pairs) + " " + pair_text("left", t.sends_left, t.receives_left) + " " +
           one_text("wrong", d.wrong) + " " + pair_text("threads", d.wrong_sender_thread, d.wrong_receiver_thread);
}

std::string text_of_all(const match_result &result)
{
    return pair_text("cancelled", result.cancelled_sends, result.cancelled_receives) + " " +
           one_text("never", result.never_completed) + " " + one_text("cut", result.truth().cut) + " " +
           one_text("before", result.truth().before_send) + " " + one_text("unknown", result.of_unknown_process) + " " +
           one_text("repeated", result.repeated) + " " + one_text("passed", result.passed_over);
}

}  // namespace matching
