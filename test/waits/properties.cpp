// SPDX-License-Identifier: BSD-3-Clause
// Random programs: what the analysis finds in one pass is what the definition says, term by term. The programs are the
// same in every run of the tests; for others, and more of them: RC_PARAMS="max_success=100000" in the environment.
#include "program.hpp"

#include "trace_event.h"

#include <cstdio>
#include <cstdlib>

#include <rapidcheck.h>

namespace {

using namespace waiting;

struct action {
    int what;
    std::uint32_t process, peer, region;
    std::int64_t ns;
};
constexpr int work = 0, messages = 1, collectives = 5, actions = 9;

std::ostream &operator<<(std::ostream &out, const action &a)
{
    return out << "{" << a.what << ", " << a.process << ", " << a.peer << ", " << a.region << ", " << a.ns << "}";
}

rc::Gen<action> any_action()
{
    const auto what = rc::gen::weightedOneOf<int>({{8, rc::gen::just(work)},
                                                   {8, rc::gen::inRange(messages, collectives)},
                                                   {2, rc::gen::inRange(collectives, actions)}});
    return rc::gen::map(rc::gen::tuple(what, rc::gen::inRange(0u, 4u), rc::gen::inRange(1u, 4u), rc::gen::inRange(0u, 3u),
                                       rc::gen::inRange<std::int64_t>(1, 100)),
                        [](const std::tuple<int, std::uint32_t, std::uint32_t, std::uint32_t, std::int64_t> &t) {
                            return std::apply([](auto... parts) { return action{parts...}; }, t);
                        });
}

void play(program &p, const action &a, std::uint32_t processes)
{
    static const char *const regions[] = {"first", "second", "third"};
    static const std::uint32_t operations[] = {TARE_TRACE_BARRIER, TARE_TRACE_ALLREDUCE, TARE_TRACE_BCAST,
                                               TARE_TRACE_REDUCE};
    const std::uint32_t process = a.process % processes, peer = (process + 1 + a.peer % (processes - 1)) % processes;
    if (a.what == work)
        p.work(process, regions[a.region], a.ns);
    else if (a.what < collectives)
        p.message(process, peer, static_cast<message_kind>(a.what - messages), a.ns);
    else
        p.collective(operations[a.what - collectives], process);
}

void play_any(program &p, std::uint32_t processes)
{
    for (const action &a : *rc::gen::container<std::vector<action>>(any_action()))
        play(p, a, processes);
}

void analysis_is_the_definition()
{
    const std::uint32_t processes = *rc::gen::inRange(2u, 5u);
    program p(processes);
    play_any(p, processes);
    const tare::waits::result found = analyse(p);
    RC_ASSERT(found.waiting_ns == p.waiting_ns());
    RC_ASSERT(found.given_up == 0u && found.before_send == 0u && found.gaps.empty());
    RC_ASSERT(of_result(p, found) == p.by_definition());
    RC_CLASSIFY(found.waiting_ns > 0, "waits");
}

void assert_sums_are_exact(const tare::waits::result &found)
{
    std::int64_t waiting = 0, own = 0;
    for (const auto &[where, sum] : found.waits) {
        std::int64_t explained = 0;
        for (const auto &[step, e] : sum.causes) {
            explained += e.explained_ns;
            RC_ASSERT(e.would_go_ns <= sum.waiting_ns);
        }
        RC_ASSERT(explained == sum.waiting_ns);
        waiting += sum.waiting_ns;
    }
    for (const auto &of_process : found.processes)
        own += of_process.own.sum();
    RC_ASSERT(waiting == found.waiting_ns);
    RC_ASSERT(own + waiting == found.total_ns);
}

// Events that are missing, out of their place, of no communicator, or not what they were: sums are exact nevertheless.
void damaged_trace_has_exact_sums()
{
    const std::uint32_t processes = *rc::gen::inRange(2u, 5u);
    program p(processes);
    play_any(p, processes);
    const int damages = *rc::gen::inRange(0, 20);
    std::vector<tare_archive_event_t> events = p.events();
    for (int i = 0; i < damages && !events.empty(); i++) {
        const std::size_t at = *rc::gen::inRange<std::size_t>(0, events.size());
        switch (*rc::gen::inRange(0, 6)) {
        case 0: events.erase(events.begin() + static_cast<std::ptrdiff_t>(at)); break;
        case 1: events[at].kind = *rc::gen::inRange<std::uint32_t>(0, TARE_ARCHIVE_KINDS); break;
        case 2: events[at].location = *rc::gen::inRange<std::uint32_t>(0, processes); break;
        case 3: events[at].time_ns = *rc::gen::inRange<std::uint64_t>(0, 1000); break;
        case 4: events[at].communicator = TARE_ARCHIVE_UNKNOWN; break;
        default: events[at].region = *rc::gen::inRange<std::uint32_t>(0, 20); break;
        }
    }
    tare::waits::analysis analysis(p.archive(), tare::clock_change::none, *rc::gen::element<std::size_t>(3, 1000));
    for (const tare_archive_event_t &e : events)
        analysis.add(e);
    assert_sums_are_exact(analysis.finish());
}

bool all_good = true;
int number = 0;

void check(const char *name, void (*property)())
{
    const bool good = rc::check(name, property);
    all_good = all_good && good;
    std::printf("%s %d - %s\n", good ? "ok" : "not ok", ++number, name);
}

#define CHECK(property) check(#property, property)

}  // namespace

int main()
{
    setenv("RC_PARAMS", "seed=20 max_success=300", 0);
    CHECK(analysis_is_the_definition);
    CHECK(damaged_trace_has_exact_sums);
    std::printf("1..%d\n", number);
    return all_good ? 0 : 1;
}
