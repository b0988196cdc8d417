// SPDX-License-Identifier: BSD-3-Clause
// Chrome's trace events, as a JSON object: each rank a process, each of its threads two rows of bars. One has the
// regions side by side by exclusive time, the other the call paths, if any, as a flame chart. No time of day is
// known, so a bar's place means nothing and its width alone does; the names of the rows say so.
#include "chrome_events.hpp"
#include "convert.hpp"
#include "convert_layout.hpp"
#include "json.hpp"

#include <algorithm>

namespace tare::tool {
namespace {

using profile::figures;
using profile::row;

class chrome_writer {
  public:
    chrome_writer(const content &c, layout_clock clock, std::FILE *to)
        : content_(c), clock_(clock_names[static_cast<int>(clock)]), width_(width_figure(clock)),
          out_(to, writer_name, about()) {}

    void write();

  private:
    std::string about() const;
    void write_bar(const std::string &name, const std::string &group, std::int64_t at_ns, std::int64_t ns,
                   std::int64_t tid, const std::string &args);
    void write_names(const profile::thread &t, bool is_first_of_rank);
    void write_attributes(const profile::thread &t);
    void write_regions(const profile::thread &t);
    void write_level(const call_nodes &level, std::int64_t at_ns);
    std::string figures_text(const row &r, const char *kind) const;

    const content &content_;
    const char *clock_;
    std::int64_t figures::*width_;
    chrome_events out_;
    const profile::thread *thread_ = nullptr;
};

std::int64_t paths_tid(const profile::thread &t) { return 2 * std::int64_t{t.number}; }
std::int64_t regions_tid(const profile::thread &t) { return paths_tid(t) + 1; }

void chrome_writer::write_bar(const std::string &name, const std::string &group, std::int64_t at_ns, std::int64_t ns,
                              std::int64_t tid, const std::string &args) {
    out_.begin("X", text_json(name), thread_->rank, tid);
    out_.put(", \"cat\": " + text_json(group) + ", \"ts\": " + usec_text(at_ns) + ", \"dur\": " + usec_text(ns) +
        ", \"args\": {" + args + "}}");
}

std::string chrome_writer::figures_text(const row &r, const char *kind) const {
    std::string text = std::string("\"kind\": \"") + kind + "\", \"thread\": " + std::to_string(thread_->number);
    for (std::size_t i = 0; i < figure_count; ++i)
        if (content_.known[i])
            text += std::string(", \"") + figure_columns[i].name +
                    "\": " + std::to_string(r.*figure_columns[i].value);
    return text;
}

void chrome_writer::write_names(const profile::thread &t, bool is_first_of_rank) {
    if (is_first_of_rank)
        out_.name_process(t.rank, "rank " + std::to_string(t.rank) + ", profile, " + clock_ +
                                      " time: widths, not a time line", t.rank);
    const std::string thread = "thread " + std::to_string(t.number);
    if (!t.paths.empty())
        out_.name_thread(t.rank, paths_tid(t), thread + ", call paths");
    out_.name_thread(t.rank, regions_tid(t), thread + ", regions, exclusive");
    if (!t.paths.empty())
        out_.sort_thread(t.rank, paths_tid(t));
    out_.sort_thread(t.rank, regions_tid(t));
}

// Not Chrome's: viewers ignore names that they do not know.
void chrome_writer::write_attributes(const profile::thread &t) {
    std::string text;
    for (const auto &[name, value] : t.metadata)
        text += (text.empty() ? "" : ", ") + text_json(name) + ": " + text_json(value);
    out_.meta("tare_attributes", t.rank, regions_tid(t),
              "\"thread\": " + std::to_string(t.number) + ", \"attributes\": {" + text + "}");
}

void chrome_writer::write_regions(const profile::thread &t) {
    std::vector<const row *> order;
    for (const row &r : t.rows)
        order.push_back(&r);
    std::stable_sort(order.begin(), order.end(),
                     [&](const row *a, const row *b) { return a->*width_ > b->*width_; });
    std::int64_t at_ns = 0;
    for (const row *r : order) {
        const std::int64_t ns = std::max<std::int64_t>(r->*width_, 0);
        write_bar(r->region, r->group, at_ns, ns, regions_tid(t), figures_text(*r, "region"));
        at_ns = plus(at_ns, ns);
    }
}

// A bar is as wide as what is in it, so that bars always lie inside each other; what was recorded stands in its args.
void chrome_writer::write_level(const call_nodes &level, std::int64_t at_ns) {
    for (const auto *node : laid_out(level, width_)) {
        const call_node &n = node->second;
        const std::int64_t ns = weight_of(n, width_);
        const std::string args = n.path ? figures_text(*n.path, "path") + ", \"path\": " + text_json(n.path->region)
                                        : std::string("\"kind\": \"way\"");
        write_bar(node->first, n.path ? n.path->group : "", at_ns, ns, paths_tid(*thread_), args);
        write_level(n.children, at_ns);
        at_ns = plus(at_ns, ns);
    }
}

std::string chrome_writer::about() const {
    const auto attribute = [&](const char *key) { return text_json(content_.run.attribute(key)); };
    return std::string("\"note\": \"a profile laid out by ") + clock_ +
           " time: only the widths of bars mean something, not where they are\", \"clock\": \"" + clock_ +
           "\", \"mode\": " + attribute(profile::key::mode) + ", \"rule\": " + attribute(profile::key::rule);
}

void chrome_writer::write() {
    for (const profile::thread &t : content_.run.threads) {
        const bool is_first_of_rank = !thread_ || thread_->rank != t.rank;
        thread_ = &t;
        write_names(t, is_first_of_rank);
        write_attributes(t);
        write_regions(t);
        if (!t.paths.empty())
            write_level(call_forest(t), 0);
    }
    for (const message_bytes &b : content_.bytes)
        out_.meta("tare_bytes", b.rank, 0,
                  "\"function\": " + text_json(b.function) + ", \"sent_bytes\": " + std::to_string(b.sent_bytes) +
                      ", \"received_bytes\": " + std::to_string(b.received_bytes));
    out_.end();
}

}  // namespace

void write_chrome(const content &c, const write_wish &wish, std::FILE *to) {
    check_width(c, wish.clock, "chrome");
    chrome_writer(c, wish.clock, to).write();
}

}  // namespace tare::tool
