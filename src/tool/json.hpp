// SPDX-License-Identifier: BSD-3-Clause
// The machine-readable form of every table: one object, times integers in ns. See tare(1).
#ifndef TARE_TOOL_JSON_HPP
#define TARE_TOOL_JSON_HPP

#include "bench.hpp"
#include "bench_accuracy.hpp"
#include "info.hpp"
#include "report_calls.hpp"
#include "validate.hpp"

#include <string>
#include <vector>

namespace tare::tool {

// Parts of tables that are too large for one text, see json_rows.hpp: the object without a row, and a text in quotes.
std::string envelope_json(const char *command, const std::string &mode, const std::string &rule);
std::string text_json(const std::string &text);

// A text in quotes for JSON inside an HTML page: nothing in it ends an element, and all is ASCII.
std::string script_json(const std::string &text);

// With a replacement for each sequence of bytes that is not UTF-8.
std::string valid_utf8(const std::string &text);

std::string callsites_json(const profile::rank_calls &head, const std::vector<site_line> &lines);
std::string messages_json(const std::vector<profile::rank_calls> &calls);
std::string validate_json(const validation &result);
std::string bench_json(const bench_result &result);
std::string accuracy_json(const accuracy_result &result);
std::string items_json(const std::vector<info_item> &items);
std::string variables_json(const std::vector<variable_item> &items);

}  // namespace tare::tool

#endif
