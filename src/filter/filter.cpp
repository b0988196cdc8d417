// SPDX-License-Identifier: BSD-3-Clause
#include "filter.hpp"

#include "position.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fnmatch.h>
#include <memory>
#include <utility>

namespace tare::filter {
namespace {

bool fits(const rule &r, const std::string &name) { return fnmatch(r.pattern.c_str(), name.c_str(), 0) == 0; }

bool begins_with(std::string_view text, std::string_view beginning)
{
    return text.substr(0, beginning.size()) == beginning;
}

// Where the parameter list begins that ends the text, or npos.
std::size_t start_of_parameters(std::string_view text)
{
    std::size_t depth = 0;
    for (std::size_t i = text.size(); i > 0; i--) {
        depth += text[i - 1] == ')';
        if (text[i - 1] == '(' && --depth == 0)
            return i - 1;
        if (depth == 0)
            break;
    }
    return std::string_view::npos;
}

std::string why() { return std::strerror(errno); }

std::string read_file(const std::string &path, const std::string &where)
{
    struct closer {
        void operator()(std::FILE *f) const { std::fclose(f); }
    };
    const std::unique_ptr<std::FILE, closer> file(std::fopen(path.c_str(), "re"));
    std::string text;
    char part[4096];
    std::size_t got = 0;
    while (file != nullptr && (got = std::fread(part, 1, sizeof part, file.get())) > 0)
        text.append(part, got);
    if (file == nullptr || std::ferror(file.get()) != 0)
        throw error(where + " cannot be read: " + why() + "; allowed: a file of include and exclude rules");
    return text;
}

}  // namespace

void rules::add(rule r)
{
    wants_mangled_ |= r.is_mangled;
    rules_.push_back(std::move(r));
}

bool rules::excludes(const std::string &name, const std::string &mangled) const
{
    const std::string shorter = without_parameters(name);
    const auto decides = [&](const rule &r) {
        return r.is_mangled ? fits(r, mangled) : fits(r, name) || (shorter != name && fits(r, shorter));
    };
    const auto found = std::find_if(rules_.rbegin(), rules_.rend(), decides);
    return found != rules_.rend() && found->excludes;
}

std::string without_parameters(const std::string &name)
{
    constexpr std::string_view constant = " const";
    std::string_view text = name;
    if (text.size() > constant.size() && text.substr(text.size() - constant.size()) == constant)
        text.remove_suffix(constant.size());
    const std::size_t start = start_of_parameters(text);
    if (start == std::string_view::npos || start == 0 || text[start - 1] == ' ')
        return name;
    // operator() is the name, if nothing follows.
    constexpr std::string_view call = "operator";
    if (begins_with(text.substr(start - std::min(start, call.size())), call) && text.substr(start) == "()")
        return name;
    return std::string(text.substr(0, start));
}

rules parse(std::string_view text, const std::string &where)
{
    line_reader lines(text);
    for (std::string_view line; lines.next(line);) {
        position at{lines.number()};
        const std::string_view rest = trimmed(line, at.column);
        if (rest.empty() || rest.front() == '#')
            continue;
        if (begins_with(rest, "SCOREP_"))
            return parse_scorep(text, where);
        if (begins_with(rest, "BEGIN_"))
            return parse_tau(text, where);
        refuse(where, at, quoted(rest.substr(0, rest.find_first_of(blanks))) + " begins neither kind of file",
               "SCOREP_REGION_NAMES_BEGIN and SCOREP_FILE_NAMES_BEGIN of Score-P, BEGIN_EXCLUDE_LIST and "
               "BEGIN_INCLUDE_LIST of TAU");
    }
    return {};
}

rules read(const std::string &path, const std::string &where) { return parse(read_file(path, where), where); }

}  // namespace tare::filter
