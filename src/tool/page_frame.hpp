// SPDX-License-Identifier: BSD-3-Clause
// What the pages of the tool have in common around their figures.
#ifndef TARE_TOOL_PAGE_FRAME_HPP
#define TARE_TOOL_PAGE_FRAME_HPP

#include "page_file.hpp"
#include "source_lines.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tare::tool {

// Text from files, as the content of an element or in double quotes.
std::string html(const std::string &text);

// The name is a text of its own: what is written from right to left must not turn the words around it.
std::string isolated(const std::string &text);

// What is there in the source, and opens to its lines where they can be read; else the name alone.
std::string with_source(const std::string &name, const source_place &place);

// A bar as wide as its share of the largest one; is_other: of another kind.
std::string bar_of(std::int64_t value, std::int64_t largest, bool is_other);

// Up to the beginning of its body. The page loads nothing, whatever is in it.
void put_page_head(page_file &out, const std::string &title, const char *style, const char *dark_style);

// Heading, facts and the place of its switches.
void put_page_title(page_file &out, const std::string &heading,
                    const std::vector<std::pair<const char *, std::string>> &facts);

// A sentence above the figures; nothing if it is empty.
void put_warning(page_file &out, const std::string &sentence);

// The script, and the end.
void put_page_end(page_file &out, const char *script);

}  // namespace tare::tool

#endif
