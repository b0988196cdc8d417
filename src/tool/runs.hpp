// SPDX-License-Identifier: BSD-3-Clause
// The runs of `tare validate` and `tare bench`: where they leave their files, and how they are started and stopped.
#ifndef TARE_TOOL_RUNS_HPP
#define TARE_TOOL_RUNS_HPP

#include <stdexcept>
#include <string>
#include <vector>

namespace tare::tool {

// What() is one sentence.
class run_error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Where the runs leave what they have found: a new folder that is gone with this object, or one that is kept.
class run_folder {
  public:
    // Empty: a temporary one, in TMPDIR. Throws run_error if it cannot be made, or holds something already.
    explicit run_folder(const std::string &kept);
    ~run_folder();
    run_folder(const run_folder &) = delete;
    run_folder &operator=(const run_folder &) = delete;

    const std::string &path() const { return path_; }

    // Makes a folder inside. Gives back its path, which is absolute: ranks may run elsewhere.
    std::string make(const std::string &name) const;

  private:
    std::string path_;
    bool kept_;
};

// Thrown where a signal has asked for the end; what was running has ended by then.
struct interrupted {
    int signal;
};

// While it lives, SIGINT, SIGTERM and SIGHUP end the run in progress instead of this process, and processes of a run
// that lose their parent become this one's children.
class signal_guard {
  public:
    signal_guard();
    ~signal_guard();
    signal_guard(const signal_guard &) = delete;
    signal_guard &operator=(const signal_guard &) = delete;
};

// Runs a command to its end, without input. Its output goes to the files PATH.out and PATH.err. Gives back what went
// wrong ("ended with status 3"), or nothing. Throws `interrupted`.
std::string run_to_end(const std::vector<std::string> &command, const std::string &path);

// The same of several commands at once, which may wait for one another: as soon as one has failed the others are ended.
// Gives back what went wrong with each; "ended with the others" is not of its own.
constexpr const char *ended_with_others = "ended with the others";
std::vector<std::string> run_together(const std::vector<std::vector<std::string>> &commands,
                                      const std::vector<std::string> &paths);

// How a command that has gone wrong is to end: at once, as if the signal had not been caught. Shells look at it.
int end_by(int signal);

// The last lines of a file, for people.
std::vector<std::string> last_lines(const std::string &path);

}  // namespace tare::tool

#endif
