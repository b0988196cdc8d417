// SPDX-License-Identifier: BSD-3-Clause
// `tare trace match`: how many pairs of sends and receives each method finds, and how many of them are wrong.
#ifndef TARE_TOOL_TRACE_MATCH_HPP
#define TARE_TOOL_TRACE_MATCH_HPP

#include "matcher.hpp"
#include "trace_read.hpp"

#include <optional>

namespace tare::tool {

struct match_wish {
    bool json = false;
    bool threads = false;
    std::optional<int> limit;            // of pairs of threads
};

void print_match_text(const tare_archive_t &archive, const match::match_result &result, const match_wish &wish);
void print_match_json(const tare_archive_t &archive, const match::match_result &result);

}  // namespace tare::tool

#endif
