// SPDX-License-Identifier: BSD-3-Clause
// `tare report --html`: one page that needs nothing but a browser. The script and the style are files below page/,
// which the build turns into the texts here; the figures are data in the page, which the script reads.
#ifndef TARE_TOOL_REPORT_HTML_HPP
#define TARE_TOOL_REPORT_HTML_HPP

#include "mpi_calls.hpp"
#include "page_file.hpp"
#include "report.hpp"

#include <vector>

namespace tare::tool {

// Made by the build from page/*.js and page/*.css.
extern const char page_script[];
extern const char page_style[];
extern const char page_dark_style[];

// Text from files, as the content of an element or in double quotes; isolated: as a text of its own, so that what is
// written from right to left does not turn the words around it.
std::string html_text(const std::string &text);
std::string isolated_html(const std::string &text);
void put_page_head(page_file &out, const std::string &title);
void put_fact(page_file &out, const char *name, const std::string &value);
void put_warning(page_file &out, const std::string &sentence);   // nothing if it is empty

// Checks the place, too; errors are tare::profile::error. Rank and region of the wish are there.
void write_page(const profile::run &run, const report_wish &wish);

// The data: a script element of JSON for the run, and one for each thread. See page/data.js for their form.
void put_page_data(page_file &out, const profile::run &run, const report_wish &wish,
                   const std::vector<profile::rank_calls> &calls);

}  // namespace tare::tool

#endif
