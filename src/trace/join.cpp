// SPDX-License-Identifier: BSD-3-Clause
#include "join.hpp"

#include "archive_in.hpp"
#include "rank_trace.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <sys/stat.h>

namespace tare::trace {
namespace fs = std::filesystem;
namespace {

using numbers = std::vector<std::uint32_t>;

// Held by who joins; goes with it.
class turn {
  public:
    explicit turn(const std::string &dir) : path_(dir + "/joining"), is_mine_(mkdir(path_.c_str(), S_IRWXU) == 0)
    {
        if (!is_mine_ && errno != EEXIST)
            throw error("cannot make " + path_ + ": " + std::strerror(errno));
    }
    ~turn()
    {
        std::error_code ignored;
        if (is_mine_)
            fs::remove(path_, ignored);
    }
    turn(const turn &) = delete;
    turn &operator=(const turn &) = delete;
    bool is_mine() const { return is_mine_; }

  private:
    const std::string path_;
    const bool is_mine_;
};

bool is_there(const std::string &path)
{
    std::error_code failure;
    return fs::exists(path, failure);
}

// Ranks that have begun an archive.
std::set<int> find_ranks(const std::string &dir)
{
    std::set<int> found;
    std::error_code failure;
    for (const fs::directory_entry &entry : fs::directory_iterator(dir, failure)) {
        const std::string name = entry.path().filename().string(), prefix = "rank.";
        const bool is_rank = name.rfind(prefix, 0) == 0 && name.size() > prefix.size() &&
                             name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
        if (!is_rank || name.size() > prefix.size() + 9)
            continue;
        found.insert(std::atoi(name.c_str() + prefix.size()));
    }
    if (failure)
        throw error("cannot read " + dir + ": " + failure.message());
    return found;
}

std::set<int> first_ranks(int ranks)
{
    std::set<int> found;
    for (int rank = 0; rank < ranks; rank++)
        found.insert(rank);
    return found;
}

bool are_all_whole(const std::string &dir, int ranks)
{
    for (int rank = 0; rank < ranks; rank++)
        if (!is_there(mark_of_rank(dir, rank)))
            return false;
    return true;
}

// The regions of all ranks, each once, and what each rank's numbers are among them.
struct joined_definitions {
    definitions all;
    std::vector<numbers> regions;        // by the order of the ranks
};

joined_definitions join_definitions(const std::vector<rank_definitions> &parts)
{
    joined_definitions result;
    std::map<region, std::uint32_t> known;
    for (const rank_definitions &part : parts) {
        numbers theirs;
        for (const region &r : part.all.regions) {
            const auto [found, is_new] = known.emplace(r, static_cast<std::uint32_t>(known.size()));
            if (is_new)
                result.all.regions.push_back(r);
            theirs.push_back(found->second);
        }
        result.regions.push_back(std::move(theirs));
        result.all.ranks.insert(result.all.ranks.end(), part.all.ranks.begin(), part.all.ranks.end());
        result.all.first_ns = std::min(result.all.first_ns, part.all.first_ns);
        result.all.last_ns = std::max(result.all.last_ns, part.all.last_ns);
    }
    return result;
}

struct free_map {
    void operator()(OTF2_IdMap *map) const { OTF2_IdMap_Free(map); }
};

// A location's file says what its numbers are in the whole archive.
void write_mapping(const archive_out &to, std::uint64_t location, const numbers &regions)
{
    OTF2_DefWriter *out = must_have(OTF2_Archive_GetDefWriter(to.get(), location), to.writing());
    if (!regions.empty()) {
        const std::unique_ptr<OTF2_IdMap, free_map> map(
            must_have(OTF2_IdMap_CreateFromUint32Array(regions.size(), regions.data(), false), to.writing()));
        must(OTF2_DefWriter_WriteMappingTable(out, OTF2_MAPPING_REGION, map.get()), to.writing());
    }
    must(OTF2_Archive_CloseDefWriter(to.get(), out), to.writing());
}

void move_events(const std::string &dir, const std::vector<rank_part> &ranks)
{
    for (const rank_part &r : ranks)
        for (const location &l : r.locations) {
            const std::string file = std::string("/") + archive_name + "/" + std::to_string(l.number) + ".evt";
            std::error_code failure;
            fs::rename(folder_of_rank(dir, r.rank) + file, dir + file, failure);
            if (failure)
                throw error("cannot move " + folder_of_rank(dir, r.rank) + file + ": " + failure.message());
        }
}

void remove_joined(const std::string &dir)
{
    const std::string path = dir + "/" + archive_name;
    std::error_code failure;
    for (const std::string &name : {path + ".otf2", path + ".def", path})
        if (fs::remove_all(name, failure); failure)
            throw error("cannot remove " + name + ": " + failure.message());
}

void write_joined(const std::string &dir, const std::vector<rank_definitions> &parts)
{
    const joined_definitions found = join_definitions(parts);
    remove_joined(dir);
    archive_out to(dir);
    to.set("RUN_ID", parts.front().run_id);
    to.set("PROGRAM", parts.front().program);
    to.set("CLOCK", parts.front().clock);
    to.set("RANKS", std::to_string(parts.front().ranks));
    must(OTF2_Archive_OpenDefFiles(to.get()), to.writing());
    for (std::size_t i = 0; i < parts.size(); i++)
        for (const location &l : parts[i].all.ranks.front().locations)
            write_mapping(to, l.number, found.regions[i]);
    must(OTF2_Archive_CloseDefFiles(to.get()), to.writing());
    write(to, found.all);
    to.close();
    move_events(dir, found.all.ranks);
}

std::string list_of(const std::set<int> &ranks)
{
    std::string text;
    for (const int rank : ranks)
        text += (text.empty() ? "" : ", ") + std::to_string(rank);
    return text;
}

// Those that are whole and of one run: that of the lowest rank.
std::vector<rank_definitions> read_all(const std::string &dir, const std::set<int> &ranks)
{
    std::vector<rank_definitions> parts;
    for (const int rank : ranks) {
        if (!is_there(mark_of_rank(dir, rank)))
            continue;
        rank_definitions part = read_rank(dir, rank);
        if (parts.empty() || part.run_id == parts.front().run_id)
            parts.push_back(std::move(part));
    }
    return parts;
}

void remove_ranks(const std::string &dir, const std::vector<rank_definitions> &parts)
{
    std::error_code ignored;
    for (const rank_definitions &part : parts)
        fs::remove_all(folder_of_rank(dir, part.all.ranks.front().rank), ignored);
}

}  // namespace

joined join(const std::string &dir, int ranks, bool force)
{
    if (!force && !are_all_whole(dir, ranks))
        return {};
    const turn own(dir);
    // Who came first has joined them by now, or will.
    if (!own.is_mine() || (!force && !are_all_whole(dir, ranks)))
        return {};
    std::set<int> missing = force ? find_ranks(dir) : first_ranks(ranks);
    const std::vector<rank_definitions> parts = read_all(dir, missing);
    if (parts.empty())
        throw error("no rank has left a whole trace in " + dir);
    missing.merge(first_ranks(parts.front().ranks));
    for (const rank_definitions &part : parts)
        missing.erase(part.all.ranks.front().rank);
    if (!force && !missing.empty())
        return {};
    write_joined(dir, parts);
    remove_ranks(dir, parts);
    joined result{true, ""};
    if (!missing.empty())
        result.left_out = "no whole trace of this run was left by rank " + list_of(missing);
    return result;
}

}  // namespace tare::trace
