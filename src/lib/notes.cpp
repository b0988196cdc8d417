// SPDX-License-Identifier: BSD-3-Clause
// What the PMPI layer has noted of its calls, on its way to the file beside the profile: places get their names, and
// what has one name is summed up.
#include "mpi_calls.hpp"
#include "process.hpp"
#include "site_name.hpp"

#include <map>

namespace tare {
namespace {

std::atomic<tare_measure_collect_t> collector{nullptr};

struct collection {
    std::map<std::pair<std::string, std::string>, profile::call_site> sites;     // by function and name
    profile::rank_calls calls;
};

profile::call_site to_call_site(const tare_measure_site_t &s)
{
    profile::call_site c;
    c.function = s.function;
    c.site = symbols::name_of_site({s.module, s.offset, s.symbol, s.symbol_offset});
    c.calls = s.calls;
    c.sent_bytes = s.sent_bytes;
    c.received_bytes = s.received_bytes;
    c.time_ns = s.sum.time_ns;
    c.least_ns = s.least_ns;
    c.most_ns = s.most_ns;
    c.comp_ns = s.sum.time_ns - s.sum.delay_ns;
    c.wait_ns = s.sum.wait_ns;
    c.wait_comp_ns = s.sum.wait_compensated_ns;
    return c;
}

}  // namespace

void write_notes(process &p)
{
    const tare_measure_collect_t collect = collector.load(std::memory_order_acquire);
    if (collect == nullptr)
        return;
    profile::thread described;
    described.metadata = describe(p);
    collection all;
    all.calls.rank = p.rank;
    all.calls.ranks = p.ranks;
    all.calls.run_id = p.run_id;
    all.calls.mode = described.attribute(profile::key::mode);
    all.calls.rule = described.attribute(profile::key::rule);
    collect(&all);
    for (const auto &[name, site] : all.sites)
        all.calls.sites.push_back(site);
    profile::write_calls(p.profile_dir, all.calls);
}

}  // namespace tare

using namespace tare;

extern "C" {

void tare_measure_notes_from(tare_measure_collect_t collect) { collector.store(collect, std::memory_order_release); }

void tare_measure_add_site(void *to, const tare_measure_site_t *site)
{
    profile::call_site c = to_call_site(*site);
    profile::call_site &sum = static_cast<collection *>(to)->sites[{c.function, c.site}];
    sum.function = c.function;
    sum.site = c.site;
    add(sum, c);
}

void tare_measure_add_messages(void *to, int size_class, int64_t messages, int64_t bytes)
{
    profile::message_class &c = static_cast<collection *>(to)->calls.sizes[static_cast<std::size_t>(size_class)];
    c.messages += messages;
    c.bytes += bytes;
}

}  // extern "C"
