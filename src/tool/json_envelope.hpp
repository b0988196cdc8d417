// SPDX-License-Identifier: BSD-3-Clause
// What every JSON object of the tool begins with. For the few files that include the JSON library, which takes its time
// to compile.
#ifndef TARE_TOOL_JSON_ENVELOPE_HPP
#define TARE_TOOL_JSON_ENVELOPE_HPP

#include "command.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace tare::tool {

using json = nlohmann::ordered_json;

// The same envelope for every command; `more` stands behind the rule.
inline std::string envelope(const char *command, const std::string &mode, const std::string &rule, json rows,
                            const json &more = json::object()) {
    constexpr int schema = 1, indent = 1;
    json object = {{"tare", TARE_VERSION}, {"schema", schema}, {"command", command}, {"mode", mode}, {"rule", rule}};
    object.update(more);
    object["rows"] = std::move(rows);
    // Names come from files: bytes that are not UTF-8 are replaced, not refused.
    return object.dump(indent, ' ', false, json::error_handler_t::replace);
}

}  // namespace tare::tool

#endif
