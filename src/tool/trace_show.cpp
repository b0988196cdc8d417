// SPDX-License-Identifier: BSD-3-Clause
// `tare trace show`: one page that needs nothing but a browser. page/timeline_data.js says how the trace stands in it.
#include "json_envelope.hpp"
#include "page_frame.hpp"
#include "regions.hpp"
#include "table.hpp"
#include "trace_options.hpp"
#include "trace_timeline.hpp"

#include <cstdio>
#include <map>

namespace tare::tool {

// Made by the build from page/*.js and page/*.css.
extern const char timeline_script[];
extern const char timeline_style[];
extern const char timeline_dark_style[];

namespace {

constexpr const char *maker = "tare trace show";
constexpr const char *default_page = "trace.html";

const option long_options[] = {
    {"output", required_argument, nullptr, 'o'},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
};

void print_help() {
    std::printf("Usage: tare trace show [OPTION]... [DIR|FILE]\n"
                "Make a page of a trace that needs nothing but a browser: threads as rows, what they were in, what was\n"
                "waited, and messages as lines between threads, before and after compensation. The trace is the one in DIR\n"
                "(default: ./%s), or any OTF2 archive: its .otf2 FILE.\n"
                "\n"
                "  -o, --output=FILE    write to FILE (default: %s); '-': standard output\n"
                "  -h, --help           print this and exit\n"
                "  -V, --version        print the version and exit\n"
                "\n"
                "A part of a trace: tare trace cut.\n",
                default_trace, default_page);
}

struct show_wish {
    std::string output = default_page;
};

int take(int, void *data) { return set_trace_output(optarg, static_cast<show_wish *>(data)->output); }

// --- numbers in few bytes, and those as text ---

void add_number(std::string &to, std::uint64_t value) {
    constexpr unsigned bits = 7;
    for (; value >> bits != 0; value >>= bits)
        to += static_cast<char>((value & 127) | 128);
    to += static_cast<char>(value);
}

void add_signed(std::string &to, std::uint64_t value, std::uint64_t less) {
    if (value >= less)
        add_number(to, 2 * (value - less));
    else
        add_number(to, 2 * (less - value) - 1);
}

std::string base64(const std::string &bytes) {
    constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto byte = [&](std::size_t at) {
            return at < bytes.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at])) : 0;
        };
        const std::uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
        for (const unsigned shift : {18U, 12U, 6U, 0U})
            text += digits[three >> shift & 63];
    }
    for (std::size_t i = 0; i < (3 - bytes.size() % 3) % 3; ++i)
        text[text.size() - 1 - i] = '=';
    return text;
}

// --- what is in the page ---

// Amounts on both clocks, as they are written.
void add_both(std::string &to, const times &amounts) {
    add_number(to, amounts[clock_compensated]);
    add_number(to, amounts[clock_measured]);
}

times difference_of(const times &a, const times &b) { return {a[0] - b[0], a[1] - b[1]}; }

struct shown_part {
    times from, to;
    std::uint32_t code;                // region + 1; 0: none
};

// The parts of a location in bytes. Where there are too many, neighbours that are short are put together.
class part_writer {
  public:
    part_writer(std::uint32_t many, std::uint64_t grain_ns) : many_(many), grain_ns_(grain_ns) {}

    void add(const shown_part &p, bool in_mpi, const times &waits) {
        const times length = difference_of(p.to, p.from);
        if (grain_ns_ > 0 && length[clock_measured] < grain_ns_)
            return put_together(p, length, in_mpi, waits);
        flush();
        write(p.code, length, waits);
    }

    void flush() {
        if (together_ == 1) {
            write(one_.code, length_, waits_);
        } else if (together_ > 1) {
            begin(many_, true, length_);
            add_number(bytes_, together_);
            add_both(bytes_, nowhere_);
            add_both(bytes_, in_mpi_);
            add_both(bytes_, waits_);
        }
        together_ = 0;
        length_ = nowhere_ = in_mpi_ = waits_ = {};
    }

    std::uint64_t count() const { return count_; }
    const std::string &bytes() const { return bytes_; }

  private:
    void begin(std::uint32_t code, bool waits, const times &length) {
        add_number(bytes_, 2 * std::uint64_t{code} + (waits ? 1 : 0));
        add_both(bytes_, length);
        ++count_;
    }

    void write(std::uint32_t code, const times &length, const times &waits) {
        const bool has_waits = waits[0] > 0 || waits[1] > 0;
        begin(code, has_waits, length);
        if (has_waits)
            add_both(bytes_, waits);
    }

    void put_together(const shown_part &p, const times &length, bool in_mpi, const times &waits) {
        one_ = p;
        ++together_;
        for (const int c : {0, 1}) {
            length_[c] += length[c];
            waits_[c] += waits[c];
            nowhere_[c] += p.code == 0 ? length[c] : 0;
            in_mpi_[c] += in_mpi ? length[c] - waits[c] : 0;
        }
        if (length_[clock_measured] >= grain_ns_)
            flush();
    }

    const std::uint32_t many_;
    const std::uint64_t grain_ns_;
    std::string bytes_;
    std::uint64_t count_ = 0, together_ = 0;
    shown_part one_{};
    times length_{}, nowhere_{}, in_mpi_{}, waits_{};
};

// A line of the page: messages that nobody could tell apart are one.
struct shown_line {
    trace_message first;
    std::uint64_t messages;
};

constexpr std::size_t most_parts = 1500000, most_lines = 200000;

class page_timeline : public timeline {
  public:
    explicit page_timeline(page_file &out) : out_(out) {}

  private:
    void start() override { parts_.resize(archive().location_count); }
    void event(const tare_archive_event_t &, const times &at) override {
        ++events_;
        last_ = {std::max(last_[0], at[0]), std::max(last_[1], at[1])};
    }
    void part(std::uint32_t location, std::uint32_t region, const times &from, const times &to) override {
        parts_[location].push_back({from, to, region == no_region ? 0 : region + 1});
        ++part_count_;
    }
    void finish(const std::vector<trace_wait> &waits) override;

    std::uint64_t count_by(std::uint64_t grain_ns) const;
    void encode_parts(const std::vector<trace_wait> &waits);
    void choose_lines();
    std::string encoded_lines() const;
    times length() const { return events_ == 0 ? times{} : difference_of(last_, first()); }
    json about() const;

    page_file &out_;
    std::vector<std::vector<shown_part>> parts_;         // by location
    std::vector<std::string> encoded_;
    std::vector<std::uint64_t> counts_;
    std::vector<shown_line> lines_;
    std::uint64_t events_ = 0, part_count_ = 0, grain_ns_ = 0;
    times last_{};
};

// What part_writer would write of all locations by this grain.
std::uint64_t page_timeline::count_by(std::uint64_t grain_ns) const {
    std::uint64_t count = 0;
    for (const std::vector<shown_part> &parts : parts_) {
        std::uint64_t together_ns = 0;
        bool is_open = false;
        for (const shown_part &p : parts) {
            const std::uint64_t length_ns = p.to[clock_measured] - p.from[clock_measured];
            const bool is_short = length_ns < grain_ns;
            count += is_short || !is_open ? 0 : 1;
            together_ns = is_short ? together_ns + length_ns : 0;
            const bool is_full = !is_short || together_ns >= grain_ns;
            count += is_full ? 1 : 0;
            is_open = !is_full;
            together_ns = is_full ? 0 : together_ns;
        }
        count += is_open ? 1 : 0;
    }
    return count;
}

void page_timeline::encode_parts(const std::vector<trace_wait> &waits) {
    constexpr std::uint64_t finest_ns = 50;
    if (part_count_ > most_parts)
        for (grain_ns_ = finest_ns; count_by(grain_ns_) > most_parts && grain_ns_ < length()[clock_measured];)
            grain_ns_ *= 2;
    auto wait = waits.begin();
    for (std::uint32_t l = 0; l < parts_.size(); ++l) {
        part_writer to(static_cast<std::uint32_t>(archive().region_count + 1), grain_ns_);
        std::string begin;
        if (!parts_[l].empty())
            add_both(begin, difference_of(parts_[l].front().from, first()));
        for (std::uint64_t i = 0; i < parts_[l].size(); ++i) {
            const shown_part &p = parts_[l][i];
            const bool waited = wait != waits.end() && wait->location == l && wait->part == i;
            to.add(p, p.code != 0 && is_mpi(p.code - 1), waited ? difference_of(wait->until, wait->begin) : times{});
            wait += waited ? 1 : 0;
        }
        to.flush();
        encoded_.push_back(base64(begin + to.bytes()));
        counts_.push_back(to.count());
        std::vector<shown_part>().swap(parts_[l]);
    }
}

// So many that fall on a pixel of a page are one, that their number is bounded: then wider pixels are tried.
void page_timeline::choose_lines() {
    for (const trace_message &m : messages().all())
        lines_.push_back({m, 1});
    std::uint64_t pixel_ns = 1 + length()[clock_measured] / (1 << 16);
    for (; lines_.size() > most_lines; pixel_ns *= 2) {
        std::map<std::array<std::uint64_t, 4>, std::size_t> seen;
        std::vector<shown_line> kept;
        for (const shown_line &line : lines_) {
            const trace_message &m = line.first;
            const auto [found, is_new] =
                seen.try_emplace({m.from, m.to, m.sent[clock_measured] / pixel_ns, m.received[clock_measured] / pixel_ns},
                                 kept.size());
            if (is_new)
                kept.push_back(line);
            else
                kept[found->second].messages += line.messages;
        }
        lines_ = std::move(kept);
    }
    std::stable_sort(lines_.begin(), lines_.end(), [](const shown_line &a, const shown_line &b) {
        return a.first.sent[clock_measured] < b.first.sent[clock_measured];
    });
}

std::string page_timeline::encoded_lines() const {
    std::string to;
    std::uint64_t before = 0;
    for (const shown_line &line : lines_) {
        const trace_message &m = line.first;
        const times sent = difference_of(m.sent, first()), received = difference_of(m.received, first());
        for (const std::uint64_t number : {std::uint64_t{m.from}, std::uint64_t{m.to}, line.messages,
                                           std::uint64_t{m.by_sequence}, m.length, std::uint64_t{m.tag}})
            add_number(to, number);
        add_number(to, sent[clock_measured] - before);
        before = sent[clock_measured];
        add_signed(to, sent[clock_measured], sent[clock_compensated]);
        for (const int c : {clock_compensated, clock_measured})
            add_signed(to, received[c], sent[c]);
    }
    return base64(to);
}

json page_timeline::about() const {
    json regions = json::array(), mpi = json::array(), threads = json::array();
    for (std::uint32_t i = 0; i < archive().region_count; ++i) {
        regions.push_back(archive().regions[i]);
        if (is_mpi(i))
            mpi.push_back(i);
    }
    for (std::uint32_t i = 0; i < archive().location_count; ++i)
        threads.push_back({{"name", place_text(archive(), i) + " " + archive().locations[i].name},
                           {"process", archive().locations[i].process},
                           {"parts", counts_[i]}});
    return {{"clocks", has_two_clocks() ? 2 : 1},
            {"length_ns", length()},
            {"grain_ns", grain_ns_},
            {"regions", std::move(regions)},
            {"mpi", std::move(mpi)},
            {"threads", std::move(threads)},
            {"messages", {{"all", messages().all().size()},
                          {"by_sequence", messages().by_sequence()},
                          {"left", messages().left()},
                          {"lines", lines_.size()}}}};
}

// Nothing in it ends the element that it stands in.
std::string script_text(const json &object) {
    const std::string text = object.dump(-1, ' ', true, json::error_handler_t::replace);
    std::string result;
    for (const char c : text)
        c == '<' ? result += "\\u003c" : result += c;
    return result;
}

void page_timeline::finish(const std::vector<trace_wait> &waits) {
    encode_parts(waits);
    choose_lines();
    const auto counted = [](std::size_t count) { return std::to_string(count); };
    put_page_head(out_, std::string("Time line of ") + archive().file + " - Tare", timeline_style, timeline_dark_style);
    put_page_title(out_, "Time line", {{"trace", archive().file},
                                       {"processes", counted(archive().process_count)},
                                       {"threads", counted(archive().location_count)},
                                       {"events", counted(events_)},
                                       {"messages", counted(messages().all().size())}});
    out_.put("<main>\n<noscript><p class=\"warning\">The time line is drawn by a script, which is in this page; tare trace "
             "print prints the events as text.</p></noscript>\n<div id=\"figures\"></div>\n</main>\n"
             "<footer>Made by tare trace show, Tare " TARE_VERSION ".</footer>\n");
    out_.put("<script type=\"application/json\" id=\"tare-timeline\">" + script_text(about()) + "</script>\n");
    for (const std::string &bytes : encoded_)
        out_.put("<script type=\"text/plain\" class=\"tare-parts\">" + bytes + "</script>\n");
    out_.put("<script type=\"text/plain\" id=\"tare-messages\">" + encoded_lines() + "</script>\n");
    put_page_end(out_, timeline_script);
}

}  // namespace

int run_trace_show(int argc, char **argv) {
    show_wish wish;
    std::string path;
    const trace_arguments arguments = {"+:o:hV", long_options, print_help, take};
    if (const int status = read_trace_arguments(argc, argv, arguments, &wish, path); status >= 0)
        return status;
    page_file out(wish.output, maker);
    page_timeline to(out);
    const int status = read_trace(path, to);
    if (to.has_ended())
        out.finish();
    return status;
}

}  // namespace tare::tool
