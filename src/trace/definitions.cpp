// SPDX-License-Identifier: BSD-3-Clause
#include "definitions.hpp"

#include <algorithm>

namespace tare::trace {
namespace {

class writer {
  public:
    explicit writer(const archive_out &to)
        : to_(to), out_(must_have(OTF2_Archive_GetGlobalDefWriter(to.get()), to.writing()))
    {
    }

    void clock(const definitions &all)
    {
        const std::uint64_t first = std::min(all.first_ns, all.last_ns);
        check(OTF2_GlobalDefWriter_WriteClockProperties(out_, 1'000'000'000, first, all.last_ns - first + 1,
                                                        OTF2_UNDEFINED_TIMESTAMP));
    }

    void attributes()
    {
        check(OTF2_GlobalDefWriter_WriteAttribute(
            out_, removed_attribute, text("removed_ns"),
            text("measured time - compensated time of the event, in ns"), OTF2_TYPE_INT64));
    }

    void regions(const std::vector<region> &all)
    {
        OTF2_RegionRef number = 0;
        for (const region &r : all) {
            const OTF2_StringRef name = text(r.name);
            check(OTF2_GlobalDefWriter_WriteRegion(out_, number++, name, name, text(r.group), r.role, r.paradigm,
                                                   OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0));
        }
    }

    void ranks(const std::vector<rank_part> &all)
    {
        check(OTF2_GlobalDefWriter_WriteSystemTreeNode(out_, 0, text("machine"), text("machine"),
                                                       OTF2_UNDEFINED_SYSTEM_TREE_NODE));
        for (const rank_part &r : all)
            rank(r);
    }

  private:
    void check(OTF2_ErrorCode code) const { must(code, to_.writing()); }

    OTF2_StringRef text(const std::string &value)
    {
        const auto [found, is_new] = texts_.emplace(value, static_cast<OTF2_StringRef>(texts_.size()));
        if (is_new)
            check(OTF2_GlobalDefWriter_WriteString(out_, found->second, value.c_str()));
        return found->second;
    }

    OTF2_SystemTreeNodeRef node(const std::string &host)
    {
        const auto [found, is_new] = nodes_.emplace(host, static_cast<OTF2_SystemTreeNodeRef>(nodes_.size() + 1));
        if (is_new)
            check(OTF2_GlobalDefWriter_WriteSystemTreeNode(out_, found->second, text(host), text("node"), 0));
        return found->second;
    }

    void rank(const rank_part &r)
    {
        const auto group = static_cast<OTF2_LocationGroupRef>(r.rank);
        check(OTF2_GlobalDefWriter_WriteLocationGroup(out_, group, text("MPI Rank " + std::to_string(r.rank)),
                                                      OTF2_LOCATION_GROUP_TYPE_PROCESS, node(r.host),
                                                      OTF2_UNDEFINED_LOCATION_GROUP));
        for (const location &l : r.locations)
            check(OTF2_GlobalDefWriter_WriteLocation(out_, l.number, text(l.name), OTF2_LOCATION_TYPE_CPU_THREAD, l.events,
                                                     group));
    }

    const archive_out &to_;
    OTF2_GlobalDefWriter *const out_;
    std::map<std::string, OTF2_StringRef> texts_;
    std::map<std::string, OTF2_SystemTreeNodeRef> nodes_;
};

}  // namespace

void write(const archive_out &to, const definitions &all)
{
    writer out(to);
    out.clock(all);
    out.attributes();
    out.regions(all.regions);
    out.ranks(all.ranks);
}

}  // namespace tare::trace
