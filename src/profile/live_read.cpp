// SPDX-License-Identifier: BSD-3-Clause
// From the records that a process left behind to its profile. Nothing in the file is believed before it is checked
// against the file's size.
#include "live.hpp"

#include "function_name.hpp"
#include "mapped_file.hpp"
#include "place.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <unistd.h>
#include <unordered_map>

namespace tare {
namespace {

using profile::error;
using symbols::mapped_file;

// No counter gets there: nine years. Sums of what is below do not overflow.
constexpr std::int64_t too_much = std::int64_t{1} << 58;

bool is_possible(std::int64_t value) { return -too_much < value && value < too_much; }
bool is_possible(const sample &s)
{
    return std::all_of(s.v, s.v + counter_count, [](std::int64_t value) { return is_possible(value); });
}
bool is_possible(const frame &f) { return is_possible(f.start) && is_possible(f.children); }
bool is_possible(const accumulator &a)
{
    return is_possible(a.inclusive) && is_possible(a.exclusive) && is_possible(a.calls) && is_possible(a.subrs);
}

class live_file {
  public:
    explicit live_file(const std::string &path) : path_(path), file_(path)
    {
        const live_header *h = file_.at<live_header>(0, 1);
        if (h == nullptr || std::memcmp(h->magic, live_magic, sizeof live_magic) != 0)
            throw error(path + " is not a live file of Tare's: its beginning is another");
        header_ = *h;
        if (header_.version != live_version)
            throw error(path + " was written by another version of Tare: it has layout " +
                        std::to_string(header_.version) + ", this one reads " + std::to_string(live_version));
        if (header_.kept > file_.size())
            damaged("it is shorter than it says");
        if (!fits(header_.layout))
            damaged("its layout does not fit");
    }

    // As it was when the file was opened; the lists as they are now.
    const live_header &header() const { return header_; }
    live_address regions() const { return __atomic_load_n(&file_.at<live_header>(0, 1)->regions, __ATOMIC_ACQUIRE); }
    live_address threads() const { return __atomic_load_n(&file_.at<live_header>(0, 1)->threads, __ATOMIC_ACQUIRE); }

    [[noreturn]] void damaged(const char *how) const { throw error(path_ + " is damaged: " + how); }

    // nullptr: not in the file.
    template <typename T> const T *at(live_address address, std::uint64_t count = 1) const
    {
        if (address < header_.base || address - header_.base > header_.kept)
            return nullptr;
        return file_.at<T>(address - header_.base, count);
    }

    std::string text(live_address address) const
    {
        const char *start = at<char>(address);
        if (start == nullptr)
            return "";
        const std::uint64_t room = header_.base + header_.kept - address;
        const void *end = at<char>(address, room) == nullptr ? nullptr : std::memchr(start, 0, room);
        if (end == nullptr)
            damaged("a text has no end");
        return {start, static_cast<const char *>(end)};
    }

    // How many objects there is room for.
    std::uint64_t most(std::uint64_t size) const { return header_.kept / size; }

    // Calls visit(object, address) for a list of objects of a size, the newest first. A list that runs in a circle
    // comes by where it was after 1, 2, 4, ... steps.
    template <typename T, typename Next, typename Visit>
    void for_each(live_address first, std::uint64_t size, Next next, Visit visit) const
    {
        std::uint64_t count = 0, power = 1;
        live_address passed = 0;
        for (live_address a = first; a != 0; a = next(*at<T>(a), a)) {
            if (at<char>(a, size) == nullptr || at<T>(a) == nullptr || a == passed || count == most(size))
                damaged("a list does not end");
            if (++count == power) {
                passed = a;
                power *= 2;
            }
            visit(*at<T>(a), a);
        }
    }

  private:
    static bool fits(const live_layout &l)
    {
        const auto has_room = [&l](std::uint32_t offset, std::size_t size) { return offset + size <= l.size; };
        for (const std::uint32_t offset :
             {l.change, l.depth, l.capacity, l.frames, l.held, l.running, l.number, l.next})
            if (!has_room(offset, sizeof(live_address)))
                return false;
        return has_room(l.last, sizeof(sample)) && has_room(l.held_end, sizeof(sample)) && l.block_size != 0 &&
               l.block_limit != 0 && has_room(l.blocks, std::size_t{l.block_limit} * sizeof(live_address));
    }

    std::string path_;
    mapped_file file_;
    live_header header_{};
};

template <typename T> T part(const char *thread, std::uint32_t offset)
{
    T value;
    std::memcpy(&value, thread + offset, sizeof value);
    return value;
}

sample sample_at(const live_file &file, const char *thread, std::uint32_t offset)
{
    const auto s = part<sample>(thread, offset);
    if (!is_possible(s))
        file.damaged("its figures cannot be");
    return s;
}

bool is_later(const sample &a, const sample &b) { return a.v[c_time] > b.v[c_time]; }

struct region_name {
    std::string name;
    std::string group;
};

// By region number; a name that is empty: it is not in the file.
std::vector<region_name> read_regions(const live_file &file)
{
    std::unordered_map<std::uint32_t, region_name> found;
    std::uint32_t count = 0;
    const auto next = [](const live_region &r, live_address) { return r.next; };
    const auto read = [&](const live_region &r, live_address) {
        if (r.number >= file.most(sizeof(live_region)))
            file.damaged("a region's number is too great");
        region_name &n = found[r.number];
        n.name = r.name != 0 ? file.text(r.name)
                             : symbols::name_of({file.text(r.module), r.offset, file.text(r.symbol)});
        n.group = file.text(r.group);
        count = std::max(count, r.number + 1);
    };
    file.for_each<live_region>(file.regions(), sizeof(live_region), next, read);
    std::vector<region_name> regions(count);
    for (auto &[number, region] : found)
        regions[number] = std::move(region);
    return regions;
}

profile::attributes read_attributes(const live_file &file)
{
    profile::attributes result;
    const live_address at = file.header().attributes;
    const live_text *text = file.at<live_text>(at);
    if (text == nullptr || file.at<char>(at + sizeof(live_text), text->size) == nullptr)
        return result;
    const live_address end = at + sizeof(live_text) + text->size;
    for (live_address a = at + sizeof(live_text); a < end;) {
        const std::string name = file.text(a);
        a += name.size() + 1;
        const std::string value = file.text(a);
        a += value.size() + 1;
        result.emplace_back(name, value);
    }
    return result;
}

// A copy of a thread's record, its frames as they are in the file: their sums are addresses in the process.
void read_sums(const live_file &file, const char *thread, recorded &result)
{
    const live_layout &l = file.header().layout;
    const std::uint64_t most = file.most(sizeof(live_region));       // more regions cannot have a name
    for (std::uint32_t block = 0; block < l.block_limit && block * std::uint64_t{l.block_size} <= most; block++) {
        const auto address = part<live_address>(thread, l.blocks + block * sizeof(live_address));
        const accumulator *sums = address == 0 ? nullptr : file.at<accumulator>(address, l.block_size);
        if (sums == nullptr)
            continue;
        if (!std::all_of(sums, sums + l.block_size, [](const accumulator &a) { return is_possible(a); }))
            file.damaged("its figures cannot be");
        result.sums.resize(static_cast<std::size_t>(block) * l.block_size);
        result.sums.insert(result.sums.end(), sums, sums + l.block_size);
    }
}

// The address of an accumulator in the process becomes one in the copy.
accumulator *sum_of(const live_file &file, const char *thread, recorded &copy, live_address sum)
{
    const live_layout &l = file.header().layout;
    for (std::uint32_t block = 0; block * std::size_t{l.block_size} < copy.sums.size(); block++) {
        const auto start = part<live_address>(thread, l.blocks + block * sizeof(live_address));
        if (start != 0 && sum >= start && sum < start + l.block_size * sizeof(accumulator))
            return &copy.sums[block * std::size_t{l.block_size} + (sum - start) / sizeof(accumulator)];
    }
    return nullptr;
}

// Frames and the latest time that they tell: where the innermost region began, or, in the place of the frame that was
// left last, where that ended.
sample read_frames(const live_file &file, const char *thread, recorded &result)
{
    const live_layout &l = file.header().layout;
    const auto depth = part<std::uint32_t>(thread, l.depth);
    const auto last = std::min<std::uint64_t>(std::uint64_t{depth} + 1, part<std::uint32_t>(thread, l.capacity));
    const frame *frames = file.at<frame>(part<live_address>(thread, l.frames), last);
    sample latest{};
    if (frames == nullptr)
        return latest;
    if (!std::all_of(frames, frames + last, [](const frame &f) { return is_possible(f); }))
        file.damaged("its figures cannot be");
    result.frames.assign(frames, frames + std::min<std::uint64_t>(depth, last));
    for (frame &f : result.frames)
        f.sum = sum_of(file, thread, result, address_of(f.sum));
    for (std::uint64_t i = 0; i < last; i++)
        if ((i == depth || result.frames[i].sum != nullptr) && is_later(frames[i].start, latest))
            latest = frames[i].start;
    return latest;
}

// A frame that the process was about to open or to close need not be whole: one that begins before the region around
// it has not begun.
void drop_unopened(recorded &record)
{
    std::int64_t around_ns = 1;
    for (frame &f : record.frames) {
        if (f.sum != nullptr && f.start.v[c_time] < around_ns)
            f.sum = nullptr;
        if (f.sum != nullptr)
            around_ns = f.start.v[c_time];
    }
}

// For the same reason the frames tell how often a region is open.
void count_open(recorded &record)
{
    for (accumulator &sum : record.sums)
        sum.open = 0;
    for (frame &f : record.frames)
        if (f.sum != nullptr)
            f.sum->open++;
}

recorded copy_record(const live_file &file, const char *thread)
{
    const live_layout &l = file.header().layout;
    recorded record;
    read_sums(file, thread, record);
    sample end = read_frames(file, thread, record);
    if (part<live_address>(thread, l.running) == 0)
        end = sample_at(file, thread, l.last);
    const sample held_end = sample_at(file, thread, l.held_end);
    if (part<live_address>(thread, l.held) != 0 && is_later(held_end, end))
        end = held_end;
    drop_unopened(record);
    count_open(record);
    close_all(record, end);
    return record;
}

struct copied {
    recorded record;
    bool torn;           // a change was going on
    std::int32_t number = 0;     // of the thread
};

// A process that still runs changes it meanwhile.
copied copy_still(const live_file &file, const char *thread, bool runs)
{
    constexpr int attempts = 10000;
    const std::uint32_t at = file.header().layout.change;
    for (int attempt = 1;; attempt++) {
        const auto before = part<std::uint32_t>(thread, at);
        std::atomic_thread_fence(std::memory_order_acquire);
        copied result{copy_record(file, thread), (before & 1) != 0};
        std::atomic_thread_fence(std::memory_order_acquire);
        if (!runs || attempt == attempts || (!result.torn && part<std::uint32_t>(thread, at) == before))
            return result;
    }
}

// A region whose name found no room in the file is there by its number.
region_name name_of(std::size_t number, const std::vector<region_name> &regions)
{
    if (number < regions.size() && !regions[number].name.empty())
        return regions[number];
    return {"unnamed region " + std::to_string(number), "TAU_DEFAULT"};
}

std::vector<profile::row> to_rows(const recorded &record, const std::vector<region_name> &regions)
{
    std::vector<profile::row> rows;
    std::unordered_map<std::string, std::size_t> row_of;
    for (std::size_t i = 0; i < record.sums.size(); i++) {
        if (record.sums[i].calls == 0)
            continue;
        const region_name n = name_of(i, regions);
        const auto [at, is_new] = row_of.emplace(n.name, rows.size());
        if (is_new) {
            rows.emplace_back();
            rows.back().region = n.name;
            rows.back().group = n.group;
        }
        add_to_row(rows[at->second], record.sums[i]);
    }
    return rows;
}

std::string host_name()
{
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return name;
}

const char *fate(const live_header &h, bool runs, bool torn)
{
    namespace recovered = profile::recovered;
    return h.unwritten != 0 ? recovered::unwritten
           : runs           ? recovered::running
           : torn           ? recovered::torn
                            : recovered::killed;
}

bool still_runs(const live_header &h, const profile::thread &t)
{
    return t.attribute(profile::key::host) == host_name() && h.started != 0 && start_of_process(h.process) == h.started;
}

}  // namespace

// Field 22 is the start time; the name in field 2 may hold blanks, and ends with the last parenthesis.
std::uint64_t start_of_process(int number)
{
    char line[1024] = "";
    if (FILE *f = std::fopen(("/proc/" + std::to_string(number) + "/stat").c_str(), "r"); f != nullptr) {
        line[std::fread(line, 1, sizeof line - 1, f)] = '\0';
        std::fclose(f);
    }
    const char *from = std::strrchr(line, ')');
    unsigned long long started = 0;
    char state = 'X';
    if (from == nullptr || std::sscanf(from, ") %c", &state) != 1 || state == 'Z' || state == 'X')
        return 0;
    std::sscanf(from, ") %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &started);
    return started;
}

namespace {

// The newest first; they are numbered without gaps.
std::vector<copied> copy_threads(const live_file &file, bool runs)
{
    const live_layout &l = file.header().layout;
    std::vector<copied> threads;
    const auto next = [&l](const char &t, live_address) { return part<live_address>(&t, l.next); };
    file.for_each<char>(file.threads(), l.size, next, [&](const char &t, live_address) {
        const auto number = part<std::int32_t>(&t, l.number);
        if (number < 0 || (!threads.empty() && number != threads.back().number - 1))
            file.damaged("its threads are not numbered one by one");
        threads.push_back(copy_still(file, &t, runs));
        threads.back().number = number;
    });
    if (threads.empty() || threads.back().number != 0)
        file.damaged("a thread is missing");
    return threads;
}

std::vector<profile::thread> read_once(const std::string &path)
{
    const live_file file(path);
    const live_header &h = file.header();
    profile::thread common;
    common.rank = h.rank;
    common.metadata = read_attributes(file);
    if (common.metadata.empty() || common.metadata.front().first != profile::key::version)
        file.damaged("it does not say what run it belongs to");
    const bool runs = still_runs(h, common);
    const std::vector<copied> copies = copy_threads(file, runs);
    const std::vector<region_name> regions = read_regions(file);     // after those who use them
    const bool is_torn = std::any_of(copies.begin(), copies.end(), [](const copied &c) { return c.torn; });
    common.metadata.emplace_back(profile::key::recovered, fate(h, runs, is_torn));
    std::vector<profile::thread> threads;
    for (auto c = copies.rbegin(); c != copies.rend(); ++c) {
        threads.push_back(common);
        threads.back().number = c->number;
        threads.back().rows = to_rows(c->record, regions);
    }
    return threads;
}

}  // namespace

namespace profile {

// A file that grows while it is read looks damaged.
std::vector<thread> read_live(const std::string &path)
{
    constexpr int attempts = 5;
    for (int attempt = 1;; attempt++) {
        try {
            return read_once(path);
        } catch (const error &) {
            if (attempt == attempts)
                throw;
        }
    }
}

bool is_live_file(const std::string &path)
{
    const mapped_file file(path);
    const char *magic = file.at<char>(0, sizeof live_magic);
    return magic != nullptr && std::memcmp(magic, live_magic, sizeof live_magic) == 0;
}

}  // namespace profile
}  // namespace tare
