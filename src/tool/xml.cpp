// SPDX-License-Identifier: BSD-3-Clause
#include "xml.hpp"

#include "profile.hpp"

#include <algorithm>
#include <cstring>

namespace tare::tool {
namespace {

const std::string nothing;

// More than paths may have regions.
constexpr int deepest = 4096;

struct entity {
    const char *text;
    char character;
};
constexpr entity entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};

// How many bytes the character takes with which the text begins; 0: it is not UTF-8, or not for XML.
std::size_t length_of_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : 0); };
    const unsigned char first = byte(0);
    if (first < 0x80)
        return first >= ' ';
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80)
            return 0;
    const bool is_overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
    const bool is_surrogate = first == 0xed && byte(1) >= 0xa0;
    const bool is_beyond = first == 0xf4 && byte(1) >= 0x90;
    const bool is_no_character = first == 0xef && byte(1) == 0xbf && byte(2) >= 0xbe;
    return is_overlong || is_surrogate || is_beyond || is_no_character ? 0 : length;
}

class xml_reader {
  public:
    xml_reader(std::string_view text, const std::string &where) : text_(text), where_(where) {}

    xml_element document() {
        skip_blanks();
        while (take("<?"))
            skip_until("?>");
        if (!take("<"))
            fail("an element should begin here");
        xml_element root = element(0);
        if (at_ != text_.size())
            fail("something follows the end of <" + root.name + ">");
        return root;
    }

  private:
    [[noreturn]] void fail(const std::string &what) const {
        const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
        throw profile::error(where_ + ", line " + std::to_string(line) + ": " + what);
    }

    bool take(std::string_view wanted) {
        if (text_.substr(at_, wanted.size()) != wanted)
            return false;
        at_ += wanted.size();
        return true;
    }

    void skip_blanks() {
        at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    }

    void skip_until(std::string_view end) {
        before(end);
        skip_blanks();
    }

    // What stands before `end`, which is taken, too.
    std::string_view before(std::string_view end) {
        const std::size_t found = text_.find(end, at_);
        if (found == std::string_view::npos)
            fail("'" + std::string(end) + "' is missing: the file is cut short or damaged");
        const std::string_view text = text_.substr(at_, found - at_);
        at_ = found + end.size();
        return text;
    }

    std::string name() {
        const std::size_t end = std::min(text_.find_first_of(" \t\r\n=/><", at_), text_.size());
        if (end == at_)
            fail("a name should be here");
        const std::string_view found = text_.substr(at_, end - at_);
        at_ = end;
        return std::string(found);
    }

    std::string unescaped(std::string_view text) const {
        std::string result;
        while (!text.empty()) {
            const std::size_t plain = std::min(text.find('&'), text.size());
            result += text.substr(0, plain);
            text.remove_prefix(plain);
            if (text.empty())
                break;
            const auto known = std::find_if(std::begin(entities), std::end(entities), [&](const entity &e) {
                return text.substr(0, std::strlen(e.text)) == e.text;
            });
            if (known == std::end(entities))
                fail("an entity is unknown");
            result += known->character;
            text.remove_prefix(std::strlen(known->text));
        }
        return result;
    }

    void read_attributes(xml_element &e) {
        for (skip_blanks(); at_ < text_.size() && text_[at_] != '>' && text_[at_] != '/'; skip_blanks()) {
            std::string key = name();
            if (!take("=\""))
                fail("the attribute " + key + " has no value in quotes");
            e.attributes.emplace_back(std::move(key), unescaped(before("\"")));
        }
    }

    // Behind its '<'.
    xml_element element(int depth) {
        if (depth > deepest)
            fail("it is nested deeper than " + std::to_string(deepest) + " elements");
        xml_element e;
        e.name = name();
        read_attributes(e);
        if (take("/>")) {
            skip_blanks();
            return e;
        }
        if (!take(">"))
            fail("<" + e.name + " does not end");
        std::string_view text = before("<");
        for (; !take("/"); text = before("<")) {
            e.children.push_back(element(depth + 1));
        }
        if (e.children.empty())
            e.text = unescaped(text);
        if (name() != e.name || !take(">"))
            fail("the end of <" + e.name + "> should be here");
        skip_blanks();
        return e;
    }

    const std::string_view text_;
    const std::string &where_;
    std::size_t at_ = 0;
};

}  // namespace

std::string xml_text(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = length_of_character(text);
        const auto known = std::find_if(std::begin(entities), std::end(entities),
                                        [&](const entity &e) { return e.character == text.front(); });
        if (length == 0)
            result += "\xef\xbf\xbd";
        else if (known != std::end(entities))
            result += known->text;
        else
            result += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return result;
}

const std::string &xml_element::attribute(std::string_view wanted) const {
    for (const auto &[key, value] : attributes)
        if (key == wanted)
            return value;
    return nothing;
}

const xml_element *xml_element::child(std::string_view wanted) const {
    for (const xml_element &c : children)
        if (c.name == wanted)
            return &c;
    return nullptr;
}

const std::string &xml_element::text_of(std::string_view child_name) const {
    const xml_element *c = child(child_name);
    return c ? c->text : nothing;
}

xml_element parse_xml(std::string_view text, const std::string &where) { return xml_reader(text, where).document(); }

}  // namespace tare::tool
