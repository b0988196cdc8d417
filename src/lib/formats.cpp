// SPDX-License-Identifier: BSD-3-Clause
#include "formats.hpp"

#include "mpi_calls.hpp"
#include "place.hpp"
#include "safe_file.hpp"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tare {
namespace fs = std::filesystem;

fs::path own_library()
{
    Dl_info found;
    std::error_code failure;
    if (dladdr(&switches, &found) == 0 || found.dli_fname == nullptr)
        return {};
    return fs::canonical(found.dli_fname, failure);
}

namespace {

// With call paths, json and csv have a second file: one of theirs holds regions or paths.
struct output {
    unsigned format;
    const char *name;
    const char *option;                  // nullptr: none
    const char *file;
};
constexpr output outputs[] = {
    {TARE_FORMAT_CUBE, "cube", nullptr, "profile.cubex"},
    {TARE_FORMAT_JSON, "json", nullptr, "profile.json"},
    {TARE_FORMAT_JSON, "json", "--callpath", "profile.callpath.json"},
    {TARE_FORMAT_CSV, "csv", nullptr, "profile.csv"},
    {TARE_FORMAT_CSV, "csv", "--callpath", "profile.callpath.csv"},
};

template <typename Visit> void for_each_output(const process &p, Visit visit)
{
    for (const output &o : outputs)
        if ((p.settings.profile_formats & o.format) != 0 && (o.option == nullptr || p.settings.callpath_depth > 1))
            visit(o);
}

// ---- where the tool is ----

bool is_file(const fs::path &path)
{
    std::error_code failure;
    return fs::is_regular_file(path, failure);
}

// In the build tree; at the same place relative to the library as configure said, so that an installation may be
// moved; where configure said. Empty: in none of them.
std::string place_of_converter()
{
    const fs::path folder = own_library().parent_path();
    const fs::path to_programs = fs::path(TARE_BINDIR).lexically_relative(TARE_LIBDIR);
    const fs::path places[] = {folder.filename() == ".libs" ? folder.parent_path().parent_path() / "tool" : fs::path(),
                               folder.empty() ? fs::path() : (folder / to_programs).lexically_normal(), TARE_BINDIR};
    for (const fs::path &place : places)
        if (!place.empty() && is_file(place / "tare"))
            return place / "tare";
    return "";
}

// ---- running it ----

bool begins(const char *entry, const char *with) { return std::strncmp(entry, with, std::strlen(with)) == 0; }

// Its environment is the program's, but it is not measured.
std::vector<char *> environment_without_tare()
{
    std::vector<char *> kept;
    for (char **entry = environ; entry != nullptr && *entry != nullptr; entry++) {
        const bool is_tares = begins(*entry, "LD_PRELOAD=") || begins(*entry, "TARE_");
        if (!is_tares || begins(*entry, "TARE_FILE_ACCESS="))
            kept.push_back(*entry);
    }
    kept.push_back(nullptr);
    return kept;
}

// How the program treats signals is no business of the tool's.
class plain_signals {
  public:
    plain_signals()
    {
        sigset_t signals;
        posix_spawnattr_init(&attributes_);
        sigemptyset(&signals);
        posix_spawnattr_setsigmask(&attributes_, &signals);
        sigfillset(&signals);
        posix_spawnattr_setsigdefault(&attributes_, &signals);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    ~plain_signals() { posix_spawnattr_destroy(&attributes_); }
    plain_signals(const plain_signals &) = delete;
    plain_signals &operator=(const plain_signals &) = delete;
    const posix_spawnattr_t *get() const { return &attributes_; }

  private:
    posix_spawnattr_t attributes_;
};

// 0, or an errno. stderr goes to the descriptor.
int start(const std::vector<std::string> &words, int stderr_end, pid_t &child)
{
    std::vector<char *> argv;
    for (const std::string &word : words)
        argv.push_back(const_cast<char *>(word.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, stderr_end, STDERR_FILENO);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const plain_signals signals;
    const int failure =
        posix_spawn(&child, argv[0], &files, signals.get(), argv.data(), environment_without_tare().data());
    posix_spawn_file_actions_destroy(&files);
    return failure;
}

std::string read_to_end(int descriptor)
{
    std::string text;
    char piece[4096];
    for (;;) {
        const ssize_t size = read(descriptor, piece, sizeof piece);
        if (size > 0)
            text.append(piece, static_cast<std::size_t>(size));
        else if (size == 0 || errno != EINTR)
            return text;
    }
}

// Nothing: a program that ignores SIGCHLD, or waits for any child in its handler, has taken it.
std::optional<bool> ended_well(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return std::nullopt;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct ending {
    std::optional<bool> is_good;
    std::string said;
};

ending run(const std::vector<std::string> &words)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        throw profile::error(words[0] + " cannot be started: " + std::strerror(errno));
    pid_t child = -1;
    const int failure = start(words, ends[1], child);
    close(ends[1]);
    ending result;
    if (failure == 0)
        result.said = read_to_end(ends[0]);
    close(ends[0]);
    if (failure != 0)
        throw profile::error(words[0] + " cannot be started: " + std::strerror(failure));
    result.is_good = ended_well(child);
    return result;
}

// Its first sentence, without the name that it begins with, and without advice that is about its command line.
std::string sentence_in(const std::string &said)
{
    constexpr std::string_view name = "tare convert: ", advice = ": --force does";
    std::string sentence = said.substr(0, said.find('\n'));
    if (sentence.compare(0, name.size(), name) == 0)
        sentence.erase(0, name.size());
    if (sentence.size() > advice.size() && sentence.find(advice) == sentence.size() - advice.size())
        sentence.resize(sentence.size() - advice.size());
    return sentence.empty() ? "tare convert did not end well" : sentence;
}

// ---- what is made ----

std::string path_of(const process &p, const output &o) { return p.profile_dir + "/" + o.file; }

std::vector<std::string> words_for(const process &p, const output &o)
{
    std::vector<std::string> words = {p.converter, "convert", "--to", o.name, "--output", path_of(p, o)};
    if (o.option != nullptr)
        words.emplace_back(o.option);
    return words;
}

// Whoever names a file on tare convert's command line may mean what a link leads to; here nobody has named it.
void refuse_link(const std::string &path)
{
    struct stat found;
    if (lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode))
        throw profile::error(path + " is a symbolic link, which is not followed");
}

struct identity {
    dev_t device = 0;
    ino_t number = 0;
    bool operator!=(const identity &other) const { return device != other.device || number != other.number; }
};

identity identity_of(const std::string &path)
{
    struct stat found;
    return stat(path.c_str(), &found) == 0 ? identity{found.st_dev, found.st_ino} : identity{};
}

// What the tool has to say of the profile, if anything. A file of its appears when it is whole, so a new one is whole.
std::string make(const process &p, const output &o)
{
    const std::string path = path_of(p, o);
    refuse_link(path);
    const identity before = identity_of(path);
    std::vector<std::string> words = words_for(p, o);
    words.push_back("--from=tau");
    words.push_back(p.profile_dir);
    const ending end = run(words);
    if (!end.is_good.value_or(identity_of(path) != before))
        throw profile::error(sentence_in(end.said));
    return end.said;
}

// All ranks' files; folders only if nothing else is in them.
void remove_tau(const process &p)
{
    profile::remove_older(p.profile_dir, 0, 0);
    profile::remove_older_calls(p.profile_dir, 0, 0);
    for (int m = 0; m < profile::metric_count; m++)
        rmdir(profile::folder(p.profile_dir, m).c_str());
}

}  // namespace

bool wants_formats(const process &p)
{
    return switches.recording && (p.settings.profile_formats & ~TARE_FORMAT_TAU) != 0;
}

void find_converter(process &p)
{
    if (wants_formats(p))
        p.converter = place_of_converter();
}

void check_formats(const process &p)
{
    if (!wants_formats(p))
        return;
    if (p.converter.empty())
        throw profile::error("TARE_PROFILE_FORMAT other than tau needs the program tare, and " TARE_BINDIR
                             "/tare is missing");
    for_each_output(p, [&p](const output &o) {
        refuse_link(path_of(p, o));
        std::vector<std::string> words = words_for(p, o);
        words.push_back("--dry-run");
        if (const ending end = run(words); !end.is_good.value_or(end.said.empty()))
            throw profile::error(sentence_in(end.said));
    });
}

bool make_formats(const process &p)
{
    std::string said;
    std::optional<profile::error> failure;
    // One that fails leaves the others their chance; the first sentence is the one that is said.
    for_each_output(p, [&](const output &o) {
        try {
            const std::string warning = make(p, o);
            said = said.empty() ? warning : said;
        } catch (const profile::error &e) {
            failure = failure ? failure : e;
        }
    });
    if (failure)
        throw profile::error(*failure);
    // What is missing in the others must not be lost.
    if (!said.empty())
        say("TARE_PROFILE_FORMAT: " + sentence_in(said) + "; the profile stays as tau, too");
    if (!said.empty() || (p.settings.profile_formats & TARE_FORMAT_TAU) != 0)
        return false;
    remove_tau(p);
    return true;
}

}  // namespace tare
