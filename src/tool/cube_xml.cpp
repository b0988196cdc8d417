// SPDX-License-Identifier: BSD-3-Clause
#include "cube_xml.hpp"

#include "convert_cube.hpp"
#include "xml.hpp"

#include <algorithm>
#include <array>

namespace tare::tool {
namespace {

struct role_words {
    const char *role;                    // Score-P's
    const char *functions;               // each between blanks, without MPI_
};

constexpr role_words roles[] = {
    {"point2point", " Send Bsend Ssend Rsend Recv Sendrecv Sendrecv_replace Isend Ibsend Issend Irsend Irecv "
                    "Isendrecv Isendrecv_replace Mrecv Imrecv "},
    {"barrier", " Barrier Ibarrier "},
    {"one2all", " Bcast Ibcast Scatter Scatterv Iscatter Iscatterv "},
    {"all2one", " Reduce Ireduce Gather Gatherv Igather Igatherv "},
    {"all2all", " Allreduce Iallreduce Allgather Allgatherv Iallgather Iallgatherv Alltoall Alltoallv Alltoallw "
                "Ialltoall Ialltoallv Ialltoallw Reduce_scatter Reduce_scatter_block Ireduce_scatter "
                "Ireduce_scatter_block "},
};

constexpr std::string_view mpi_prefix = "MPI_";

const char *role_of(const std::string &mpi_name) {
    const std::string wanted = " " + mpi_name.substr(mpi_prefix.size()) + " ";
    for (const role_words &r : roles)
        if (std::string_view(r.functions).find(wanted) != std::string_view::npos)
            return r.role;
    return "function";
}

bool is_mpi(const std::string &name) {
    return name.size() > mpi_prefix.size() + parentheses.size() &&
           name.compare(0, mpi_prefix.size(), mpi_prefix) == 0 &&
           name.compare(name.size() - parentheses.size(), parentheses.size(), parentheses) == 0;
}

std::string element(const char *name, const std::string &text) {
    return std::string("<") + name + ">" + xml_text(text) + "</" + name + ">\n";
}

std::string attribute(const std::string &key, const std::string &value) {
    return "<attr key=\"" + xml_text(key) + "\" value=\"" + xml_text(value) + "\"/>\n";
}

std::string metric_text(const cube_metric &m, std::size_t id) {
    return "<metric id=\"" + std::to_string(id) + "\" type=\"EXCLUSIVE\"" +
           (m.is_ghost ? " viztype=\"GHOST\"" : "") + ">\n" + element("disp_name", m.shown_name) +
           element("uniq_name", m.name) + element("dtype", m.type) + element("uom", m.unit) + element("url", "") +
           element("descr", m.description) + "</metric>\n";
}

std::string region_text(const cube_region &r, std::size_t id) {
    const bool mpi = is_mpi(r.name);
    const std::string name = mpi ? r.name.substr(0, r.name.size() - parentheses.size()) : r.name;
    return "<region id=\"" + std::to_string(id) + "\" mod=\"" + (mpi ? "MPI" : "") + "\" begin=\"-1\" end=\"-1\">\n" +
           element("name", name) + element("mangled_name", name) + element("paradigm", mpi ? mpi_paradigm : "user") +
           element("role", mpi ? role_of(name) : "function") + element("url", "") + element("descr", r.group) +
           "</region>\n";
}

using level = std::map<std::string, cube_cnode, std::less<>>;

void add_cnodes(const level &of, std::string &text) {
    for (const auto &node : of) {
        const cube_cnode &n = node.second;
        text += "<cnode id=\"" + std::to_string(n.id) + "\" calleeId=\"" + std::to_string(n.region) + "\">\n";
        add_cnodes(n.children, text);
        text += "</cnode>\n";
    }
}

std::string location_text(const profile::thread &t, std::size_t id) {
    std::string text = "<location Id=\"" + std::to_string(id) + "\">\n" +
                       element("name", t.number == 0 ? "Master thread" : "thread " + std::to_string(t.number)) +
                       element("rank", std::to_string(t.number)) + element("type", "thread");
    for (const auto &[key, value] : t.metadata)
        text += attribute(key, value);
    return text + "</location>\n";
}

// Ids count on over the hosts.
struct ids {
    std::size_t node = 1;                // 0 is the machine
    std::size_t group = 0;
    std::size_t location = 0;
};

std::string host_text(const cube_host &host, ids &next) {
    std::string text = "<systemtreenode Id=\"" + std::to_string(next.node++) + "\">\n" + element("name", host.name) +
                       element("class", "node");
    for (auto t = host.threads.begin(); t != host.threads.end();) {
        const int rank = (*t)->rank;
        text += "<locationgroup Id=\"" + std::to_string(next.group++) + "\">\n" +
                element("name", "MPI Rank " + std::to_string(rank)) + element("rank", std::to_string(rank)) +
                element("type", "process");
        for (; t != host.threads.end() && (*t)->rank == rank; ++t)
            text += location_text(**t, next.location++);
        text += "</locationgroup>\n";
    }
    return text + "</systemtreenode>\n";
}

std::string system_text(const cube_calltree &tree) {
    std::string text = "<system>\n<systemtreenode Id=\"0\">\n" + element("name", "machine") +
                       element("class", "machine");
    ids next;
    for (const cube_host &host : tree.hosts())
        text += host_text(host, next);
    return text + "</systemtreenode>\n<topologies/>\n</system>\n";
}

// What is the same on all threads, for who asks a file what it is.
std::string common_attributes(const cube_calltree &tree) {
    std::string text;
    for (const auto &[key, value] : tree.hosts().front().threads.front()->metadata) {
        bool is_common = true;
        for (const cube_host &host : tree.hosts())
            for (const profile::thread *t : host.threads)
                is_common = is_common && t->attribute(key) == value;
        if (is_common)
            text += attribute(key, value);
    }
    return text;
}

}  // namespace

std::string anchor_text(const std::vector<cube_metric> &metrics, const cube_calltree &tree) {
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"4.4\">\n" +
                       attribute(creator_key, std::string(writer_name) + TARE_VERSION) + common_attributes(tree) +
                       "<doc>\n<mirrors/>\n</doc>\n<metrics>\n";
    for (std::size_t i = 0; i < metrics.size(); ++i)
        text += metric_text(metrics[i], i);
    text += "</metrics>\n<program>\n";
    for (std::size_t i = 0; i < tree.regions().size(); ++i)
        text += region_text(tree.regions()[i], i);
    add_cnodes(tree.roots(), text);
    return text + "</program>\n" + system_text(tree) + "</cube>\n";
}

}  // namespace tare::tool
