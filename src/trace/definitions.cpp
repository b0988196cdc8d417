// SPDX-License-Identifier: BSD-3-Clause
#include "definitions.hpp"

#include "counter_names.hpp"

#include <algorithm>

namespace tare::trace {
namespace {

class writer {
  public:
    explicit writer(archive_out &to)
        : to_(to), out_(to.check(OTF2_Archive_GetGlobalDefWriter(to.get())))
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
        attribute(removed_attribute, "removed_ns", "measured time - compensated time of the event, in ns",
                  OTF2_TYPE_INT64);
        attribute(delay_attribute, "delay_ns", "delay of its sender that the message carried, in ns", OTF2_TYPE_INT64);
        attribute(sent_attribute, "sent_ns", "when the message was sent, on the sender's measured clock, in ns",
                  OTF2_TYPE_UINT64);
        attribute(thread_attribute, "peer_thread", "number of the sending thread in its process", OTF2_TYPE_UINT32);
        attribute(sequence_attribute, "sequence", "number of the message among those of its sending thread",
                  OTF2_TYPE_UINT64);
        attribute(site_attribute, "call_site", "where the call is made: FUNCTION+OFFSET (MODULE+OFFSET), behind the call",
                  OTF2_TYPE_STRING);
        attribute(send_address_attribute, "send_address", "lowest byte of the memory that is read", OTF2_TYPE_UINT64);
        attribute(send_span_attribute, "send_span", "from there to behind the highest byte, in bytes", OTF2_TYPE_UINT64);
        attribute(send_type_attribute, "send_type", "its MPI type: NAME or COMBINER(INTEGERS;ADDRESSES;TYPES)",
                  OTF2_TYPE_STRING);
        attribute(receive_address_attribute, "receive_address", "lowest byte of the memory that is written",
                  OTF2_TYPE_UINT64);
        attribute(receive_span_attribute, "receive_span", "from there to behind the highest byte, in bytes",
                  OTF2_TYPE_UINT64);
        attribute(receive_type_attribute, "receive_type", "its MPI type: NAME or COMBINER(INTEGERS;ADDRESSES;TYPES)",
                  OTF2_TYPE_STRING);
        attribute(displacement_attribute, "displacement", "of the operation in the target's window, in its units",
                  OTF2_TYPE_INT64);
        attribute(data_name_attribute, "data_name", "what the program calls memory from now on", OTF2_TYPE_STRING);
        attribute(data_address_attribute, "data_address", "where that begins", OTF2_TYPE_UINT64);
        attribute(data_span_attribute, "data_span", "how long it is, in bytes; 0: the name ends", OTF2_TYPE_UINT64);
        attribute(data_type_attribute, "data_type", "type of its elements, in the program's words", OTF2_TYPE_STRING);
        attribute(contents_attribute, "contents", "hash of what is sent", OTF2_TYPE_UINT64);
        static const char *const told[TARE_COUNTERS] = {
            "how long the thread has been on a core, in ns", "page faults of the thread",
            "cycles of the core outside of the kernel", "instructions of the thread",
            "cycles that were stalled", "misses of the last cache", "reads from memory of another node",
            "pages that regions use, there for the first time", "pages that regions use, on another node than before",
            "pages that regions use, on another node than the thread that leaves them"};
        for (OTF2_AttributeRef i = 0; i < TARE_COUNTERS; i++)
            attribute(first_counter_attribute + i, counter_names[i], told[i], OTF2_TYPE_UINT64);
        attribute(target_offset_attribute, "target_offset",
                  "from the displacement to the lowest byte in the window that is read or written, in bytes, modulo 2^64",
                  OTF2_TYPE_UINT64);
        attribute(target_span_attribute, "target_span", "from there to behind the highest byte, in bytes", OTF2_TYPE_UINT64);
        attribute(target_type_attribute, "target_type", "its MPI type: NAME or COMBINER(INTEGERS;ADDRESSES;TYPES)",
                  OTF2_TYPE_STRING);
        attribute(unit_attribute, "displacement_unit", "of displacements in the process's part of the window, in bytes",
                  OTF2_TYPE_INT64);
        attribute(send_frame_attribute, "send_frame", "the function on whose stack that is: FUNCTION (MODULE+OFFSET)",
                  OTF2_TYPE_STRING);
        attribute(send_frame_offset_attribute, "send_frame_offset",
                  "from its canonical frame address to the lowest byte, in bytes", OTF2_TYPE_INT64);
        attribute(receive_frame_attribute, "receive_frame", "the function on whose stack that is: FUNCTION (MODULE+OFFSET)",
                  OTF2_TYPE_STRING);
        attribute(receive_frame_offset_attribute, "receive_frame_offset",
                  "from its canonical frame address to the lowest byte, in bytes", OTF2_TYPE_INT64);
        attribute(number_attribute, "meeting", "of what threads meet at, in the process", OTF2_TYPE_UINT32);
        attribute(arrivals_attribute, "arrivals", "how many releases of the round were waited for; 0: not known",
                  OTF2_TYPE_UINT32);
    }

    void parameters()
    {
        for (OTF2_ParameterRef i = 0; i < trace::parameters; i++)
            check(OTF2_GlobalDefWriter_WriteParameter(out_, i, text(parameter_names[i]), OTF2_PARAMETER_TYPE_UINT64));
    }

    // Before all else: events have these numbers.
    void texts(const std::vector<std::string> &all)
    {
        for (std::size_t i = 0; i < all.size(); i++) {
            texts_.emplace(all[i], static_cast<OTF2_StringRef>(i));
            check(OTF2_GlobalDefWriter_WriteString(out_, static_cast<OTF2_StringRef>(i), all[i].c_str()));
        }
        next_text_ = static_cast<OTF2_StringRef>(all.size());
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

    // Behind the ranks.
    void communicators(const definitions &all)
    {
        if (all.comms.empty())
            return;
        check(OTF2_GlobalDefWriter_WriteGroup(out_, world_group, text("MPI_COMM_WORLD"), OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                              OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                              static_cast<std::uint32_t>(all.world.size()), all.world.data()));
        check(OTF2_GlobalDefWriter_WriteGroup(out_, self_group, text("MPI_COMM_SELF"), OTF2_GROUP_TYPE_COMM_SELF,
                                              OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 0, nullptr));
        for (std::uint32_t i = 0; i < all.groups.size(); i++)
            group_of_ranks(i, all.groups[i]);
        for (std::uint32_t i = 0; i < all.comms.size(); i++)
            comm(i, all.comms[i]);
        for (std::uint32_t i = 0; i < all.windows.size(); i++)
            check(OTF2_GlobalDefWriter_WriteRmaWin(out_, i, text(all.windows[i].name), all.windows[i].comm,
                                                   OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
    }

    // Of a rank's own archive.
    template <typename Defined> void identities(int rank, const char *prefix, const std::vector<Defined> &all)
    {
        for (std::uint32_t i = 0; i < all.size(); i++) {
            OTF2_AttributeValue value;
            value.uint64 = all[i].identity;
            check(OTF2_GlobalDefWriter_WriteLocationGroupProperty(out_, static_cast<OTF2_LocationGroupRef>(rank),
                                                                  text(prefix + std::to_string(i)), OTF2_TYPE_UINT64,
                                                                  value));
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
    void check(OTF2_ErrorCode code) { to_.check(code); }

    OTF2_StringRef text(const std::string &value)
    {
        const auto [found, is_new] = texts_.emplace(value, next_text_);
        if (is_new)
            check(OTF2_GlobalDefWriter_WriteString(out_, next_text_++, value.c_str()));
        return found->second;
    }

    void attribute(OTF2_AttributeRef number, const char *name, const char *what, OTF2_Type type)
    {
        check(OTF2_GlobalDefWriter_WriteAttribute(out_, number, text(name), text(what), type));
    }

    void group_of_ranks(std::uint32_t number, const group &ranks)
    {
        const std::vector<std::uint64_t> members(ranks.begin(), ranks.end());
        check(OTF2_GlobalDefWriter_WriteGroup(out_, group_number(number), text(""), OTF2_GROUP_TYPE_COMM_GROUP,
                                              OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                              static_cast<std::uint32_t>(members.size()), members.data()));
    }

    void comm(std::uint32_t number, const communicator &c)
    {
        static_assert(TARE_TRACE_NONE == OTF2_UNDEFINED_UINT32);
        const OTF2_CommFlag flags = c.is_made ? OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS : OTF2_COMM_FLAG_NONE;
        if (c.other_group == TARE_TRACE_NONE)
            check(OTF2_GlobalDefWriter_WriteComm(out_, number, text(c.name), group_number(c.group), c.parent, flags));
        else
            check(OTF2_GlobalDefWriter_WriteInterComm(out_, number, text(c.name), group_number(c.group),
                                                      group_number(c.other_group), c.parent, flags));
    }

    OTF2_SystemTreeNodeRef node(const std::string &host)
    {
        if (host.empty())
            return 0;
        const auto [found, is_new] = nodes_.emplace(host, static_cast<OTF2_SystemTreeNodeRef>(nodes_.size() + 1));
        if (is_new)
            check(OTF2_GlobalDefWriter_WriteSystemTreeNode(out_, found->second, text(host), text("node"), 0));
        return found->second;
    }

    void rank(const rank_part &r)
    {
        const auto group = static_cast<OTF2_LocationGroupRef>(r.rank);
        const std::string name = r.name.empty() ? "MPI Rank " + std::to_string(r.rank) : r.name;
        check(OTF2_GlobalDefWriter_WriteLocationGroup(out_, group, text(name),
                                                      OTF2_LOCATION_GROUP_TYPE_PROCESS, node(r.host),
                                                      OTF2_UNDEFINED_LOCATION_GROUP));
        for (const location &l : r.locations)
            check(OTF2_GlobalDefWriter_WriteLocation(out_, l.number, text(l.name), OTF2_LOCATION_TYPE_CPU_THREAD, l.events,
                                                     group));
    }

    archive_out &to_;
    OTF2_GlobalDefWriter *const out_;
    std::map<std::string, OTF2_StringRef> texts_;
    OTF2_StringRef next_text_ = 0;
    std::map<std::string, OTF2_SystemTreeNodeRef> nodes_;
};

}  // namespace

std::vector<std::uint32_t> joined_texts::add(const std::vector<std::string> &part, std::vector<std::string> &all)
{
    std::vector<std::uint32_t> theirs;
    for (const std::string &text : part) {
        const auto [found, is_new] = known_.emplace(text, static_cast<std::uint32_t>(all.size()));
        if (is_new)
            all.push_back(text);
        theirs.push_back(found->second);
    }
    return theirs;
}

void write(archive_out &to, const definitions &all, bool with_identities)
{
    writer out(to);
    out.clock(all);
    out.texts(all.texts);
    out.attributes();
    out.parameters();
    out.regions(all.regions);
    out.ranks(all.ranks);
    out.communicators(all);
    if (all.world.empty() || !with_identities)
        return;
    out.identities(all.ranks.front().rank, identity_property, all.comms);
    out.identities(all.ranks.front().rank, window_property, all.windows);
}

}  // namespace tare::trace
