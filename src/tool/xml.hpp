// SPDX-License-Identifier: BSD-3-Clause
// As much of XML as Cube's description of a profile needs.
#ifndef TARE_TOOL_XML_HPP
#define TARE_TOOL_XML_HPP

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tare::tool {

// Text for an element or an attribute. What XML cannot hold (control characters, bytes that are not UTF-8) becomes
// U+FFFD.
std::string xml_text(std::string_view text);

struct xml_element {
    std::string name;
    std::vector<std::pair<std::string, std::string>> attributes;
    std::string text;
    std::vector<xml_element> children;

    const std::string &attribute(std::string_view name) const;         // empty: there is none
    const xml_element *child(std::string_view name) const;             // null: there is none
    const std::string &text_of(std::string_view child_name) const;     // empty: there is none
};

// The outermost element. Errors: profile::error, with `where` and the line.
xml_element parse_xml(std::string_view text, const std::string &where);

}  // namespace tare::tool

#endif
