// SPDX-License-Identifier: BSD-3-Clause
// What `tare comms` prints.
#include "comms.hpp"

#include "command.hpp"
#include "json_envelope.hpp"
#include "regions.hpp"
#include "table.hpp"
#include "units.hpp"
#include "waits.hpp"

#include <cstdio>

namespace tare::tool {
namespace {

class comms_text {
  public:
    comms_text(const comms_view &view, const analysis_wish &wish)
        : view_(view), unit_(unit_for(view.found.communicating_ns)), shown_(shown_of(view.classes.size(), wish.limit.value_or(default_limit))) {}

    void print() const {
        print_head();
        if (!view_.classes.empty()) {
            print_classes();
            print_explanations();
        }
        for (const std::string &n : comms_notes(view_))
            std::printf("%s\n", printable(n).c_str());
    }

  private:
    void print_head() const {
        const comms::result &f = view_.found;
        const time_unit unit = unit_for(f.total_ns);
        std::printf("%s of %s in %s: %s of %s %s of %s (%s %%) are in their calls%s.\n\n",
                    count_text(f.transfers, "transfer").c_str(), count_text(f.bytes, "byte").c_str(),
                    std::to_string(view_.classes.size()).append(view_.classes.size() == 1 ? " class" : " classes").c_str(),
                    time_text(f.communicating_ns, unit).c_str(), time_text(f.total_ns, unit).c_str(), unit.name,
                    count_text(view_.ranks, "rank").c_str(), share_text(percent_of(f.communicating_ns, f.total_ns)).c_str(),
                    view_.clock.empty() ? "" : (", on the " + view_.clock + " clock").c_str());
    }

    void print_classes() const {
        table t({{"class", true, 0},
                 {"data", false, 0, true},
                 {"from", false, 1, true},
                 {"to", false, 1, true},
                 {"transfers", true, 2},
                 {"bytes", true, 2},
                 {std::string("time [") + unit_.name + "]"},
                 {"%"},
                 {"previous", false, 3}});
        for (std::size_t i = 0; i < shown_; ++i) {
            const class_row &c = view_.classes[i];
            t.add({std::to_string(c.number), data_text(c), step_at(c.from.step, c.from.place), step_at(c.to.step, c.to.place),
                   std::to_string(c.transfers), std::to_string(c.bytes), time_text(c.ns(), unit_),
                   share_text(percent_of(c.ns(), view_.found.communicating_ns)), previous_text(c)});
        }
        print_left_out_columns(t.print(look_at_stdout()));
        if (shown_ < view_.classes.size())
            std::printf("%zu more %s: --limit=0 shows all\n", view_.classes.size() - shown_,
                        view_.classes.size() - shown_ == 1 ? "class" : "classes");
    }

    void print_explanations() const {
        for (std::size_t i = 0; i < shown_; ++i) {
            const class_row &c = view_.classes[i];
            std::printf("\nclass %u: %s of %s%s, %s; %s\n", c.number, c.operation.c_str(), printable(data_text(c)).c_str(),
                        c.from.type.empty() ? "" : (" as " + printable(c.from.type)).c_str(), pattern_text(c).c_str(),
                        chain_text(view_, c).c_str());
            if (!c.users.empty())
                std::printf("  used by %s\n", printable(joined(c.users)).c_str());
            for (const comms::finding &f : c.findings)
                std::printf("  %s\n", printable(finding_text(c, f)).c_str());
        }
        std::printf("\n");
    }

    const comms_view &view_;
    const time_unit unit_;
    const std::size_t shown_;
};

json text_or_null(const std::string &text) { return text.empty() ? json() : json(text); }

json spot_json(const spot_row &s) {
    return {{"step", s.step},
            {"call_site", text_or_null(s.place.site)},
            {"source", s.place.line > 0 ? json(s.place.file + ":" + std::to_string(s.place.line)) : json()},
            {"data", text_or_null(s.data)},
            {"type", text_or_null(s.type)}};
}

const char *shape_name(comms::shape who) {
    constexpr const char *names[] = {"one pair", "from one", "to one", "neighbours", "ring", "all pairs", "other"};
    return names[static_cast<int>(who)];
}

json divided_json(const comms::divided &d) {
    constexpr const char *names[] = {"unknown", "one", "same", "blocks", "cyclic", "block-cyclic"};
    json row = {{"how", names[static_cast<int>(d.how)]}};
    if (d.step_bytes != 0) {
        row["piece_bytes"] = d.piece_bytes;
        row["step_bytes"] = d.step_bytes;
    }
    return row;
}

json pattern_json(const class_row &c) {
    const comms::pattern &p = c.pattern;
    return {{"shape", shape_name(p.who)},
            {"distances", p.distances},
            {"sent", divided_json(p.sent)},
            {"received", divided_json(p.received)},
            {"is_halo", p.is_halo},
            {"is_transpose", p.is_transpose}};
}

json class_json(const class_row &c) {
    json previous = json::array(), findings = json::array(), pairs = json::array();
    for (const auto &[number, transfers] : c.previous)
        previous.push_back({{"class", number == 0 ? json() : json(number)}, {"transfers", transfers}});
    for (const comms::finding &f : c.findings)
        findings.push_back({{"problem", problem_name(f.what)},
                            {"transfers", f.transfers},
                            {"bytes", f.bytes},
                            {"proved", f.is_proved},
                            {"text", finding_text(c, f)}});
    for (const class_row::pair &p : c.pairs)
        pairs.push_back({{"from", p.from}, {"to", p.to}, {"transfers", p.transfers}, {"bytes", p.bytes}});
    return {{"class", c.number},
            {"operation", c.operation},
            {"from", spot_json(c.from)},
            {"to", spot_json(c.to)},
            {"transfers", c.transfers},
            {"bytes", c.bytes},
            {"sender_ns", c.sender_ns},
            {"receiver_ns", c.receiver_ns},
            {"pattern", pattern_json(c)},
            {"previous", std::move(previous)},
            {"previous_bytes", c.previous_bytes},
            {"findings", std::move(findings)},
            {"used_by", c.users},
            {"pairs", std::move(pairs)}};
}

}  // namespace

void print_comms_text(const comms_view &view, const analysis_wish &wish) { comms_text(view, wish).print(); }

void print_comms_json(const comms_view &view) {
    json rows = json::array();
    for (const class_row &c : view.classes)
        rows.push_back(class_json(c));
    const comms::result &f = view.found;
    const unknown_part &u = view.unknown;
    const json more = {{"clock", view.clock},
                       {"total_ns", f.total_ns},
                       {"communicating_ns", f.communicating_ns},
                       {"transfers", f.transfers},
                       {"bytes", f.bytes},
                       {"sends", f.sends},
                       {"receives", f.receives},
                       {"collectives", f.collectives},
                       {"unpaired", f.unpaired},
                       {"unpaired_ns", f.unpaired_ns},
                       {"without_memory", f.without_memory},
                       {"without_memory_ns", f.without_memory_ns},
                       {"without_site", f.without_site},
                       {"without_site_ns", u.site_ns},
                       {"without_contents", u.contents},
                       {"without_contents_ns", f.without_contents_ns},
                       {"without_lifetime", u.lifetimes},
                       {"without_lifetime_ns", u.lifetime_ns},
                       {"unnamed_bytes", f.unnamed_bytes},
                       {"unnamed_ns", u.name_ns},
                       {"without_users", u.users},
                       {"without_users_ns", u.users_ns},
                       {"taken_whole", f.taken_whole},
                       {"taken_whole_ns", f.taken_whole_ns},
                       {"of_neighbours", f.of_neighbours},
                       {"of_neighbours_ns", f.of_neighbours_ns},
                       {"not_ended", f.not_ended},
                       {"not_ended_ns", f.not_ended_ns},
                       {"outside", f.outside}};
    std::printf("%s\n", envelope("comms", "", "", std::move(rows), more).c_str());
}

}  // namespace tare::tool
