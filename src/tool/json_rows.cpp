// SPDX-License-Identifier: BSD-3-Clause
#include "json_rows.hpp"

#include "json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace tare::tool {
namespace {

constexpr std::size_t buffered = 1 << 16;

bool is_plain(unsigned char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

template <typename Number> void append(std::string &out, Number value) {
    char text[40];
    const auto [end, failure] = std::to_chars(text, text + sizeof text, value);
    if (failure == std::errc())
        out.append(text, end);
}

}  // namespace

json_rows::json_rows(const char *command, const std::string &mode, const std::string &rule, std::FILE *to) : to_(to) {
    const std::string empty = envelope_json(command, mode, rule);
    out_ = empty.substr(0, empty.rfind("[]") + 1);
}

void json_rows::write_out() {
    std::fwrite(out_.data(), 1, out_.size(), to_);
    out_.clear();
}

void json_rows::begin() {
    put(has_rows_ ? ",\n  {" : "\n  {");
    has_rows_ = true;
    has_members_ = false;
}

void json_rows::name(const char *name) {
    put(has_members_ ? ",\n   \"" : "\n   \"");
    put(name);
    put("\": ");
    has_members_ = true;
}

void json_rows::number(const char *member, std::int64_t value) {
    name(member);
    append(out_, value);
}

void json_rows::number(const char *member, const std::optional<std::int64_t> &value) {
    if (value)
        number(member, *value);
    else
        null(member);
}

void json_rows::real(const char *member, const std::optional<double> &value) {
    if (!value || !std::isfinite(*value))
        return null(member);
    name(member);
    append(out_, *value);
}

void json_rows::text(const char *member, const std::string &value) {
    name(member);
    if (std::all_of(value.begin(), value.end(), is_plain))
        out_ += '"' + value + '"';
    else
        out_ += text_json(value);
}

void json_rows::null(const char *member) {
    name(member);
    put("null");
}

void json_rows::end() {
    put("\n  }");
    if (out_.size() > buffered)
        write_out();
}

void json_rows::finish() {
    put(has_rows_ ? "\n ]\n}\n" : "]\n}\n");
    write_out();
}

}  // namespace tare::tool
