// SPDX-License-Identifier: BSD-3-Clause
#include "suggest.hpp"

#include "json_rows.hpp"
#include "regions.hpp"
#include "units.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace tare::tool {
namespace {

using profile::row;

// A region is worth its measuring if a call takes this many times what measuring it costs.
constexpr std::int64_t least_worth = 10;
// Regions whose measuring takes less of the run are not worth a rule.
constexpr double least_share = 0.001;

bool is_mpi(const row &r) { return r.group == "MPI"; }

// What a pair of probes costs on this thread.
class pair_costs {
  public:
    explicit pair_costs(const profile::thread &t)
        : probe_(cost_of(t, "probe")), region_(cost_of(t, "region")), mpi_(cost_of(t, "mpi")) {
        if (!(region_ > 0))
            throw profile::error("the profile does not say what measuring costs: it lacks 'tare cost region pair ns'");
    }

    // A program without functions that are seen has regions only.
    double of(const row &r) const {
        return is_mpi(r) ? mpi_ : r.group == "TAU_USER" || !(probe_ > 0) ? region_ : probe_;
    }

  private:
    static double cost_of(const profile::thread &t, const char *way) {
        const std::string &text = t.attribute(std::string("tare cost ") + way + " pair ns");
        double ns = 0;
        std::from_chars(text.data(), text.data() + text.size(), ns);
        return std::isfinite(ns) ? std::max(ns, 0.0) : 0;
    }

    double probe_, region_, mpi_;
};

struct candidate {
    double cost_ns = 0;              // of the calls that were measured
    double full_cost_ns = 0;         // of all calls
    std::int64_t calls = 0;
    std::int64_t counted_calls = 0;
    std::int64_t subrs = 0;
    std::int64_t excl_comp_ns = 0;
    bool is_fixed = false;           // MPI and the root are measured in any case

    std::int64_t mean_ns() const {
        const std::int64_t measured = calls - counted_calls;
        return measured > 0 ? std::max<std::int64_t>(excl_comp_ns, 0) / measured : 0;
    }
    bool is_worth_it() const {
        return static_cast<double>(mean_ns()) * static_cast<double>(calls) >= least_worth * full_cost_ns;
    }
};

using candidates = std::unordered_map<std::string, candidate>;

candidates gather(const profile::run &run, const report_wish &wish, suggestions &sums) {
    candidates found;
    for (const profile::thread &t : run.threads) {
        if (t.rank != wish.rank.value_or(t.rank))
            continue;
        const pair_costs costs(t);
        for (const row &r : t.rows) {
            candidate &c = found[r.region];
            const double pair_ns = costs.of(r);
            c.is_fixed |= is_mpi(r) || r.region == profile::root_region || r.region == profile::repeated_region;
            c.cost_ns += pair_ns * static_cast<double>(r.calls - r.counted_calls);
            c.full_cost_ns += pair_ns * static_cast<double>(r.calls);
            c.calls += r.calls;
            c.counted_calls += r.counted_calls;
            c.subrs += r.subrs;
            c.excl_comp_ns += r.excl_comp_ns;
            sums.incl_ns += r.region == profile::root_region ? r.incl_ns : 0;
        }
    }
    return found;
}

bool has_mpi(const profile::run &run) {
    return std::any_of(run.threads.begin(), run.threads.end(), [](const profile::thread &t) {
        return std::any_of(t.rows.begin(), t.rows.end(), is_mpi);
    });
}

// The regions that call paths to MPI go through. False: those that are further out are not known.
bool add_ways_to_mpi(const profile::thread &t, std::unordered_set<std::string> &ways) {
    const std::string root = std::string(profile::root_region) + std::string(profile::path_arrow);
    for (const row &r : t.paths) {
        if (!is_mpi(r))
            continue;
        if (r.region.compare(0, root.size(), root) != 0)
            return false;
        std::string_view rest = r.region;
        for (std::size_t arrow; (arrow = rest.find(profile::path_arrow)) != std::string_view::npos;) {
            ways.emplace(rest.substr(0, arrow));
            rest.remove_prefix(arrow + profile::path_arrow.size());
        }
    }
    return !t.paths.empty() && t.attribute(profile::key::lost_calls).empty();
}

// What is excluded has its time in its caller. Where that calls MPI, the profile would no more tell from where.
class ways_to_mpi {
  public:
    explicit ways_to_mpi(const profile::run &run) : has_mpi_(has_mpi(run)) {
        are_known_ = !has_mpi_ || std::all_of(run.threads.begin(), run.threads.end(), [this](const profile::thread &t) {
            return add_ways_to_mpi(t, ways_);
        });
    }

    bool are_known() const { return are_known_; }
    bool may_hold(const std::string &region, const candidate &c) const {
        return has_mpi_ && c.subrs > 0 && (!are_known_ || ways_.count(region) != 0);
    }

  private:
    bool has_mpi_;
    bool are_known_ = false;
    std::unordered_set<std::string> ways_;
};

std::string time_of(std::int64_t ns, const std::int64_t largest_ns) {
    const time_unit u = unit_for(largest_ns);
    return time_text(ns, u) + " " + u.name;
}

std::string share_of(std::int64_t part, std::int64_t whole) {
    const std::string text = share_text(percent_of(part, whole));
    return text.empty() ? "" : " (" + text + " %)";
}

void print_expectations(const profile::run &run, const report_wish &wish, const suggestions &s) {
    std::int64_t calls = 0, cost_ns = 0;
    for (const suggestion &r : s.regions) {
        calls += r.calls - r.counted_calls;
        cost_ns += r.cost_ns;
    }
    const std::string who = wish.rank ? "rank " + std::to_string(*wish.rank) : "all ranks and threads together";
    std::printf("# Suggested by tare report --suggest-filter for the run %s; %s.\n",
                values_of(run, profile::key::run_id).c_str(), who.c_str());
    std::printf("# Measured so far: %lld calls, which cost about %s%s of the time.\n", static_cast<long long>(s.calls),
                time_of(s.cost_ns, s.cost_ns).c_str(), share_of(s.cost_ns, s.incl_ns).c_str());
    std::printf("# Expected saving: %lld calls, about %s%s, less some ns that an excluded call still costs.\n",
                static_cast<long long>(calls), time_of(cost_ns, s.cost_ns).c_str(),
                share_of(cost_ns, s.incl_ns).c_str());
    if (s.left_out > 0)
        std::printf("# %s left out: --limit=0 shows all\n", count_text(s.left_out, "further region").c_str());
    if (!s.knows_ways_to_mpi)
        std::printf("# Only regions that call no others: which others lead to MPI is known after a run with "
                    "TARE_CALLPATH=1000.\n");
    if (const std::string &file = run.threads.front().attribute(profile::key::filter); !file.empty())
        std::printf("# The run had TARE_FILTER=%s, whose rules are not repeated here.\n",
                    values_of(run, profile::key::filter).c_str());
}

void print_rule(const suggestion &r, std::int64_t largest_ns) {
    std::printf("  EXCLUDE %s  # %lld calls of %lld ns, measuring them about %s", pattern_of(r.region).c_str(),
                static_cast<long long>(r.calls), static_cast<long long>(r.mean_ns),
                time_of(r.cost_ns, largest_ns).c_str());
    if (r.counted_calls > 0)
        std::printf(" (throttled after %lld calls)", static_cast<long long>(r.calls - r.counted_calls));
    std::printf("\n");
}

void print_file(const profile::run &run, const report_wish &wish, const suggestions &s) {
    print_expectations(run, wish, s);
    if (s.regions.empty())
        std::printf("# No region is worth a rule.\n");
    std::printf("SCOREP_REGION_NAMES_BEGIN\n");
    for (const suggestion &r : s.regions)
        print_rule(r, s.regions.front().cost_ns);
    std::printf("SCOREP_REGION_NAMES_END\n");
}

void print_json(const profile::run &run, const suggestions &s) {
    json_rows out("report", run.attribute(profile::key::mode), run.attribute(profile::key::rule));
    for (const suggestion &r : s.regions) {
        out.begin();
        out.text("region", r.region);
        out.text("pattern", pattern_of(r.region));
        out.number("calls", r.calls);
        out.number("counted_calls", r.counted_calls);
        out.number("mean_ns", r.mean_ns);
        out.number("cost_ns", r.cost_ns);
        out.real("cost_pct", percent_of(r.cost_ns, s.incl_ns));
        out.end();
    }
    out.finish();
}

}  // namespace

suggestions suggest(const profile::run &run, const report_wish &wish) {
    suggestions result;
    const ways_to_mpi ways(run);
    result.knows_ways_to_mpi = ways.are_known();
    double cost_ns = 0;
    for (const auto &[region, c] : gather(run, wish, result)) {
        result.calls += c.calls - c.counted_calls;
        cost_ns += c.cost_ns;
        const bool is_dear = c.full_cost_ns >= least_share * static_cast<double>(result.incl_ns);
        if (!c.is_fixed && is_dear && !c.is_worth_it() && !ways.may_hold(region, c))
            result.regions.push_back({region, c.calls, c.mean_ns(), std::llround(c.cost_ns), c.counted_calls});
    }
    result.cost_ns = std::llround(cost_ns);
    std::sort(result.regions.begin(), result.regions.end(), [](const suggestion &a, const suggestion &b) {
        return a.cost_ns != b.cost_ns ? a.cost_ns > b.cost_ns : a.region < b.region;
    });
    const std::size_t shown = shown_of(result.regions.size(), wish.limit.value_or(0));
    result.left_out = result.regions.size() - shown;
    result.regions.resize(shown);
    return result;
}

std::string pattern_of(const std::string &region) {
    constexpr std::string_view keywords[] = {"EXCLUDE", "INCLUDE", "MANGLED", "DEMANGLED"};
    const bool is_keyword = std::find(std::begin(keywords), std::end(keywords), region) != std::end(keywords) ||
                            region.compare(0, 7, "SCOREP_") == 0;
    std::string pattern = is_keyword ? "\\" : "";
    for (const char c : region)
        if (static_cast<unsigned char>(c) < ' ')
            pattern += '?';
        else
            (pattern += std::string_view(" #\\*?[").find(c) == std::string_view::npos ? "" : "\\") += c;
    return pattern;
}

int report_suggestions(const profile::run &run, const report_wish &wish) {
    const suggestions s = suggest(run, wish);
    if (wish.json)
        print_json(run, s);
    else
        print_file(run, wish, s);
    return 0;
}

}  // namespace tare::tool
