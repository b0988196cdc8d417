// SPDX-License-Identifier: BSD-3-Clause
// JSON is what `tare report --json` prints: written by its code, and read here.
#include "convert.hpp"
#include "json_in.hpp"
#include "report.hpp"

namespace tare::tool {
namespace {

// Only where calls may have been counted and not measured.
constexpr std::size_t counted_index = figure_index(&profile::figures::counted_calls);

profile::row to_row(const json_value &object, const figure_set &known, const std::string &where) {
    profile::row r;
    const json_value *path = object.find("path");
    r.region = path ? object.text_at("path", where) : object.text_at("region", where);
    for (std::size_t i = 0; i < reported_figures; ++i)
        if (known[i])
            r.*figure_columns[i].value = object.integer_at(figure_columns[i].name, where);
        else if (const json_value *v = object.find(figure_columns[i].name); !v || !v->is_null())
            throw profile::error(where + ": '" + figure_columns[i].name + "' is null in some rows only");
    if (known[counted_index])
        r.counted_calls = object.integer_at("counted_calls", where);
    return r;
}

// A file may lack figures, if it was converted from one that does.
figure_set figures_in(const json_value &object) {
    figure_set known;
    for (std::size_t i = 0; i < reported_figures; ++i) {
        const json_value *v = object.find(figure_columns[i].name);
        known[i] = !v || !v->is_null();
    }
    known[counted_index] = object.find("counted_calls") != nullptr;
    return known;
}

}  // namespace

void write_json(const content &c, const write_wish &wish, std::FILE *to) {
    report_wish asked;
    asked.json = true;
    if (wish.callpath)
        asked.view = report_view::callpath;
    asked = decide(c.run, asked);
    print_report_json(c.run, asked, select_lines(c.run, asked), to, c.known);
}

content read_json(const std::string &text, const std::string &where) {
    content c;
    run_builder builder(where);
    std::size_t count = 0;
    const json_value head = parse_json(text, where, "rows", [&](const json_value &object) {
        const std::string row = where + ": row " + std::to_string(++count);
        if (count == 1)
            c.known = figures_in(object);
        if (const json_value *rank = object.find("rank"); rank && rank->is_null())
            throw profile::error(row + " is of all ranks together, which is not a profile");
        profile::thread &t = builder.thread(object.integer_at("rank", row), object.integer_at("thread", row));
        (object.find("path") ? t.paths : t.rows).push_back(to_row(object, c.known, row));
    });
    constexpr std::int64_t schema = 1;
    if (head.integer_at("schema", where) != schema || head.text_at("command", where) != "report")
        throw profile::error(where + " is not the JSON of tare report, schema 1");
    c.run = builder.finish({{profile::key::version, head.text_at("tare", where)},
                            {profile::key::mode, head.text_at("mode", where)},
                            {profile::key::rule, head.text_at("rule", where)}});
    return c;
}

}  // namespace tare::tool
