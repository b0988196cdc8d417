// SPDX-License-Identifier: BSD-3-Clause
// JSON that is read.
#ifndef TARE_TOOL_JSON_IN_HPP
#define TARE_TOOL_JSON_IN_HPP

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tare::tool {

struct json_value {
    enum class kind { nothing, boolean, integer, real, text, array, object };

    kind is = kind::nothing;
    std::int64_t integer = 0;
    double real = 0;      // of an integer, too
    std::string text;
    std::vector<std::pair<std::string, json_value>> members;  // of an array without names

    bool is_null() const { return is == kind::nothing; }
    const json_value *find(std::string_view name) const;      // null: there is no such member

    // A member of this kind; profile::error "WHERE has no text NAME" if there is none.
    std::int64_t integer_at(std::string_view name, const std::string &where) const;
    double number_at(std::string_view name, const std::string &where) const;
    const std::string &text_at(std::string_view name, const std::string &where) const;
    const json_value &array_at(std::string_view name, const std::string &where) const;
    const json_value &object_at(std::string_view name, const std::string &where) const;

  private:
    const json_value &member_at(std::string_view name, kind wanted, const char *what, const std::string &where) const;
};

using json_visitor = std::function<void(const json_value &)>;

// The object in a text. The elements of its member `rows`, an array, go to the visitor one by one and are not kept:
// there may be millions. Without a visitor all are kept.
json_value parse_json(const std::string &text, const std::string &where, std::string_view rows,
                      const json_visitor &visit);

}  // namespace tare::tool

#endif
