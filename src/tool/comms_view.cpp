// SPDX-License-Identifier: BSD-3-Clause
#include "comms.hpp"

#include "regions.hpp"
#include "trace_event.h"
#include "units.hpp"
#include "waits.hpp"

#include <algorithm>
#include <numeric>

namespace tare::tool {
namespace {

using comms::division;
using comms::problem;
using comms::shape;

std::string operation_name(std::uint32_t operation) {
    switch (operation) {
    case comms::transfer::message: return "message";
    case comms::transfer::put: return "put";
    case comms::transfer::get: return "get";
    case comms::transfer::accumulate: return "accumulate";
    case comms::transfer::fetch: return "fetch";
    case TARE_TRACE_BCAST: return "broadcast";
    case TARE_TRACE_GATHER:
    case TARE_TRACE_GATHERV: return "gather";
    case TARE_TRACE_SCATTER:
    case TARE_TRACE_SCATTERV: return "scatter";
    case TARE_TRACE_ALLGATHER:
    case TARE_TRACE_ALLGATHERV: return "allgather";
    case TARE_TRACE_ALLTOALL:
    case TARE_TRACE_ALLTOALLV:
    case TARE_TRACE_ALLTOALLW: return "alltoall";
    case TARE_TRACE_ALLREDUCE: return "allreduce";
    case TARE_TRACE_REDUCE: return "reduce";
    case TARE_TRACE_REDUCE_SCATTER:
    case TARE_TRACE_REDUCE_SCATTER_BLOCK: return "reduce-scatter";
    case TARE_TRACE_SCAN:
    case TARE_TRACE_EXSCAN: return "scan";
    default: return "collective";
    }
}

class view_maker {
  public:
    view_maker(const tare_archive_t &archive, const comms::result &found)
        : archive_(archive), variables_(found.variables), classes_(found.classes), numbers_(found.classes.size()) {
        for (std::size_t i = 0; i < archive.process_count; ++i)
            ranks_.push_back(archive.processes[i].rank);
    }

    std::vector<class_row> rows() {
        std::vector<std::uint32_t> order(classes_.size());
        std::iota(order.begin(), order.end(), 0U);
        std::stable_sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
            return time_of(classes_[a]) > time_of(classes_[b]);
        });
        for (std::uint32_t i = 0; i < order.size(); ++i)
            numbers_[order[i]] = i + 1;
        std::vector<class_row> result;
        for (const std::uint32_t number : order)
            result.push_back(row(classes_[number], numbers_[number]));
        return result;
    }

  private:
    static std::int64_t time_of(const comms::transfer_class &c) { return c.sender_ns + c.receiver_ns; }

    std::string text(std::uint32_t number) const {
        if (number < archive_.text_count)
            return archive_.texts[number];
        return number - archive_.text_count < variables_.size() ? variables_[number - archive_.text_count] : "";
    }

    // A block of the heap has the place of the call that has made it.
    std::string data_text(std::uint32_t number) {
        const std::string heap = TARE_TRACE_HEAP_NAME;
        std::string name = text(number);
        if (name.compare(0, heap.size(), heap) != 0)
            return name;
        source_place place = lines_.find(name.substr(heap.size()));
        // A line of the standard library tells nothing: the function that it has become part of does.
        if (place.file.find("/c++/") != std::string::npos)
            place.line = 0;
        return heap + place.text();
    }

    std::string region(std::uint32_t number) const {
        return number < archive_.region_count ? archive_.regions[number] : "(outside of regions)";
    }

    spot_row spot(const comms::spot &s) {
        spot_row r;
        r.step = s.call < archive_.region_count ? region(s.region) + " > " + region(s.call) : region(s.region);
        if (s.site < archive_.text_count)
            r.place = lines_.find(archive_.texts[s.site]);
        r.data = data_text(s.data);
        r.type = text(s.type);
        return r;
    }

    class_row row(const comms::transfer_class &c, std::uint32_t number) {
        class_row r;
        r.number = number;
        r.operation = operation_name(c.operation);
        r.from = spot(c.from);
        r.to = spot(c.to);
        // No call of the target's has part in it.
        if (c.operation == comms::transfer::put || c.operation == comms::transfer::accumulate)
            r.to.step = "(window)";
        if (c.operation == comms::transfer::get || c.operation == comms::transfer::fetch)
            r.from.step = "(window)";
        r.pattern = pattern_of(c, ranks_, comms::layout_of(r.from.type), comms::layout_of(r.to.type));
        r.findings = findings_in(c, r.pattern);
        for (const auto &[previous, transfers] : c.previous)
            r.previous.emplace_back(previous == comms::unknown ? 0 : numbers_[previous], transfers);
        std::stable_sort(r.previous.begin(), r.previous.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
        r.transfers = c.transfers;
        r.bytes = c.bytes;
        r.previous_bytes = c.previous_bytes;
        r.sender_ns = c.sender_ns;
        r.receiver_ns = c.receiver_ns;
        for (const auto &[who, sum] : c.pairs)
            r.pairs.push_back({ranks_[who.first], ranks_[who.second], sum.transfers, sum.bytes});
        for (const std::uint32_t user : c.users)
            r.users.push_back(text(user));
        std::sort(r.users.begin(), r.users.end());
        return r;
    }

    const tare_archive_t &archive_;
    const std::vector<std::string> &variables_;
    const std::vector<comms::transfer_class> &classes_;
    std::vector<std::uint32_t> numbers_;         // of the rows
    std::vector<std::uint32_t> ranks_;           // by process
    source_lines lines_;
};

std::string class_name(std::uint32_t number) {
    return number == 0 ? "own data" : "class " + std::to_string(number);
}

std::string distances_text(const std::vector<int> &distances) {
    std::string text;
    for (const int d : distances)
        text += (text.empty() ? "" : ", ") + std::string(d > 0 ? "+" : "") + std::to_string(d);
    return text;
}

std::string shape_text(const class_row &c) {
    const std::string first = c.pairs.empty() ? "" : std::to_string(c.pairs.front().from),
                      second = c.pairs.empty() ? "" : std::to_string(c.pairs.front().to);
    switch (c.pattern.who) {
    case shape::one_pair: return "rank " + first + " to rank " + second;
    case shape::from_one: return "rank " + first + " to " + std::to_string(c.pairs.size()) + " ranks";
    case shape::to_one: return std::to_string(c.pairs.size()) + " ranks to rank " + second;
    case shape::neighbours: return "to ranks " + distances_text(c.pattern.distances);
    case shape::ring: return "round a ring, " + distances_text(c.pattern.distances);
    case shape::all_pairs: return "all to all";
    default: return count_text(c.pairs.size(), "pair");
    }
}

std::string division_text(const comms::divided &d) {
    const std::string pieces = std::to_string(d.piece_bytes) + " of each " + std::to_string(d.step_bytes) + " bytes";
    switch (d.how) {
    case division::same: return "all the same";
    case division::blocks: return "in blocks";
    case division::cyclic: return "in turn, " + pieces;
    case division::block_cyclic: return "block-cyclic, " + pieces;
    default: return "";
    }
}

// The memory of data without a name may be the heap's; that of others lives as long as the name.
unknown_part unknown_part_of(const std::vector<comms::transfer_class> &classes) {
    unknown_part u;
    for (const comms::transfer_class &c : classes) {
        const auto own = c.previous.find(comms::unknown);
        const std::uint64_t with_previous = c.transfers - (own == c.previous.end() ? 0 : own->second);
        u.site_ns += (c.from.site == comms::unknown ? c.sender_ns : 0) + (c.to.site == comms::unknown ? c.receiver_ns : 0);
        if (c.from.data == comms::unknown) {
            u.name_ns += c.sender_ns;
            u.lifetimes += with_previous;
            u.lifetime_ns += with_previous > 0 ? c.sender_ns + c.receiver_ns : 0;
        }
        if (c.operation == comms::transfer::message)
            u.contents += c.transfers - c.with_contents;
        if (c.users.empty()) {
            u.users++;
            u.users_ns += c.sender_ns + c.receiver_ns;
        }
    }
    return u;
}

}  // namespace

comms_view view_of(const tare_archive_t &archive, comms::result found, const std::string &clock) {
    comms_view view;
    view.file = archive.file;
    view.clock = clock;
    view.ranks = archive.process_count;
    for (const comms::transfer_class &c : found.classes)
        view.messages += c.operation == comms::transfer::message ? c.transfers : 0;
    view.unknown = unknown_part_of(found.classes);
    view.classes = view_maker(archive, found).rows();
    found.classes.clear();
    view.found = std::move(found);
    return view;
}

std::string previous_text(const class_row &c) {
    std::string text;
    for (const auto &[number, transfers] : c.previous) {
        text += (text.empty() ? "" : ", ") + (number == c.number ? std::string("itself") : class_name(number));
        if (c.previous.size() > 1)
            text += " " + share_text(percent_of(static_cast<std::int64_t>(transfers), static_cast<std::int64_t>(c.transfers))) + " %";
    }
    return text;
}

std::string chain_text(const comms_view &view, const class_row &c) {
    std::string text;
    std::vector<bool> seen(view.classes.size() + 1, false);
    std::uint32_t number = c.number;
    while (number != 0 && !seen[number]) {
        seen[number] = true;
        const class_row &at = view.classes[number - 1];
        const auto next = std::find_if(at.previous.begin(), at.previous.end(), [&](const auto &p) { return p.first != number; });
        number = next == at.previous.end() ? 0 : next->first;
        text += (text.empty() ? "" : ", ") + std::string("from ") + (number == 0 ? "the sender's own data" : class_name(number));
    }
    return text;
}

std::string pattern_text(const class_row &c) {
    std::string text = c.pattern.is_transpose ? "transpose, " : c.pattern.is_halo ? "halo, " : "";
    text += shape_text(c);
    const std::string sent = division_text(c.pattern.sent);
    if (!sent.empty())
        text += ", sent " + sent;
    return text;
}

std::string data_text(const class_row &c) {
    const std::string from = c.from.data.empty() ? "?" : c.from.data, to = c.to.data.empty() ? "?" : c.to.data;
    return from == to ? from : from + " to " + to;
}

const char *problem_name(problem what) {
    switch (what) {
    case problem::relayed: return "relayed";
    case problem::returned: return "returned";
    case problem::repeated: return "repeated";
    case problem::small: return "small";
    default: return "misfit";
    }
}

std::string finding_text(const class_row &c, const comms::finding &f) {
    const std::string many = std::to_string(f.transfers) + " of " + count_text(c.transfers, "transfer") + " (" +
                             count_text(f.bytes, "byte") + ")",
                      unless = f.is_proved ? "unchanged" : "unless the program changes it there, which this trace does not tell";
    switch (f.what) {
    case problem::relayed:
        return many + " only pass through their sender, which a third process had sent them, " + unless + ".";
    case problem::returned:
        return many + " go back to the process that had sent them, " + unless + ".";
    case problem::repeated:
        return many + " are the same bytes as the time before, from the same place to the same process.";
    case problem::small:
        return many + " come right behind another to the same process, with nothing received in between: they could go as one.";
    default:
        return "Misfit: each sender holds its part of " + (c.from.data.empty() ? "the data" : c.from.data) +
               " in one piece, and those that it sends to use it in turn, " + std::to_string(c.pattern.sent.piece_bytes) +
               " of each " + std::to_string(c.pattern.sent.step_bytes) + " bytes: distributed in blocks, used " +
               (c.pattern.sent.how == division::block_cyclic ? "block-cyclically." : "cyclically.");
    }
}

namespace {

// Sentences, each of which says what part of the time in calls it covers.
class note_list {
  public:
    explicit note_list(const comms::result &found) : unit_(unit_for(found.total_ns)) {}

    void add(std::uint64_t count, const std::string &what, std::int64_t ns, const std::string &way_out = "") {
        if (count > 0)
            all_.push_back(what + ", " + time_text(ns, unit_) + " " + unit_.name + " in their calls" +
                           (way_out.empty() ? "." : ": " + way_out + "."));
    }
    void add(std::uint64_t count, const std::string &sentence) {
        if (count > 0)
            all_.push_back(sentence);
    }

    std::vector<std::string> take() { return std::move(all_); }

  private:
    const time_unit unit_;
    std::vector<std::string> all_;
};

std::string part_text(std::uint64_t part, std::uint64_t all, const char *what) {
    return std::to_string(part) + " of " + count_text(all, what);
}

}  // namespace

std::vector<std::string> comms_notes(const comms_view &view) {
    const comms::result &f = view.found;
    const unknown_part &u = view.unknown;
    note_list notes(f);
    notes.add(f.without_site, "Not known: where " + count_text(f.without_site, "end") + " of transfers " +
              (f.without_site == 1 ? "is" : "are") + " in the program", u.site_ns, "TARE_TRACE_RECORDS=sites");
    notes.add(f.without_memory, "Not known: the memory of " + count_text(f.without_memory, "transfer") +
              ", and so where it comes from", f.without_memory_ns, "TARE_TRACE_RECORDS=buffers");
    notes.add(f.unnamed_bytes, "Not known: what data " + part_text(f.unnamed_bytes, f.bytes, "byte") + " are", u.name_ns,
              "tare_data of tare(3), and TARE_TRACE_RECORDS=data");
    notes.add(u.lifetimes, "Not known: whether the memory of " + part_text(u.lifetimes, f.transfers, "transfer") +
              " was freed and given out again since their previous one", u.lifetime_ns,
              "tare_data of tare(3), and TARE_TRACE_RECORDS=heap");
    notes.add(u.contents, "Not known: whether " + part_text(u.contents, view.messages, "message") +
              " are the same as before", f.without_contents_ns, "TARE_TRACE_RECORDS=contents");
    notes.add(u.users < view.classes.size() ? u.users : 0, "Not known: what uses the data of " +
              std::to_string(u.users) + " of " + std::to_string(view.classes.size()) + " classes", u.users_ns, "tare_uses of tare(3)");
    notes.add(f.taken_whole, count_text(f.taken_whole, "buffer") +
              " of types with holes, or that are not understood, are taken in one piece", f.taken_whole_ns);
    notes.add(f.of_neighbours, "Left out: " + count_text(f.of_neighbours, "end") +
              " of collective operations among neighbours, who are not in the trace", f.of_neighbours_ns);
    notes.add(f.not_ended, "Left out: " + count_text(f.not_ended, "end") +
              " of nonblocking collective operations that do not begin, or not end, in the trace", f.not_ended_ns);
    notes.add(f.unpaired, "Left out: " + count_text(f.unpaired, "end") +
              " of transfers whose other end is not in the trace", f.unpaired_ns);
    notes.add(f.outside, count_text(f.outside, "end") + " of transfers are in no call of MPI.");
    return notes.take();
}

}  // namespace tare::tool
