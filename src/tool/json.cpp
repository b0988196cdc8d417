// SPDX-License-Identifier: BSD-3-Clause
// The one file that includes the JSON library, which takes its time to compile.
#include "json.hpp"

#include "tare_env.h"

#include <nlohmann/json.hpp>

namespace tare::tool {
namespace {

using json = nlohmann::ordered_json;

constexpr int schema = 1;
constexpr int indent = 1;

// The same envelope for every command.
std::string envelope(const char *command, const std::string &mode, const std::string &rule, json rows) {
    const json object = {{"tare", TARE_VERSION}, {"schema", schema}, {"command", command},
                         {"mode", mode},         {"rule", rule},     {"rows", std::move(rows)}};
    // Names come from files: bytes that are not UTF-8 are replaced, not refused.
    return object.dump(indent, ' ', false, json::error_handler_t::replace);
}

// What the variables select here. A value that is not allowed selects nothing.
std::string selected_envelope(json rows) {
    tare_settings_t settings;
    char message[512];
    const bool good = tare_env_read(&settings, message, sizeof message) == 0;
    const char *mode = good ? tare_env_mode_name(settings.mode) : "";
    const char *rule = good ? tare_env_rule_name(settings.rule) : "";
    return envelope("info", mode, rule, std::move(rows));
}

}  // namespace

std::string envelope_json(const char *command, const std::string &mode, const std::string &rule) {
    return envelope(command, mode, rule, json::array());
}

std::string text_json(const std::string &text) {
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string validate_json(const validation &result) {
    json rows = json::array();
    for (const validate_row &row : result.rows)
        rows.push_back({{"case", case_names[row.which]},
                        {"region", row.name()},
                        {"median_ns", row.median.ns},
                        {"spread_ns", row.spread_ns},
                        {"error_pct", row.error_pct ? json(*row.error_pct) : json()},
                        {"inside_bounds", row.inside_bounds ? json(*row.inside_bounds) : json()},
                        {"lo_ns", row.median.lo_ns},
                        {"hi_ns", row.median.hi_ns},
                        {"residue_ns", row.median.residue_ns}});
    return envelope("validate", result.mode, case_names[case_exact], std::move(rows));
}

std::string items_json(const std::vector<info_item> &items) {
    json rows = json::array();
    for (const info_item &item : items)
        rows.push_back({{"name", item.name}, {"value", item.value}});
    return selected_envelope(std::move(rows));
}

std::string variables_json(const std::vector<variable_item> &items) {
    json rows = json::array();
    for (const variable_item &item : items)
        rows.push_back({{"name", item.name},
                        {"values", item.values},
                        {"meaning", item.meaning},
                        {"value", item.is_set ? json(item.value) : json()}});
    return selected_envelope(std::move(rows));
}

}  // namespace tare::tool
