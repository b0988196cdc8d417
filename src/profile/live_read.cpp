// SPDX-License-Identifier: BSD-3-Clause
// From the records that a process left behind to its profile. Nothing in the file is believed before it is checked
// against the file's size.
#include "function_name.hpp"
#include "live_file.hpp"
#include "live_record.hpp"
#include "path_rows.hpp"
#include "place.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <unistd.h>
#include <unordered_map>

namespace tare {

std::vector<region_text> read_regions(const live_file &file)
{
    std::unordered_map<std::uint32_t, region_text> found;
    std::uint32_t count = 0;
    const auto next = [](const live_region &r, live_address) { return r.next; };
    const auto read = [&](const live_region &r, live_address) {
        if (r.number >= file.most(sizeof(live_region)))
            file.damaged("a region's number is too great");
        region_text &n = found[r.number];
        n.name = r.name != 0 ? file.text(r.name)
                             : symbols::name_of({file.text(r.module), r.offset, file.text(r.symbol)});
        n.group = file.text(r.group);
        count = std::max(count, r.number + 1);
    };
    file.for_each<live_region>(file.regions(), sizeof(live_region), next, read);
    std::vector<region_text> regions(count);
    for (auto &[number, region] : found)
        regions[number] = std::move(region);
    return regions;
}

std::string name_of_thread(const live_file &file, const char *thread)
{
    const auto name = part<live_address>(thread, file.header().layout.name);
    return name == 0 ? "" : file.text(name);
}

namespace {

// A region whose name found no room in the file is there by its number.
void name_the_rest(std::vector<region_text> &regions, const std::vector<copied> &copies)
{
    for (const copied &c : copies)
        regions.resize(std::max(regions.size(), c.record.sums.size()));
    for (std::size_t i = 0; i < regions.size(); i++)
        if (regions[i].name.empty())
            regions[i] = {"unnamed region " + std::to_string(i), "TAU_DEFAULT"};
}

std::vector<profile::row> to_rows(const recorded &record, const std::vector<region_text> &regions)
{
    std::vector<profile::row> rows;
    std::unordered_map<std::string, std::size_t> row_of;
    for (std::size_t i = 0; i < record.sums.size(); i++) {
        if (record.sums[i].calls == 0)
            continue;
        const region_text &n = regions[i];
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

// Field 9 has PF_EXITING, for who has been killed and is not gone yet; field 22 is the start time. The name in field 2
// may hold blanks, and ends with the last parenthesis.
std::uint64_t start_of_process(int number)
{
    char line[1024] = "";
    if (FILE *f = std::fopen(("/proc/" + std::to_string(number) + "/stat").c_str(), "r"); f != nullptr) {
        line[std::fread(line, 1, sizeof line - 1, f)] = '\0';
        std::fclose(f);
    }
    const char *from = std::strrchr(line, ')');
    constexpr unsigned exiting = 4;
    unsigned long long started = 0;
    unsigned flags = 0;
    char state = 'X';
    if (from == nullptr || std::sscanf(from, ") %c %*s %*s %*s %*s %*s %u", &state, &flags) != 2 || state == 'Z' ||
        state == 'X' || (flags & exiting) != 0)
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
        threads.back().name = name_of_thread(file, &t);
        threads.back().excluded_calls = part<std::int64_t>(&t, l.excluded_calls);
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
    common.metadata = file.attributes();
    const bool runs = still_runs(h, common);
    const std::vector<copied> copies = copy_threads(file, runs);
    std::vector<region_text> regions = read_regions(file);           // after those who use them
    name_the_rest(regions, copies);
    const bool is_torn = std::any_of(copies.begin(), copies.end(), [](const copied &c) { return c.torn; });
    if (h.excluded_regions > 0)
        common.metadata.emplace_back(profile::key::excluded_regions, std::to_string(h.excluded_regions));
    common.metadata.emplace_back(profile::key::recovered, fate(h, runs, is_torn));
    std::vector<profile::thread> threads;
    for (auto c = copies.rbegin(); c != copies.rend(); ++c) {
        threads.push_back(common);
        threads.back().number = c->number;
        if (!c->name.empty())
            threads.back().metadata.emplace_back(profile::key::thread_name, c->name);
        if (c->excluded_calls > 0)
            threads.back().metadata.emplace_back(profile::key::excluded_calls, std::to_string(c->excluded_calls));
        threads.back().rows = to_rows(c->record, regions);
        add_paths(threads.back(), c->record, regions);
    }
    return threads;
}

}  // namespace

namespace profile {

std::vector<thread> read_live(const std::string &path) { return read_again(path, read_once); }

std::optional<live_owner> running_owner(const std::string &path)
{
    try {
        const live_file file(path);
        thread about;
        about.metadata = file.attributes();
        if (still_runs(file.header(), about))
            return live_owner{file.header().process, about.attribute(key::run_id)};
    } catch (const error &) {
        // Whoever reads the profile says so.
    }
    return std::nullopt;
}

bool is_live_file(const std::string &path)
{
    const symbols::mapped_file file(path);
    const char *magic = file.at<char>(0, sizeof live_magic);
    return magic != nullptr && std::memcmp(magic, live_magic, sizeof live_magic) == 0;
}

}  // namespace profile
}  // namespace tare
