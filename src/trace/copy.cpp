// SPDX-License-Identifier: BSD-3-Clause
#include "copy.hpp"

#include "archive_in.hpp"
#include "copy_events.hpp"
#include "find_archive.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <map>
#include <sys/stat.h>

namespace tare::trace {
namespace fs = std::filesystem;
namespace {

// An archive that is read.
struct source {
    std::string anchor;
    reader_handle reader;
    rank_definitions found;
    copied_numbers numbers;
    int first_rank = 0;                  // what its rank 0 is in the new one
};

// The new folder, which goes if the archive does not come to its end.
class fresh_folder {
  public:
    explicit fresh_folder(const std::string &path) : path_(path)
    {
        if (mkdir(path.c_str(), S_IRWXU) != 0)
            throw error("cannot make " + path + ": " + std::strerror(errno));
    }
    ~fresh_folder()
    {
        std::error_code ignored;
        if (!is_whole_)
            fs::remove_all(path_, ignored);
    }
    fresh_folder(const fresh_folder &) = delete;
    fresh_folder &operator=(const fresh_folder &) = delete;
    void keep() { is_whole_ = true; }

  private:
    const std::string path_;
    bool is_whole_ = false;
};

source open_source(const std::string &path)
{
    source s;
    s.anchor = find_archive(path);
    s.reader = open_reader(s.anchor);
    s.found = read_whole(s.reader.get(), s.anchor);
    return s;
}

bool is_of_one_rank(const source &s)
{
    const std::vector<rank_part> &ranks = s.found.all.ranks;
    return std::any_of(ranks.begin(), ranks.end(), [](const rank_part &r) { return r.name == "other ranks"; });
}

void check_together(const std::vector<source> &all)
{
    for (const source &s : all) {
        if (all.size() > 1 && is_of_one_rank(s))
            throw error(s.anchor + " is the archive of one rank: 'tare trace join' makes one of those of a run");
        if (s.found.clock != all.front().found.clock)
            throw error("the times of " + all.front().anchor + " are " + all.front().found.clock + ", those of " +
                        s.anchor + " are " + s.found.clock);
        for (const source *before = all.data(); before != &s; ++before)
            if (before->found.run_id == s.found.run_id)
                throw error(before->anchor + " and " + s.anchor + " are of one run");
    }
}

// Everything that the archives define, one behind the other; a region that several have is one.
class definitions_of_all {
  public:
    // Throws error.
    void add(source &s)
    {
        s.numbers.texts = texts_.add(s.found.all.texts, all_.texts);
        add_regions(s);
        add_communicators(s);
        s.first_rank = next_rank_;
        int most = -1;
        for (rank_part r : s.found.all.ranks) {
            most = std::max(most, r.rank);
            if (most >= INT_MAX - next_rank_)
                throw error("cannot copy rank " + std::to_string(r.rank) + " of " + s.anchor + ": there can be no more");
            r.rank += s.first_rank;
            for (location &l : r.locations)
                l.number = moved(s, l.number);
            all_.ranks.push_back(std::move(r));
        }
        for (const std::uint64_t number : s.found.all.world)
            all_.world.push_back(moved(s, number));
        next_rank_ += most + 1;
    }

    definitions &all() { return all_; }
    int ranks() const { return next_rank_; }

    static std::uint64_t moved(const source &s, std::uint64_t location)
    {
        return location + static_cast<std::uint64_t>(s.first_rank);
    }

  private:
    void add_regions(source &s)
    {
        for (const region &r : s.found.all.regions) {
            const auto [known, is_new] = known_.emplace(r, static_cast<std::uint32_t>(known_.size()));
            if (is_new)
                all_.regions.push_back(r);
            s.numbers.regions.push_back(known->second);
        }
    }

    void add_communicators(source &s)
    {
        const auto groups = static_cast<std::uint32_t>(all_.groups.size()), comms = static_cast<std::uint32_t>(all_.comms.size());
        const auto moved_group = [groups](std::uint32_t number) {
            return number == TARE_TRACE_SELF_GROUP || number == TARE_TRACE_NONE ? number : number + groups;
        };
        for (group members : s.found.all.groups) {
            for (std::uint32_t &member : members)
                member += static_cast<std::uint32_t>(all_.world.size());
            all_.groups.push_back(std::move(members));
        }
        s.numbers.first_group = groups;
        for (window w : s.found.all.windows) {
            w.comm += comms;
            s.numbers.windows.push_back(static_cast<std::uint32_t>(all_.windows.size()));
            all_.windows.push_back(std::move(w));
        }
        for (communicator c : s.found.all.comms) {
            c.group = moved_group(c.group);
            c.other_group = moved_group(c.other_group);
            c.parent += c.parent == TARE_TRACE_NONE ? 0 : comms;
            s.numbers.comms.push_back(static_cast<std::uint32_t>(all_.comms.size()));
            all_.comms.push_back(std::move(c));
        }
    }

    definitions all_;
    joined_texts texts_;
    std::map<region, std::uint32_t> known_;
    int next_rank_ = 0;
};

copied_range range_of(const tare_trace_copy_t &wish, std::uint64_t location, bool &is_kept)
{
    const copied_range everything = {wish.from_ns, wish.to_ns, nullptr, 0};
    is_kept = wish.kept == nullptr;
    for (const tare_trace_kept_t *k = wish.kept; !is_kept && k != wish.kept + wish.kept_count; k++)
        if (k->location == location) {
            is_kept = true;
            return {wish.from_ns, wish.to_ns, k->left_out, k->left_out_count};
        }
    return everything;
}

void open_to_read(const source &s)
{
    OTF2_Reader *reader = s.reader.get();
    const std::string tried = "cannot read the events of " + s.anchor;
    for (const rank_part &r : s.found.all.ranks)
        for (const location &l : r.locations)
            must(OTF2_Reader_SelectLocation(reader, l.number), tried);
    must(OTF2_Reader_OpenDefFiles(reader), tried);
    for (const rank_part &r : s.found.all.ranks)
        for (const location &l : r.locations)
            if (const std::string problem = read_local_definitions(reader, s.anchor, l.number); !problem.empty())
                throw error(tried + ": " + problem);
    must(OTF2_Reader_CloseDefFiles(reader), tried);
    must(OTF2_Reader_OpenEvtFiles(reader), tried);
}

// Writes the events of all locations and counts them in what is defined.
class event_files {
  public:
    event_files(const tare_trace_copy_t &wish, archive_out &to, definitions &all) : wish_(wish), to_(to), all_(all)
    {
        all_.first_ns = UINT64_MAX;
        all_.last_ns = 0;
        skip_ranks();
    }

    void copy(const source &s)
    {
        open_to_read(s);
        for (const rank_part &r : s.found.all.ranks)
            for (const location &l : r.locations)
                copy(s, r, l);
    }

    void finish()
    {
        if (all_.last_ns >= all_.first_ns)
            return;
        all_.first_ns = wish_.from_ns;
        all_.last_ns = wish_.from_ns;
    }

  private:
    void copy(const source &s, const rank_part &r, const location &l)
    {
        location &new_one = all_.ranks[rank_].locations[at_];
        OTF2_EvtWriter *out = to_.check(OTF2_Archive_GetEvtWriter(to_.get(), new_one.number));
        bool is_kept = false;
        const copied_range range = range_of(wish_, l.number, is_kept);
        location_copy copying(s.numbers, range, to_, out);
        if (is_kept)
            copying.run(s.reader.get(), l.number, l.events,
                        "cannot read rank " + std::to_string(r.rank) + ", " + l.name + " of " + s.anchor);
        to_.check(OTF2_Archive_CloseEvtWriter(to_.get(), out));
        new_one.events = copying.written();
        all_.first_ns = std::min(all_.first_ns, copying.first_ns());
        all_.last_ns = std::max(all_.last_ns, copying.last_ns());
        go_on();
    }

    // The next location of those that are defined, which are in the order of the sources.
    void go_on()
    {
        ++at_;
        skip_ranks();
    }

    // Those without locations, or without any more.
    void skip_ranks()
    {
        while (rank_ < all_.ranks.size() && at_ == all_.ranks[rank_].locations.size()) {
            ++rank_;
            at_ = 0;
        }
    }

    const tare_trace_copy_t &wish_;
    archive_out &to_;
    definitions &all_;
    std::size_t rank_ = 0, at_ = 0;
};

void write_events(const tare_trace_copy_t &wish, archive_out &to, const std::vector<source> &sources, definitions &all)
{
    to.check(OTF2_Archive_OpenEvtFiles(to.get()));
    event_files files(wish, to, all);
    for (const source &s : sources)
        files.copy(s);
    files.finish();
    to.check(OTF2_Archive_CloseEvtFiles(to.get()));
}

// Those of locations are empty: numbers in the events are the archive's.
void write_local_definitions(archive_out &to, const definitions &all)
{
    to.check(OTF2_Archive_OpenDefFiles(to.get()));
    for (const rank_part &r : all.ranks)
        for (const location &l : r.locations) {
            OTF2_DefWriter *out = to.check(OTF2_Archive_GetDefWriter(to.get(), l.number));
            to.check(OTF2_Archive_CloseDefWriter(to.get(), out));
        }
    to.check(OTF2_Archive_CloseDefFiles(to.get()));
}

// "a, b"
std::string together(const std::vector<source> &sources, std::string rank_definitions::*what)
{
    std::string text;
    for (const source &s : sources)
        text += (text.empty() ? "" : ", ") + s.found.*what;
    return text;
}

}  // namespace

void copy(const tare_trace_copy_t &wish)
{
    std::vector<source> sources;
    for (std::size_t i = 0; i < wish.path_count; i++)
        sources.push_back(open_source(wish.paths[i]));
    check_together(sources);
    definitions_of_all defined;
    for (source &s : sources)
        defined.add(s);
    fresh_folder folder(wish.dir);
    archive_out to(wish.dir);
    to.set("RUN_ID", together(sources, &rank_definitions::run_id));
    to.set("PROGRAM", together(sources, &rank_definitions::program));
    to.set("CLOCK", sources.front().found.clock);
    to.set("TEXTS", std::to_string(defined.all().texts.size()));
    to.set("RANKS", std::to_string(sources.size() == 1 ? sources.front().found.ranks : defined.ranks()));
    write_events(wish, to, sources, defined.all());
    write_local_definitions(to, defined.all());
    write(to, defined.all(), false);
    to.close();
    folder.keep();
}

}  // namespace tare::trace
