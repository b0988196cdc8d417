// SPDX-License-Identifier: BSD-3-Clause
// `tare trace cut` and `tare trace merge`: a part of an archive, or several, as a new one. For a cut the archive is read
// twice: which halves of messages have no other half in it is known when all are joined.
#include "table.hpp"
#include "trace_options.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <unordered_map>

namespace tare::tool {
namespace {

enum { rank_option = 1000, thread_option, from_option, to_option };

const option cut_options[] = {
    {"rank", required_argument, nullptr, rank_option},
    {"thread", required_argument, nullptr, thread_option},
    {"from", required_argument, nullptr, from_option},
    {"to", required_argument, nullptr, to_option},
    {"output", required_argument, nullptr, 'o'},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
};

const option *const merge_options = cut_options + 4;

struct cut_wish {
    trace_pick pick;
    std::string output;
};

void print_cut_help() {
    std::printf("Usage: tare trace cut [OPTION]... --output=NEW [DIR|FILE]\n"
                "Make a new archive, NEW/traces.otf2, of a part of a trace that Tare has written, which is the one in DIR\n"
                "(default: ./%s) or that of an .otf2 FILE.\n"
                "\n"
                "      --rank=LIST      only these ranks, like 0,2-3\n"
                "      --thread=LIST    only these threads, like 0.1,2.0; with --rank: those, too\n"
                "      --from=TIME      only from there on: 250us, 1.5ms, 2s or, in ns, 12345\n"
                "      --to=TIME        only up to there\n"
                "  -o, --output=NEW     the folder to make, which must not be there\n"
                "  -h, --help           print this and exit\n"
                "  -V, --version        print the version and exit\n"
                "\n"
                "Regions that are open at an end of the range are entered or left there. Of a message, a collective call or\n"
                "a request that is only partly in there nothing is kept. Times are since the trace begins, on its clock.\n",
                default_trace);
}

void print_merge_help() {
    std::printf("Usage: tare trace merge [OPTION]... --output=NEW DIR|FILE DIR|FILE...\n"
                "Make one archive, NEW/traces.otf2, of those of several runs that Tare has written. The ranks of each come\n"
                "behind those of the one before, and get new numbers; times stay as they are.\n"
                "\n"
                "  -o, --output=NEW     the folder to make, which must not be there\n"
                "  -h, --help           print this and exit\n"
                "  -V, --version        print the version and exit\n"
                "\n"
                "Archives of one run, and of unlike clocks (TARE_TRACE_CLOCK), are refused.\n");
}

int take(int option, void *data) {
    auto &wish = *static_cast<cut_wish *>(data);
    switch (option) {
    case rank_option: return set_pick_ranks(optarg, wish.pick);
    case thread_option: return set_pick_threads(optarg, wish.pick);
    case from_option: return set_pick_time("--from", optarg, wish.pick.from_ns);
    case to_option: return set_pick_time("--to", optarg, wish.pick.to_ns);
    default: return set_trace_output(optarg, wish.output);
    }
}

int check_output(const std::string &output) {
    return output.empty() ? usage_error("trace", "where the new archive is to be is missing: --output") : -1;
}

// --- what a cut leaves out ---

// An event of MPI: the how manyth of its location, and whether it is in the cut.
struct cut_event {
    std::uint32_t location;
    std::uint64_t number;
    bool is_in;
};

class cut_visitor : public timeline {
  public:
    explicit cut_visitor(const trace_pick &pick) : pick_(pick) {}

    const std::vector<tare_trace_kept_t> &kept() const { return kept_; }
    std::uint64_t from_ns() const { return from_ns_; }
    std::uint64_t to_ns() const { return to_ns_; }

  private:
    struct request {
        std::vector<cut_event> events;         // that are no messages
        bool is_parted = false;                // some of it is in the cut, and some is not
    };
    using request_key = std::pair<std::uint32_t, std::uint64_t>;
    struct message_half {
        cut_event event;
        std::size_t request;
    };
    static constexpr std::size_t no_request = SIZE_MAX;

    void start() override;
    void event(const tare_archive_event_t &e, const times &) override;
    void part(std::uint32_t, std::uint32_t, const times &, const times &) override {}
    void finish(const std::vector<trace_wait> &) override;

    std::size_t request_of(const tare_archive_event_t &e, const cut_event &here);
    void collective(const tare_archive_event_t &e, const cut_event &here);
    void leave_out(const cut_event &e) {
        if (e.is_in)
            left_out_[e.location].push_back(e.number);
    }
    void leave_out(const message_half &half);
    void keep_locations();

    const trace_pick &pick_;
    std::uint64_t from_ns_ = 0, to_ns_ = UINT64_MAX;
    std::vector<bool> picked_;
    std::vector<std::uint64_t> counts_;                        // by location
    std::vector<std::vector<std::uint64_t>> left_out_;
    std::vector<message_half> sends_, receives_;
    std::vector<request> requests_;
    std::map<request_key, std::size_t> open_;
    std::unordered_map<std::uint32_t, cut_event> collectives_; // that have begun, by location
    std::vector<tare_trace_kept_t> kept_;
};

void cut_visitor::start() {
    picked_ = picked_locations(archive(), pick_);
    from_ns_ = archive().first_ns + pick_.from_ns;
    to_ns_ = pick_.to_ns > UINT64_MAX - archive().first_ns ? UINT64_MAX : archive().first_ns + pick_.to_ns;
    counts_.resize(archive().location_count);
    left_out_.resize(archive().location_count);
}

void cut_visitor::event(const tare_archive_event_t &e, const times &) {
    if (e.kind == TARE_ARCHIVE_ENTER || e.kind == TARE_ARCHIVE_LEAVE || match::is_on_window(e.kind) ||
        match::is_between_threads(e.kind))
        return;
    const bool is_in = picked_[e.location] && e.time_ns >= from_ns_ && e.time_ns <= to_ns_;
    const cut_event here = {e.location, counts_[e.location]++, is_in};
    if (e.kind == TARE_ARCHIVE_COLLECTIVE_BEGIN || e.kind == TARE_ARCHIVE_COLLECTIVE_END)
        return collective(e, here);
    const bool is_blocking = e.kind == TARE_ARCHIVE_SEND || e.kind == TARE_ARCHIVE_RECV;
    const std::size_t request = is_blocking ? no_request : request_of(e, here);
    if (match::is_message(e.kind))
        (match::is_send(e.kind) ? sends_ : receives_).push_back({here, request});
}

// A request is one from what begins it to what ends it.
std::size_t cut_visitor::request_of(const tare_archive_event_t &e, const cut_event &here) {
    const request_key key = {archive().locations[e.location].process, e.request};
    const bool is_first = e.kind == TARE_ARCHIVE_ISEND || e.kind == TARE_ARCHIVE_IRECV_REQUEST ||
                          e.kind == TARE_ARCHIVE_COLLECTIVE_REQUEST;
    const auto [found, is_new] = open_.try_emplace(key, requests_.size());
    if (is_new || is_first) {
        found->second = requests_.size();
        requests_.emplace_back();
    }
    const std::size_t number = found->second;
    request &r = requests_[number];
    r.is_parted |= !here.is_in;
    if (!match::is_message(e.kind))
        r.events.push_back(here);
    if (e.kind == TARE_ARCHIVE_IRECV || e.kind == TARE_ARCHIVE_ISEND_COMPLETE || e.kind == TARE_ARCHIVE_REQUEST_CANCELLED ||
        e.kind == TARE_ARCHIVE_COLLECTIVE_COMPLETE)
        open_.erase(found);
    return number;
}

void cut_visitor::collective(const tare_archive_event_t &e, const cut_event &here) {
    if (e.kind == TARE_ARCHIVE_COLLECTIVE_BEGIN) {
        collectives_[e.location] = here;
        return;
    }
    const auto begun = collectives_.find(e.location);
    if (begun == collectives_.end())
        return;
    if (begun->second.is_in != here.is_in) {
        leave_out(begun->second);
        leave_out(here);
    }
    collectives_.erase(begun);
}

void cut_visitor::leave_out(const message_half &half) {
    leave_out(half.event);
    if (half.request != no_request)
        requests_[half.request].is_parted = true;
}

void cut_visitor::keep_locations() {
    for (std::uint32_t i = 0; i < picked_.size(); ++i)
        if (picked_[i]) {
            std::sort(left_out_[i].begin(), left_out_[i].end());
            kept_.push_back({archive().locations[i].number, left_out_[i].data(), left_out_[i].size()});
        }
}

void cut_visitor::finish(const std::vector<trace_wait> &) {
    for (const trace_message &m : messages().all()) {
        const message_half &send = sends_[m.send_number], &receive = receives_[m.receive_number];
        if (send.event.is_in != receive.event.is_in)
            leave_out(send.event.is_in ? send : receive);
    }
    for (const request &r : requests_)
        if (r.is_parted)
            for (const cut_event &e : r.events)
                leave_out(e);
    keep_locations();
}

int copy(const tare_trace_copy_t &wish) {
    const tare_trace_module_t *module = find_trace_module();
    if (module == nullptr)
        return exit_failed;
    char message[TARE_TRACE_MESSAGE] = "";
    if (module->copy(&wish, message) != 0)
        return fail("trace", exit_failed, message);
    std::printf("%s/traces.otf2\n", wish.dir);
    return exit_good;
}

}  // namespace

int run_trace_cut(int argc, char **argv) {
    cut_wish wish;
    std::string path;
    const trace_arguments arguments = {"+:o:hV", cut_options, print_cut_help, take};
    if (const int status = read_trace_arguments(argc, argv, arguments, &wish, path); status >= 0)
        return status;
    for (const int status : {check_output(wish.output), check_pick(wish.pick)})
        if (status >= 0)
            return status;
    cut_visitor found(wish.pick);
    if (const int status = read_trace(path, found); status != exit_good)
        return status;
    const char *paths[] = {path.c_str()};
    return copy({paths, 1, wish.output.c_str(), found.from_ns(), found.to_ns(), found.kept().data(), found.kept().size()});
}

int run_trace_merge(int argc, char **argv) {
    cut_wish wish;
    std::vector<std::string> paths;
    const trace_arguments arguments = {"+:o:hV", merge_options, print_merge_help, take};
    if (const int status = read_trace_arguments(argc, argv, arguments, &wish, paths); status >= 0)
        return status;
    if (const int status = check_output(wish.output); status >= 0)
        return status;
    if (paths.size() < 2)
        return usage_error("trace", "merge needs two archives or more");
    std::vector<const char *> names;
    for (const std::string &path : paths)
        names.push_back(path.c_str());
    return copy({names.data(), names.size(), wish.output.c_str(), 0, UINT64_MAX, nullptr, 0});
}

}  // namespace tare::tool
