// SPDX-License-Identifier: BSD-3-Clause
// Texts in JSON, and the object around rows that are written one by one.
#include "json.hpp"

#include "json_envelope.hpp"

namespace tare::tool {

std::string envelope_json(const char *command, const std::string &mode, const std::string &rule) {
    return envelope(command, mode, rule, json::array());
}

std::string text_json(const std::string &text) {
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string script_json(const std::string &text) {
    const std::string quoted = json(text).dump(-1, ' ', true, json::error_handler_t::replace);
    std::string result;
    for (const char c : quoted)
        c == '<' ? result += "\\u003c" : result += c;
    return result;
}

std::string valid_utf8(const std::string &text) {
    return json::parse(text_json(text)).get<std::string>();
}

}  // namespace tare::tool
