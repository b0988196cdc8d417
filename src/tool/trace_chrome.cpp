// SPDX-License-Identifier: BSD-3-Clause
// `tare trace chrome`: a trace as Chrome's trace events. Regions are begun and ended as they come; what waited, and the
// messages, which are flows from thread to thread, stand behind them.
#include "chrome_events.hpp"
#include "convert_file.hpp"
#include "json.hpp"
#include "table.hpp"
#include "trace_options.hpp"
#include "trace_timeline.hpp"

#include <cinttypes>
#include <cstdio>

namespace tare::tool {
namespace {

enum { clock_option = 1000, force_option };

const option long_options[] = {
    {"clock", required_argument, nullptr, clock_option},
    {"output", required_argument, nullptr, 'o'},
    {"force", no_argument, nullptr, force_option},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
};

struct chrome_wish {
    trace_clock clock = clock_compensated;
    std::string output;                // empty: standard output
    bool force = false;
};

void print_help() {
    std::printf("Usage: tare trace chrome [OPTION]... [DIR|FILE]\n"
                "Write a trace as Chrome's trace events, for Perfetto and chrome://tracing: regions, what was waited in\n"
                "them, and messages as arrows from thread to thread. The trace is the one in DIR (default: ./%s),\n"
                "or any OTF2 archive: its .otf2 FILE.\n"
                "\n"
                "      --clock=WHICH    compensated (the default), or measured\n"
                "  -o, --output=FILE    write to FILE, x.trace.json; '-': standard output (the default)\n"
                "      --force          overwrite FILE even if Tare has not written it\n"
                "  -h, --help           print this and exit\n"
                "  -V, --version        print the version and exit\n"
                "\n"
                "A part of a trace: tare trace cut.\n",
                default_trace);
}

int take(int option, void *data) {
    auto &wish = *static_cast<chrome_wish *>(data);
    switch (option) {
    case clock_option: return set_trace_clock(optarg, wish.clock);
    case force_option: wish.force = true; return -1;
    default: return set_trace_output(optarg, wish.output);
    }
}

class chrome_timeline : public timeline {
  public:
    chrome_timeline(trace_clock clock, std::FILE *to) : clock_(clock), to_(to) {}

  private:
    struct enter {
        std::uint32_t region;
        times at;
    };

    void start() override;
    void event(const tare_archive_event_t &e, const times &at) override;
    void part(std::uint32_t, std::uint32_t, const times &, const times &) override {}
    void finish(const std::vector<trace_wait> &waits) override;

    void name_places();
    void begin_at(const char *phase, const std::string &name, std::uint32_t location, const times &at);
    void leave(std::uint32_t location, const times &at);
    void write_wait(const trace_wait &w);
    void write_message(const trace_message &m, std::size_t number);

    const std::string &name(std::uint32_t region) const { return names_[std::min<std::size_t>(region, names_.size() - 1)]; }

    const trace_clock clock_;
    std::FILE *const to_;
    std::unique_ptr<chrome_events> out_;
    std::vector<std::string> names_;             // in quotes; the last is of those that are not defined
    std::vector<std::vector<enter>> open_;       // by location
    std::vector<times> latest_;
    std::uint64_t zero_ns_ = 0;
};

void chrome_timeline::start() {
    zero_ns_ = archive().first_ns;
    out_ = std::make_unique<chrome_events>(
        to_, timeline_writer, std::string("\"clock\": \"") + (has_two_clocks() ? trace_clock_names[clock_] : "") +
                                  "\", \"zero_ns\": " + std::to_string(zero_ns_));
    for (std::size_t i = 0; i < archive().region_count; ++i)
        names_.push_back(text_json(printable(archive().regions[i])));
    names_.push_back("\"unknown region\"");
    open_.resize(archive().location_count);
    latest_.resize(archive().location_count);
    name_places();
}

void chrome_timeline::name_places() {
    for (std::uint32_t i = 0; i < archive().process_count; ++i)
        out_->name_process(i, printable(archive().processes[i].name), archive().processes[i].rank);
    for (std::uint32_t i = 0; i < archive().location_count; ++i) {
        const tare_archive_location_t &l = archive().locations[i];
        out_->name_thread(l.process, i, place_text(archive(), i) + " " + printable(l.name));
        out_->sort_thread(l.process, i);
    }
}

// The archive says when it begins on its own clock. The other one may have begun before.
void chrome_timeline::begin_at(const char *phase, const std::string &name, std::uint32_t location, const times &at) {
    out_->begin(phase, name, archive().locations[location].process, location);
    const auto ns = static_cast<std::int64_t>(at[clock_] - zero_ns_);
    out_->put(", \"ts\": " + (ns < 0 ? "-" + usec_text(-ns) : usec_text(ns)));
}

void chrome_timeline::event(const tare_archive_event_t &e, const times &at) {
    latest_[e.location] = at;
    std::vector<enter> &open = open_[e.location];
    if (e.kind == TARE_ARCHIVE_LEAVE && !open.empty())
        return leave(e.location, at);
    if (e.kind != TARE_ARCHIVE_ENTER)
        return;
    open.push_back({e.region, at});
    begin_at("B", name(e.region), e.location, at);
    out_->put(e.region < archive().region_count && is_mpi(e.region) ? ", \"cat\": \"MPI\"}" : ", \"cat\": \"program\"}");
}

void chrome_timeline::leave(std::uint32_t location, const times &at) {
    const enter from = open_[location].back();
    open_[location].pop_back();
    const auto length = [&](trace_clock c) { return static_cast<std::int64_t>(at[c] - from.at[c]); };
    begin_at("E", name(from.region), location, at);
    out_->put(!has_two_clocks() ? "}" : ", \"args\": {\"measured_ns\": " + std::to_string(length(clock_measured)) +
                                            ", \"compensated_ns\": " + std::to_string(length(clock_compensated)) + "}}");
}

void chrome_timeline::write_wait(const trace_wait &w) {
    const std::uint64_t until = std::max(w.until[clock_], w.begin[clock_]);
    if (until == w.begin[clock_])
        return;
    begin_at("X", "\"waiting\"", w.location, w.begin);
    out_->put(", \"dur\": " + usec_text(static_cast<std::int64_t>(until - w.begin[clock_])) +
              ", \"cat\": \"waiting\", \"cname\": \"terrible\"}");
}

void chrome_timeline::write_message(const trace_message &m, std::size_t number) {
    const std::string id = ", \"cat\": \"message\", \"id\": " + std::to_string(number);
    begin_at("s", "\"message\"", m.from, m.sent);
    out_->put(id + ", \"args\": {\"bytes\": " + std::to_string(m.length) + ", \"tag\": " + std::to_string(m.tag) +
              ", \"joined_by\": \"" + (m.by_sequence ? "sequence" : "fifo") + "\"}}");
    begin_at("f", "\"message\"", m.to, m.received);
    out_->put(id + ", \"bp\": \"e\"}");
}

void chrome_timeline::finish(const std::vector<trace_wait> &waits) {
    for (std::uint32_t i = 0; i < open_.size(); ++i)
        while (!open_[i].empty())
            leave(i, latest_[i]);
    for (const trace_wait &w : waits)
        write_wait(w);
    for (std::size_t i = 0; i < messages().all().size(); ++i)
        write_message(messages().all()[i], i);
    out_->end();
}

}  // namespace

int run_trace_chrome(int argc, char **argv) {
    chrome_wish wish;
    std::string path;
    const trace_arguments arguments = {"+:o:hV", long_options, print_help, take};
    if (const int status = read_trace_arguments(argc, argv, arguments, &wish, path); status >= 0)
        return status;
    if (wish.output.empty() || wish.output == "-") {
        chrome_timeline to(wish.clock, stdout);
        return read_trace(path, to);
    }
    output_file file(wish.output, wish.force);
    chrome_timeline to(wish.clock, file.stream());
    const int status = read_trace(path, to);
    if (to.has_ended())
        file.close();
    return status;
}

}  // namespace tare::tool
