// SPDX-License-Identifier: BSD-3-Clause
// The frame of the page: what can be read without a script. See report_html_data.cpp for the figures.
#include "report_html.hpp"

#include "command.hpp"
#include "json.hpp"
#include "page_frame.hpp"
#include "regions.hpp"
#include "report_calls.hpp"
#include "table.hpp"

#include <iterator>
#include <set>

namespace tare::tool {
namespace {

namespace key = profile::key;

// Ranks may run different ones.
std::string program_of(const profile::run &run) {
    std::set<std::string> names;
    for (const profile::thread &t : run.threads)
        if (!t.attribute(key::program).empty())
            names.insert(printable(t.attribute(key::program)));
    constexpr std::size_t most = 4;
    const bool is_short = names.size() <= most;
    std::vector<std::string> shown(names.begin(), is_short ? names.end() : std::next(names.begin(), most));
    if (!is_short)
        shown.push_back("...");
    return shown.empty() ? "unnamed program" : joined(shown);
}

std::string ranks_text(const profile::run &run) {
    return count_text(static_cast<std::size_t>(run.ranks()), "rank");
}

std::string title_of(const profile::run &run) {
    return program_of(run) + " on " + ranks_text(run) + ", mode " + values_of(run, key::mode) + ", rule " +
           values_of(run, key::rule) + ", run " + values_of(run, key::run_id) + " - Tare";
}

void put_title(page_file &out, const profile::run &run) {
    put_page_title(out, program_of(run), {{"ranks", std::to_string(run.ranks())},
                                          {"mode", values_of(run, key::mode)},
                                          {"rule", values_of(run, key::rule)},
                                          {"run", values_of(run, key::run_id)}});
}

void put_metadata(page_file &out, const profile::run &run) {
    out.put("<section id=\"metadata\">\n<details>\n<summary><h2>How it was measured</h2></summary>\n<table>\n");
    for (const auto &[name, value] : metadata_of(run))
        out.put("<tr><th scope=\"row\">" + isolated(name) + "</th><td>" + isolated(value) + "</td></tr>\n");
    out.put("</table>\n</details>\n</section>\n");
}

}  // namespace

void write_page(const profile::run &run, const report_wish &wish) {
    const std::vector<profile::rank_calls> calls = calls_of(run, wish.directory);
    const std::string absent = calls.empty() ? "" : absent_calls_sentence(run, calls);
    if (!absent.empty())
        fail("report", exit_good, absent);
    page_file out(wish.html, "tare report --html");
    put_page_head(out, title_of(run), page_style, page_dark_style);
    put_title(out, run);
    out.put("<main>\n");
    for (const std::string &sentence : warnings_of(run))
        put_warning(out, sentence);
    put_warning(out, absent);
    out.put("<noscript><p class=\"warning\">The figures are shown by a script, which is in this page; tare report "
            "prints them as text.</p></noscript>\n<div id=\"figures\"></div>\n");
    put_metadata(out, run);
    out.put("</main>\n<footer>Made by tare report --html, Tare " TARE_VERSION ".</footer>\n");
    put_page_data(out, run, wish, calls);
    put_page_end(out, page_script);
    out.finish();
}

}  // namespace tare::tool
