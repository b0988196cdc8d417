// SPDX-License-Identifier: BSD-3-Clause
#include "launch.hpp"

#include "command.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>

namespace tare::tool {
namespace {

using names = std::set<std::string>;

// Options of starters by how many values follow them, without their dashes: MPICH's mpiexec, Open MPI's mpirun and
// Slurm's srun. What the same name means to each of them takes as many values.
const names without_value = {
    // MPICH
    "genvnone", "genvall", "envnone", "envall", "l", "prepend-rank", "v", "verbose", "print-all-exitcodes",
    "enable-x", "disable-x", "disable-auto-cleanup", "disable-hostname-propagation", "localhost", "order-nodes",
    "skip-launch-node", "info",
    // Open MPI
    "oversubscribe", "nooversubscribe", "use-hwthread-cpus", "allow-run-as-root", "report-bindings", "display-map",
    "display-allocation", "display-topo", "tag-output", "timestamp-output", "quiet", "pernode", "bynode", "byslot",
    "nolocal", "novm", "enable-recovery", "disable-recovery", "continuous", "s", "preload-binary", "bind-to-core",
    "bind-to-none", "bind-to-socket", "bycore", "bysocket",
    // srun
    "exclusive", "label", "unbuffered", "u", "K", "kill-on-bad-exit", "overlap", "pty", "overcommit", "O"};

const names with_value = {
    "n", "np",
    // MPICH
    "ppn", "perhost", "f", "hosts", "host", "hostfile", "machinefile", "wdir", "genvlist", "envlist", "launcher",
    "launcher-exec", "rmk", "bind-to", "map-by", "membind", "topolib", "iface", "demux", "prepend-pattern",
    "outfile-pattern", "errfile-pattern", "nameserver", "usize", "umask", "path", "arch", "gpus-per-proc",
    "bootstrap", "bootstrap-exec", "timeout",
    // Open MPI
    "c", "N", "npernode", "npersocket", "H", "x", "rank-by", "wd", "output-filename", "output", "display", "prefix",
    "stdin", "rankfile", "rf", "cpu-set", "cpu-list", "cpus-per-proc", "cpus-per-rank", "tune", "am", "xterm",
    "runtime-options", "personality",
    // srun
    "ntasks", "nodes", "cpus-per-task", "ntasks-per-node", "partition", "p", "account", "A", "time", "t", "nodelist",
    "w", "job-name", "J", "mpi", "distribution", "m", "cpu-bind", "mem", "mem-bind", "export", "exclude", "hint",
    "threads-per-core", "gres", "constraint", "C", "qos", "reservation", "jobid", "chdir", "D"};

const names with_two_values = {"mca", "gmca", "prtemca", "pmixmca", "genv", "env"};

// These name a file that holds the programs.
const names with_programs = {"configfile", "app", "multi-prog"};

std::string example(const std::string &starter) {
    return "put {} where 'tare exec' goes, as in " + base_name(starter) + " -n 2 {} ./app";
}

bool has_value_inside(const std::string &option) {
    const bool is_short = option.size() > 2 && std::string("nNc").find(option[1]) != std::string::npos;
    const bool attached = is_short && std::all_of(option.begin() + 2, option.end(),
                                                  [](unsigned char c) { return std::isdigit(c); });
    return attached || option.find('=') != std::string::npos;
}

// How many words belong to the option words[at], itself included; 0: not known.
std::size_t option_words(const std::vector<std::string> &words, std::size_t at) {
    const std::string &option = words[at];
    const std::string name = option.substr(option.find_first_not_of('-'));
    if (with_programs.count(name) > 0)
        return 0;
    if (has_value_inside(option) || without_value.count(name) > 0)
        return 1;
    if (with_value.count(name) > 0)
        return 2;
    if (with_two_values.count(name) == 0)
        return 0;
    // MPICH takes NAME=VALUE for NAME VALUE, too.
    const bool in_one = at + 1 < words.size() && words[at + 1].find('=') != std::string::npos;
    return in_one && name.find("env") != std::string::npos ? 2 : 3;
}

bool is_option(const std::string &word) {
    return word.size() > 1 && word[0] == '-' && word.find_first_not_of('-') != std::string::npos;
}

std::string quoted(const std::string &word) {
    const auto is_plain = [](unsigned char c) {
        return std::isalnum(c) || std::strchr("-_./,:=+@%{}", c) != nullptr;
    };
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain))
        return word;
    std::string text = "'";
    for (const char c : word)
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

class word_splitter {
  public:
    explicit word_splitter(std::vector<std::string> &words) : words_(words) {}

    bool escapes() const { return quote_ != '\''; }

    void add(char c) {
        word_ += c;
        open_ = true;
    }

    void take(char c) {
        if (c == quote_) {
            quote_ = 0;
        } else if (quote_ == 0 && (c == '\'' || c == '"')) {
            quote_ = c;
            open_ = true;
        } else if (quote_ == 0 && std::isspace(static_cast<unsigned char>(c))) {
            close();
        } else {
            add(c);
        }
    }

    // False: inside a quote.
    bool end() {
        close();
        return quote_ == 0;
    }

  private:
    void close() {
        if (open_)
            words_.push_back(word_);
        word_.clear();
        open_ = false;
    }

    std::vector<std::string> &words_;
    std::string word_;
    bool open_ = false;  // a word has begun, and it may be empty: ''
    char quote_ = 0;
};

}  // namespace

refusal launch::read(const std::vector<std::string> &command) {
    words_.clear();
    places_.clear();
    if (std::find(command.begin(), command.end(), place_mark) != command.end())
        return read_marks(command);
    words_ = command;
    if (starts_ranks(command.front()))
        return skip_options();
    places_ = {0};
    return refuse_inner_starter();
}

refusal launch::read_marks(const std::vector<std::string> &command) {
    for (const std::string &word : command)
        if (word == place_mark)
            places_.push_back(words_.size());
        else
            words_.push_back(word);
    if (places_.back() == words_.size())
        return {exit_usage, "nothing follows {}: it stands in front of a program, as in mpiexec -n 2 {} ./app"};
    return {};
}

refusal launch::skip_options() {
    const std::string &starter = words_.front();
    std::size_t at = 1;
    while (at < words_.size() && is_option(words_[at])) {
        const std::size_t count = option_words(words_, at);
        if (count == 0)
            return {exit_usage, "cannot tell where the program stands behind " + base_name(starter) + "'s option " +
                                words_[at] + ": " + example(starter)};
        at += count;
    }
    if (at < words_.size() && words_[at] == "--")
        ++at;
    if (at >= words_.size())
        return {exit_usage, "no program follows the options of " + base_name(starter)};
    if (std::find(words_.begin() + at, words_.end(), ":") != words_.end())
        return {exit_usage, "several programs are separated by ':': put {} in front of each, as in " +
                            base_name(starter) + " -n 1 {} ./a : -n 1 {} ./b"};
    places_ = {at};
    return {};
}

// timeout 60 mpiexec -n 2 ./app
refusal launch::refuse_inner_starter() const {
    const auto inner = std::find_if(words_.begin() + 1, words_.end(), starts_ranks);
    if (inner == words_.end())
        return {};
    return {exit_usage, "'" + *inner + "' does not stand first: " + example(*inner)};
}

std::vector<std::string> launch::with(const std::vector<std::string> &words) const {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < words_.size(); ++i) {
        if (std::find(places_.begin(), places_.end(), i) != places_.end())
            result.insert(result.end(), words.begin(), words.end());
        result.push_back(words_[i]);
    }
    return result;
}

bool split_words(const std::string &line, std::vector<std::string> &words) {
    word_splitter splitter(words);
    for (std::size_t i = 0; i < line.size(); ++i)
        if (line[i] == '\\' && i + 1 < line.size() && splitter.escapes())
            splitter.add(line[++i]);
        else
            splitter.take(line[i]);
    return splitter.end();
}

std::string shell_line(const std::vector<std::string> &words) {
    std::string text;
    for (const std::string &word : words)
        text += (text.empty() ? "" : " ") + quoted(word);
    return text;
}

}  // namespace tare::tool
