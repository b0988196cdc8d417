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
#include <utility>

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

// What one rank's numbers are in the whole archive. Groups only where events name any: those of windows.
struct numbers_of_rank {
    numbers regions, comms, windows, groups, texts;
};

// The regions and communicators of all ranks, each once, and what each rank's numbers are among them.
struct joined_definitions {
    definitions all;
    std::vector<numbers_of_rank> ranks;  // in their order
};

// Communicators of several ranks are one if they have one identity and the same members, and windows if they are on one
// communicator.
class comms_of_all {
  public:
    explicit comms_of_all(definitions &all) : all_(all) {}

    numbers_of_rank add(const definitions &part)
    {
        numbers_of_rank theirs;
        theirs.comms = comms_of(part);
        for (const window &w : part.windows)
            theirs.windows.push_back(number_of(window{w.name, w.identity, theirs.comms[w.comm]}));
        if (!part.windows.empty())
            theirs.groups = groups_of(part);
        return theirs;
    }

  private:
    using members = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>;

    numbers comms_of(const definitions &part)
    {
        numbers theirs;
        for (communicator c : part.comms) {
            c.group = number_of(part, c.group);
            c.other_group = number_of(part, c.other_group);
            // The two sides of an intercommunicator see each other as the other one.
            if (c.other_group != TARE_TRACE_NONE && group_of(c.other_group) < group_of(c.group))
                std::swap(c.group, c.other_group);
            c.parent = c.parent < theirs.size() ? theirs[c.parent] : TARE_TRACE_NONE;
            theirs.push_back(number_of(c));
        }
        return theirs;
    }

    // As the archive numbers them.
    numbers groups_of(const definitions &part)
    {
        numbers theirs = {world_group, self_group};
        for (std::uint32_t i = 0; i < part.groups.size(); i++)
            theirs.push_back(group_number(number_of(part, i)));
        return theirs;
    }

    const group &group_of(std::uint32_t number) const
    {
        static const group none;
        return number < all_.groups.size() ? all_.groups[number] : none;
    }

    std::uint32_t number_of(const definitions &part, std::uint32_t number)
    {
        if (number >= part.groups.size())
            return number;
        const auto [found, is_new] = groups_.emplace(part.groups[number], static_cast<std::uint32_t>(groups_.size()));
        if (is_new)
            all_.groups.push_back(found->first);
        return found->second;
    }

    // The name that it has first.
    template <typename Defined>
    static std::uint32_t number_of(const Defined &what, const members &key, std::map<members, std::uint32_t> &known,
                                   std::vector<Defined> &all)
    {
        const auto [found, is_new] = known.emplace(key, static_cast<std::uint32_t>(known.size()));
        if (is_new)
            all.push_back(what);
        else if (std::string &name = all[found->second].name; name.empty())
            name = what.name;
        return found->second;
    }

    std::uint32_t number_of(const communicator &c)
    {
        return number_of(c, members(c.identity, c.group, c.other_group), comms_, all_.comms);
    }

    std::uint32_t number_of(const window &w)
    {
        return number_of(w, members(w.identity, w.comm, 0), windows_, all_.windows);
    }

    definitions &all_;
    std::map<group, std::uint32_t> groups_;
    std::map<members, std::uint32_t> comms_, windows_;
};

joined_definitions join_definitions(const std::vector<rank_definitions> &parts)
{
    joined_definitions result;
    std::map<region, std::uint32_t> known;
    comms_of_all comms(result.all);
    joined_texts texts;
    for (const rank_definitions &part : parts) {
        numbers theirs;
        for (const region &r : part.all.regions) {
            const auto [found, is_new] = known.emplace(r, static_cast<std::uint32_t>(known.size()));
            if (is_new)
                result.all.regions.push_back(r);
            theirs.push_back(found->second);
        }
        result.ranks.push_back(comms.add(part.all));
        result.ranks.back().regions = std::move(theirs);
        result.ranks.back().texts = texts.add(part.all.texts, result.all.texts);
        result.all.ranks.insert(result.all.ranks.end(), part.all.ranks.begin(), part.all.ranks.end());
        result.all.first_ns = std::min(result.all.first_ns, part.all.first_ns);
        result.all.last_ns = std::max(result.all.last_ns, part.all.last_ns);
    }
    return result;
}

struct free_map {
    void operator()(OTF2_IdMap *map) const { OTF2_IdMap_Free(map); }
};

void write_mapping(archive_out &to, OTF2_DefWriter *out, OTF2_MappingType kind, const numbers &theirs)
{
    if (theirs.empty())
        return;
    const std::unique_ptr<OTF2_IdMap, free_map> map(
        must_have(OTF2_IdMap_CreateFromUint32Array(theirs.size(), theirs.data(), false), to.writing()));
    to.check(OTF2_DefWriter_WriteMappingTable(out, kind, map.get()));
}

// A location's file says what its numbers are in the whole archive.
void write_mappings(archive_out &to, std::uint64_t location, const numbers_of_rank &theirs)
{
    OTF2_DefWriter *out = to.check(OTF2_Archive_GetDefWriter(to.get(), location));
    write_mapping(to, out, OTF2_MAPPING_STRING, theirs.texts);
    write_mapping(to, out, OTF2_MAPPING_REGION, theirs.regions);
    write_mapping(to, out, OTF2_MAPPING_GROUP, theirs.groups);
    write_mapping(to, out, OTF2_MAPPING_COMM, theirs.comms);
    write_mapping(to, out, OTF2_MAPPING_RMA_WIN, theirs.windows);
    to.check(OTF2_Archive_CloseDefWriter(to.get(), out));
}

// Ranks that have left nothing are members of communicators nevertheless.
void add_world(definitions &all, int ranks)
{
    std::set<int> missing;
    for (int rank = 0; rank < ranks; rank++) {
        all.world.push_back(location_number(rank, 0));
        missing.insert(rank);
    }
    for (const rank_part &r : all.ranks)
        missing.erase(r.rank);
    for (const int rank : missing)
        all.ranks.push_back({rank, "", {{location_number(rank, 0), first_location, 0}}, ""});
}

void write_empty_locations(archive_out &to, const std::vector<rank_part> &ranks, std::size_t from)
{
    to.check(OTF2_Archive_OpenEvtFiles(to.get()));
    for (std::size_t i = from; i < ranks.size(); i++) {
        OTF2_EvtWriter *out = to.check(OTF2_Archive_GetEvtWriter(to.get(), ranks[i].locations.front().number));
        to.check(OTF2_Archive_CloseEvtWriter(to.get(), out));
    }
    to.check(OTF2_Archive_CloseEvtFiles(to.get()));
}

void move_events(const std::string &dir, const std::vector<rank_definitions> &parts)
{
    for (const rank_definitions &part : parts)
        for (const location &l : part.all.ranks.front().locations) {
            const std::string file = std::string("/") + archive_name + "/" + std::to_string(l.number) + ".evt";
            std::error_code failure;
            const std::string folder = folder_of_rank(dir, part.all.ranks.front().rank);
            fs::rename(folder + file, dir + file, failure);
            if (failure)
                throw error("cannot move " + folder + file + ": " + failure.message());
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

// All but the events of the ranks.
void write_around_events(const std::string &dir, const std::vector<rank_definitions> &parts)
{
    joined_definitions found = join_definitions(parts);
    if (!found.all.comms.empty())
        add_world(found.all, parts.front().ranks);
    archive_out to(dir);
    to.set("RUN_ID", parts.front().run_id);
    to.set("PROGRAM", parts.front().program);
    to.set("CLOCK", parts.front().clock);
    to.set("RANKS", std::to_string(parts.front().ranks));
    to.set("TEXTS", std::to_string(found.all.texts.size()));
    write_empty_locations(to, found.all.ranks, parts.size());
    to.check(OTF2_Archive_OpenDefFiles(to.get()));
    for (std::size_t i = 0; i < parts.size(); i++)
        for (const location &l : parts[i].all.ranks.front().locations)
            write_mappings(to, l.number, found.ranks[i]);
    for (std::size_t i = parts.size(); i < found.all.ranks.size(); i++)
        write_mappings(to, found.all.ranks[i].locations.front().number, {});
    to.check(OTF2_Archive_CloseDefFiles(to.get()));
    write(to, found.all, false);
    to.close();
}

void write_joined(const std::string &dir, const std::vector<rank_definitions> &parts)
{
    remove_joined(dir);
    try {
        write_around_events(dir, parts);
    } catch (...) {
        remove_joined(dir);
        throw;
    }
    move_events(dir, parts);
}

std::string list_of(const std::set<int> &ranks)
{
    std::string text;
    for (const int rank : ranks)
        text += (text.empty() ? "" : ", ") + std::to_string(rank);
    return text;
}

// Those that are whole and of one run: that of the lowest rank.
std::vector<rank_definitions> read_all(const std::string &dir, const std::set<int> &ranks, whose archives)
{
    std::vector<rank_definitions> parts;
    for (const int rank : ranks) {
        if (!is_there(mark_of_rank(dir, rank)))
            continue;
        rank_definitions part = read_rank(dir, rank, archives);
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
    // Without force it is a program that joins them as it ends, which is not to be forked for that.
    const std::vector<rank_definitions> parts = read_all(dir, missing, force ? whose::others : whose::own);
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
