// SPDX-License-Identifier: BSD-3-Clause
#include "json_in.hpp"

#include "profile.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tare::tool {
namespace {

using json = nlohmann::json;
using kind = json_value::kind;

// Deeper than any file that is read here; values are taken apart recursively.
constexpr std::size_t deepest = 64;

// What the library's parser calls; puts the values together.
class builder : public nlohmann::json_sax<json> {
  public:
    builder(const std::string &where, std::string_view rows, const json_visitor &visit)
        : where_(where), rows_(rows), visit_(visit) {}

    json_value result;

    bool null() override { return add(kind::nothing, 0, ""); }
    bool boolean(bool value) override { return add(kind::boolean, value, ""); }
    bool number_integer(number_integer_t value) override { return add(kind::integer, value, ""); }
    bool number_unsigned(number_unsigned_t value) override {
        const bool fits = value <= INT64_MAX;
        return fits ? add(kind::integer, static_cast<std::int64_t>(value), "") : add_real(static_cast<double>(value));
    }
    bool number_float(number_float_t value, const string_t &) override { return add_real(value); }
    bool string(string_t &value) override { return add(kind::text, 0, std::move(value)); }
    bool binary(binary_t &) override { return false; }
    bool start_object(std::size_t) override { return open(kind::object); }
    bool start_array(std::size_t) override { return open(kind::array); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t &value) override {
        name_ = std::move(value);
        return true;
    }
    bool parse_error(std::size_t position, const std::string &, const nlohmann::detail::exception &) override {
        throw profile::error(where_ + ": at byte " + std::to_string(position) +
                             " it is cut short, damaged or not JSON");
    }

  private:
    bool add(kind is, std::int64_t integer, std::string text) {
        json_value v;
        v.is = is;
        v.integer = integer;
        v.real = static_cast<double>(integer);
        v.text = std::move(text);
        put(std::move(v));
        return true;
    }

    bool add_real(double value) {
        json_value v;
        v.is = kind::real;
        v.real = value;
        put(std::move(v));
        return true;
    }

    bool open(kind is) {
        if (open_.size() == deepest)
            throw profile::error(where_ + ": it is nested deeper than anything that tare convert writes");
        json_value v;
        v.is = is;
        open_.emplace_back(std::move(name_), std::move(v));
        name_.clear();
        return true;
    }

    bool close() {
        json_value v = std::move(open_.back().second);
        name_ = std::move(open_.back().first);
        open_.pop_back();
        put(std::move(v));
        return true;
    }

    void put(json_value v) {
        if (open_.empty())
            result = std::move(v);
        else if (visit_ && open_.size() == 2 && open_.back().first == rows_ && open_.back().second.is == kind::array)
            visit_(v);
        else
            open_.back().second.members.emplace_back(std::move(name_), std::move(v));
        name_.clear();
    }

    const std::string &where_;
    const std::string_view rows_;
    const json_visitor &visit_;
    std::string name_;
    std::vector<std::pair<std::string, json_value>> open_;
};

}  // namespace

const json_value *json_value::find(std::string_view name) const {
    const auto found = std::find_if(members.begin(), members.end(), [&](const auto &m) { return m.first == name; });
    return found == members.end() ? nullptr : &found->second;
}

const json_value &json_value::member_at(std::string_view name, kind wanted, const char *what,
                                        const std::string &where) const {
    const json_value *found = find(name);
    if (!found || found->is != wanted)
        throw profile::error(where + " has no " + what + " '" + std::string(name) + "'");
    return *found;
}

std::int64_t json_value::integer_at(std::string_view name, const std::string &where) const {
    return member_at(name, kind::integer, "whole number", where).integer;
}

double json_value::number_at(std::string_view name, const std::string &where) const {
    const json_value *found = find(name);
    return found && found->is == kind::real ? found->real
                                            : member_at(name, kind::integer, "number", where).real;
}

const std::string &json_value::text_at(std::string_view name, const std::string &where) const {
    return member_at(name, kind::text, "text", where).text;
}

const json_value &json_value::array_at(std::string_view name, const std::string &where) const {
    return member_at(name, kind::array, "array", where);
}

const json_value &json_value::object_at(std::string_view name, const std::string &where) const {
    return member_at(name, kind::object, "object", where);
}

json_value parse_json(const std::string &text, const std::string &where, std::string_view rows,
                      const json_visitor &visit) {
    builder b(where, rows, visit);
    json::sax_parse(text, &b);
    if (b.result.is != kind::object)
        throw profile::error(where + " does not hold an object");
    return std::move(b.result);
}

}  // namespace tare::tool
