// SPDX-License-Identifier: BSD-3-Clause
// Score-P's filter files. Words are separated by blanks and line ends; a backslash takes the special meaning from what
// follows, blanks and # among them; # begins a comment. Patterns are those of fnmatch(3), where a backslash does the
// same. MANGLED holds up to the next EXCLUDE or INCLUDE, or DEMANGLED. Unlike Score-P, a block that is not ended is an
// error: the file may have been cut off.
#include "filter.hpp"

#include "position.hpp"

namespace tare::filter {
namespace {

struct block {
    const char *begin;
    const char *end;
    bool is_of_regions;
};
constexpr block blocks[] = {{"SCOREP_REGION_NAMES_BEGIN", "SCOREP_REGION_NAMES_END", true},
                            {"SCOREP_FILE_NAMES_BEGIN", "SCOREP_FILE_NAMES_END", false}};

class scorep_parser {
  public:
    explicit scorep_parser(const std::string &where) : where_(where) {}

    void take_line(std::string_view line, std::size_t number)
    {
        at_.line = number;
        for (std::size_t i = line.find_first_not_of(blanks); i < line.size() && line[i] != '#';) {
            const std::size_t end = end_of_word(line, i);
            at_.column = i + 1;
            take_word(line.substr(i, end - i));
            i = line.find_first_not_of(blanks, end);
        }
    }

    rules finish()
    {
        at_.column = 1;
        if (block_ != nullptr)
            refuse(where_, at_,
                   "the file ends in the block that begins in line " + std::to_string(begin_.line), block_->end);
        return rules_;
    }

  private:
    enum class part { nothing, exclude, include };

    std::size_t end_of_word(std::string_view line, std::size_t i)
    {
        for (; i < line.size() && line[i] != '#' && blanks.find(line[i]) == std::string_view::npos; i++) {
            if (line[i] != '\\')
                continue;
            at_.column = i + 1;
            if (++i == line.size())
                refuse(where_, at_, "a backslash ends the line", "a backslash before the character that it is for");
        }
        return i;
    }

    void take_word(std::string_view word)
    {
        for (const block &b : blocks)
            if (word == b.begin || word == b.end)
                return word == b.begin ? begin(b, word) : end(b, word);
        if (block_ == nullptr)
            refuse_here(word, "stands outside of the blocks");
        if (word == "EXCLUDE" || word == "INCLUDE")
            return begin_part(word == "EXCLUDE" ? part::exclude : part::include);
        if (part_ == part::nothing)
            refuse_here(word, "follows neither EXCLUDE nor INCLUDE");
        if (word == "MANGLED" || word == "DEMANGLED")
            return set_mangled(word);
        if (block_->is_of_regions)
            rules_.add({part_ == part::exclude, is_mangled_, std::string(word)});
    }

    void begin(const block &b, std::string_view word)
    {
        if (block_ != nullptr)
            refuse_here(word, "stands in the block that begins in line " + std::to_string(begin_.line));
        block_ = &b;
        begin_ = at_;
        part_ = part::nothing;
        if (!b.is_of_regions)
            rules_.remark(where_ + ", line " + std::to_string(at_.line) +
                          ": rules for source files have no effect: Tare does not know what file a function is from");
    }

    void end(const block &b, std::string_view word)
    {
        if (block_ != &b)
            refuse_here(word, "ends no block that is open");
        block_ = nullptr;
    }

    void begin_part(part p)
    {
        part_ = p;
        is_mangled_ = false;
    }

    void set_mangled(std::string_view word)
    {
        if (!block_->is_of_regions)
            refuse_here(word, "is for names of regions");
        is_mangled_ = word == "MANGLED";
    }

    [[noreturn]] void refuse_here(std::string_view word, const std::string &why) const
    {
        std::string allowed = std::string(blocks[0].begin) + ", " + blocks[1].begin;
        if (block_ != nullptr)
            allowed = std::string("EXCLUDE, INCLUDE, ") + block_->end;
        if (block_ != nullptr && part_ != part::nothing)
            allowed += ", names";
        refuse(where_, at_, quoted(word) + " " + why, allowed);
    }

    const std::string &where_;
    rules rules_;
    position at_, begin_;
    const block *block_ = nullptr;       // nullptr: none is open
    part part_ = part::nothing;
    bool is_mangled_ = false;
};

}  // namespace

rules parse_scorep(std::string_view text, const std::string &where)
{
    scorep_parser parser(where);
    line_reader lines(text);
    for (std::string_view line; lines.next(line);)
        parser.take_line(line, lines.number());
    return parser.finish();
}

}  // namespace tare::filter
