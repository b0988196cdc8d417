// SPDX-License-Identifier: BSD-3-Clause
// Lines, words and where they stand: what the two kinds of files share.
#ifndef TARE_FILTER_POSITION_HPP
#define TARE_FILTER_POSITION_HPP

#include "filter.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace tare::filter {

constexpr std::string_view blanks = " \t\r\f\v";

// Both from 1; columns are bytes.
struct position {
    std::size_t line = 0;
    std::size_t column = 1;
};

[[noreturn]] inline void refuse(const std::string &where, position at, const std::string &what,
                                const std::string &allowed)
{
    throw error(where + ", line " + std::to_string(at.line) + ", column " + std::to_string(at.column) + ": " + what +
                "; allowed: " + allowed);
}

// Long and unreadable words are cut and made readable.
inline std::string quoted(std::string_view word)
{
    constexpr std::size_t longest = 60;
    std::string text(word.substr(0, longest));
    for (char &c : text)
        if (static_cast<unsigned char>(c) < ' ')
            c = '?';
    return "'" + text + (word.size() > longest ? "...'" : "'");
}

class line_reader {
  public:
    explicit line_reader(std::string_view text) : rest_(text) {}

    bool next(std::string_view &line)
    {
        if (rest_.empty())
            return false;
        const std::size_t end = rest_.find('\n');
        line = rest_.substr(0, end);
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        number_++;
        return true;
    }
    std::size_t number() const { return number_; }

  private:
    std::string_view rest_;
    std::size_t number_ = 0;
};

// Without blanks around it; `column` becomes that of its first character.
inline std::string_view trimmed(std::string_view line, std::size_t &column)
{
    const std::size_t begin = line.find_first_not_of(blanks);
    if (begin == std::string_view::npos)
        return {};
    column += begin;
    return line.substr(begin, line.find_last_not_of(blanks) - begin + 1);
}

}  // namespace tare::filter

#endif
