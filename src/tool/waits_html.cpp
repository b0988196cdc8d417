// SPDX-License-Identifier: BSD-3-Clause
// The page of `tare waits --html`: a bar for each cause. It has no script.
#include "waits.hpp"

#include "page_frame.hpp"
#include "regions.hpp"
#include "report_html.hpp"
#include "units.hpp"

#include <algorithm>
#include <cstdlib>

namespace tare::tool {
namespace {

std::string cell(const std::string &text) { return "<td class=\"number\">" + html(text) + "</td>"; }

std::string name_cell(const std::string &step, const source_place &place) {
    return "<th scope=\"row\" class=\"text\">" + with_source(step_at(step, place), place) + "</th>";
}

// What makes waiting shorter has a bar of another kind.
std::string bar_cell(std::int64_t ns, std::int64_t largest_ns) {
    return "<td class=\"bars\" style=\"min-width: 9rem; width: 30%\">" + bar_of(ns, largest_ns, ns < 0) + "</td>";
}

class waits_page {
  public:
    waits_page(const waits_view &view, page_file &out) : view_(view), out_(out), unit_(unit_for(view.waiting_ns)) {}

    void write() {
        put_page_head(out_, "Why processes wait: " + view_.file + " - Tare", page_style, page_dark_style);
        put_facts();
        out_.put("<main>\n");
        for (const std::string &note : waits_notes(view_))
            put_warning(out_, note);
        put_waits();
        if (view_.waits.size() > 1)
            put_causes("all", "All waits", view_.causes, view_.waiting_ns);
        for (std::size_t i = 0; i < view_.waits.size(); ++i)
            put_causes("wait" + std::to_string(i),
                       step_at(view_.waits[i].step, view_.waits[i].place) + ", " + view_.waits[i].state,
                       view_.waits[i].causes, view_.waits[i].waiting_ns);
        put_completions();
        out_.put("<p class=\"note\">A cause explains by how much longer the one waited for was in it than the one that "
                 "waited, each over all who were waited for on the way; together that is the waiting. What would go does "
                 "so if both took the same time.</p>\n</main>\n<footer>Made by tare waits --html, Tare " TARE_VERSION
                 ".</footer>\n</body>\n</html>\n");
        out_.finish();
    }

  private:
    std::string time(std::int64_t ns) const { return time_text(ns, unit_); }

    std::string unit_heading(const char *what) const {
        return "<th scope=\"col\" class=\"number\">" + std::string(what) + " [" + unit_.name + "]</th>";
    }

    void put_facts() {
        put_page_title(out_, "Why processes wait",
                       {{"ranks", std::to_string(view_.ranks.size())},
                        {"clock", view_.clock.empty() ? "not said" : view_.clock},
                        {"waiting", time(view_.waiting_ns) + " " + unit_.name},
                        {"of all time", share_text(percent_of(view_.waiting_ns, view_.total_ns)) + " %"}});
    }

    void put_waits() {
        const std::int64_t largest = view_.waits.empty() ? 0 : view_.waits.front().waiting_ns;
        out_.put("<section id=\"waits\">\n<h2>Waits</h2>\n<table class=\"messages\">\n<thead><tr><th scope=\"col\" "
                 "class=\"text\">wait</th><th scope=\"col\" class=\"text\">state</th><th scope=\"col\" class=\"number\">waits"
                 "</th>" + unit_heading("time") + "<th scope=\"col\" class=\"number\">%</th><th></th></tr></thead>\n<tbody>\n");
        for (std::size_t i = 0; i < view_.waits.size(); ++i) {
            const wait_row &w = view_.waits[i];
            out_.put("<tr><th scope=\"row\" class=\"text\"><a href=\"#wait" + std::to_string(i) + "\">" +
                     isolated(step_at(w.step, w.place)) + "</a></th><td>" + html(w.state) + "</td>" + cell(std::to_string(w.waits)) +
                     cell(time(w.waiting_ns)) + cell(share_text(percent_of(w.waiting_ns, view_.waiting_ns))) +
                     bar_cell(w.waiting_ns, largest) + "</tr>\n");
        }
        out_.put("</tbody>\n</table>\n</section>\n");
    }

    void put_causes(const std::string &id, const std::string &title, const std::vector<cause_row> &causes,
                    std::int64_t waiting_ns) {
        std::int64_t largest = 0;
        for (const cause_row &c : causes)
            largest = std::max(largest, std::abs(c.explained_ns));
        const std::vector<counted_column> counted = counted_columns(view_);
        std::string headings;
        for (const counted_column &c : counted)
            headings += c.is_time ? unit_heading(c.heading)
                                  : "<th scope=\"col\" class=\"number\">" + std::string(c.heading) + "</th>";
        out_.put("<section id=\"" + id + "\">\n<h2>" + isolated(title) + "</h2>\n<table class=\"messages\">\n<thead><tr>"
                 "<th scope=\"col\" class=\"text\">cause</th><th></th>" + unit_heading("explains") +
                 "<th scope=\"col\" class=\"number\">%</th><th scope=\"col\" class=\"number\">would go [%]</th>"
                 "<th scope=\"col\" class=\"number\">most on rank</th>" + unit_heading("there") + unit_heading("mean") +
                 headings + "</tr></thead>\n<tbody>\n");
        for (const cause_row &c : causes) {
            std::string cells;
            for (const counted_column &more : counted)
                cells += cell(!c.more ? "" : more.is_time ? time(more.of(c)) : std::to_string(more.of(c)));
            out_.put("<tr>" + name_cell(c.step, c.place) + bar_cell(c.explained_ns, largest) + cell(time(c.explained_ns)) +
                     cell(share_text(percent_of(c.explained_ns, waiting_ns))) +
                     cell(share_text(percent_of(c.would_go_ns, waiting_ns))) +
                     cell(c.most_rank ? std::to_string(*c.most_rank) : "") + cell(c.most_rank ? time(c.most_ns) : "") +
                     cell(c.most_rank ? time(c.mean_ns) : "") + cells + "</tr>\n");
        }
        out_.put("</tbody>\n</table>\n</section>\n");
    }

    void put_completions() {
        if (view_.completions.empty())
            return;
        out_.put("<section id=\"completion\">\n<h2>Behind the first one that leaves</h2>\n<table class=\"messages\">\n<thead><tr>"
                 "<th scope=\"col\" class=\"text\">call</th><th scope=\"col\" class=\"text\">state</th>"
                 "<th scope=\"col\" class=\"number\">calls</th>" + unit_heading("time") + "</tr></thead>\n<tbody>\n");
        for (const completion_row &c : view_.completions)
            out_.put("<tr>" + name_cell(c.step, c.place) + "<td>" + html(c.state) + "</td>" + cell(std::to_string(c.calls)) +
                     cell(time(c.ns)) + "</tr>\n");
        out_.put("</tbody>\n</table>\n</section>\n");
    }

    const waits_view &view_;
    page_file &out_;
    const time_unit unit_;
};

}  // namespace

void write_waits_page(const waits_view &view, const std::string &file) {
    page_file out(file, "tare waits --html");
    waits_page(view, out).write();
}

}  // namespace tare::tool
