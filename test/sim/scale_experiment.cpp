// SPDX-License-Identifier: BSD-3-Clause
#include "scale_experiment.hpp"

#include <cstdio>
#include <stdexcept>

#include "scale_pattern.hpp"
#include "scenario.hpp"
#include "text.hpp"

namespace scale {

namespace {

struct parameter {
    const char *name;
    const char *meaning;
    std::vector<std::string> words;  // what its values are called, from 0
    std::int64_t experiment::*whole;
    double experiment::*decimal;
    double least, most;
};

parameter choice(const char *name, std::int64_t experiment::*where, std::vector<std::string> words,
                 const char *meaning)
{
    return {name, meaning, std::move(words), where, nullptr, 0, 0};
}

parameter whole(const char *name, std::int64_t experiment::*where, double least, double most, const char *meaning)
{
    return {name, meaning, {}, where, nullptr, least, most};
}

parameter decimal(const char *name, double experiment::*where, double least, double most, const char *meaning)
{
    return {name, meaning, {}, nullptr, where, least, most};
}

const std::vector<parameter> &parameters()
{
    using x = experiment;
    static const std::vector<parameter> all{
        whole("processes", &x::processes, 2, 2097152, "how many"),
        whole("steps", &x::steps, 1, 1000000, "how often each computes and communicates"),
        choice("rule", &x::rule, {"exact", "published", "local"}, "as TARE_RULE"),
        choice("who", &x::who, {"all", "some", "odd", "one"},
               "has probes; some: each process 0, 1 or 2 times as many in each step"),
        decimal("work_us", &x::work_us, 0, 1e6, "work of each process and step"),
        decimal("spread_us", &x::spread_us, 0, 1e6, "mean of an exponential part of it"),
        decimal("probes", &x::probes, 0, 1e6, "in each process and step; 0: also none in calls"),
        decimal("probe_ns", &x::probe_ns, 0, 1e6, "what one costs"),
        decimal("call_ns", &x::call_ns, 0, 1e6, "what a call costs beside its probe"),
        decimal("latency_ns", &x::latency_ns, 10, 1e9, "between hosts; a tenth of it inside one"),
        decimal("jitter_ns", &x::jitter_ns, 0, 1e9, "mean of what a message takes longer"),
        decimal("poll_ns", &x::poll_ns, 0, 1e9, "a message that is waited for is seen up to this late"),
        decimal("calibration", &x::calibration, -100, 100, "percent of each probe that are not declared"),
        decimal("spread", &x::spread, 0, 100, "the same, another for each process: standard deviation"),
        decimal("noise", &x::noise, 0, 100, "percent that a probe costs more or less in a step: the same"),
        whole("per_host", &x::per_host, 1, 2097152, "processes"),
        choice("clock", &x::clock, {"common", "synced", "unknown"}, "of hosts: one, compared in MPI_Init, neither"),
        decimal("offset_us", &x::offset_us, 0, 1e9, "of hosts' clocks, up to this, either way"),
        decimal("drift_ppm", &x::drift_ppm, 0, 1000, "the same"),
        decimal("sync_ns", &x::sync_ns, 0, 1e9, "half a round trip of the comparison in MPI_Init"),
        choice("stamp", &x::stamp, {"full", "short", "timeless"}, "of messages between hosts"),
        choice("learned", &x::learned, {"no", "yes", "never"},
               "each process has once waited for each of its peers; never: and forgets them at once"),
        choice("waits", &x::waits, {"no", "yes"}, "a tool reads them"),
        whole("seed", &x::seed, 0, 1e9, "of all that is drawn"),
    };
    return all;
}

void set_choice(experiment &x, const parameter &p, const sim::place &at, const std::string &value)
{
    for (std::size_t i = 0; i < p.words.size(); ++i) {
        if (p.words[i] == value) {
            x.*p.whole = static_cast<std::int64_t>(i);
            return;
        }
    }
    at.fail(std::string(p.name) + " must be " + sim::alternatives(p.words) + ", not '" + value + "'");
}

void set_number(experiment &x, const parameter &p, const sim::place &at, const std::string &value)
{
    if (p.decimal != nullptr)
        x.*p.decimal = sim::decimal(at, value, p.name, p.least, p.most);
    else
        x.*p.whole = sim::whole_number(at, value, p.name, static_cast<std::int64_t>(p.least),
                                       static_cast<std::int64_t>(p.most));
}

void set_pattern(experiment &x, const sim::place &at, const std::string &value)
{
    for (const std::string &name : pattern_names()) {
        if (name == value) {
            x.pattern = value;
            return;
        }
    }
    at.fail("pattern must be " + sim::alternatives(pattern_names()) + ", not '" + value + "'");
}

void set(experiment &x, const sim::place &at, const std::string &name, const std::string &value)
{
    if (name == "pattern")
        return set_pattern(x, at, value);
    for (const parameter &p : parameters()) {
        if (name == p.name)
            return p.words.empty() ? set_number(x, p, at, value) : set_choice(x, p, at, value);
    }
    at.fail("'" + name + "' is no parameter; 'tare_scale --list' names all");
}

// What no single value is to blame for.
void check(const experiment &x)
{
    make_pattern(x.pattern, static_cast<std::int32_t>(x.processes));
    if (x.stamp == of(stamps::brief) && x.processes > most_short_ranks)
        throw std::runtime_error("stamp=short is for " + std::to_string(most_short_ranks) +
                                 " processes at most: libfabric has no bits for more");
}

std::string shown(double value)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.10g", value);
    return text;
}

std::string value_of(const experiment &x, const parameter &p)
{
    if (!p.words.empty())
        return p.words[static_cast<std::size_t>(x.*p.whole)];
    return p.decimal != nullptr ? shown(x.*p.decimal) : std::to_string(x.*p.whole);
}

struct figure {
    const char *name;
    const char *meaning;
    double (*of)(const totals &t);
};

double part(double of, double whole) { return whole == 0 ? 0 : 100 * of / whole; }

const figure figures[] = {
    {"truth_ns", "run time of the program without probes",
     [](const totals &t) { return static_cast<double>(t.plain_ns); }},
    {"dilation_ns", "by which the probes make it longer",
     [](const totals &t) { return static_cast<double>(t.measured_ns - t.plain_ns); }},
    {"error_ns", "of the compensated run time",
     [](const totals &t) { return static_cast<double>(t.compensated_ns - t.plain_ns); }},
    {"left", "the same in percent of the dilation",
     [](const totals &t) {
         return part(static_cast<double>(t.compensated_ns - t.plain_ns),
                     static_cast<double>(t.measured_ns - t.plain_ns));
     }},
    {"error", "the same in percent of the truth",
     [](const totals &t) {
         return part(static_cast<double>(t.compensated_ns - t.plain_ns), static_cast<double>(t.plain_ns));
     }},
    {"mean_ns", "error of a process's compensated end, mean", [](const totals &t) { return t.mean_error_ns; }},
    {"abs_ns", "the same without its sign", [](const totals &t) { return t.mean_abs_error_ns; }},
    {"worst_ns", "the same of the process where it is largest", [](const totals &t) { return t.worst_error_ns; }},
    {"wait_ns", "of a process, mean, in the program without probes", [](const totals &t) { return t.plain_wait_ns; }},
    {"wait_measured", "error of it in percent, as measured",
     [](const totals &t) { return part(t.measured_wait_ns - t.plain_wait_ns, t.plain_wait_ns); }},
    {"wait_error", "the same, compensated",
     [](const totals &t) { return part(t.compensated_wait_ns - t.plain_wait_ns, t.plain_wait_ns); }},
    {"wait_abs", "mean of the processes' errors without their signs, in percent of the mean wait",
     [](const totals &t) { return part(t.wait_abs_error_ns, t.plain_wait_ns); }},
    {"held", "percent of the processes whose true delay is within its bounds",
     [](const totals &t) { return 100 * t.held; }},
    {"beyond_ns", "how far it is out of them, at most", [](const totals &t) { return t.beyond_ns; }},
    {"sharp", "percent of them whose bounds are one value", [](const totals &t) { return 100 * t.sharp; }},
    {"width_ns", "between the bounds of the others, median", [](const totals &t) { return t.width_ns; }},
    {"width_part", "the same in percent of the dilation",
     [](const totals &t) { return part(t.width_ns, static_cast<double>(t.measured_ns - t.plain_ns)); }},
    {"joins", "of all processes", [](const totals &t) { return static_cast<double>(t.joins); }},
    {"unknown", "messages whose arrival was a guess", [](const totals &t) { return static_cast<double>(t.unknown); }},
    {"saturated", "delays that did not fit", [](const totals &t) { return static_cast<double>(t.saturated); }},
};

std::string padded(const std::string &text)
{
    return text + std::string(text.size() < 14 ? 14 - text.size() : 1, ' ');
}

std::string of_parameter(const parameter &p)
{
    const std::string range = p.words.empty() ? shown(p.least) + " to " + shown(p.most) : sim::alternatives(p.words);
    return "  " + padded(p.name) + p.meaning + " (" + range + "; " + value_of({}, p) + ")\n";
}

}  // namespace

std::vector<experiment> experiments(const std::vector<std::string> &words)
{
    std::vector<experiment> all{experiment{}};
    sim::place at{"argument", 0};
    for (const std::string &word : words) {
        ++at.line;
        const auto equals = word.find('=');
        if (equals == std::string::npos)
            at.fail("'" + word + "' is not NAME=VALUE[,VALUE]...");
        std::vector<experiment> more;
        for (const experiment &x : all) {
            for (const std::string &value : sim::split(word.substr(equals + 1), ',')) {
                more.push_back(x);
                set(more.back(), at, word.substr(0, equals), value);
            }
        }
        all = std::move(more);
    }
    for (const experiment &x : all)
        check(x);
    return all;
}

std::string parameter_list()
{
    std::string text = "Parameters (allowed; default):\n  " + padded("pattern") + "what they say to each other (" +
                       sim::alternatives(pattern_names()) + "; " + experiment{}.pattern + ")\n";
    for (const parameter &p : parameters())
        text += of_parameter(p);
    text += "\nColumns behind them:\n";
    for (const figure &f : figures)
        text += "  " + padded(f.name) + f.meaning + "\n";
    return text;
}

std::string head()
{
    std::string text = "pattern";
    for (const parameter &p : parameters())
        text += std::string("\t") + p.name;
    for (const figure &f : figures)
        text += std::string("\t") + f.name;
    return text;
}

std::string line(const experiment &x, const totals &t)
{
    std::string text = x.pattern;
    for (const parameter &p : parameters())
        text += "\t" + value_of(x, p);
    for (const figure &f : figures)
        text += "\t" + shown(f.of(t));
    return text;
}

}  // namespace scale
