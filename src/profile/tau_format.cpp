// SPDX-License-Identifier: BSD-3-Clause
#include "tau_file.hpp"

#include <cstdio>

namespace tare::profile {
namespace {

// pprof reads lines of less than 64 KiB; an event's name is a region's with a few words before it.
constexpr std::size_t longest_name = 60000;

std::string number(double value)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.16G", value);
    return text;
}

std::string usec(std::int64_t ns) { return number(static_cast<double>(ns) / 1000.0); }

// A name stays on its line: control characters become blanks.
std::string quoted(const std::string &name)
{
    std::string text = "\"" + name.substr(0, longest_name) + "\"";
    for (char &c : text)
        if (static_cast<unsigned char>(c) < ' ')
            c = ' ';
    return text;
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

void add_header(std::string &text, const tau_file &file)
{
    text += std::to_string(file.functions.size()) + " templated_functions_MULTI_" + file.metric + "\n";
    text += "# Name Calls Subrs Excl Incl ProfileCalls # <metadata>";
    add_attribute(text, "Metric Name", file.metric);
    for (const auto &[name, value] : file.metadata)
        add_attribute(text, name, value);
    text += "</metadata>\n";
}

void add_function(std::string &text, const tau_function &f)
{
    text += quoted(f.name) + " " + number(static_cast<double>(f.calls)) + " " +
            number(static_cast<double>(f.subrs)) + " " + usec(f.excl_ns) + " " + usec(f.incl_ns) + " 0 GROUP=" +
            quoted(f.group) + " \n";
}

void add_event(std::string &text, const tau_event &e)
{
    const std::string value = usec(e.value_ns);
    const double squared = static_cast<double>(e.value_ns) / 1000.0 * (static_cast<double>(e.value_ns) / 1000.0);
    text += quoted(e.name) + " 1 " + value + " " + value + " " + value + " " + number(squared) + "\n";
}

}  // namespace

std::string format(const tau_file &file)
{
    std::string text;
    add_header(text, file);
    for (const tau_function &f : file.functions)
        add_function(text, f);
    text += "0 aggregates\n";
    if (file.events.empty())
        return text;
    text += std::to_string(file.events.size()) + " userevents\n# eventname numevents max min mean sumsqr\n";
    for (const tau_event &e : file.events)
        add_event(text, e);
    return text;
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
