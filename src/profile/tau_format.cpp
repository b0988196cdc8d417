// SPDX-License-Identifier: BSD-3-Clause
#include "tau_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace tare::profile {
namespace {

// pprof reads lines of less than 64 KiB; an event's name is a region's with a few words before it.
constexpr std::size_t longest_name = 60000;
// More than any line has beside its names.
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

// Whether one of 8 characters is below the blank: then a subtraction borrows from it.
bool has_control(std::uint64_t characters)
{
    constexpr std::uint64_t each = 0x0101010101010101;
    return ((characters - each * ' ') & ~characters & each * 0x80) != 0;
}

bool has_control(std::string_view text)
{
    std::uint64_t characters = 0;
    for (; text.size() >= sizeof characters; text.remove_prefix(sizeof characters)) {
        std::memcpy(&characters, text.data(), sizeof characters);
        if (has_control(characters))
            return true;
    }
    return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < ' '; });
}

// A name stays on its line: control characters become blanks.
char *put_name(char *at, std::string_view name)
{
    char *const end = put(at, name);
    if (__builtin_expect(has_control(name), 0))
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

// value / 10^digits, without zeros at its end.
template <int digits> char *put_decimal(char *at, std::uint64_t value)
{
    constexpr std::uint64_t whole = digits == 3 ? 1'000 : 1'000'000;
    at = put_number(at, value / whole);
    std::uint64_t rest = value % whole;
    if (rest == 0)
        return at;
    *at = '.';
    for (int i = digits; i > 0; i--, rest /= 10)
        at[i] = static_cast<char>('0' + rest % 10);
    at += digits + 1;
    while (at[-1] == '0')
        at--;
    return at;
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
    return put_decimal<3>(at, magnitude(ns));
}

// In usec^2, as %.16G.
char *put_square(char *at, std::int64_t ns)
{
    constexpr std::uint64_t least_ns = 10, most_ns = 100'000'000;       // from 0.0001 on, 16 digits at most
    const std::uint64_t value_ns = magnitude(ns);
    if (value_ns >= least_ns && value_ns < most_ns)
        return put_decimal<6>(at, value_ns * value_ns);
    const double usec = static_cast<double>(ns) / 1000.0;
    char *const end = std::to_chars(at, at + longest_number, usec * usec, std::chars_format::general, 16).ptr;
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

void tau_writer::function(const row &r, std::string_view group_prefix, std::int64_t excl_ns, std::int64_t incl_ns)
{
    const std::string_view name = cut(r.region), group = cut(r.group);
    char *at = put(out_.room(name.size() + group_prefix.size() + group.size() + rest_of_line), '"');
    at = put(put_name(at, name), "\" ");
    at = put(put_number(at, static_cast<std::uint64_t>(r.calls)), ' ');
    at = put(put_number(at, static_cast<std::uint64_t>(r.subrs)), ' ');
    at = put(put_usec(at, excl_ns), ' ');
    at = put(put_usec(at, incl_ns), " 0 GROUP=\"");
    out_.wrote(put(put_name(put(at, group_prefix), group), "\" \n"));
}

void tau_writer::begin_events(std::size_t events)
{
    out_.add("0 aggregates\n");
    if (events != 0)
        out_.add(std::to_string(events) + " userevents\n# eventname numevents max min mean sumsqr\n");
}

void tau_writer::event(std::string_view prefix, std::string_view region, std::int64_t value_ns)
{
    region = cut(region);
    char *at = put(out_.room(prefix.size() + region.size() + rest_of_line), '"');
    at = put(put_name(put(at, prefix), region), "\" 1 ");
    char *const value = at;
    at = put(put_usec(at, value_ns), ' ');
    const std::string_view text(value, static_cast<std::size_t>(at - value));
    at = put(put(at, text), text);
    out_.wrote(put(put_square(at, value_ns), '\n'));
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
