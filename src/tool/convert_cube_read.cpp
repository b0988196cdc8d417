// SPDX-License-Identifier: BSD-3-Clause
// Reads the figures of the profile from the metrics that hold them, and the bytes.
#include "convert.hpp"
#include "convert_cube.hpp"
#include "ustar.hpp"
#include "xml.hpp"

#include <charconv>
#include <cstring>
#include <map>

namespace tare::tool {
namespace {

using members = std::map<std::string, std::string_view, std::less<>>;

constexpr std::size_t most_ids = std::size_t{1} << 28;

struct cnode {
    std::string path;                    // the regions that lead to it
    std::string region;
    std::string group;
};

struct location {
    std::int64_t rank = 0;
    std::int64_t thread = 0;
    profile::attributes metadata;
};

struct region {
    std::string name;
    std::string group;
};

// What stands at one cnode of one thread.
using place = std::pair<std::size_t, std::size_t>;
using values = std::map<place, std::int64_t>;

class cube_reader {
  public:
    cube_reader(const std::string &text, const std::string &where)
        : where_(where), members_(read_ustar(text, where)),
          anchor_(parse_xml(member(anchor_name), where + ": " + anchor_name)) {}

    content read();

  private:
    [[noreturn]] void fail(const std::string &what) const { throw profile::error(where_ + ": " + what); }

    std::string_view member(const std::string &name) const {
        const auto found = members_.find(name);
        if (found == members_.end())
            fail("the archive has no member " + name);
        return found->second;
    }

    const xml_element &part(const char *name) const {
        const xml_element *found = anchor_.child(name);
        if (!found)
            fail(std::string(anchor_name) + " has no <" + name + ">");
        return *found;
    }

    std::size_t number(const std::string &text, const char *what) const {
        std::size_t value = 0;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (failure != std::errc() || end != text.data() + text.size() || value > most_ids)
            fail(std::string(anchor_name) + ": " + what + " is '" + text + "' and not a number");
        return value;
    }

    void check_creator() const;
    void read_metrics(const xml_element &of);
    void read_regions();
    void read_cnodes(const xml_element &of, const std::string &path);
    void read_locations(const xml_element &of, std::int64_t rank);
    void check_metrics() const;
    values values_of(const std::string &metric) const;
    std::vector<std::size_t> ids_in(std::string_view index, const std::string &name) const;
    bool add_rows(const std::string &prefix, std::vector<profile::row> profile::thread::*to, content &c,
                  run_builder &builder) const;
    std::vector<message_bytes> bytes() const;

    const std::string &where_;
    const members members_;
    const xml_element anchor_;
    std::map<std::string, std::string> metrics_;     // the id by its unique name
    std::map<std::size_t, region> regions_;
    std::vector<cnode> cnodes_;
    std::vector<location> locations_;
};

void cube_reader::check_creator() const {
    for (const xml_element &e : anchor_.children)
        if (e.name == "attr" && e.attribute("key") == creator_key &&
            e.attribute("value").compare(0, writer_name.size(), writer_name) == 0)
            return;
    fail("it was not written by tare convert");
}

void cube_reader::read_metrics(const xml_element &of) {
    for (const xml_element &e : of.children)
        if (e.name == "metric") {
            metrics_[e.text_of("uniq_name")] = e.attribute("id");
            read_metrics(e);
        }
}

void cube_reader::read_regions() {
    for (const xml_element &e : part("program").children)
        if (e.name == "region")
            regions_[number(e.attribute("id"), "the id of a region")] = {
                e.text_of("name") + (e.text_of("paradigm") == mpi_paradigm ? std::string(parentheses) : ""),
                e.text_of("descr")};
}

void cube_reader::read_cnodes(const xml_element &of, const std::string &path) {
    for (const xml_element &e : of.children) {
        if (e.name != "cnode")
            continue;
        const auto callee = regions_.find(number(e.attribute("calleeId"), "the callee of a cnode"));
        if (callee == regions_.end() || number(e.attribute("id"), "the id of a cnode") != cnodes_.size())
            fail(std::string(anchor_name) + ": cnode " + e.attribute("id") + " is out of order or has no region");
        const std::string &name = callee->second.name;
        const std::string whole = path.empty() ? name : path + std::string(profile::path_arrow) + name;
        cnodes_.push_back({whole, name, callee->second.group});
        read_cnodes(e, whole);
    }
}

void cube_reader::read_locations(const xml_element &of, std::int64_t rank) {
    for (const xml_element &e : of.children) {
        const auto own_rank = [&] { return static_cast<std::int64_t>(number(e.text_of("rank"), "a rank")); };
        if (e.name == "systemtreenode")
            read_locations(e, rank);
        else if (e.name == "locationgroup")
            read_locations(e, own_rank());
        if (e.name != "location")
            continue;
        if (number(e.attribute("Id"), "the id of a location") != locations_.size())
            fail(std::string(anchor_name) + ": location " + e.attribute("Id") + " is out of order");
        locations_.push_back({rank, own_rank(), {}});
        for (const xml_element &a : e.children)
            if (a.name == "attr")
                locations_.back().metadata.emplace_back(a.attribute("key"), a.attribute("value"));
    }
}

template <typename Number> bool take(std::string_view &bytes, Number &value) {
    if (bytes.size() < sizeof value)
        return false;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < sizeof value; ++i)
        sum |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    value = static_cast<Number>(sum);
    bytes.remove_prefix(sizeof value);
    return true;
}

// The cnodes that have a row, in the order of the rows.
std::vector<std::size_t> cube_reader::ids_in(std::string_view index, const std::string &name) const {
    std::uint32_t order = 0, count = 0;
    std::uint16_t version = 0;
    unsigned char format = 0;
    const bool is_index = index.substr(0, index_marker.size()) == index_marker;
    index.remove_prefix(std::min(index.size(), index_marker.size()));
    if (!is_index || !take(index, order) || order != 1 || !take(index, version) || version != 0 ||
        !take(index, format))
        fail(name + " is not an index of Cube in little-endian order");
    if (format != static_cast<unsigned char>(index_format::sparse))
        fail(name + " is not sparse, as tare convert writes it");
    if (!take(index, count) || index.size() != count * sizeof(std::uint32_t))
        fail(name + " has another length than it says");
    std::vector<std::size_t> ids(count);
    for (std::size_t &id : ids) {
        std::uint32_t read = 0;
        take(index, read);
        if (read >= cnodes_.size())
            fail(name + " names the cnode " + std::to_string(read) + " of " + std::to_string(cnodes_.size()));
        id = read;
    }
    return ids;
}

// Also those that are only shown: a file that is damaged anywhere is not to be trusted.
void cube_reader::check_metrics() const {
    for (const auto &metric : metrics_)
        values_of(metric.first);
}

values cube_reader::values_of(const std::string &metric) const {
    const auto found = metrics_.find(metric);
    if (found == metrics_.end())
        return {};
    const std::string data_name = found->second + ".data";
    const std::vector<std::size_t> ids = ids_in(member(found->second + ".index"), found->second + ".index");
    std::string_view data = member(data_name);
    if (data.substr(0, data_marker.size()) != data_marker)
        fail(data_name + " does not hold plain data of Cube");
    data.remove_prefix(data_marker.size());
    if (data.size() != ids.size() * locations_.size() * value_size)
        fail(data_name + " holds " + std::to_string(data.size()) + " bytes and not " +
             std::to_string(ids.size() * locations_.size() * value_size));
    values result;
    for (const std::size_t id : ids)
        for (std::size_t l = 0; l < locations_.size(); ++l) {
            std::int64_t value = 0;
            take(data, value);
            if (value != 0)
                result[{id, l}] = value;
        }
    return result;
}

bool cube_reader::add_rows(const std::string &prefix, std::vector<profile::row> profile::thread::*to, content &c,
                           run_builder &builder) const {
    if (metrics_.count(prefix) == 0)
        return false;
    std::map<place, profile::row> rows;
    for (const auto &[at, present] : values_of(prefix)) {
        const cnode &n = cnodes_[at.first];
        profile::row &r = rows[at];
        r.region = to == &profile::thread::paths ? n.path : n.region;
        r.group = n.group;
    }
    for (std::size_t i = 0; i < figure_count; ++i) {
        const std::string metric = prefix + "_" + figure_columns[i].name;
        c.known[i] = metrics_.count(metric) != 0;
        for (const auto &[at, value] : values_of(metric))
            if (const auto found = rows.find(at); found != rows.end())
                found->second.*figure_columns[i].value = value;
            else
                fail(metric + " has a value where " + prefix + " says that there is none");
    }
    for (auto &[at, r] : rows) {
        const location &l = locations_[at.second];
        (builder.thread(l.rank, l.thread).*to).push_back(std::move(r));
    }
    return true;
}

std::vector<message_bytes> cube_reader::bytes() const {
    std::map<std::pair<std::int64_t, std::string>, message_bytes> sums;
    const auto add = [&](const char *metric, std::int64_t message_bytes::*to) {
        for (const auto &[at, value] : values_of(metric))
            add_up(sums[{locations_[at.second].rank, cnodes_[at.first].region}].*to, value);
    };
    add(sent_metric, &message_bytes::sent_bytes);
    add(received_metric, &message_bytes::received_bytes);
    std::vector<message_bytes> result;
    for (const auto &[of, sum] : sums)
        result.push_back({static_cast<int>(of.first), of.second, sum.sent_bytes, sum.received_bytes});
    return result;
}

content cube_reader::read() {
    check_creator();
    read_metrics(part("metrics"));
    read_regions();
    read_cnodes(part("program"), "");
    read_locations(part("system"), 0);
    check_metrics();
    content c;
    run_builder builder(where_);
    for (const location &l : locations_)
        builder.thread(l.rank, l.thread).metadata = l.metadata;
    if (!add_rows(region_metric, &profile::thread::rows, c, builder))
        fail(std::string(anchor_name) + " has no metric " + region_metric);
    add_rows(path_metric, &profile::thread::paths, c, builder);
    c.bytes = bytes();
    c.run = builder.finish({});
    return c;
}

}  // namespace

content read_cube(const std::string &text, const std::string &where) { return cube_reader(text, where).read(); }

}  // namespace tare::tool
