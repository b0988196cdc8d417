// SPDX-License-Identifier: BSD-3-Clause
// The page of `tare comms --html`: a bar for each class. It has no script.
#include "comms.hpp"

#include "command.hpp"
#include "page_frame.hpp"
#include "regions.hpp"
#include "report_html.hpp"
#include "units.hpp"
#include "waits.hpp"

#include <algorithm>

namespace tare::tool {
namespace {

class comms_page {
  public:
    comms_page(const comms_view &view, page_file &out)
        : view_(view), out_(out), unit_(unit_for(view.found.communicating_ns)) {}

    void write() {
        put_page_head(out_, "What processes send: " + view_.file + " - Tare", page_style, page_dark_style);
        put_facts();
        out_.put("<main>\n");
        for (const std::string &n : comms_notes(view_))
            put_warning(out_, n);
        put_classes();
        put_findings();
        out_.put("</main>\n<footer>Made by tare comms --html, Tare " TARE_VERSION ".</footer>\n</body>\n</html>\n");
        out_.finish();
    }

  private:
    void put_facts() {
        const comms::result &f = view_.found;
        put_page_title(out_, "What processes send",
                       {{"ranks", std::to_string(view_.ranks)},
                        {"clock", view_.clock.empty() ? "not said" : view_.clock},
                        {"transfers", std::to_string(f.transfers)},
                        {"bytes", std::to_string(f.bytes)},
                        {"in their calls", time_text(f.communicating_ns, unit_) + " " + unit_.name},
                        {"of all time", share_text(percent_of(f.communicating_ns, f.total_ns)) + " %"}});
    }

    void put_heading(const std::vector<std::pair<const char *, const char *>> &columns) {
        out_.put("<table class=\"messages\">\n<thead><tr>");
        for (const auto &[kind, name] : columns)
            out_.put(std::string("<th scope=\"col\" class=\"") + kind + "\">" + name + "</th>");
        out_.put("</tr></thead>\n<tbody>\n");
    }

    static std::string text_cell(const std::string &text) { return "<td>" + isolated(text) + "</td>"; }
    // Text that may be long: more than one line where the window is narrow.
    static std::string words_cell(const std::string &text) { return "<td class=\"words\">" + isolated(text) + "</td>"; }
    static std::string number_cell(const std::string &text) { return "<td class=\"number\">" + html(text) + "</td>"; }
    static std::string place_cell(const spot_row &s) {
        return "<td class=\"text\">" + with_source(step_at(s.step, s.place), s.place) + "</td>";
    }

    void put_classes() {
        const std::string time = std::string("time [") + unit_.name + "]";
        const std::int64_t largest = view_.classes.empty() ? 0 : view_.classes.front().ns();
        out_.put("<section id=\"classes\">\n<h2>Classes of transfers</h2>\n");
        put_heading({{"number", "class"}, {"text", "data"}, {"number", "transfers"}, {"number", "bytes"},
                     {"number", time.c_str()}, {"text", ""}, {"text", "from"}, {"text", "to"}, {"text", "who to whom"},
                     {"text", "where the data come from"}, {"text", "used by"}});
        for (const class_row &c : view_.classes)
            out_.put("<tr id=\"class" + std::to_string(c.number) + "\">" + number_cell(std::to_string(c.number)) +
                     text_cell(data_text(c)) + number_cell(std::to_string(c.transfers)) +
                     number_cell(std::to_string(c.bytes)) + number_cell(time_text(c.ns(), unit_)) +
                     "<td class=\"bars\" style=\"min-width: 6rem\">" + bar_of(c.ns(), largest, !c.findings.empty()) +
                     "</td>" + place_cell(c.from) + place_cell(c.to) +
                     words_cell(c.operation + ", " + pattern_text(c)) + words_cell(chain_text(view_, c)) +
                     words_cell(c.users.empty() ? "unknown" : joined(c.users)) + "</tr>\n");
        out_.put("</tbody>\n</table>\n<p class=\"note\">Time is that of the calls on both sides. Classes with a bar of another "
                 "colour could be better, see below.</p>\n</section>\n");
    }

    void put_findings() {
        out_.put("<section id=\"findings\">\n<h2>What could be better</h2>\n");
        if (std::all_of(view_.classes.begin(), view_.classes.end(), [](const class_row &c) { return c.findings.empty(); })) {
            out_.put("<p class=\"note\">Nothing was found.</p>\n</section>\n");
            return;
        }
        put_heading({{"number", "class"}, {"text", "problem"}, {"text", "what was found"}});
        for (const class_row &c : view_.classes)
            for (const comms::finding &f : c.findings)
                out_.put("<tr><td class=\"number\"><a href=\"#class" + std::to_string(c.number) + "\">" +
                         std::to_string(c.number) + "</a></td>" + text_cell(problem_name(f.what)) +
                         words_cell(finding_text(c, f)) + "</tr>\n");
        out_.put("</tbody>\n</table>\n</section>\n");
    }

    const comms_view &view_;
    page_file &out_;
    const time_unit unit_;
};

}  // namespace

void write_comms_page(const comms_view &view, const std::string &file) {
    page_file out(file, "tare comms --html");
    comms_page(view, out).write();
}

}  // namespace tare::tool
