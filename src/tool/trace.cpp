// SPDX-License-Identifier: BSD-3-Clause
// `tare trace`: what is done with the traces of a run. OTF2 is loaded for it, so that the tool needs none.
#include "trace.hpp"

#include "installation.hpp"
#include "live.hpp"
#include "load_trace_module.hpp"
#include "place.hpp"
#include "table.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <getopt.h>

namespace tare::tool {
namespace {

namespace fs = std::filesystem;

const option long_options[] = {
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
};

void print_join_help() {
    std::printf("Usage: tare trace join [OPTION]... [DIR]\n"
                "Make one archive, traces.otf2, of those that the ranks of a run have left in DIR (default:\n"
                "./tare-trace). A run whose ranks have all come to their end has done so itself; this is for one of\n"
                "which some did not, and says which are left out.\n"
                "\n"
                "  -h, --help           print this and exit\n"
                "  -V, --version        print the version and exit\n"
                "\n"
                "TARE_TRACE=1 makes a program write a trace. otf2-print, Vampir and others read it.\n");
}

// What a killed process has left of its trace becomes the archive that it would have written.
class recovery {
  public:
    recovery(const tare_trace_module_t &module, const std::string &dir, const profile::live_trace &left)
        : module_(module), dir_(dir), left_(left), calibration_(number_of(profile::calibrated_region)) {
        about_.metadata = left.metadata;
    }

    // Gives back what is missing, in a sentence; throws profile::error.
    std::string run() {
        void *trace = begin();
        for (const profile::live_trace::piece &piece : left_.pieces)
            check(module_.write(trace, piece.thread, piece.events.data(), piece.events.size(), calibration_, message_),
                  trace);
        for (auto piece = left_.pieces.begin(); piece != left_.pieces.end(); ++piece)
            if (piece + 1 == left_.pieces.end() || (piece + 1)->thread != piece->thread)
                finish(trace, *piece);
        for (const auto &[thread, name] : left_.threads)
            check(module_.name_thread(trace, thread, name.c_str(), message_), trace);
        std::vector<tare_trace_region_t> regions;
        for (const profile::live_trace::region &r : left_.regions)
            regions.push_back({r.name.c_str(), r.group.c_str()});
        const std::vector<tare_trace_definition_t> defined = definitions();
        check(module_.end(trace, regions.data(), regions.size(), defined.data(), defined.size(), message_), nullptr);
        return is_cut() ? "the trace of rank " + std::to_string(left_.rank) + " begins late: what it had written is lost"
                        : "";
    }

  private:
    void *begin() {
        namespace key = profile::key;
        const std::string run_id = about_.attribute(key::run_id), host = about_.attribute(key::host), program = about_.attribute(key::program);
        const tare_trace_run_t run = {dir_.c_str(), left_.rank, std::max(1, std::atoi(about_.attribute(key::ranks).c_str())),
                                      run_id.c_str(), host.c_str(), program.c_str(),
                                      about_.attribute(key::trace_clock) == "measured"};
        void *trace = module_.begin(&run, message_);
        check(trace == nullptr ? -1 : 0, nullptr);
        return trace;
    }

    std::vector<tare_trace_definition_t> definitions() const {
        std::vector<tare_trace_definition_t> result;
        for (const profile::live_trace::definition &d : left_.definitions)
            result.push_back({d.kind, static_cast<std::uint32_t>(d.ranks.size()), d.ranks.data(), d.identity, d.group,
                              d.other_group, d.parent, d.is_made, d.name.c_str()});
        return result;
    }

    // With the thread's latest event.
    void finish(void *trace, const profile::live_trace::piece &last) {
        if (last.events.empty())
            return;
        tare_trace_event_t end{};
        for (std::size_t i = 0; i < last.events.size(); i += 1 + TARE_TRACE_PARTS_OF(last.events[i].kind))
            end = last.events[i];
        end.kind = TARE_TRACE_END;
        check(module_.write(trace, last.thread, &end, 1, calibration_, message_), trace);
    }

    // A trace that is given up is begun anew when somebody tries again.
    void check(int status, void *trace) {
        if (status == 0)
            return;
        if (trace != nullptr)
            module_.give_up(trace);
        throw profile::error(message_);
    }

    std::uint32_t number_of(const char *region) const {
        const auto found = std::find_if(left_.regions.begin(), left_.regions.end(),
                                        [region](const auto &r) { return r.name == region; });
        return static_cast<std::uint32_t>(found - left_.regions.begin());
    }

    // A thread's first piece had been written, and was used again.
    bool is_cut() const {
        for (std::size_t i = 0; i < left_.pieces.size(); ++i)
            if ((i == 0 || left_.pieces[i - 1].thread != left_.pieces[i].thread) && left_.pieces[i].number != 0)
                return true;
        return false;
    }

    const tare_trace_module_t &module_;
    const std::string &dir_;
    const profile::live_trace &left_;
    const std::uint32_t calibration_;  // its region, which is left out
    profile::thread about_;
    char message_[TARE_TRACE_MESSAGE] = "";
};

// Live files lie where the profile is, which is around the folder of the trace. The ranks that have closed their archives
// need nothing, and of those that still run nobody knows what comes.
void recover(const tare_trace_module_t &module, const std::string &dir) {
    std::error_code ignored;
    const std::string around = (fs::absolute(dir) / "x").lexically_normal().parent_path().parent_path();
    if (!fs::is_directory(around, ignored))
        return;
    for (const int rank : profile::live_ranks(around)) {
        const std::string path = around + "/" + profile::live_name(rank);
        if (profile::running_owner(path))
            continue;
        const profile::live_trace left = profile::read_live_trace(path);
        if (left.rank != rank || left.pieces.empty() ||
            fs::exists(fs::path(dir) / ("rank." + std::to_string(rank)) / "whole", ignored))
            continue;
        const std::string missing = recovery(module, dir, left).run();
        trace_remark("rank " + std::to_string(left.rank) + " was killed: its trace ends with its latest event");
        if (!missing.empty())
            trace_remark(missing);
    }
}

int join(const char *dir) {
    const tare_trace_module_t *module = find_trace_module();
    if (module == nullptr)
        return exit_failed;
    char message[TARE_TRACE_MESSAGE] = "";
    try {
        recover(*module, dir);
    } catch (const std::exception &e) {
        trace_remark(e.what());
    }
    const int status = module->join(dir, 0, 1, message);
    if (status < 0)
        return fail("trace", exit_failed, message);
    if (status > 0)
        return fail("trace", exit_failed, std::string("another process is joining the traces in ") + dir);
    if (message[0] != '\0')
        trace_remark(message);
    std::printf("%s/traces.otf2\n", dir);
    return exit_good;
}

int run_join(int argc, char **argv) {
    const trace_arguments arguments = {"+:hV", long_options, print_join_help, nullptr};
    std::string dir;
    const int status = read_trace_arguments(argc, argv, arguments, nullptr, dir);
    return status >= 0 ? status : join(dir.c_str());
}

struct action {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
};

const action actions[] = {
    {"chrome", run_trace_chrome, "write it as Chrome's trace events, for Perfetto, with messages as arrows"},
    {"cut", run_trace_cut, "make a new archive of some of its time, ranks or threads"},
    {"join", run_join, "make one archive of those that the ranks of a run have left"},
    {"match", run_trace_match, "pair sends with receives, by every method, and say how many pairs are wrong"},
    {"merge", run_trace_merge, "make one archive of those of several runs"},
    {"print", run_trace_print, "print its events in the order of time, all or some, a line each"},
    {"show", run_trace_show, "make a page of it: threads, waiting and messages on both clocks"},
    {"stats", run_trace_stats, "count the events of each thread, and the messages between ranks"},
};

void print_help() {
    std::printf("Usage: tare trace ACTION [OPTION]... [DIR]\n"
                "Work with the trace that a run has left in DIR (default: ./%s).\n"
                "\n"
                "Actions:\n", default_trace);
    for (const action &a : actions)
        std::printf("  %-8s %s\n", a.name, a.summary);
    std::printf("\n"
                "  -h, --help           print this and exit; behind an action, its help\n"
                "  -V, --version        print the version and exit\n"
                "\n"
                "TARE_TRACE=1 makes a program write a trace. otf2-print, Vampir and others read it.\n");
}

int run_action(const action &a, int argc, char **argv) {
    try {
        return a.run(argc, argv);
    } catch (const profile::error &e) {
        return fail("trace", exit_failed, e.what());
    }
}

std::string action_names() {
    std::vector<std::string> names;
    for (const action &a : actions)
        names.push_back(a.name);
    return joined(names);
}

}  // namespace

const tare_trace_module_t *find_trace_module(const char *command) {
    const std::string file = installation().otf2();
    const tare_trace_module_t *module = file.empty() ? nullptr : load_trace_module(file.c_str());
    if (module == nullptr)
        fail(command, exit_failed, "this Tare was built without OTF2 (libotf2-trace-dev)");
    return module;
}

void trace_remark(const std::string &sentence, const char *command) {
    std::fprintf(stderr, "tare %s: %s\n", command, printable(sentence).c_str());
}

int read_trace_arguments(int argc, char **argv, const trace_arguments &arguments, void *wish,
                         std::vector<std::string> &paths) {
    opterr = 0;
    for (;;) {
        const std::string word = optind < argc ? argv[optind] : "";
        const int result = getopt_long(argc, argv, arguments.short_options, arguments.long_options, nullptr);
        if (result == -1)
            break;
        if (result == 'h')
            return arguments.print_help(), exit_good;
        if (result == 'V')
            return print_version(), exit_good;
        if (result == '?' || result == ':')
            return usage_error(arguments.command, option_error(result, word));
        const int status = arguments.take == nullptr ? -1 : arguments.take(result, wish);
        if (status >= 0)
            return status;
    }
    paths.assign(argv + optind, argv + argc);
    return -1;
}

int read_trace_arguments(int argc, char **argv, const trace_arguments &arguments, void *wish, std::string &path) {
    std::vector<std::string> paths;
    if (const int status = read_trace_arguments(argc, argv, arguments, wish, paths); status >= 0)
        return status;
    if (paths.size() > 1)
        return usage_error(arguments.command, "unexpected argument " + paths[1]);
    path = paths.empty() ? default_trace : paths.front();
    return -1;
}

int run_trace(int argc, char **argv) {
    const std::string name = argc > 1 && argv[1][0] != '-' ? argv[1] : "";
    for (const action &a : actions)
        if (name == a.name)
            return run_action(a, argc - 1, argv + 1);
    if (!name.empty())
        return usage_error("trace", name + " is not one of " + action_names());
    const trace_arguments arguments = {"+:hV", long_options, print_help, nullptr};
    std::string ignored;
    const int status = read_trace_arguments(argc, argv, arguments, nullptr, ignored);
    return status >= 0 ? status : usage_error("trace", "what is to be done is missing: " + action_names());
}

}  // namespace tare::tool
