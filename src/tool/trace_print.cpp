// SPDX-License-Identifier: BSD-3-Clause
// `tare trace print`: the events of a trace as text, in the order of time. Nothing is kept of them but which regions are
// open.
#include "counter_names.hpp"
#include "json_rows.hpp"
#include "regions.hpp"
#include "table.hpp"
#include "trace_options.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>

namespace tare::tool {
namespace {

enum { json_option = 1000, rank_option, thread_option, from_option, to_option, region_option };

const option long_options[] = {
    {"rank", required_argument, nullptr, rank_option},
    {"thread", required_argument, nullptr, thread_option},
    {"from", required_argument, nullptr, from_option},
    {"to", required_argument, nullptr, to_option},
    {"region", required_argument, nullptr, region_option},
    {"json", no_argument, nullptr, json_option},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
};

struct print_wish {
    trace_pick pick;
    std::string region;                // empty: all
    bool json = false;
};

void print_help() {
    std::printf("Usage: tare trace print [OPTION]... [DIR|FILE]\n"
                "Print the events of a trace in the order of time, one a line: when it was, since the trace begins, on the\n"
                "clock of the archive; what the other clock differs by; the thread, RANK.THREAD; and what it was. The trace\n"
                "is the one in DIR (default: ./%s), or any OTF2 archive: its .otf2 FILE.\n"
                "\n"
                "      --rank=LIST      only of these ranks, like 0,2-3\n"
                "      --thread=LIST    only of these threads, like 0.1,2.0; with --rank: of those, too\n"
                "      --from=TIME      only from there on: 250us, 1.5ms, 2s or, in ns, 12345\n"
                "      --to=TIME        only up to there\n"
                "      --region=NAME    only enters and leaves of this region, and what a thread does while it is the\n"
                "                       innermost one\n"
                "      --json           print one JSON object\n"
                "  -h, --help           print this and exit\n"
                "  -V, --version        print the version and exit\n",
                default_trace);
}

int take(int option, void *data) {
    auto &wish = *static_cast<print_wish *>(data);
    switch (option) {
    case json_option: wish.json = true; return -1;
    case rank_option: return set_pick_ranks(optarg, wish.pick);
    case thread_option: return set_pick_threads(optarg, wish.pick);
    case from_option: return set_pick_time("--from", optarg, wish.pick.from_ns);
    case to_option: return set_pick_time("--to", optarg, wish.pick.to_ns);
    default: return set_region("trace", optarg, wish.region);
    }
}

// As OTF2 calls them; those between threads are parameters there.
constexpr const char *kind_names[] = {
    "Enter", "Leave", "MpiSend", "MpiIsend", "MpiIsendComplete", "MpiIrecvRequest", "MpiRecv", "MpiIrecv",
    "MpiRequestTest", "MpiRequestCancelled", "MpiCollectiveBegin", "MpiCollectiveEnd", "NonBlockingCollectiveRequest",
    "NonBlockingCollectiveComplete", "RmaPut", "RmaGet", "RmaAtomic", "RmaOpComplete", "RmaWinCreate", "RmaWinDestroy",
    "ThreadRelease", "ThreadAcquire", "ThreadBegin"};
static_assert(std::size(kind_names) == TARE_ARCHIVE_KINDS, "each kind has a name");

bool is_in_region(std::uint32_t kind) { return kind == TARE_ARCHIVE_ENTER || kind == TARE_ARCHIVE_LEAVE; }

bool has_request(std::uint32_t kind) {
    return kind == TARE_ARCHIVE_ISEND || kind == TARE_ARCHIVE_IRECV || kind == TARE_ARCHIVE_ISEND_COMPLETE ||
           kind == TARE_ARCHIVE_IRECV_REQUEST || kind == TARE_ARCHIVE_REQUEST_TEST ||
           kind == TARE_ARCHIVE_REQUEST_CANCELLED || kind == TARE_ARCHIVE_COLLECTIVE_REQUEST ||
           kind == TARE_ARCHIVE_COLLECTIVE_COMPLETE || match::is_operation(kind) || kind == TARE_ARCHIVE_RMA_COMPLETE;
}

bool has_communicator(std::uint32_t kind) {
    return match::is_message(kind) || kind == TARE_ARCHIVE_COLLECTIVE_END || kind == TARE_ARCHIVE_COLLECTIVE_COMPLETE;
}

class printer : public trace_visitor {
  public:
    explicit printer(const print_wish &wish) : wish_(wish) {}

    void begin(const tare_archive_t &archive) override {
        archive_ = &archive;
        picked_ = picked_locations(archive, wish_.pick);
        open_.resize(archive.location_count);
        for (std::size_t i = 0; i < archive.region_count; ++i)
            wanted_.push_back(wish_.region.empty() || is_named(archive.regions[i], wish_.region));
        check_region();
        if (wish_.json)
            rows_ = std::make_unique<json_rows>("trace print", "", "");
        else
            std::printf("%14s %12s  %-7s %s\n", "ns", "removed_ns", "thread", "event");
    }

    void events(const tare_archive_event_t *events, std::size_t count) override {
        for (std::size_t i = 0; i < count; ++i)
            one(events[i]);
    }

    void end() override {
        if (rows_)
            rows_->finish();
    }

  private:
    void check_region() const {
        if (!wish_.region.empty() && std::find(wanted_.begin(), wanted_.end(), true) == wanted_.end())
            throw profile::error("region " + wish_.region + " is not in the trace");
    }

    std::string region(std::uint32_t number) const {
        return number < archive_->region_count ? archive_->regions[number] : "unknown region";
    }

    bool is_wanted(std::uint32_t region) const {
        return region < wanted_.size() ? wanted_[region] : wish_.region.empty();
    }

    std::uint64_t since_begin(const tare_archive_event_t &e) const {
        return e.time_ns < archive_->first_ns ? 0 : e.time_ns - archive_->first_ns;
    }

    // Regions are followed whatever is picked.
    void one(const tare_archive_event_t &e) {
        std::vector<std::uint32_t> &open = open_[e.location];
        const bool is_wanted_here = wish_.region.empty() ||
                                    (is_in_region(e.kind) ? is_wanted(e.region) : !open.empty() && is_wanted(open.back()));
        if (e.kind == TARE_ARCHIVE_ENTER)
            open.push_back(e.region);
        else if (e.kind == TARE_ARCHIVE_LEAVE && !open.empty())
            open.pop_back();
        const std::uint64_t at = since_begin(e);
        if (!picked_[e.location] || !is_wanted_here || at < wish_.pick.from_ns || at > wish_.pick.to_ns)
            return;
        if (rows_)
            put_row(e, at);
        else
            put_line(e, at);
    }

    std::uint32_t rank_of(std::uint32_t process) const { return archive_->processes[process].rank; }

    std::string peer_text(const tare_archive_event_t &e) const {
        if (e.peer == TARE_ARCHIVE_UNKNOWN)
            return std::to_string(e.peer_rank) + " of an unknown group";
        return std::to_string(rank_of(e.peer)) +
               (e.known & TARE_ARCHIVE_PEER_THREAD ? "." + std::to_string(e.peer_thread) : "");
    }

    std::string communicator_text(std::uint32_t number) const {
        const char *name = number == TARE_ARCHIVE_UNKNOWN ? "" : archive_->communicators[number].name;
        return number == TARE_ARCHIVE_UNKNOWN ? "unknown" : name[0] == '\0' ? "#" + std::to_string(number) : name;
    }

    std::string window_text(std::uint32_t number) const {
        const char *name = number < archive_->window_count ? archive_->windows[number].name : "unknown";
        return name[0] == '\0' ? "#" + std::to_string(number) : name;
    }

    std::string text(std::uint32_t number) const {
        return number < archive_->text_count ? archive_->texts[number] : "unknown";
    }

    static std::string round_text(std::uint64_t round) {
        return round == TARE_TRACE_ROUND_BEGIN ? "begin" : round == TARE_TRACE_ROUND_END ? "end" : std::to_string(round);
    }

    static void add(std::string &to, const char *name, const std::string &value) {
        to += std::string(" ") + name + " " + value;
    }

    std::string details(const tare_archive_event_t &e) const {
        std::string text;
        if (match::is_message(e.kind)) {
            add(text, match::is_send(e.kind) ? "to" : "from", peer_text(e));
            add(text, "tag", std::to_string(e.tag));
            add(text, "bytes", std::to_string(e.length));
        }
        if (match::is_operation(e.kind)) {
            add(text, "at", peer_text(e));
            add(text, "bytes", std::to_string(e.length));
        }
        if (e.kind == TARE_ARCHIVE_RMA_ATOMIC)
            add(text, "received", std::to_string(e.received_length));
        if (has_request(e.kind))
            add(text, match::is_on_window(e.kind) ? "operation" : "request", std::to_string(e.request));
        if (has_communicator(e.kind))
            add(text, "in", communicator_text(e.communicator));
        if (match::is_on_window(e.kind))
            add(text, "on", window_text(e.window));
        if (match::is_between_threads(e.kind)) {
            add(text, "meeting", std::to_string(e.number));
            add(text, "round", round_text(e.sequence));
        }
        if (e.known & TARE_ARCHIVE_ARRIVALS)
            add(text, "arrivals", std::to_string(e.arrivals));
        if (e.known & TARE_ARCHIVE_SEQUENCE)
            add(text, "sequence", std::to_string(e.sequence));
        if (e.known & TARE_ARCHIVE_DELAY_NS)
            add(text, "delay_ns", std::to_string(e.delay_ns));
        if (e.known & TARE_ARCHIVE_SENT_NS)
            add(text, "sent_ns", std::to_string(e.sent_ns));
        return text;
    }

    static std::string hex(std::uint64_t number) {
        char text[32];
        std::snprintf(text, sizeof text, "0x%016" PRIx64, number);
        return text;
    }

    void add_buffer(std::string &to, const char *verb, const tare_archive_buffer_t &b, bool has_type) const {
        char place[64];
        std::snprintf(place, sizeof place, "0x%" PRIx64 " span %" PRIu64, b.address, b.span_bytes);
        add(to, verb, place);
        if (has_type)
            add(to, "type", text(b.type));
    }

    void add_frame(std::string &to, const tare_archive_buffer_t &b, bool is_known) const {
        if (is_known)
            add(to, ("on the stack of " + text(b.frame)).c_str(), std::to_string(b.frame_offset));
    }

    // What TARE_TRACE_RECORDS has asked for.
    std::string records(const tare_archive_event_t &e) const {
        std::string text;
        if (e.known & TARE_ARCHIVE_SEND_ADDRESS)
            add_buffer(text, "reads", e.sent_buffer, e.known & TARE_ARCHIVE_SEND_TYPE);
        add_frame(text, e.sent_buffer, e.known & TARE_ARCHIVE_SEND_FRAME);
        if (e.known & TARE_ARCHIVE_RECEIVE_ADDRESS)
            add_buffer(text, "writes", e.received_buffer, e.known & TARE_ARCHIVE_RECEIVE_TYPE);
        add_frame(text, e.received_buffer, e.known & TARE_ARCHIVE_RECEIVE_FRAME);
        if (e.known & TARE_ARCHIVE_TARGET_OFFSET)
            add_buffer(text, ("reaches " + std::to_string(e.displacement) + " +").c_str(), e.target_buffer,
                       e.known & TARE_ARCHIVE_TARGET_TYPE);
        if (e.known & TARE_ARCHIVE_DISPLACEMENT_UNIT)
            add(text, "unit", std::to_string(e.displacement));
        if (e.known & TARE_ARCHIVE_CONTENTS)
            add(text, "contents", hex(e.contents));
        if (e.known & TARE_ARCHIVE_DATA_NAME)
            add_buffer(text, ("names " + this->text(e.received_buffer.name)).c_str(), e.received_buffer,
                       e.known & TARE_ARCHIVE_DATA_TYPE);
        if (e.known & TARE_ARCHIVE_SITE)
            add(text, "called at", this->text(e.site));
        for (int i = 0; i < TARE_COUNTERS; ++i)
            if (e.known & TARE_ARCHIVE_COUNTER(i))
                add(text, counter_names[i], std::to_string(e.counters[i]));
        return text;
    }

    void put_line(const tare_archive_event_t &e, std::uint64_t at) const {
        const std::string removed = e.known & TARE_ARCHIVE_REMOVED_NS ? std::to_string(e.removed_ns) : "";
        const std::string what = (is_in_region(e.kind) ? " " + region(e.region) : details(e)) + records(e);
        std::printf("%14" PRIu64 " %12s  %-7s %s%s\n", at, removed.c_str(), place_text(*archive_, e.location).c_str(),
                    kind_names[e.kind], printable(what).c_str());
    }

    void put_known(const tare_archive_event_t &e, std::uint64_t attribute, const char *name, std::int64_t value) {
        if (e.known & attribute)
            rows_->number(name, value);
    }

    void put_message(const tare_archive_event_t &e) {
        rows_->number("peer_rank", e.peer == TARE_ARCHIVE_UNKNOWN ? std::nullopt : std::optional<std::int64_t>(rank_of(e.peer)));
        put_known(e, TARE_ARCHIVE_PEER_THREAD, "peer_thread", e.peer_thread);
        rows_->number("tag", e.tag);
        rows_->number("bytes", static_cast<std::int64_t>(e.length));
        put_known(e, TARE_ARCHIVE_SEQUENCE, "sequence", static_cast<std::int64_t>(e.sequence));
        put_known(e, TARE_ARCHIVE_DELAY_NS, "delay_ns", e.delay_ns);
        put_known(e, TARE_ARCHIVE_SENT_NS, "sent_ns", static_cast<std::int64_t>(e.sent_ns));
    }

    void put_operation(const tare_archive_event_t &e) {
        rows_->number("peer_rank", e.peer == TARE_ARCHIVE_UNKNOWN ? std::nullopt : std::optional<std::int64_t>(rank_of(e.peer)));
        rows_->number("bytes", static_cast<std::int64_t>(e.length));
        if (e.kind == TARE_ARCHIVE_RMA_ATOMIC)
            rows_->number("received_bytes", static_cast<std::int64_t>(e.received_length));
    }

    void put_text(const tare_archive_event_t &e, std::uint64_t attribute, const std::string &name, std::uint32_t number) {
        if (e.known & attribute)
            rows_->text(name.c_str(), text(number));
    }

    // address, span, type: its attributes.
    void put_buffer(const tare_archive_event_t &e, const std::string &role, const tare_archive_buffer_t &b,
                    std::uint64_t address, std::uint64_t span, std::uint64_t type) {
        put_known(e, address, (role + "_address").c_str(), static_cast<std::int64_t>(b.address));
        put_known(e, span, (role + "_span").c_str(), static_cast<std::int64_t>(b.span_bytes));
        put_text(e, type, role + "_type", b.type);
    }

    void put_frame(const tare_archive_event_t &e, const std::string &role, const tare_archive_buffer_t &b, std::uint64_t frame,
                   std::uint64_t offset) {
        put_text(e, frame, role + "_frame", b.frame);
        put_known(e, offset, (role + "_frame_offset").c_str(), b.frame_offset);
    }

    void put_records(const tare_archive_event_t &e) {
        for (int i = 0; i < TARE_COUNTERS; ++i)
            put_known(e, TARE_ARCHIVE_COUNTER(i), counter_names[i], static_cast<std::int64_t>(e.counters[i]));
        put_buffer(e, "send", e.sent_buffer, TARE_ARCHIVE_SEND_ADDRESS, TARE_ARCHIVE_SEND_SPAN, TARE_ARCHIVE_SEND_TYPE);
        put_frame(e, "send", e.sent_buffer, TARE_ARCHIVE_SEND_FRAME, TARE_ARCHIVE_SEND_FRAME_OFFSET);
        put_buffer(e, "receive", e.received_buffer, TARE_ARCHIVE_RECEIVE_ADDRESS, TARE_ARCHIVE_RECEIVE_SPAN,
                   TARE_ARCHIVE_RECEIVE_TYPE);
        put_frame(e, "receive", e.received_buffer, TARE_ARCHIVE_RECEIVE_FRAME, TARE_ARCHIVE_RECEIVE_FRAME_OFFSET);
        put_known(e, TARE_ARCHIVE_DISPLACEMENT, "displacement", e.displacement);
        put_known(e, TARE_ARCHIVE_TARGET_OFFSET, "target_offset", static_cast<std::int64_t>(e.target_buffer.address));
        put_known(e, TARE_ARCHIVE_TARGET_SPAN, "target_span", static_cast<std::int64_t>(e.target_buffer.span_bytes));
        put_text(e, TARE_ARCHIVE_TARGET_TYPE, "target_type", e.target_buffer.type);
        put_known(e, TARE_ARCHIVE_DISPLACEMENT_UNIT, "displacement_unit", e.displacement);
        if (e.known & TARE_ARCHIVE_CONTENTS)
            rows_->text("contents", hex(e.contents));
        put_text(e, TARE_ARCHIVE_DATA_NAME, "data_name", e.received_buffer.name);
        put_buffer(e, "data", e.received_buffer, TARE_ARCHIVE_DATA_ADDRESS, TARE_ARCHIVE_DATA_SPAN, TARE_ARCHIVE_DATA_TYPE);
        put_text(e, TARE_ARCHIVE_SITE, "call_site", e.site);
    }

    void put_between_threads(const tare_archive_event_t &e) {
        rows_->number("meeting", e.number);
        rows_->text("round", round_text(e.sequence));
        put_known(e, TARE_ARCHIVE_ARRIVALS, "arrivals", e.arrivals);
    }

    void put_row(const tare_archive_event_t &e, std::uint64_t at) {
        const tare_archive_location_t &l = archive_->locations[e.location];
        rows_->begin();
        rows_->number("ns", static_cast<std::int64_t>(at));
        put_known(e, TARE_ARCHIVE_REMOVED_NS, "removed_ns", e.removed_ns);
        rows_->number("rank", rank_of(l.process));
        rows_->number("thread", l.thread);
        rows_->text("event", kind_names[e.kind]);
        if (is_in_region(e.kind))
            rows_->text("region", region(e.region));
        if (match::is_message(e.kind))
            put_message(e);
        if (match::is_operation(e.kind))
            put_operation(e);
        if (has_request(e.kind))
            rows_->number(match::is_on_window(e.kind) ? "operation" : "request", static_cast<std::int64_t>(e.request));
        if (has_communicator(e.kind))
            rows_->text("communicator", communicator_text(e.communicator));
        if (match::is_on_window(e.kind))
            rows_->text("window", window_text(e.window));
        if (match::is_between_threads(e.kind))
            put_between_threads(e);
        put_records(e);
        rows_->end();
    }

    const print_wish &wish_;
    const tare_archive_t *archive_ = nullptr;
    std::vector<bool> picked_, wanted_;        // locations, regions
    std::vector<std::vector<std::uint32_t>> open_;
    std::unique_ptr<json_rows> rows_;
};

}  // namespace

int run_trace_print(int argc, char **argv) {
    print_wish wish;
    std::string path;
    const trace_arguments arguments = {"+:hV", long_options, print_help, take};
    if (const int status = read_trace_arguments(argc, argv, arguments, &wish, path); status >= 0)
        return status;
    if (const int status = check_pick(wish.pick); status >= 0)
        return status;
    printer to(wish);
    return read_trace(path, to);
}

}  // namespace tare::tool
