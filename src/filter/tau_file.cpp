// SPDX-License-Identifier: BSD-3-Clause
// TAU's select files. A line is a keyword or a name, without the blanks around it, or a comment that begins with #.
// A name in quotes is what stands between them. In names # is any text and ? any character; a backslash takes that
// from what follows. Unlike TAU, what is no block of TAU's is an error, and so is a block that is not ended.
#include "filter.hpp"

#include "position.hpp"

#include <algorithm>

namespace tare::filter {
namespace {

enum class list { exclude, include, file, section };

struct block {
    const char *begin;
    const char *end;
    list kind;
};
constexpr block blocks[] = {{"BEGIN_EXCLUDE_LIST", "END_EXCLUDE_LIST", list::exclude},
                            {"BEGIN_INCLUDE_LIST", "END_INCLUDE_LIST", list::include},
                            {"BEGIN_FILE_EXCLUDE_LIST", "END_FILE_EXCLUDE_LIST", list::file},
                            {"BEGIN_FILE_INCLUDE_LIST", "END_FILE_INCLUDE_LIST", list::file},
                            {"BEGIN_INSTRUMENT_SECTION", "END_INSTRUMENT_SECTION", list::section}};

std::string all_begins()
{
    std::string text;
    for (const block &b : blocks)
        text += std::string(text.empty() ? "" : ", ") + b.begin;
    return text;
}

// TAU writes `int work(int, char **) C` for the C function that its symbol calls work, and may put the place of its
// source behind it.
std::string_view as_the_symbol(std::string_view name)
{
    name = name.substr(0, name.find(" [{"));
    constexpr std::string_view c = " C";
    if (name.size() <= c.size() || name.substr(name.size() - c.size()) != c)
        return name;
    name = name.substr(0, std::min(name.size() - c.size(), name.find('(')));
    name = name.substr(0, name.find_last_not_of(' ') + 1);
    const std::size_t before = name.find_last_of(" *&");
    return before == std::string_view::npos ? name : name.substr(before + 1);
}

std::string to_pattern(std::string_view name)
{
    std::string pattern;
    for (std::size_t i = 0; i < name.size(); i++) {
        const bool is_escaped = name[i] == '\\' && i + 1 < name.size();
        i += is_escaped;
        if (!is_escaped && name[i] == '#')
            pattern += '*';
        else if (std::string_view("*[\\").find(name[i]) != std::string_view::npos || (is_escaped && name[i] == '?'))
            (pattern += '\\') += name[i];
        else
            pattern += name[i];
    }
    return pattern;
}

class tau_parser {
  public:
    explicit tau_parser(const std::string &where) : where_(where) {}

    void take_line(std::string_view line, std::size_t number)
    {
        at_ = {number, 1};
        const std::string_view text = trimmed(line, at_.column);
        if (text.empty() || text.front() == '#')
            return;
        for (const block &b : blocks)
            if (text == b.begin || text == b.end)
                return text == b.begin ? begin(b) : end(b);
        if (block_ == nullptr)
            refuse(where_, at_, quoted(text) + " stands outside of the lists", all_begins());
        if (block_->kind == list::exclude || block_->kind == list::include)
            take_name(unquoted(text));
    }

    // What is excluded is so whatever the include list says.
    rules finish()
    {
        at_.column = 1;
        if (block_ != nullptr)
            refuse(where_, at_, std::string("the file ends in the list that begins in line ") +
                                    std::to_string(begin_.line), block_->end);
        if (!include_.empty())
            rules_.add({true, false, "*"});
        for (const std::string &pattern : include_)
            rules_.add({false, false, pattern});
        for (const std::string &pattern : exclude_)
            rules_.add({true, false, pattern});
        return rules_;
    }

  private:
    void begin(const block &b)
    {
        if (block_ != nullptr)
            refuse(where_, at_, std::string(b.begin) + " stands in the list that begins in line " +
                                    std::to_string(begin_.line), std::string("names, ") + block_->end);
        block_ = &b;
        begin_ = at_;
        const std::string line = where_ + ", line " + std::to_string(at_.line) + ": ";
        if (b.kind == list::file)
            rules_.remark(line + "rules for source files have no effect: Tare does not know what file a function is "
                                 "from");
        if (b.kind == list::section)
            rules_.remark(line + "what stands here has no effect: Tare puts no probes into source code");
    }

    void end(const block &b)
    {
        if (block_ == nullptr)
            refuse(where_, at_, std::string(b.end) + " ends no list", all_begins());
        if (block_ != &b)
            refuse(where_, at_, std::string(b.end) + " does not end the list that begins in line " +
                                    std::to_string(begin_.line), std::string("names, ") + block_->end);
        block_ = nullptr;
    }

    std::string_view unquoted(std::string_view text)
    {
        if (text.front() != '"')
            return text;
        std::size_t end = 1;
        while (end < text.size() && text[end] != '"')
            end += text[end] == '\\' ? 2 : 1;
        if (end >= text.size())
            refuse(where_, at_, "the quote is not closed", "\"NAME\"");
        if (end + 1 < text.size()) {
            at_.column += end + 1;
            refuse(where_, at_, quoted(text.substr(end + 1)) + " follows the name in quotes",
                   "\"NAME\" and the line's end");
        }
        return text.substr(1, end - 1);
    }

    void take_name(std::string_view name)
    {
        std::string pattern = to_pattern(as_the_symbol(name));
        if (pattern.empty())
            refuse(where_, at_, "the name is empty", "names, " + std::string(block_->end));
        (block_->kind == list::exclude ? exclude_ : include_).push_back(std::move(pattern));
    }

    const std::string &where_;
    rules rules_;
    std::vector<std::string> exclude_, include_;
    position at_, begin_;
    const block *block_ = nullptr;       // nullptr: none is open
};

}  // namespace

rules parse_tau(std::string_view text, const std::string &where)
{
    tau_parser parser(where);
    line_reader lines(text);
    for (std::string_view line; lines.next(line);)
        parser.take_line(line, lines.number());
    return parser.finish();
}

}  // namespace tare::filter
