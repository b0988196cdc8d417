// SPDX-License-Identifier: BSD-3-Clause
// The tables of commands as JSON.
#include "json.hpp"

#include "json_envelope.hpp"
#include "report_states.hpp"
#include "units.hpp"

#include "tare_env.h"

namespace tare::tool {
namespace {

// What the variables select here. A value that is not allowed selects nothing.
std::string selected_envelope(json rows) {
    tare_settings_t settings;
    char message[512];
    const bool good = tare_env_read(&settings, message, sizeof message) == 0;
    const char *mode = good ? tare_env_mode_name(settings.mode) : "";
    const char *rule = good ? tare_env_rule_name(settings.rule) : "";
    return envelope("info", mode, rule, std::move(rows));
}

// What is the same in a state and in a place.
json waits_json(json row, const state_sum &s) {
    row["wait_ns"] = s.wait_ns;
    row["wait_comp_ns"] = s.wait_comp_ns;
    row["calls"] = s.calls;
    row["ranks"] = s.ranks;
    row["max_comp_ns"] = s.max_comp_ns;
    row["max_rank"] = s.max_rank;
    return row;
}

json completions_json(const completion_rows &rows) {
    json sites = json::array();
    for (const completion_sum &s : rows.sites)
        sites.push_back({{"state", s.words->name},
                         {"metric", s.words->metric},
                         {"function", s.function},
                         {"site", s.site},
                         {"calls", s.calls},
                         {"known_calls", s.known_calls},
                         {"time_ns", s.time_ns},
                         {"time_comp_ns", s.time_comp_ns},
                         {"ranks", s.ranks},
                         {"max_comp_ns", s.max_comp_ns},
                         {"max_rank", s.max_rank}});
    return {{"completion", std::move(sites)},
            {"completion_calls", rows.calls},
            {"completion_known_calls", rows.known_calls},
            {"completion_at_least", rows.hosts > 1}};
}

json share_json(std::int64_t part_ns, std::int64_t whole_ns) {
    const std::optional<double> pct = percent_of(part_ns, whole_ns);
    return pct ? json(*pct) : json();
}

}  // namespace

std::string states_json(const profile::run &run, const state_rows &rows, const completion_rows &completions) {
    const std::string &mode = run.attribute(profile::key::mode), &rule = run.attribute(profile::key::rule);
    json result = json::array();
    for (const state_sum &s : rows.states) {
        json row = waits_json({{"state", waits::states[s.state].name}, {"metric", waits::states[s.state].metric}}, s);
        row["share_pct"] = share_json(s.wait_ns, rows.all.incl_ns);
        row["share_comp_pct"] = share_json(s.wait_comp_ns, rows.all.incl_comp_ns);
        row["places"] = json::array();
        for (const state_sum &p : rows.places)
            if (p.state == s.state)
                row["places"].push_back(
                    waits_json({{"function", p.function}, {"where", p.where.empty() ? json() : json(p.where)}}, p));
        result.push_back(std::move(row));
    }
    return envelope("report", mode, rule, std::move(result), completions_json(completions));
}

std::string callsites_json(const profile::rank_calls &head, const std::vector<site_line> &lines) {
    json rows = json::array();
    for (const site_line &line : lines) {
        const profile::call_site &s = line.site;
        rows.push_back({{"site", s.site},
                        {"function", s.function},
                        {"ranks", line.ranks},
                        {"calls", s.calls},
                        {"sent_bytes", s.sent_bytes},
                        {"received_bytes", s.received_bytes},
                        {"time_ns", s.time_ns},
                        {"min_ns", s.least_ns},
                        {"mean_ns", line.mean_ns()},
                        {"max_ns", s.most_ns},
                        {"time_comp_ns", s.comp_ns},
                        {"wait_ns", s.wait_ns},
                        {"wait_comp_ns", s.wait_comp_ns},
                        {"share_pct", 100 * line.share}});
    }
    return envelope("report", head.mode, head.rule, std::move(rows));
}

std::string messages_json(const std::vector<profile::rank_calls> &calls) {
    json rows = json::array();
    for (const profile::rank_calls &c : calls)
        for (std::size_t i = 0; i < c.sizes.size(); ++i)
            if (c.sizes[i].messages > 0)
                rows.push_back({{"rank", c.rank},
                                {"from_bytes", i == 0 ? 0 : std::int64_t{1} << (i - 1)},
                                {"below_bytes", std::uint64_t{1} << i},
                                {"messages", c.sizes[i].messages},
                                {"bytes", c.sizes[i].bytes}});
    return envelope("report", calls.front().mode, calls.front().rule, std::move(rows));
}

std::string validate_json(const validation &result) {
    json rows = json::array();
    for (const validate_row &row : result.rows)
        rows.push_back({{"case", case_names[row.which]},
                        {"region", row.name()},
                        {"median_ns", row.median.ns},
                        {"spread_ns", row.spread_ns},
                        {"error_pct", row.error_pct ? json(*row.error_pct) : json()},
                        {"inside_bounds", row.inside_bounds ? json(*row.inside_bounds) : json()},
                        {"lo_ns", row.median.lo_ns},
                        {"hi_ns", row.median.hi_ns},
                        {"residue_ns", row.median.residue_ns}});
    return envelope("validate", result.mode, case_names[case_exact], std::move(rows));
}

std::string bench_json(const bench_result &result) {
    const auto number = [](const std::optional<double> &value) { return value ? json(*value) : json(); };
    json rows = json::array();
    for (const bench_row &row : result.rows) {
        const bool is_base = !row.against;
        rows.push_back({{"transport", row.key.transport},
                        {"program", "tare_" + row.key.program},
                        {"size", row.key.size},
                        {"mode", row.mode},
                        {"samples_us", row.samples_us},
                        {"median_us", row.median_us},
                        {"mad_us", row.mad_us},
                        {"ratio", is_base ? json() : json(row.against->value)},
                        {"ratio_lo", is_base ? json() : number(row.against->lo)},
                        {"ratio_hi", is_base ? json() : number(row.against->hi)}});
    }
    const json more = {{"declare", result.declared},
                       {"machine", machine_name()},
                       {"rounds", result.rounds},
                       {"seed", result.seed},
                       {"others_pct", result.machine.others_pct},
                       {"stolen_pct", result.machine.stolen_pct},
                       {"blocks", result.blocks},
                       {"busy_blocks", result.busy_blocks},
                       {"failures", result.failures}};
    return envelope("bench", joined(result.modes), "exact", std::move(rows), more);
}

std::string accuracy_json(const accuracy_result &result) {
    json rows = json::array();
    for (const accuracy_row &row : result.rows) {
        json waits = json::array();
        for (std::size_t rank = 0; rank < row.waits.size(); ++rank)
            waits.push_back({{"rank", rank},
                             {"truth_ns", row.waits[rank].truth_ns},
                             {"measured_ns", row.waits[rank].measured_ns},
                             {"comp_ns", row.waits[rank].comp_ns},
                             {"error_of", row.waits[rank].is_of_total ? "total" : "waiting"},
                             {"error_pct", row.waits[rank].error_pct}});
        rows.push_back({{"kernel", row.kernel},
                        {"repairable", row.is_repairable},
                        {"dilation_pct", row.of.dilation_pct},
                        {"mode", row.of.mode},
                        {"rule", row.of.rule},
                        {"truth_ns", row.truth_ns},
                        {"measured_ns", row.measured_ns},
                        {"comp_ns", row.comp_ns},
                        {"lo_ns", row.lo_ns},
                        {"hi_ns", row.hi_ns},
                        {"error_pct", row.error_pct},
                        {"round_errors_pct", row.round_errors_pct},
                        {"spread_pct", row.spread_pct},
                        {"work_change_pct", row.work_pct},
                        {"wait_error_pct", row.worst_wait().error_pct},
                        {"wait_round_errors_pct", row.worst_wait().round_errors_pct},
                        {"inside_bounds", row.inside_bounds},
                        {"inversions", row.inversions},
                        {"waits", std::move(waits)}});
    }
    const json more = {{"machine", machine_name()},
                       {"rounds", result.rounds},
                       {"seed", result.seed},
                       {"others_pct", result.machine.others_pct},
                       {"stolen_pct", result.machine.stolen_pct},
                       {"runs", result.runs},
                       {"busy_runs", result.busy_runs},
                       {"failures", result.failures}};
    return envelope("bench", "header", "exact", std::move(rows), more);
}

std::string items_json(const std::vector<info_item> &items) {
    json rows = json::array();
    for (const info_item &item : items)
        rows.push_back({{"name", item.name}, {"value", item.value}});
    return selected_envelope(std::move(rows));
}

std::string variables_json(const std::vector<variable_item> &items) {
    json rows = json::array();
    for (const variable_item &item : items)
        rows.push_back({{"name", item.name},
                        {"values", item.values},
                        {"default", item.preset},
                        {"unit", item.unit.empty() ? json() : json(item.unit)},
                        {"read_by", item.readers},
                        {"meaning", item.meaning},
                        {"value", item.is_set ? json(item.value) : json()}});
    return selected_envelope(std::move(rows));
}

}  // namespace tare::tool
