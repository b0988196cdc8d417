// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <algorithm>
#include <map>

namespace sim {

namespace {

void need_processes(const place& at, std::int32_t processes)
{
    if (processes == 0)
        at.fail("'processes' must stand before the first line that names a set of them");
}

// N, `last` or `last-N`
std::int32_t position(const place& at, const std::string& text, std::int32_t processes)
{
    const std::int32_t last = processes - 1;
    if (text == "last")
        return last;
    if (text.rfind("last-", 0) == 0)
        return last - static_cast<std::int32_t>(whole_number(at, text.substr(5), "N of 'last-N'", 0, last));
    return static_cast<std::int32_t>(whole_number(at, text, "a process of a set", 0, last));
}

void add_range(const place& at, const std::string& text, std::int32_t processes, std::vector<std::int32_t>& set)
{
    const std::size_t dots = text.find("..");
    const std::int32_t first = position(at, text.substr(0, dots), processes);
    const std::int32_t last = dots == std::string::npos ? first : position(at, text.substr(dots + 2), processes);
    if (last < first)
        at.fail("the range '" + text + "' runs backwards");
    for (std::int32_t p = first; p <= last; ++p)
        set.push_back(p);
}

struct form {
    op what;
    bool peers;            // takes one or more peers
    bool split;            // one call per peer
    std::size_t numbers;   // how many numbers it takes
};

const std::map<std::string, form>& forms()
{
    static const std::map<std::string, form> all{
        {"compute", {op::compute, false, false, 0}}, {"work", {op::work, false, false, 2}},
        {"send", {op::send, true, true, 0}},         {"stop", {op::stop, true, true, 0}},
        {"recv", {op::recv, true, false, 0}},        {"recvany", {op::recvany, false, false, 0}},
        {"barrier", {op::barrier, false, false, 1}}, {"ssend", {op::ssend, true, true, 0}},
        {"srecv", {op::srecv, true, true, 0}},       {"isend", {op::isend, true, true, 0}},
        {"irecv", {op::irecv, true, true, 0}},       {"wait", {op::wait, false, false, 0}},
    };
    return all;
}

peer parse_peer(const place& at, const std::string& text, std::int32_t processes)
{
    if (text == "source")
        return {peer::kind::source, 0};
    const bool relative = text[0] == '+' || text[0] == '-';
    const std::int32_t furthest = processes - 1;
    const auto number =
        static_cast<std::int32_t>(whole_number(at, text, "a peer", relative ? -furthest : 0, furthest));
    return {relative ? peer::kind::relative : peer::kind::absolute, number};
}

void add_statement(const place& at, const std::vector<std::string>& w, const form& f, std::int32_t processes,
                   std::vector<statement>& all)
{
    statement s{f.what, {}, 0, 0};
    if (f.numbers > 0)
        s.cost = ps_from_us(decimal(at, w[1], "a time", 0, longest_us));
    if (f.numbers > 1)
        s.events = whole_number(at, w[2], "events", 0, most_events);
    for (std::size_t i = 1; f.peers && i < w.size(); ++i) {
        s.peers.push_back(parse_peer(at, w[i], processes));
        if (f.split && i + 1 < w.size()) {
            all.push_back(s);
            s.peers.clear();
        }
    }
    all.push_back(s);
}

void parse_statement(const place& at, const std::string& text, std::int32_t processes, std::vector<statement>& all)
{
    const std::vector<std::string> w = words(text);
    if (w.empty())
        at.fail("a statement is missing between two commas or after the colon");
    if (w.size() == 2 && w[0] == "compute" && w[1] == "received") {
        all.push_back({op::compute_received, {}, 0, 0});
        return;
    }
    const auto found = forms().find(w[0]);
    if (found == forms().end()) {
        std::vector<std::string> names;
        for (const auto& known : forms())
            names.push_back(known.first);
        at.fail("'" + w[0] + "' is not a statement; allowed: " + alternatives(names));
    }
    const form& f = found->second;
    if (f.peers && w.size() < 2)
        at.fail("'" + w[0] + "' needs at least one peer");
    if (!f.peers && w.size() != f.numbers + 1)
        at.fail("'" + w[0] + "' takes " + std::to_string(f.numbers) + " numbers, not '" + text + "'");
    add_statement(at, w, f, processes, all);
}

}  // namespace

std::vector<std::int32_t> parse_set(const place& at, const std::string& text, std::int32_t processes)
{
    need_processes(at, processes);
    std::vector<std::int32_t> set;
    if (text == "all" || text == "even" || text == "odd") {
        const std::int32_t stride = text == "all" ? 1 : 2;
        for (std::int32_t p = text == "odd" ? 1 : 0; p < processes; p += stride)
            set.push_back(p);
    } else {
        for (const std::string& part : split(text, ','))
            add_range(at, part, processes, set);
    }
    if (set.empty())
        at.fail("the set '" + text + "' is empty");
    return set;
}

std::vector<statement> parse_statements(const place& at, const std::string& text, std::int32_t processes)
{
    need_processes(at, processes);
    std::vector<statement> all;
    for (const std::string& part : split(text, ','))
        parse_statement(at, part, processes, all);
    return all;
}

bool uses(const program& prog, op what)
{
    const auto is = [what](const statement& s) { return s.what == what; };
    return std::any_of(prog.body.begin(), prog.body.end(), is) ||
           std::any_of(prog.after.begin(), prog.after.end(), is);
}

}  // namespace sim
