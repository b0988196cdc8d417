// SPDX-License-Identifier: BSD-3-Clause
// The reader of scenario files: one method per directive, then a check of the whole scenario.
#include "scenario.hpp"

#include <fstream>
#include <map>
#include <set>

#include "estimator.hpp"
#include "program.hpp"
#include "text.hpp"

namespace sim {

namespace {

constexpr std::int64_t most_processes = 1000000;
constexpr std::int64_t most_steps = 1000000;
constexpr std::int64_t most_costs = 100000000;
constexpr double default_tolerance = 0.006;
constexpr double exact_tolerance = 1e-7;

class reader {
  public:
    reader(std::istream& in, const std::string& file) : in_(in), here_{file, 0} {}

    std::vector<scenario> read();

  private:
    using directive = void (reader::*)(const std::string&);
    static const std::map<std::string, directive>& directives();

    void read_line(const std::string& line);
    void begin(const std::string& name);
    void finish();

    void title(const std::string& rest) { now_.title = rest; }
    void processes(const std::string& rest);
    void steps(const std::string& rest);
    void overhead(const std::string& rest) { now_.overhead = time(rest, "overhead"); }
    void latency(const std::string& rest) { now_.latency = time(rest, "latency"); }
    void call(const std::string& rest) { now_.call = time(rest, "call"); }
    void seeds(const std::string& rest);
    void cost(const std::string& rest);
    void events(const std::string& rest);
    void program_line(const std::string& rest);
    void finally_line(const std::string& rest);
    void expect(const std::string& rest);

    ps time(const std::string& text, const char* what) const;
    std::pair<std::string, std::string> set_and_statements(const std::string& rest, const char* key) const;
    void expect_one(const std::string& column, const std::string& value);
    void expect_inversions(const std::string& value);
    void need(const char* key) const;
    void check_programs() const;

    std::istream& in_;
    place here_;
    place start_;  // of the scenario being read
    bool open_ = false;
    scenario now_;
    std::set<std::string> given_;
    std::vector<bool> has_events_;
    std::vector<scenario> done_;
};

const std::map<std::string, reader::directive>& reader::directives()
{
    static const std::map<std::string, directive> all{
        {"title", &reader::title},       {"processes", &reader::processes},  {"steps", &reader::steps},
        {"overhead", &reader::overhead}, {"latency", &reader::latency},      {"call", &reader::call},
        {"seeds", &reader::seeds},       {"cost", &reader::cost},            {"events", &reader::events},
        {"program", &reader::program_line}, {"finally", &reader::finally_line}, {"expect", &reader::expect},
    };
    return all;
}

std::vector<scenario> reader::read()
{
    for (std::string line; std::getline(in_, line);) {
        ++here_.line;
        line = trimmed(line.substr(0, line.find('#')));
        if (!line.empty())
            read_line(line);
    }
    if (in_.bad())
        here_.fail("the file cannot be read any further");
    finish();
    if (done_.empty())
        here_.fail("there is no scenario in this file; one starts with 'scenario NAME'");
    return std::move(done_);
}

void reader::read_line(const std::string& line)
{
    static const std::set<std::string> repeatable{"events", "program", "finally", "expect"};
    const std::size_t space = line.find_first_of(" \t");
    const std::string key = line.substr(0, space);
    const std::string rest = space == std::string::npos ? "" : trimmed(line.substr(space));
    if (key == "scenario")
        return begin(rest);
    const auto found = directives().find(key);
    if (found == directives().end())
        here_.fail("'" + key + "' is not a directive; see the head of scenario.hpp for all of them");
    if (!open_)
        here_.fail("'" + key + "' stands before the first 'scenario NAME'");
    if (rest.empty())
        here_.fail("'" + key + "' needs a value");
    if (!given_.insert(key).second && repeatable.count(key) == 0)
        here_.fail("'" + key + "' is given twice in scenario '" + now_.name + "'");
    (this->*found->second)(rest);
}

void reader::begin(const std::string& name)
{
    finish();
    if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
        here_.fail("a scenario's name is made of lower case letters, digits and '_', not '" + name + "'");
    for (const scenario& other : done_) {
        if (other.name == name)
            here_.fail("there is already a scenario '" + name + "'");
    }
    now_ = scenario();
    now_.name = now_.title = name;
    given_.clear();
    has_events_.clear();
    start_ = here_;
    open_ = true;
}

void reader::need(const char* key) const
{
    if (given_.count(key) == 0)
        start_.fail("scenario '" + now_.name + "' has no '" + key + "' line");
}

void reader::finish()
{
    if (!open_)
        return;
    for (const char* key : {"processes", "steps", "overhead", "latency", "call", "program", "expect"})
        need(key);
    check_programs();
    done_.push_back(std::move(now_));
    open_ = false;
}

void reader::check_programs() const
{
    bool draws = false;
    bool wildcard = false;
    for (std::int32_t p = 0; p < now_.processes; ++p) {
        if (now_.program_of[static_cast<std::size_t>(p)] < 0)
            start_.fail("scenario '" + now_.name + "' has no program for process " + std::to_string(p));
    }
    for (const program& prog : now_.programs) {
        if (prog.body.empty())
            start_.fail("scenario '" + now_.name + "' has a 'finally' line for processes without a program");
        draws = draws || uses(prog, op::compute) || uses(prog, op::compute_received);
        wildcard = wildcard || uses(prog, op::recvany);
    }
    if (draws)
        need("cost");
    if (draws && static_cast<std::int64_t>(now_.processes) * now_.steps > most_costs)
        start_.fail("processes times steps must not be above " + std::to_string(most_costs));
    if (wildcard && now_.latency == 0)
        start_.fail("'recvany' needs a latency above 0, or the order of arrivals would not be defined");
}

ps reader::time(const std::string& text, const char* what) const
{
    return ps_from_us(decimal(here_, text, what, 0, longest_us));
}

void reader::processes(const std::string& rest)
{
    now_.processes = static_cast<std::int32_t>(whole_number(here_, rest, "processes", 1, most_processes));
    const auto count = static_cast<std::size_t>(now_.processes);
    now_.events.assign(count, 0);
    now_.program_of.assign(count, -1);
    has_events_.assign(count, false);
}

void reader::steps(const std::string& rest)
{
    now_.steps = static_cast<std::int32_t>(whole_number(here_, rest, "steps", 1, most_steps));
}

void reader::seeds(const std::string& rest)
{
    const std::size_t dots = rest.find("..");
    const auto seed = [&](const std::string& text, std::int64_t least) {
        return static_cast<std::uint32_t>(whole_number(here_, text, "a seed", least, INT32_MAX));
    };
    now_.first_seed = seed(trimmed(rest.substr(0, dots)), 0);
    now_.last_seed = now_.first_seed;
    if (dots != std::string::npos)
        now_.last_seed = seed(trimmed(rest.substr(dots + 2)), now_.first_seed);
}

void reader::cost(const std::string& rest)
{
    const std::vector<std::string> w = words(rest);
    if (w.size() == 2 && w[0] == "constant")
        now_.cost = {0, decimal(here_, w[1], "cost", 0, longest_us)};
    else if (w.size() == 4 && w[0] == "exponential" && w[2] == "plus")
        now_.cost = {decimal(here_, w[1], "the mean of a cost", 1e-6, longest_us),
                     decimal(here_, w[3], "cost", 0, longest_us)};
    else
        here_.fail("a cost is 'constant TIME' or 'exponential MEAN plus TIME', not '" + rest + "'");
}

void reader::events(const std::string& rest)
{
    const std::vector<std::string> w = words(rest);
    if (w.size() != 2)
        here_.fail("'events' needs a set without blanks and a count, not '" + rest + "'");
    const std::int64_t count = whole_number(here_, w[1], "events", 0, most_events);
    for (const std::int32_t p : parse_set(here_, w[0], now_.processes)) {
        const auto i = static_cast<std::size_t>(p);
        if (has_events_[i])
            here_.fail("process " + std::to_string(p) + " of set '" + w[0] + "' has its events given twice");
        has_events_[i] = true;
        now_.events[i] = count;
    }
}

std::pair<std::string, std::string> reader::set_and_statements(const std::string& rest, const char* key) const
{
    const std::size_t colon = rest.find(':');
    if (colon == std::string::npos)
        here_.fail(std::string("'") + key + "' needs 'SET: STATEMENT, ...', not '" + rest + "'");
    return {trimmed(rest.substr(0, colon)), rest.substr(colon + 1)};
}

void reader::program_line(const std::string& rest)
{
    const auto [head, statements] = set_and_statements(rest, "program");
    const std::vector<std::string> w = words(head);
    const bool forever = w.size() == 2 && w[1] == "forever";
    if (w.size() != 1 && !forever)
        here_.fail("before the colon of 'program' stands a set and perhaps 'forever', not '" + head + "'");
    program prog;
    prog.body = parse_statements(here_, statements, now_.processes);
    prog.forever = forever;
    const auto index = static_cast<std::int32_t>(now_.programs.size());
    now_.programs.push_back(std::move(prog));
    for (const std::int32_t p : parse_set(here_, w[0], now_.processes)) {
        std::int32_t& mine = now_.program_of[static_cast<std::size_t>(p)];
        if (mine >= 0)
            here_.fail("process " + std::to_string(p) + " has two programs");
        mine = index;
    }
}

// The set must be one that a program line has named, so that the statements belong to one program.
void reader::finally_line(const std::string& rest)
{
    const auto [head, statements] = set_and_statements(rest, "finally");
    const std::vector<std::int32_t> set = parse_set(here_, head, now_.processes);
    const std::int32_t index = now_.program_of[static_cast<std::size_t>(set.front())];
    std::size_t members = 0;
    for (const std::int32_t mine : now_.program_of)
        members += mine == index;
    for (const std::int32_t p : set)
        members -= now_.program_of[static_cast<std::size_t>(p)] == index;
    if (index < 0 || members != 0)
        here_.fail("'finally " + head + "' must name the same processes as one 'program' line above it");
    program& prog = now_.programs[static_cast<std::size_t>(index)];
    if (prog.forever || !prog.after.empty())
        here_.fail("'finally " + head + "' belongs to a program that never ends or has one already");
    prog.after = parse_statements(here_, statements, now_.processes);
}

void reader::expect(const std::string& rest)
{
    for (const std::string& word : words(rest)) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos)
            here_.fail("an expectation is COLUMN=PERCENT or COLUMN=PERCENT~TOLERANCE, not '" + word + "'");
        const std::string column = word.substr(0, equals);
        const std::string value = word.substr(equals + 1);
        if (column == "inversions")
            expect_inversions(value);
        else
            expect_one(column, value);
    }
}

void reader::expect_inversions(const std::string& value)
{
    if (value != "some" && value != "none")
        here_.fail("inversions are expected to be 'none' or 'some', not '" + value + "'");
    if (now_.inversions)
        here_.fail("column 'inversions' has two expectations");
    now_.inversions = value == "some";
}

void reader::expect_one(const std::string& column, const std::string& value)
{
    std::vector<std::string> names{"inversions", "measured"};
    std::size_t found = column == "measured" ? measured_column : columns;
    for (std::size_t e = 0; e < columns; ++e) {
        names.push_back(estimators[e].name);
        found = column == estimators[e].name ? e : found;
    }
    if (found == columns)
        here_.fail("'" + column + "' is not a column; allowed: " + alternatives(names));
    for (const expectation& other : now_.expected) {
        if (other.column == found)
            here_.fail("column '" + column + "' has two expectations");
    }
    const std::size_t tilde = value.find('~');
    const double percent = decimal(here_, value.substr(0, tilde), "an expected error in percent", -100, 1e6);
    double tolerance = found == exact && percent == 0 ? exact_tolerance : default_tolerance;
    if (tilde != std::string::npos)
        tolerance = decimal(here_, value.substr(tilde + 1), "a tolerance in percent", 0, 1e6);
    now_.expected.push_back({found, percent, tolerance});
}

}  // namespace

std::vector<scenario> parse_scenarios(std::istream& in, const std::string& file) { return reader(in, file).read(); }

std::vector<scenario> read_scenarios(const std::string& file)
{
    std::ifstream in(file);
    if (!in)
        throw scenario_error(file + ": this scenario file cannot be opened for reading");
    return parse_scenarios(in, file);
}

}  // namespace sim
