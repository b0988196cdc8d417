// SPDX-License-Identifier: BSD-3-Clause
#include "tau_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace tare::profile {
namespace {

// pprof reads lines of less than 64 KiB; an event's name is a region's with a few words before it.
constexpr std::size_t longest_name = 60000;
// More than any line has beside its names, and than a fast copy takes beyond its end.
constexpr std::size_t rest_of_line = 256;

std::string_view cut(std::string_view name) { return name.substr(0, longest_name); }

char *put(char *at, std::string_view text)
{
    std::memcpy(at, text.data(), text.size());
    return at + text.size();
}

char *put(char *at, char c)
{
    *at = c;
    return at + 1;
}

// Without a call for a few characters: so many at a time that some behind the text are copied, too. Both sides have
// room for them.
char *put_fast(char *at, std::string_view text)
{
    constexpr std::size_t step = 16;
    for (std::size_t done = 0; done < text.size(); done += step)
        std::memcpy(at + done, text.data() + done, step);
    return at + text.size();
}

// Whether one of 8 characters is below the blank: then a subtraction borrows from it.
bool has_control(std::uint64_t characters)
{
    constexpr std::uint64_t each = 0x0101010101010101;
    return ((characters - each * ' ') & ~characters & each * 0x80) != 0;
}

// Copies 8 characters and tells whether one of them is below the blank.
bool put_eight(char *at, const char *from)
{
    std::uint64_t characters;
    std::memcpy(&characters, from, sizeof characters);
    std::memcpy(at, &characters, sizeof characters);
    return has_control(characters);
}

// Of a text of 8 characters or more the last 8 are copied again.
bool put_and_look(char *at, std::string_view text)
{
    constexpr std::size_t step = sizeof(std::uint64_t);
    if (text.size() < step) {
        put(at, text);
        return true;
    }
    bool found = put_eight(at + text.size() - step, text.data() + text.size() - step);
    for (std::size_t i = 0; i + step < text.size(); i += step)
        found |= put_eight(at + i, text.data() + i);
    return found;
}

// A name stays on its line: control characters become blanks.
char *put_name(char *at, std::string_view name)
{
    char *const end = at + name.size();
    if (put_and_look(at, name))
        std::replace_if(at, end, [](unsigned char c) { return c < ' '; }, ' ');
    return end;
}

constexpr std::size_t longest_number = 32;

char *put_number(char *at, std::uint64_t value)
{
    if (value < 10)
        return put(at, static_cast<char>('0' + value));
    return std::to_chars(at, at + longest_number, value).ptr;
}

// What stands behind the point: three digits, and how long point and digits are without zeros at the end.
struct thousandths {
    char digits[3];
    char length;
};

constexpr std::array<thousandths, 1000> make_thousandths()
{
    std::array<thousandths, 1000> all{};
    for (int i = 0; i < 1000; i++) {
        const auto digit = [](int value) { return static_cast<char>('0' + value % 10); };
        const int length = i == 0 ? 0 : 4 - (i % 10 == 0) - (i % 100 == 0);
        all[static_cast<std::size_t>(i)] = {{digit(i / 100), digit(i / 10), digit(i)}, static_cast<char>(length)};
    }
    return all;
}
constexpr std::array<thousandths, 1000> all_thousandths = make_thousandths();

// value / 1000. All digits are written, then those that are wanted are counted: whether a digit is zero is chance,
// and the processor would often guess wrongly.
char *put_thousandths(char *at, std::uint64_t value)
{
    at = put_number(at, value / 1000);
    const thousandths &t = all_thousandths[value % 1000];
    std::memcpy(put(at, '.'), t.digits, sizeof t.digits);
    return at + t.length;
}

// value / 1000000
char *put_millionths(char *at, std::uint64_t value)
{
    at = put_number(at, value / 1'000'000);
    const thousandths &first = all_thousandths[value / 1000 % 1000], &last = all_thousandths[value % 1000];
    std::memcpy(put(at, '.'), first.digits, sizeof first.digits);
    std::memcpy(at + 4, last.digits, sizeof last.digits);
    return at + (last.length == 0 ? first.length : last.length + 3);
}

std::uint64_t magnitude(std::int64_t value)
{
    const auto bits = static_cast<std::uint64_t>(value);
    return value < 0 ? 0 - bits : bits;
}

char *put_usec(char *at, std::int64_t ns)
{
    if (ns < 0)
        *at++ = '-';
    return put_thousandths(at, magnitude(ns));
}

// In usec^2, as %.16G.
char *put_square(char *at, std::int64_t ns)
{
    static constexpr std::string_view small[] = {"0",       "1E-06",   "4E-06",   "9E-06",
                                                 "1.6E-05", "2.5E-05", "3.6E-05", "4.900000000000001E-05",
                                                 "6.4E-05", "8.099999999999999E-05"};
    constexpr std::uint64_t least_ns = 10, most_ns = 100'000'000;       // from 0.0001 on, 16 digits at most
    const std::uint64_t value_ns = magnitude(ns);
    if (value_ns < least_ns)
        return put(at, small[value_ns]);
    if (value_ns < most_ns)
        return put_millionths(at, value_ns * value_ns);
    const double usec = static_cast<double>(ns) / 1000.0;
    char *const end = std::to_chars(at, at + longest_number, usec * usec, std::chars_format::general, 16).ptr;
    std::replace(at, end, 'e', 'E');
    return end;
}

// In so many digits that it reads back as it was.
char *put_double(char *at, double value)
{
    char *const end = std::to_chars(at, at + longest_number, value).ptr;
    std::replace(at, end, 'e', 'E');
    return end;
}

std::string escaped(const std::string &text)
{
    std::string result;
    for (const char c : text) {
        switch (c) {
        case '&':
            result += "&amp;";
            break;
        case '<':
            result += "&lt;";
            break;
        case '>':
            result += "&gt;";
            break;
        case '"':
            result += "&quot;";
            break;
        default:
            result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
        }
    }
    return result;
}

void add_attribute(std::string &text, const std::string &name, const std::string &value)
{
    text += "<attribute><name>" + escaped(name) + "</name><value>" + escaped(value) + "</value></attribute>";
}

}  // namespace

void tau_writer::begin(std::size_t functions, std::string_view metric, const attributes &metadata)
{
    std::string text = std::to_string(functions) + " templated_functions_MULTI_" + std::string(metric) + "\n";
    text += "# Name Calls Subrs Excl Incl ProfileCalls # <metadata>";
    add_attribute(text, "Metric Name", std::string(metric));
    for (const auto &[name, value] : metadata)
        add_attribute(text, name, value);
    out_.add(text + "</metadata>\n");
}

void row_text::set(const row_view &r, std::string_view group_prefix)
{
    const bool is_throttled = r.counted_calls > 0;
    const std::string_view group = is_throttled ? throttled_group : cut(r.group);
    char *const begin = set_name(r.region, group_prefix.size() + group.size());
    char *at = put(begin + name_.size() + 1, is_throttled ? throttled_suffix : "");
    at = put(at, "\" ");
    at = put(put_number(at, static_cast<std::uint64_t>(r.calls)), ' ');
    at = put(put_number(at, static_cast<std::uint64_t>(r.subrs)), ' ');
    head_ = {begin, static_cast<std::size_t>(at - begin)};
    char *const tail = at;
    at = put(put(at, " 0 GROUP=\""), group_prefix);
    at = put(put_name(at, group), "\" \n");
    tail_ = {tail, static_cast<std::size_t>(at - tail)};
}

void row_text::set_name(std::string_view region) { set_name(region, 0); }

char *row_text::set_name(std::string_view region, std::size_t more)
{
    region = cut(region);
    const std::size_t wanted = region.size() + more + rest_of_line;
    if (text_.size() < wanted)
        text_.resize(wanted);
    char *const begin = text_.data();
    put_name(put(begin, '"'), region);
    name_ = {begin + 1, region.size()};
    return begin;
}

void tau_writer::function(const row_text &text, std::int64_t excl_ns, std::int64_t incl_ns)
{
    char *at = put_fast(out_.room(text.head().size() + text.tail().size() + rest_of_line), text.head());
    at = put(put_usec(at, excl_ns), ' ');
    out_.wrote(put_fast(put_usec(at, incl_ns), text.tail()));
}

void tau_writer::begin_events(std::size_t events)
{
    out_.add("0 aggregates\n");
    if (events != 0)
        out_.add(std::to_string(events) + " userevents\n# eventname numevents max min mean sumsqr\n");
}

void tau_writer::event(std::string_view prefix, const row_text &text, std::int64_t value_ns)
{
    char *at = put(out_.room(prefix.size() + text.name().size() + rest_of_line), '"');
    at = put(put_fast(put(at, prefix), text.name()), "\" 1 ");
    char once[2 * longest_number] = {};      // more than any number, for the fast copy
    const std::string_view value(once, static_cast<std::size_t>(put(put_usec(once, value_ns), ' ') - once));
    for (int i = 0; i < 3; i++)
        at = put_fast(at, value);
    out_.wrote(put(put_square(at, value_ns), '\n'));
}

void tau_writer::event_of_sizes(const std::string &name, const sent_messages &sizes)
{
    char *at = out_.room(name.size() + rest_of_line);
    at = put(put(put(at, '"'), name), "\" ");
    for (const std::int64_t value : {sizes.messages, sizes.most_bytes, sizes.least_bytes})
        at = put(put_number(at, static_cast<std::uint64_t>(value)), ' ');
    const double mean = static_cast<double>(sizes.bytes) / static_cast<double>(sizes.messages);
    at = put(put_double(at, mean), ' ');
    out_.wrote(put(put_double(at, sizes.squares), '\n'));
}

bool tells_tare(std::string_view beginning)
{
    const std::size_t second = beginning.find('\n');
    if (second == std::string_view::npos)
        return false;
    const std::string_view line = beginning.substr(second + 1, beginning.find('\n', second + 1) - second - 1);
    return line.find("<name>" + std::string(key::version) + "</name>") != std::string_view::npos;
}

}  // namespace tare::profile
