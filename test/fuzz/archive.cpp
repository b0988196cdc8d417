// SPDX-License-Identifier: BSD-3-Clause
// An archive of OTF2 in which definitions, of all or of a location, and events are any bytes: what tare trace reads of it,
// matches and copies. Its anchor file is whole. An input is a byte that says whether something is copied, and the files that
// are others than Tare has written: for each its number, its size and its bytes; of the last one so many as there are.
#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "analysis.hpp"
#include "archive_fixture.hpp"
#include "communication.hpp"
#include "folder.hpp"
#include "holds.hpp"
#include "input.hpp"
#include "matcher.hpp"
#include "trace_module.h"

namespace {

namespace fs = std::filesystem;

bool is_sentence(const char *text) { return *text != '\0' && std::strchr(text, '\n') == nullptr; }

bool has_communicator(std::uint32_t kind)
{
    return tare::match::is_message(kind) || kind == TARE_ARCHIVE_COLLECTIVE_END ||
           kind == TARE_ARCHIVE_COLLECTIVE_COMPLETE || tare::match::is_operation(kind);
}

bool is_one_of(std::uint32_t number, std::size_t count) { return number < count || number == TARE_ARCHIVE_UNKNOWN; }

// --- the archive ---

class archive {
  public:
    archive()
    {
        fuzz::write_archive(path());
        for (const fs::directory_entry &entry : fs::recursive_directory_iterator(path()))
            if (entry.path().extension() == ".def" || entry.path().extension() == ".evt")
                names_.push_back("trace" / fs::relative(entry.path(), path()));
        std::sort(names_.begin(), names_.end());
        for (const std::string &name : names_)
            whole_.push_back(folder_.content(name));
        now_ = whole_;
    }

    std::string path() const { return folder_.path() + "/trace"; }
    std::string path_of_copy() const { return folder_.path() + "/copy"; }

    // Those that the input does not have are whole.
    void write(fuzz::input in)
    {
        std::vector<std::string> contents = whole_;
        while (!in.at_end()) {
            const std::size_t file = in.byte() % names_.size();
            const auto size = in.number<std::uint16_t>();
            contents[file] = in.bytes(size);
        }
        for (std::size_t i = 0; i < names_.size(); i++)
            if (contents[i] != now_[i])
                folder_.put(names_[i], contents[i]);
        now_ = std::move(contents);
    }

    bool is_whole() const { return now_ == whole_; }

    void remove_copy() const { folder_.remove("copy"); }

  private:
    const fuzz::folder folder_;
    std::vector<std::string> names_, whole_, now_;
};

// --- what is read ---

// Events come in the order of time, but for those of a clock that goes back, which is said.
class reading {
  public:
    bool has_begun() const { return has_begun_; }
    bool is_whole() const { return has_ended_ && problems_ == 0; }
    bool has_counters() const { return counted_ > 0; }
    const std::vector<tare_trace_kept_t> &locations() const { return locations_; }
    std::uint64_t middle_ns() const { return first_ns_ + (last_ns_ - first_ns_) / 2; }

    void read(const std::string &path)
    {
        const tare_archive_reading_t to = {this, begin, events, end, problem};
        char message[TARE_TRACE_MESSAGE] = "";
        const int status = tare_trace_module.read(path.c_str(), &to, message);
        HOLDS(status == 0 ? has_ended_ : !has_begun_ && is_sentence(message));
    }

  private:
    static reading &of(void *data) { return *static_cast<reading *>(data); }

    static int begin(void *data, const tare_archive_t *archive)
    {
        reading &r = of(data);
        HOLDS(!r.has_begun_);
        r.has_begun_ = true;
        r.archive_ = archive;
        r.check_names();
        r.check_places();
        r.latest_ns_.resize(archive->location_count);
        r.matcher_ = std::make_unique<tare::match::matcher>(tare::match::places_of(*archive), true);
        r.communication_ = std::make_unique<tare::comms::communication>(*archive);
        r.waits_ = std::make_unique<tare::waits::analysis>(*archive, tare::clock_change::subtract_removed);
        return 0;
    }

    static int events(void *data, const tare_archive_event_t *events, std::size_t count)
    {
        HOLDS(of(data).has_begun_ && !of(data).has_ended_ && count > 0);
        for (std::size_t i = 0; i < count; i++)
            of(data).event(events[i]);
        return 0;
    }

    static int end(void *data)
    {
        reading &r = of(data);
        HOLDS(r.has_begun_ && !r.has_ended_);
        r.has_ended_ = true;
        HOLDS(r.backwards_ == 0 || r.problems_ > 0);
        r.check_matched(r.matcher_->finish());
        check_sent(r.communication_->finish());
        r.check_waits(r.waits_->finish());
        return 0;
    }

    static void problem(void *data, const char *sentence)
    {
        HOLDS(of(data).has_begun_ && !of(data).has_ended_ && is_sentence(sentence));
        of(data).problems_++;
    }

    void check_names() const
    {
        HOLDS(archive_->file != nullptr && archive_->clock != nullptr);
        for (std::size_t i = 0; i < archive_->region_count; i++)
            HOLDS(std::strlen(archive_->regions[i]) < SIZE_MAX);
        for (std::size_t i = 0; i < archive_->communicator_count; i++)
            HOLDS(std::strlen(archive_->communicators[i].name) < SIZE_MAX);
        for (std::size_t i = 0; i < archive_->window_count; i++)
            HOLDS(std::strlen(archive_->windows[i].name) < SIZE_MAX &&
                  is_one_of(archive_->windows[i].communicator, archive_->communicator_count));
    }

    void check_places()
    {
        std::set<std::uint64_t> numbers;
        for (std::size_t i = 0; i < archive_->process_count; i++)
            HOLDS(std::strlen(archive_->processes[i].name) < SIZE_MAX && archive_->processes[i].rank != TARE_ARCHIVE_UNKNOWN);
        for (std::size_t i = 0; i < archive_->location_count; i++) {
            const tare_archive_location_t &l = archive_->locations[i];
            HOLDS(std::strlen(l.name) < SIZE_MAX && l.process < archive_->process_count);
            HOLDS(l.thread != TARE_ARCHIVE_UNKNOWN && numbers.insert(l.number).second);
            locations_.push_back({l.number, nullptr, 0});
        }
    }

    void event(const tare_archive_event_t &e)
    {
        constexpr std::uint64_t counters = TARE_ARCHIVE_COUNTER(TARE_ARCHIVE_COUNTERS) - TARE_ARCHIVE_COUNTER(0);
        HOLDS(e.location < archive_->location_count && e.kind < TARE_ARCHIVE_KINDS);
        counted_ += (e.known & counters) != 0;
        if (e.kind == TARE_ARCHIVE_ENTER || e.kind == TARE_ARCHIVE_LEAVE)
            HOLDS(is_one_of(e.region, archive_->region_count));
        if (has_communicator(e.kind))
            HOLDS(is_one_of(e.communicator, archive_->communicator_count) && is_one_of(e.peer, archive_->process_count));
        if (tare::match::is_on_window(e.kind))
            HOLDS(is_one_of(e.window, archive_->window_count));
        check_text(e, TARE_ARCHIVE_TARGET_TYPE, e.target_buffer.type);
        check_text(e, TARE_ARCHIVE_SITE, e.site);
        check_text(e, TARE_ARCHIVE_SEND_TYPE, e.sent_buffer.type);
        check_text(e, TARE_ARCHIVE_RECEIVE_TYPE | TARE_ARCHIVE_DATA_TYPE, e.received_buffer.type);
        check_text(e, TARE_ARCHIVE_DATA_NAME, e.received_buffer.name);
        check_text(e, TARE_ARCHIVE_SEND_FRAME, e.sent_buffer.frame);
        check_text(e, TARE_ARCHIVE_RECEIVE_FRAME, e.received_buffer.frame);
        check_time(e);
        matcher_->add(e);
        communication_->add(e);
        waits_->add(e);
        sends_ += tare::match::is_send(e.kind);
        receives_ += tare::match::is_receive(e.kind);
    }

    void check_text(const tare_archive_event_t &e, std::uint64_t attributes, std::uint32_t number) const
    {
        if (e.known & attributes)
            HOLDS(is_one_of(number, archive_->text_count) && (number == TARE_ARCHIVE_UNKNOWN || archive_->texts[number]));
    }

    void check_time(const tare_archive_event_t &e)
    {
        backwards_ += e.time_ns < latest_ns_[e.location];
        latest_ns_[e.location] = e.time_ns;
        const std::pair<std::uint64_t, std::uint32_t> now(e.time_ns, e.location);
        HOLDS(backwards_ > 0 || now >= latest_);
        latest_ = now;
        first_ns_ = std::min(first_ns_, e.time_ns);
        last_ns_ = std::max(last_ns_, e.time_ns);
    }

    // What is in classes is all that there is, once.
    static void check_sent(const tare::comms::result &all)
    {
        std::uint64_t transfers = 0, bytes = 0;
        for (const tare::comms::transfer_class &c : all.classes) {
            transfers += c.transfers;
            bytes += c.bytes;
            std::uint64_t in_pairs = 0, previous = 0;
            for (const auto &[who, sum] : c.pairs)
                in_pairs += sum.transfers;
            for (const auto &[number, count] : c.previous) {
                HOLDS(number == tare::comms::unknown || number < all.classes.size());
                previous += count;
            }
            HOLDS(in_pairs == c.transfers && previous == c.transfers);
        }
        HOLDS(transfers == all.transfers && bytes == all.bytes);
    }

    // Waiting is part of all time, in each process, too; and it is somewhere in the source.
    void check_waits(const tare::waits::result &all) const
    {
        HOLDS(all.waiting_ns >= 0 && all.waiting_ns <= all.total_ns && all.processes.size() == archive_->process_count);
        for (const tare::waits::process_sum &p : all.processes)
            HOLDS(p.waiting_ns >= 0 && p.waiting_ns <= all.waiting_ns && p.threads <= archive_->location_count);
        for (const auto &[where, sum] : all.waits) {
            HOLDS(where.first < all.steps.size() && sum.waits <= all.calls);
            HOLDS(sum.waiting_ns >= 0 && sum.waiting_ns <= all.waiting_ns);
            HOLDS(sum.causes.empty() || sum.causes.rbegin()->first < all.steps.size());
        }
        for (const auto &[which, sum] : all.gaps)
            HOLDS(sum.calls <= all.calls && sum.ns >= 0);
    }

    // Each send and each receive is in a pair, or left, by each method.
    void check_matched(const tare::match::match_result &all) const
    {
        HOLDS(all.sends == sends_ && all.receives == receives_);
        for (const tare::match::tally &t : all.methods)
            HOLDS(t.pairs <= std::max(sends_, receives_) && t.sends_left <= sends_ && t.receives_left <= receives_);
    }

    const tare_archive_t *archive_ = nullptr;
    std::unique_ptr<tare::match::matcher> matcher_;
    std::unique_ptr<tare::comms::communication> communication_;
    std::unique_ptr<tare::waits::analysis> waits_;
    bool has_begun_ = false, has_ended_ = false;
    std::uint64_t problems_ = 0, backwards_ = 0, counted_ = 0, sends_ = 0, receives_ = 0;
    std::vector<std::uint64_t> latest_ns_;       // by location
    std::pair<std::uint64_t, std::uint32_t> latest_{0, 0};
    std::uint64_t first_ns_ = UINT64_MAX, last_ns_ = 0;
    std::vector<tare_trace_kept_t> locations_;
};

// --- what is copied ---

// A new archive, which can be read; or a sentence, and nothing is made.
void copy(const archive &from, tare_trace_copy_t wish)
{
    const std::string path = from.path(), to = from.path_of_copy();
    const char *const paths[] = {path.c_str()};
    wish.paths = paths;
    wish.path_count = 1;
    wish.dir = to.c_str();
    char message[TARE_TRACE_MESSAGE] = "";
    if (tare_trace_module.copy(&wish, message) != 0) {
        HOLDS(*message != '\0' && !fs::exists(to) && !from.is_whole());
        return;
    }
    reading copied;
    copied.read(to);
    HOLDS(copied.is_whole());
    from.remove_copy();
}

void copy_all(const archive &from)
{
    tare_trace_copy_t wish{};
    wish.to_ns = UINT64_MAX;
    copy(from, wish);
}

// Of every second location, from the middle on, and not all events of MPI.
void copy_some(const archive &from, const reading &read)
{
    const std::uint64_t left_out[] = {1, 2, 5};
    std::vector<tare_trace_kept_t> kept;
    for (std::size_t i = 0; i < read.locations().size(); i += 2)
        kept.push_back({read.locations()[i].location, left_out, std::size(left_out)});
    tare_trace_copy_t wish{};
    wish.from_ns = read.middle_ns();
    wish.to_ns = UINT64_MAX - 1;
    wish.kept = kept.data();
    wish.kept_count = kept.size();
    copy(from, wish);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static archive damaged;
    fuzz::input in(data, size);
    const std::uint8_t what = in.byte();
    damaged.write(in);
    reading read;
    read.read(damaged.path());
    HOLDS((read.is_whole() && !read.has_counters()) || !damaged.is_whole());
    if (what % 4 == 2)
        copy_all(damaged);
    else if (what % 4 == 3 && read.has_begun())
        copy_some(damaged, read);
    return 0;
}
