// SPDX-License-Identifier: BSD-3-Clause
#include "runs.hpp"

#include "command.hpp"
#include "process.hpp"
#include "profile.hpp"
#include "safe_file.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <spawn.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tare::tool {
namespace {

namespace fs = std::filesystem;

constexpr int end_signals[] = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t signal_seen = 0;
volatile std::sig_atomic_t running = 0;  // the process group of the run in progress

// The starter passes it on to its ranks.
void pass_on(int signal) {
    signal_seen = signal;
    if (running > 0)
        kill(-static_cast<pid_t>(running), signal);
}

std::string temporary_folder() {
    const char *place = secure_getenv("TMPDIR");
    std::string path = std::string(place && *place ? place : "/tmp") + "/tare-validate-XXXXXX";
    if (mkdtemp(path.data()) == nullptr)
        throw run_error("cannot make a temporary folder " + path + ": " + std::strerror(errno));
    return fs::absolute(path).lexically_normal();
}

std::string kept_folder(const std::string &wanted) {
    std::error_code failure;
    const fs::path path = fs::absolute(wanted, failure).lexically_normal();
    try {
        profile::make_folder(failure ? wanted : path.string());
    } catch (const profile::error &e) {
        throw run_error("--keep=" + wanted + ": " + e.what());
    }
    if (!fs::is_empty(path, failure) || failure)
        throw run_error("--keep=" + wanted + ": the folder is not empty: name a new one");
    return path;
}

// What a child of ours gets: no input, output into files, and a process group (0: one of its own), so that all of it can
// be ended.
class start_settings {
  public:
    start_settings(const std::string &path, pid_t group) {
        constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;
        const mode_t mode = profile::file_mode();
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, (path + ".out").c_str(), flags, mode);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, (path + ".err").c_str(), flags, mode);
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        posix_spawnattr_setpgroup(&attributes, group);
    }
    ~start_settings() {
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
    }
    start_settings(const start_settings &) = delete;
    start_settings &operator=(const start_settings &) = delete;

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
};

// Gives back an error number.
int start(const std::vector<std::string> &command, const std::string &path, pid_t group, pid_t &pid) {
    std::vector<char *> words;
    for (const std::string &word : command)
        words.push_back(const_cast<char *>(word.c_str()));
    words.push_back(nullptr);
    const start_settings settings(path, group);
    return posix_spawnp(&pid, words[0], &settings.actions, &settings.attributes, words.data(), environ);
}

std::string not_started(const std::vector<std::string> &command, int error) {
    return "cannot be started: '" + command.front() + "': " + std::strerror(error);
}

// All children of a process group; the last of them that is waited for ends it.
bool are_gone(pid_t group) {
    pid_t pid = 0;
    do
        pid = waitpid(-group, nullptr, WNOHANG);
    while (pid > 0);
    return pid < 0;
}

// The processes that have come from this one, by /proc: a starter's ranks are in sessions of their own, and no signal to
// a group reaches them. Who has lost its parent counts, because this process adopts it (signal_guard).
std::vector<pid_t> descendants() {
    std::map<pid_t, std::vector<pid_t>> children;
    std::error_code ignored;
    for (const auto &entry : fs::directory_iterator("/proc", ignored)) {
        std::ifstream file(entry.path() / "stat");
        std::string text;
        std::getline(file, text);
        // "PID (NAME) STATE PARENT ...": the name may hold anything.
        std::istringstream behind(text.substr(std::min(text.rfind(')') + 1, text.size())));
        char state = 0;
        pid_t parent = 0;
        if (behind >> state >> parent)
            children[parent].push_back(std::atoi(text.c_str()));
    }
    std::vector<pid_t> result = children[getpid()];
    for (std::size_t i = 0; i < result.size(); ++i) {
        const std::vector<pid_t> next = children[result[i]];
        result.insert(result.end(), next.begin(), next.end());
    }
    return result;
}

// mpiexec can lose the signal while it starts, or end before its ranks.
void leave_nothing() {
    for (std::vector<pid_t> left = descendants(); !left.empty(); left = descendants()) {
        for (const pid_t pid : left)
            kill(pid, SIGKILL);
        while (waitpid(-1, nullptr, 0) > 0)
            continue;
    }
}

// Starters that were asked to end have this long to end their ranks, and are asked again.
void end_by_force(pid_t group) {
    constexpr int tries = 500, tries_of_a_second = 100;
    constexpr useconds_t pause_us = 10000;
    for (int i = 1; i <= tries && !are_gone(group); ++i) {
        usleep(pause_us);
        if (i % tries_of_a_second == 0)
            kill(-group, SIGTERM);
    }
    leave_nothing();
}

// A signal that comes between the look and the wait has been passed on, so the wait ends, too.
int wait_for(pid_t pid) {
    int status = 0;
    while (signal_seen == 0 && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            break;
    return status;
}

std::string what_went_wrong(int status) {
    if (WIFSIGNALED(status))
        return std::string("was ended by a signal (") + strsignal(WTERMSIG(status)) + ")";
    return WEXITSTATUS(status) == 0 ? "" : "ended with status " + std::to_string(WEXITSTATUS(status));
}

// Commands in one process group, which is the first one's number.
class crowd {
  public:
    crowd(const std::vector<std::vector<std::string>> &commands, const std::vector<std::string> &paths)
        : wrong_(commands.size()), pids_(commands.size(), -1) {
        for (std::size_t i = 0; i < commands.size() && !has_failed_; ++i)
            add(i, commands[i], paths[i]);
    }

    void wait_for_all() {
        if (left_ > 0 && signal_seen != 0)
            kill(-running, signal_seen);
        while (left_ > 0 && !has_failed_ && signal_seen == 0)
            wait_for_one();
        if (left_ > 0 && signal_seen == 0)
            kill(-running, SIGTERM);
        if (left_ > 0)
            end_by_force(running);
        running = 0;
    }

    // Who was still there when it came to an end.
    std::vector<std::string> wrong() const {
        std::vector<std::string> result = wrong_;
        for (std::size_t i = 0; i < pids_.size(); ++i)
            if (has_failed_ && !ended_.count(pids_[i]) && result[i].empty())
                result[i] = ended_with_others;
        return result;
    }

  private:
    void add(std::size_t i, const std::vector<std::string> &command, const std::string &path) {
        const int error = start(command, path, static_cast<pid_t>(running), pids_[i]);
        if (error != 0) {
            wrong_[i] = not_started(command, error);
            has_failed_ = true;
            return;
        }
        ++left_;
        if (running == 0)
            running = pids_[i];
    }

    void wait_for_one() {
        int status = 0;
        const pid_t pid = waitpid(-static_cast<pid_t>(running), &status, 0);
        if (pid < 0)
            return;
        --left_;
        ended_.insert(pid);
        const std::size_t i = std::find(pids_.begin(), pids_.end(), pid) - pids_.begin();
        wrong_[i] = what_went_wrong(status);
        has_failed_ = !wrong_[i].empty();
    }

    std::vector<std::string> wrong_;
    std::vector<pid_t> pids_;
    std::set<pid_t> ended_;
    std::size_t left_ = 0;
    bool has_failed_ = false;
};

}  // namespace

run_folder::run_folder(const std::string &kept)
    : path_(kept.empty() ? temporary_folder() : kept_folder(kept)), kept_(!kept.empty()) {}

run_folder::~run_folder() {
    std::error_code ignored;
    if (!kept_)
        fs::remove_all(path_, ignored);
}

std::string run_folder::make(const std::string &name) const {
    std::string path = path_ + "/" + name;
    if (mkdir(path.c_str(), profile::folder_mode()) != 0)
        throw run_error("cannot make the folder " + path + ": " + std::strerror(errno));
    return path;
}

signal_guard::signal_guard() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    struct sigaction action = {}, old;
    action.sa_handler = pass_on;
    for (const int signal : end_signals)
        if (sigaction(signal, nullptr, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signal, &action, nullptr);
}

signal_guard::~signal_guard() {
    struct sigaction old;
    for (const int signal : end_signals)
        if (sigaction(signal, nullptr, &old) == 0 && old.sa_handler == pass_on)
            std::signal(signal, SIG_DFL);
}

std::string run_to_end(const std::vector<std::string> &command, const std::string &path) {
    pid_t pid = -1;
    const int error = start(command, path, 0, pid);
    if (error != 0)
        return not_started(command, error);
    running = pid;
    if (signal_seen != 0)
        kill(-pid, signal_seen);
    const int status = wait_for(pid);
    if (signal_seen != 0)
        end_by_force(pid);
    running = 0;
    if (signal_seen != 0)
        throw interrupted{signal_seen};
    return what_went_wrong(status);
}

std::vector<std::string> run_together(const std::vector<std::vector<std::string>> &commands,
                                      const std::vector<std::string> &paths) {
    crowd all(commands, paths);
    all.wait_for_all();
    if (signal_seen != 0)
        throw interrupted{signal_seen};
    return all.wrong();
}

int end_by(int signal) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return exit_failed;
}

std::vector<std::string> last_lines(const std::string &path) {
    constexpr std::size_t shown = 10;
    constexpr std::streamoff most_bytes = 65536;
    std::ifstream file(path, std::ios::ate);
    file.seekg(std::max<std::streamoff>(0, file.tellg() - most_bytes));
    std::stringstream text;
    text << file.rdbuf();
    const std::vector<std::string> lines = lines_of(text.str());
    return {lines.end() - static_cast<std::ptrdiff_t>(std::min(shown, lines.size())), lines.end()};
}

}  // namespace tare::tool
