// SPDX-License-Identifier: BSD-3-Clause
#include "text.hpp"

#include <charconv>
#include <cmath>
#include <sstream>

#include "scenario.hpp"

namespace sim {

void place::fail(const std::string& sentence) const
{
    throw scenario_error(file + ":" + std::to_string(line) + ": " + sentence);
}

std::string trimmed(const std::string& text)
{
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string::npos)
        return "";
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> split(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::size_t start = 0;
    for (;;) {
        const std::size_t end = text.find(separator, start);
        parts.push_back(trimmed(text.substr(start, end - start)));
        if (end == std::string::npos)
            return parts;
        start = end + 1;
    }
}

std::vector<std::string> words(const std::string& text)
{
    std::istringstream in(text);
    std::vector<std::string> all;
    for (std::string word; in >> word;)
        all.push_back(word);
    return all;
}

namespace {

// A leading plus is welcome in front of a digit; from_chars does not take it.
template <typename number> bool read_number(const std::string& text, number& value)
{
    const char* first = text.data();
    const char* last = first + text.size();
    if (text.size() > 1 && text[0] == '+' && text[1] >= '0' && text[1] <= '9')
        ++first;
    const auto [end, error] = std::from_chars(first, last, value);
    return error == std::errc() && end == last && first != last;
}

std::string shown(double number)
{
    std::ostringstream out;
    out << number;
    return out.str();
}

}  // namespace

std::int64_t whole_number(const place& at, const std::string& text, const char* what, std::int64_t least,
                          std::int64_t most)
{
    std::int64_t value = 0;
    if (!read_number(text, value) || value < least || value > most)
        at.fail(std::string(what) + " must be a whole number from " + std::to_string(least) + " to " +
                std::to_string(most) + ", not '" + text + "'");
    return value;
}

double decimal(const place& at, const std::string& text, const char* what, double least, double most)
{
    double value = 0;
    if (!read_number(text, value) || !(value >= least && value <= most))
        at.fail(std::string(what) + " must be a number from " + shown(least) + " to " + shown(most) + ", not '" +
                text + "'");
    return value;
}

std::string alternatives(const std::vector<std::string>& names)
{
    std::string list;
    for (std::size_t i = 0; i < names.size(); ++i)
        list += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
    return list;
}

}  // namespace sim
