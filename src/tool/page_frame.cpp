// SPDX-License-Identifier: BSD-3-Clause
#include "page_frame.hpp"

#include "json.hpp"
#include "units.hpp"

#include <algorithm>
#include <cstdlib>

namespace tare::tool {
namespace {

// The page loads nothing, whatever is in it.
constexpr const char *policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

}  // namespace

std::string html(const std::string &text) {
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

std::string isolated(const std::string &text) { return "<bdi>" + html(text) + "</bdi>"; }

std::string with_source(const std::string &name, const source_place &place) {
    const source_excerpt lines = excerpt_of(place);
    if (lines.line.empty())
        return place.site.empty() ? isolated(name) : "<span title=\"" + html(place.site) + "\">" + isolated(name) + "</span>";
    std::string text;
    for (const std::string &line : lines.before)
        text += html(line) + "\n";
    text += "<mark>" + html(lines.line) + "</mark>\n";
    for (const std::string &line : lines.after)
        text += html(line) + "\n";
    return "<details><summary>" + isolated(name) + "</summary><p>" + html(place.file) + "</p><pre>" + text +
           "</pre></details>";
}

std::string bar_of(std::int64_t value, std::int64_t largest, bool is_other) {
    const double share = percent_of(std::abs(value), std::max<std::int64_t>(largest, 1)).value_or(0);
    return "<span class=\"bar\" style=\"width: " + std::to_string(share) + "%" +
           (is_other ? "; background: var(--before)" : "") + "\"></span>";
}

void put_page_head(page_file &out, const std::string &title, const char *style, const char *dark_style) {
    out.put("<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"generator\" content=\"Tare " TARE_VERSION "\">\n");
    out.put("<meta http-equiv=\"Content-Security-Policy\" content=\"" + std::string(policy) + "\">\n");
    out.put("<title>" + html(title) + "</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n");
    out.put(style);
    out.put("</style>\n<style id=\"dark\" media=\"screen and (prefers-color-scheme: dark)\">\n");
    out.put(dark_style);
    out.put("</style>\n</head>\n<body>\n");
}

void put_page_title(page_file &out, const std::string &heading,
                    const std::vector<std::pair<const char *, std::string>> &facts) {
    out.put("<header>\n<h1>" + isolated(heading) + "</h1>\n<dl class=\"facts\">\n");
    for (const auto &[name, value] : facts)
        out.put("<div><dt>" + std::string(name) + "</dt><dd>" + isolated(value) + "</dd></div>\n");
    out.put("</dl>\n<div id=\"switches\"></div>\n</header>\n");
}

void put_warning(page_file &out, const std::string &sentence) {
    if (!sentence.empty())
        out.put("<p class=\"warning\" role=\"note\">" + html(sentence) + "</p>\n");
}

void put_page_end(page_file &out, const char *script) {
    out.put("<script>\n");
    out.put(script);
    out.put("</script>\n</body>\n</html>\n");
}

}  // namespace tare::tool
