// SPDX-License-Identifier: BSD-3-Clause
#include "place.hpp"

#include "live.hpp"
#include "safe_file.hpp"
#include "tau_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace tare::profile {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view prefix = "profile.";
constexpr std::string_view live_prefix = ".tare-live.";

std::string reason(std::error_code failure) { return failure.message(); }
std::string reason(int number) { return std::strerror(number); }

bool take_number(std::string_view &text, int &value)
{
    if (text.empty() || text.front() == '-')
        return false;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return failure == std::errc();
}

bool take(std::string_view &text, std::string_view wanted)
{
    if (text.substr(0, wanted.size()) != wanted)
        return false;
    text.remove_prefix(wanted.size());
    return true;
}

std::optional<thread_id> parse_file_name(std::string_view name)
{
    thread_id id{};
    if (take(name, prefix) && take_number(name, id.rank) && take(name, ".0.") && take_number(name, id.number) &&
        name.empty())
        return id;
    return std::nullopt;
}

// Calls visit(name) for everything in a folder whose name begins so. A folder that is not there is empty.
template <typename Visit> void for_each_file(const std::string &path, std::string_view prefix, Visit visit)
{
    std::error_code failure;
    fs::directory_iterator entry(path, failure);
    if (failure == std::errc::no_such_file_or_directory)
        return;
    if (failure)
        throw error("cannot read the folder " + path + ": " + reason(failure));
    for (const fs::directory_iterator end; entry != end; entry.increment(failure)) {
        if (failure)
            throw error("cannot read the folder " + path + ": " + reason(failure));
        const std::string name = entry->path().filename();
        if (std::string_view(name).substr(0, prefix.size()) == prefix)
            visit(name);
    }
}

void try_to_write(const std::string &path, int folder)
{
    const std::string name = ".tare-trial." + std::to_string(getpid());
    text_file(path + "/" + name, name, folder).close();
    unlinkat(folder, name.c_str(), 0);
}

void remove_file(const std::string &path, const std::string &name, int folder = AT_FDCWD)
{
    if (unlinkat(folder, name.c_str(), 0) != 0 && errno != ENOENT)
        throw error("cannot remove the older profile " + path + ": " + reason(errno));
}

[[noreturn]] void fail_to_read(const std::string &path, int file, const std::string &why)
{
    if (file >= 0)
        close(file);
    throw error("cannot read " + path + ": " + why);
}

}  // namespace

std::string folder(const std::string &directory, int metric)
{
    return directory + "/MULTI__" + metric_names[metric];
}

std::string file_name(thread_id id)
{
    return std::string(prefix) + std::to_string(id.rank) + ".0." + std::to_string(id.number);
}

std::string temporary_name(thread_id id) { return "." + file_name(id) + ".new"; }

std::vector<thread_id> threads_in(const std::string &directory, int metric)
{
    std::vector<thread_id> found;
    const std::string path = folder(directory, metric);
    for_each_file(path, prefix, [&](const std::string &name) {
        const std::optional<thread_id> id = parse_file_name(name);
        if (!id)
            throw error(path + "/" + name + " is not named like a file of Tare's: profile.RANK.0.THREAD");
        found.push_back(*id);
    });
    std::sort(found.begin(), found.end(), [](thread_id a, thread_id b) {
        return a.rank != b.rank ? a.rank < b.rank : a.number < b.number;
    });
    return found;
}

std::string live_name(int rank) { return std::string(live_prefix) + std::to_string(rank); }

namespace {

// The ranks that have a file of this name with this end.
std::vector<int> ranks_of_live_files(const std::string &directory, std::string_view suffix)
{
    std::vector<int> found;
    for_each_file(directory, live_prefix, [&](std::string_view name) {
        int rank = 0;
        if (take(name, live_prefix) && take_number(name, rank) && name == suffix)
            found.push_back(rank);
    });
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace

std::vector<int> live_ranks(const std::string &directory) { return ranks_of_live_files(directory, ""); }

bool holds_profile(const std::string &directory)
{
    for (int m = 0; m < metric_count; m++)
        if (!threads_in(directory, m).empty())
            return true;
    return !live_ranks(directory).empty();
}

std::string read_text(const std::string &path)
{
    // A pipe in a file's place must not make the reader wait.
    const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat about = {};
    if (file < 0 || fstat(file, &about) != 0)
        fail_to_read(path, file, reason(errno));
    if (!S_ISREG(about.st_mode))
        fail_to_read(path, file, "it is not a file");
    std::string text(static_cast<std::size_t>(about.st_size), '\0');
    std::size_t size = 0;
    while (size < text.size()) {
        const ssize_t more = read(file, text.data() + size, text.size() - size);
        if (more < 0)
            fail_to_read(path, file, reason(errno));
        if (more == 0)
            break;
        size += static_cast<std::size_t>(more);
    }
    text.resize(size);
    close(file);
    return text;
}

bool is_tare_file(const std::string &name, int folder)
{
    return tells_tare(beginning_of(name, telling_bytes, folder));
}

void refuse_foreign(const std::string &path)
{
    throw error(path + " is in the profile's place, was not written by Tare and will not be overwritten");
}

// Another rank may remove or replace its own older file while this one looks: what is gone is nobody's, and what has
// come since is looked at again.
bool is_foreign(const std::string &name, int folder)
{
    return !is_tare_file(name, folder) && is_there(name, folder) && !is_tare_file(name, folder);
}

// A live file may go at any time: its process ends well.
bool is_foreign_live_file(const std::string &path)
{
    return !is_live_file(path) && is_there(path) && !is_live_file(path);
}

namespace {

void refuse_foreign_live_files(const std::string &directory)
{
    for (const int rank : live_ranks(directory))
        if (const std::string path = directory + "/" + live_name(rank); is_foreign_live_file(path))
            refuse_foreign(path);
}

void remove_live_file(const std::string &path)
{
    if (is_live_file(path))
        remove_file(path, path);
}

// The hidden file of this rank may be that of this process.
void remove_older_live_files(const std::string &directory, int rank, int ranks)
{
    remove_live_file(directory + "/" + live_name(rank));
    for (const char *suffix : {"", hidden_suffix})
        for (const int other : rank == 0 ? ranks_of_live_files(directory, suffix) : std::vector<int>())
            if (other >= ranks)
                remove_live_file(directory + "/" + live_name(other) + suffix);
}

// Only rank 0 looks through the folder; the others know their names: threads are numbered without gaps.
std::vector<thread_id> older_threads(const std::string &directory, int m, int folder, int rank, int ranks)
{
    std::vector<thread_id> older;
    if (rank == 0) {
        for (const thread_id id : threads_in(directory, m))
            if (id.rank == 0 || id.rank >= ranks)
                older.push_back(id);
    } else {
        for (int number = 0; is_there(file_name({rank, number}), folder); number++)
            older.push_back({rank, number});
    }
    return older;
}

void remove_older_in(const std::string &directory, int m, int rank, int ranks)
{
    const std::string path = folder(directory, m);
    const held_folder held(path);
    for (const thread_id id : older_threads(directory, m, held.descriptor(), rank, ranks))
        if (is_tare_file(file_name(id), held.descriptor()))
            remove_file(path + "/" + file_name(id), file_name(id), held.descriptor());
}

}  // namespace

void check_place(const std::string &directory)
{
    for (int m = 0; m < metric_count; m++) {
        const std::string path = folder(directory, m);
        make_folder(path);
        const held_folder held(path);
        for_each_file(path, prefix, [&](const std::string &name) {
            if (is_foreign(name, held.descriptor()))
                refuse_foreign(path + "/" + name);
        });
        try_to_write(path, held.descriptor());
    }
    refuse_foreign_live_files(directory);
}

void remove_older(const std::string &directory, int rank, int ranks)
{
    remove_older_live_files(directory, rank, ranks);
    for (int m = 0; m < metric_count; m++)
        if (is_there(folder(directory, m)))
            remove_older_in(directory, m, rank, ranks);
}

}  // namespace tare::profile
