// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "report.hpp"

namespace report {

namespace {

using session::arrival;

constexpr arrival arrivals[] = {arrival::posted, arrival::unexpected, arrival::probed, arrival::claimed};
constexpr const char *arrival_names[] = {"posted", "unexpected", "probed", "claimed", "truncated"};

// On both sides of every limit that the layouts know, of the provider and of their own.
std::vector<std::size_t> all_sizes()
{
    const std::size_t injected = fabric::self.info->tx_attr->inject_size, copied = layout::largest_copy;
    std::vector<std::size_t> all = {0, 8, 1024, 8192, 65536, session::largest_bytes};
    for (const std::size_t limit : {injected, copied}) {
        for (const std::size_t below : {std::size_t{17}, std::size_t{16}, std::size_t{1}, std::size_t{0}})
            all.push_back(limit > below ? limit - below : 0);
        all.push_back(limit + 1);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

std::string name_of(const char *provider, layout::kind k, arrival how)
{
    std::string name = std::string(provider) + "_" + layout::names[static_cast<int>(k)] + "_" +
                       arrival_names[static_cast<int>(how)] + "_arrives_as_sent";
    std::replace(name.begin(), name.end(), ';', '_');
    return name;
}

// What libfabric 1.17 cannot do, whatever the layout is or for this one: null, or why it is not tried.
const char *known_limit(const std::string& provider, layout::kind k, arrival how)
{
    const bool probes = how == arrival::probed || how == arrival::claimed, truncated = how == arrival::truncated;
    if (provider == "shm" && probes && fi_version() < FI_VERSION(1, 19))
        return "shm of this libfabric takes a probe for a receive";
    if (provider == "shm" && truncated)
        return "shm gives no completion data with the error";
    if (provider == "net;ofi_rxm" && how == arrival::claimed)
        return "net;ofi_rxm does not end a claimed rendezvous";
    if (provider == "udp;ofi_rxd" && truncated)
        return "udp;ofi_rxd does not say that a message was too long";
    const bool rxm_or_net = provider == "net" || provider.find("ofi_rxm") != std::string::npos;
    if (rxm_or_net && truncated && layout::has_prefix(k))
        return "net and ofi_rxm give no data with the error, so no prefix";
    return nullptr;
}

void one_case(session::side& s, tally *seen, layout::kind k, arrival how, const std::vector<std::size_t>& sizes,
              int messages)
{
    const char *provider = fabric::self.info->fabric_attr->prov_name;
    const std::string name = name_of(provider, k, how);
    if (const char *limit = known_limit(provider, k, how)) {
        std::printf("ok %d - %s # SKIP %s\n", ++seen->run, name.c_str(), limit);
        return;
    }
    std::string wrong;
    std::uint64_t first = 0;
    for (const std::size_t bytes : sizes) {
        const session::verdict v = session::lead_check(s, {session::task::check, k, how, bytes, messages, first});
        if (v.difference[0])
            wrong += "# " + std::to_string(bytes) + " bytes: " + v.difference + "\n";
        first += static_cast<std::uint64_t>(messages);
    }
    seen->failed += !wrong.empty();
    std::printf("%s %d - %s\n%s", wrong.empty() ? "ok" : "not ok", ++seen->run, name.c_str(), wrong.c_str());
}

}  // namespace

void cases(session::side& s, tally *seen)
{
    fabric::describe("# ");
    for (int k = 0; k < layout::kinds; ++k) {
        for (const arrival how : arrivals)
            one_case(s, seen, static_cast<layout::kind>(k), how, all_sizes(), 2);
    }
}

void case_truncated(session::side& s, tally *seen, layout::kind k)
{
    one_case(s, seen, k, arrival::truncated, {1024}, 1);
}

}  // namespace report
