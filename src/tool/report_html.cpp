// SPDX-License-Identifier: BSD-3-Clause
// The frame of the page: what can be read without a script. See report_html_data.cpp for the figures.
#include "report_html.hpp"

#include "command.hpp"
#include "json.hpp"
#include "regions.hpp"
#include "report_calls.hpp"
#include "table.hpp"

#include <iterator>
#include <set>

namespace tare::tool {
namespace {

namespace key = profile::key;

// The page loads nothing, whatever is in it.
constexpr const char *policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

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
    out.put("<header>\n<h1>" + isolated_html(program_of(run)) + "</h1>\n<dl class=\"facts\">\n");
    put_fact(out, "ranks", std::to_string(run.ranks()));
    put_fact(out, "mode", values_of(run, key::mode));
    put_fact(out, "rule", values_of(run, key::rule));
    put_fact(out, "run", values_of(run, key::run_id));
    out.put("</dl>\n<div id=\"switches\"></div>\n</header>\n");
}

void put_metadata(page_file &out, const profile::run &run) {
    out.put("<section id=\"metadata\">\n<details>\n<summary><h2>How it was measured</h2></summary>\n<table>\n");
    for (const auto &[name, value] : metadata_of(run))
        out.put("<tr><th scope=\"row\">" + isolated_html(name) + "</th><td>" + isolated_html(value) + "</td></tr>\n");
    out.put("</table>\n</details>\n</section>\n");
}

}  // namespace

std::string html_text(const std::string &text) {
    std::string result;
    for (const char c : valid_utf8(text)) {
        switch (c) {
        case '&': result += "&amp;"; break;
        case '<': result += "&lt;"; break;
        case '>': result += "&gt;"; break;
        case '"': result += "&quot;"; break;
        case '\'': result += "&#39;"; break;
        default: result += c;
        }
    }
    return result;
}

std::string isolated_html(const std::string &text) { return "<bdi>" + html_text(text) + "</bdi>"; }

void put_fact(page_file &out, const char *name, const std::string &value) {
    out.put("<div><dt>" + std::string(name) + "</dt><dd>" + isolated_html(value) + "</dd></div>\n");
}

void put_warning(page_file &out, const std::string &sentence) {
    if (!sentence.empty())
        out.put("<p class=\"warning\" role=\"note\">" + html_text(sentence) + "</p>\n");
}

void put_page_head(page_file &out, const std::string &title) {
    out.put("<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"generator\" content=\"Tare " TARE_VERSION "\">\n");
    out.put("<meta http-equiv=\"Content-Security-Policy\" content=\"" + std::string(policy) + "\">\n");
    out.put("<title>" + html_text(title) + "</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n");
    out.put(page_style);
    out.put("</style>\n<style id=\"dark\" media=\"screen and (prefers-color-scheme: dark)\">\n");
    out.put(page_dark_style);
    out.put("</style>\n</head>\n<body>\n");
}

void write_page(const profile::run &run, const report_wish &wish) {
    const std::vector<profile::rank_calls> calls = calls_of(run, wish.directory);
    const std::string absent = calls.empty() ? "" : absent_calls_sentence(run, calls);
    if (!absent.empty())
        fail("report", exit_good, absent);
    page_file out(wish.html);
    put_page_head(out, title_of(run));
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
    out.put("<script>\n");
    out.put(page_script);
    out.put("</script>\n</body>\n</html>\n");
    out.finish();
}

}  // namespace tare::tool
