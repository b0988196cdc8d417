// SPDX-License-Identifier: BSD-3-Clause
#include "tau_file.hpp"

#include "meaning.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tare::profile {
namespace {

constexpr std::string_view count_suffix = " templated_functions_MULTI_";
constexpr std::string_view columns = "# Name Calls Subrs Excl Incl ProfileCalls";
constexpr std::string_view event_columns = "# eventname numevents max min mean sumsqr";

// The lines of a file, with what is needed to say where something is wrong.
class line_reader {
  public:
    line_reader(std::string_view text, const std::string &where) : rest_(text), where_(where) {}

    bool at_end() const { return rest_.empty(); }

    std::string_view next(const char *wanted)
    {
        line_++;
        const std::size_t end = rest_.find('\n');
        if (end == std::string_view::npos)
            fail(std::string(rest_.empty() ? "the file ends" : "the line does not end") + " where " + wanted +
                 " should be");
        const std::string_view line = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        return line;
    }

    [[noreturn]] void fail(const std::string &what) const
    {
        throw error(where_ + ", line " + std::to_string(line_) + ": " + what);
    }

  private:
    std::string_view rest_;
    const std::string &where_;
    std::size_t line_ = 0;
};

bool take_prefix(std::string_view &text, std::string_view prefix)
{
    if (text.substr(0, prefix.size()) != prefix)
        return false;
    text.remove_prefix(prefix.size());
    return true;
}

bool take_suffix(std::string_view &text, std::string_view suffix)
{
    if (text.size() < suffix.size() || text.substr(text.size() - suffix.size()) != suffix)
        return false;
    text.remove_suffix(suffix.size());
    return true;
}

double to_number(const line_reader &in, std::string_view text)
{
    double value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        in.fail("'" + std::string(text) + "' is not a number");
    return value;
}

// Most numbers are few digits, which need no floating point. False leaves the text to to_number.
bool take_digits(std::string_view &text, std::int64_t &value)
{
    constexpr std::size_t most = 15;
    std::size_t n = 0;
    for (value = 0; n < text.size() && n <= most && text[n] >= '0' && text[n] <= '9'; n++)
        value = value * 10 + (text[n] - '0');
    text.remove_prefix(n);
    return n > 0 && n <= most;
}

std::int64_t to_count(const line_reader &in, std::string_view text)
{
    std::int64_t digits = 0;
    std::string_view rest = text;
    if (take_digits(rest, digits) && rest.empty())
        return digits;
    const double value = to_number(in, text);
    if (value < 0 || value > 9e15 || value != std::floor(value))
        in.fail("'" + std::string(text) + "' is not a count");
    return static_cast<std::int64_t>(value);
}

// Microseconds as they are mostly written: digits, and up to three behind a point.
bool is_plain_usec(std::string_view text, std::int64_t &ns)
{
    constexpr std::int64_t scale[] = {1000, 100, 10, 1};
    const bool negative = take_prefix(text, "-");
    std::int64_t fraction = 0;
    if (!take_digits(text, ns))
        return false;
    ns *= scale[0];
    if (take_prefix(text, ".")) {
        const std::size_t digits = text.size();
        if (digits > 3 || !take_digits(text, fraction))
            return false;
        ns += fraction * scale[digits];
    }
    ns = negative ? -ns : ns;
    return text.empty();
}

std::int64_t to_ns(const line_reader &in, std::string_view text)
{
    if (std::int64_t ns = 0; is_plain_usec(text, ns))
        return ns;
    const double value = to_number(in, text);
    // An upper bound that is none stands some 2^60 ns beyond the time, and is a number like others.
    constexpr double most_usec = 9e15;
    if (std::fabs(value) > most_usec)
        in.fail("'" + std::string(text) + "' is not a time in microseconds");
    return std::llround(value * 1000.0);
}

// Takes the last word off a line. Names may hold blanks and quotes, so lines are read from the right.
std::string_view take_word(const line_reader &in, std::string_view &line)
{
    const std::size_t blank = line.rfind(' ');
    if (blank == std::string_view::npos || blank + 1 == line.size())
        in.fail("a number is missing");
    const std::string_view word = line.substr(blank + 1);
    line = line.substr(0, blank);
    return word;
}

std::string_view unquoted(const line_reader &in, std::string_view text)
{
    if (text.size() < 2 || text.front() != '"' || text.back() != '"')
        in.fail("the name is not in quotes");
    return text.substr(1, text.size() - 2);
}

std::string unescaped(const line_reader &in, std::string_view text)
{
    static constexpr std::pair<std::string_view, char> entities[] = {
        {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    std::string result;
    while (!text.empty()) {
        if (text.front() != '&') {
            result += text.front();
            text.remove_prefix(1);
            continue;
        }
        bool known = false;
        for (const auto &[entity, c] : entities) {
            if (!known && take_prefix(text, entity)) {
                result += c;
                known = true;
            }
        }
        if (!known)
            in.fail("the metadata holds an unknown entity");
    }
    return result;
}

// What stands before `end`, taken off the text together with it.
std::string_view take_until(const line_reader &in, std::string_view &text, std::string_view end)
{
    const std::size_t at = text.find(end);
    if (at == std::string_view::npos)
        in.fail("the metadata lacks " + std::string(end));
    const std::string_view found = text.substr(0, at);
    text.remove_prefix(at + end.size());
    return found;
}

attributes parse_metadata(const line_reader &in, std::string_view text)
{
    attributes result;
    if (text.empty())
        return result;
    if (!take_prefix(text, " # <metadata>") || !take_suffix(text, "</metadata>"))
        in.fail("'# <metadata>...</metadata>' should follow the names of the columns");
    while (!text.empty()) {
        if (!take_prefix(text, "<attribute><name>"))
            in.fail("<attribute><name> should begin the metadata's next entry");
        const std::string name = unescaped(in, take_until(in, text, "</name><value>"));
        result.emplace_back(name, unescaped(in, take_until(in, text, "</value></attribute>")));
    }
    return result;
}

std::size_t take_count(const line_reader &in, std::string_view &line, const char *what)
{
    std::size_t count = 0;
    const auto [end, failure] = std::from_chars(line.data(), line.data() + line.size(), count);
    if (failure != std::errc())
        in.fail(std::string("the number of ") + what + " should begin the line");
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    return count;
}

read_function parse_function(const line_reader &in, std::string_view line)
{
    read_function f;
    // The last quote first: it may be the one behind GROUP=.
    const bool is_closed = take_suffix(line, "\" ");
    const std::size_t group = line.rfind(" GROUP=\"");
    if (!is_closed || group == std::string_view::npos)
        in.fail("GROUP=\"...\" should end the line of a function");
    f.group = line.substr(group + 8);
    line = line.substr(0, group);
    if (take_word(in, line) != "0")
        in.fail("the number of profiled calls is not 0");
    f.incl_ns = to_ns(in, take_word(in, line));
    f.excl_ns = to_ns(in, take_word(in, line));
    f.subrs = to_count(in, take_word(in, line));
    f.calls = to_count(in, take_word(in, line));
    f.name = unquoted(in, line);
    if (f.incl_ns < 0 || f.excl_ns < 0)
        in.fail("the time of '" + std::string(f.name) + "' is negative");
    return f;
}

// The numbers of a user event, as they stand, and its name.
struct event_words {
    std::string_view name, count, most, least, mean, squares;
};

event_words split_event(const line_reader &in, std::string_view line)
{
    event_words w;
    for (std::string_view event_words::*word :
         {&event_words::squares, &event_words::mean, &event_words::least, &event_words::most, &event_words::count})
        w.*word = take_word(in, line);
    w.name = unquoted(in, line);
    return w;
}

read_event to_event(const line_reader &in, const event_words &w)
{
    if (to_count(in, w.count) != 1)
        in.fail("an event of Tare happens once");
    return {w.name, to_ns(in, w.mean)};
}

read_sizes to_sizes(const line_reader &in, const event_words &w)
{
    read_sizes s;
    s.name = w.name;
    s.sizes.messages = to_count(in, w.count);
    s.sizes.most_bytes = to_count(in, w.most);
    s.sizes.least_bytes = to_count(in, w.least);
    s.sizes.squares = to_number(in, w.squares);
    const double mean = to_number(in, w.mean), bytes = mean * static_cast<double>(s.sizes.messages);
    if (s.sizes.messages == 0 || mean < static_cast<double>(s.sizes.least_bytes) ||
        mean > static_cast<double>(s.sizes.most_bytes) || bytes > 9e15 || s.sizes.squares < 0)
        in.fail("the numbers of '" + std::string(w.name) + "' do not fit each other");
    s.sizes.bytes = std::llround(bytes);
    return s;
}

void parse_event(const line_reader &in, std::string_view line, read_file &to)
{
    const event_words words = split_event(in, line);
    if (std::string_view name = words.name; take_prefix(name, any_sent_event))
        to.sizes.push_back(to_sizes(in, words));
    else
        to.events.push_back(to_event(in, words));
}

// Room for so many lines. A damaged file may promise more than it holds.
template <typename Line> void reserve(std::vector<Line> &lines, std::size_t count, std::string_view text)
{
    constexpr std::size_t shortest_line = 12;
    lines.reserve(std::min(count, text.size() / shortest_line));
}

}  // namespace

read_file parse(std::string_view text, const std::string &where)
{
    line_reader in(text, where);
    read_file file;
    std::string_view line = in.next("the number of functions");
    const std::size_t functions = take_count(in, line, "functions");
    if (!take_prefix(line, count_suffix))
        in.fail("'templated_functions_MULTI_' and the metric should follow the number of functions");
    file.metric = line;
    line = in.next("the line of column names");
    if (!take_prefix(line, columns))
        in.fail("'" + std::string(columns) + "' should begin the line");
    file.metadata = parse_metadata(in, line);
    reserve(file.functions, functions, text);
    for (std::size_t i = 0; i < functions; i++)
        file.functions.push_back(parse_function(in, in.next("a function")));
    if (in.next("the number of aggregates") != "0 aggregates")
        in.fail("'0 aggregates' should follow the functions");
    if (in.at_end())
        return file;
    line = in.next("the number of user events");
    const std::size_t events = take_count(in, line, "user events");
    if (line != " userevents" || in.next("the event columns") != event_columns)
        in.fail("'K userevents' and '" + std::string(event_columns) + "' should follow the aggregates");
    reserve(file.events, events, text);
    for (std::size_t i = 0; i < events; i++)
        parse_event(in, in.next("a user event"), file);
    if (!in.at_end()) {
        in.next("the end of the file");
        in.fail("something follows the last user event");
    }
    return file;
}

}  // namespace tare::profile
