// SPDX-License-Identifier: BSD-3-Clause
// `tare convert`: a profile in the formats of other programs, and back.
#include "convert.hpp"

#include "command.hpp"
#include "convert_file.hpp"
#include "convert_tau.hpp"
#include "regions.hpp"

#include <algorithm>
#include <cstdio>
#include <getopt.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace tare::tool {
namespace {

enum { from_option = 1000, to_option, callpath_option, clock_option, force_option };

const option long_options[] = {
    {"from", required_argument, nullptr, from_option},
    {"to", required_argument, nullptr, to_option},
    {"output", required_argument, nullptr, 'o'},
    {"callpath", no_argument, nullptr, callpath_option},
    {"clock", required_argument, nullptr, clock_option},
    {"rank", required_argument, nullptr, 'r'},
    {"force", no_argument, nullptr, force_option},
    {"dry-run", no_argument, nullptr, 'n'},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
};

constexpr const char *tau_name = "tau";    // of the profile in a directory

struct convert_wish {
    std::string source = ".";
    std::string output;                    // empty: standard output
    std::string from;                      // empty: a directory is tau, a file tells by its beginning
    const file_format *to = nullptr;
    bool to_tau = false;                   // then `to` is null
    std::optional<int> rank;
    bool force = false;
    bool dry_run = false;
    bool has_clock = false;
    write_wish write;
};

void print_help() {
    std::printf("Usage: tare convert [OPTION]... [DIRECTORY | FILE]\n"
                "Write the profile that a run has left in DIRECTORY (default: here) in a format that other programs\n"
                "read, or read a FILE that was written so ('-': standard input).\n"
                "\n"
                "      --to=FORMAT    tau: a profile as a run leaves it, in the directory that -o names\n"
                "                     cube: Cube 4, for Score-P's and Scalasca's tools\n"
                "                     json: what tare report --json prints (the default)\n"
                "                     csv: a line for each rank, thread and region\n"
                "                     chrome: Chrome's trace events, for Perfetto and chrome://tracing\n"
                "                     speedscope: flame charts for speedscope.app\n"
                "  -o, --output=FILE  write to FILE, whose name tells the format if --to does not: .cubex, .json,\n"
                "                     .csv, .trace.json or .speedscope.json\n"
                "      --from=FORMAT  what is read: one of these, or tau, a profile's directory; default: a directory\n"
                "                     is tau, and a file tells\n"
                "      --callpath     json and csv: rows are call paths instead of regions\n"
                "      --clock=WHICH  chrome and speedscope: widths are compensated (the default) or measured times\n"
                "      --rank=N       only this rank\n"
                "      --force        overwrite FILE even if tare convert has not written it\n"
                "  -n, --dry-run      only say whether FILE may be written, and read nothing\n"
                "  -h, --help         print this and exit\n"
                "  -V, --version      print the version and exit\n"
                "\n"
                "What a format cannot hold is in tare-convert(1). Ranks that left nothing, or were killed, are named\n"
                "on stderr. The exit status is 1 if there is no profile, what is read is damaged or not ours, or what\n"
                "is written cannot be.\n");
}

int set_from(const std::string &text, convert_wish &wish) {
    wish.from = text;
    if (text == tau_name || find_format(text))
        return -1;
    return usage_error("convert", "--from=" + text + " is not one of tau, " + joined(format_names()));
}

int set_to(const std::string &text, convert_wish &wish) {
    wish.to = find_format(text);
    wish.to_tau = text == tau_name;
    if (wish.to || wish.to_tau)
        return -1;
    return usage_error("convert", "--to=" + text + " is not one of tau, " + joined(format_names()));
}

int set_output(const std::string &text, convert_wish &wish) {
    wish.output = text;
    return text.empty() ? usage_error("convert", "--output needs the name of a file") : -1;
}

int set_clock(const std::string &text, convert_wish &wish) {
    wish.has_clock = true;
    for (const layout_clock clock : {layout_clock::compensated, layout_clock::measured})
        if (text == clock_names[static_cast<int>(clock)])
            return wish.write.clock = clock, -1;
    return usage_error("convert", "--clock=" + text + " is not one of compensated, measured");
}

int read_option(int option, const std::string &word, convert_wish &wish) {
    switch (option) {
    case from_option: return set_from(optarg, wish);
    case to_option: return set_to(optarg, wish);
    case 'o': return set_output(optarg, wish);
    case callpath_option: wish.write.callpath = true; return -1;
    case clock_option: return set_clock(optarg, wish);
    case 'r': return set_number("convert", "--rank", optarg, wish.rank);
    case force_option: wish.force = true; return -1;
    case 'n': wish.dry_run = true; return -1;
    case 'h': return print_help(), exit_good;
    case 'V': return print_version(), exit_good;
    default: return usage_error("convert", option_error(option, word));
    }
}

bool is_named(const file_format &f, std::initializer_list<const char *> names) {
    return std::any_of(names.begin(), names.end(), [&](const char *name) { return find_format(name) == &f; });
}

int check_tau_options(const convert_wish &wish) {
    if (wish.output.empty())
        return usage_error("convert", "--to=tau needs a directory: -o DIRECTORY");
    const char *wrong = wish.write.callpath ? "--callpath" : wish.has_clock ? "--clock" : wish.force ? "--force"
                        : wish.dry_run ? "--dry-run" : nullptr;
    return wrong ? usage_error("convert", std::string(wrong) + " is not about --to=tau") : -1;
}

// Which format is written, and whether the options are about it.
int check_options(convert_wish &wish) {
    if (wish.to_tau)
        return check_tau_options(wish);
    if (!wish.to && !wish.output.empty())
        wish.to = format_by_suffix(wish.output);
    if (!wish.to && !wish.output.empty())
        return usage_error("convert", "the name of " + wish.output +
                                      " does not tell the format: --to=FORMAT does, one of " + joined(format_names()));
    if (!wish.to)
        wish.to = find_format("json");
    if (wish.write.callpath && !is_named(*wish.to, {"json", "csv"}))
        return usage_error("convert", std::string("--callpath is about json and csv: ") + wish.to->name +
                                      " has the call paths without it");
    if (wish.has_clock && !is_named(*wish.to, {"chrome", "speedscope"}))
        return usage_error("convert", std::string("--clock is about chrome and speedscope: ") + wish.to->name +
                                      " has both times");
    if (wish.dry_run && wish.output.empty())
        return usage_error("convert", "--dry-run is about an output: -o FILE");
    if (wish.to->is_binary && wish.output.empty() && isatty(STDOUT_FILENO) != 0)
        return usage_error("convert", std::string("--to=") + wish.to->name + " is not for terminals: -o FILE");
    return -1;
}

// Gives back a status where the command line ends the command, else -1.
int read_options(int argc, char **argv, convert_wish &wish) {
    opterr = 0;
    for (;;) {
        const std::string word = optind < argc ? argv[optind] : "";
        const int option = getopt_long(argc, argv, ":hno:V", long_options, nullptr);
        if (option == -1)
            break;
        if (const int status = read_option(option, word, wish); status >= 0)
            return status;
    }
    if (optind + 1 < argc)
        return usage_error("convert", std::string("one profile at a time: '") + argv[optind + 1] + "' is too many");
    if (optind < argc)
        wish.source = argv[optind];
    else if (!wish.from.empty() && wish.from != tau_name)
        return usage_error("convert", "--from=" + wish.from + " needs a file");
    return check_options(wish);
}

bool is_directory(const std::string &path) {
    struct stat about = {};
    return stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

content read_file(const convert_wish &wish) {
    const std::string where = wish.source == "-" ? "standard input" : wish.source;
    const std::string text = read_input(wish.source);
    const file_format *format = wish.from.empty() ? format_by_beginning(text) : find_format(wish.from);
    if (!format)
        throw profile::error(where + " is no file that tare convert has written: it writes " +
                             joined(format_names()) + "; one that another program has changed needs --from=FORMAT");
    return format->read(text, where);
}

void warn(const std::vector<std::string> &sentences) {
    for (const std::string &sentence : sentences)
        fail("convert", exit_good, sentence);
}

wanted_calls calls_for(const convert_wish &wish) {
    if (wish.to_tau)
        return wanted_calls::tables;
    return is_named(*wish.to, {"cube", "chrome"}) ? wanted_calls::bytes : wanted_calls::none;
}

// A file may be of some ranks only, by wish: of the others it tells nothing.
content read_source(const convert_wish &wish) {
    const bool is_profile = wish.from == tau_name || (wish.from.empty() && is_directory(wish.source));
    content c = is_profile ? read_tare_directory(wish.source, calls_for(wish)) : read_file(wish);
    warn(is_profile ? warnings_of(c.run) : fates_of(c.run));
    return c;
}

template <typename Row, typename Condition> void erase_where(std::vector<Row> &rows, const Condition &condition) {
    rows.erase(std::remove_if(rows.begin(), rows.end(), condition), rows.end());
}

// Bytes of a rank that is not there have no place.
void drop_bytes_without_rank(content &c) {
    std::vector<int> dropped;
    const auto is_without = [&](const auto &of_rank) { return !has_rank(c.run, of_rank.rank); };
    for (const message_bytes &b : c.bytes)
        if (is_without(b) && (dropped.empty() || dropped.back() != b.rank))
            dropped.push_back(b.rank);
    erase_where(c.bytes, is_without);
    erase_where(c.orders, is_without);
    erase_where(c.completions, is_without);
    if (!dropped.empty())
        fail("convert", exit_good, sentence_of(dropped, " has left a table of its MPI calls without a profile",
                                               " have left tables of their MPI calls without profiles") +
                                       ": these bytes are left out");
}

void keep_rank(content &c, int rank) {
    const auto is_other = [&](const auto &of_rank) { return of_rank.rank != rank; };
    erase_where(c.run.threads, is_other);
    erase_where(c.bytes, is_other);
    erase_where(c.orders, is_other);
    erase_where(c.completions, is_other);
    erase_where(c.calls, is_other);
}

// Why what is wished would be empty, as a sentence; empty if it is not.
std::string absence(const content &c, const convert_wish &wish) {
    const bool has_rows = std::any_of(c.run.threads.begin(), c.run.threads.end(), [&](const profile::thread &t) {
        return !(wish.write.callpath ? t.paths : t.rows).empty();
    });
    const bool takes_both = !is_named(*wish.to, {"json", "csv"});
    if (has_rows || takes_both)
        return "";
    if (wish.write.callpath)
        return "there are no call paths in " + wish.source + ": TARE_CALLPATH=DEPTH records them";
    return "there are only call paths in " + wish.source + ": --callpath";
}

void write(const content &c, const convert_wish &wish) {
    if (wish.output.empty())
        return wish.to->write(c, wish.write, stdout);
    output_file out(wish.output, wish.force);
    wish.to->write(c, wish.write, out.stream());
    out.close();
}

void write_tau(const content &c, const convert_wish &wish) {
    write_tau_directory(c, wish.output, wish.source == "-" ? "standard input" : wish.source);
    if (!c.bytes.empty())
        warn({"the bytes of messages have no place in a TAU profile and are left out"});
}

int convert(const convert_wish &wish) {
    if (wish.dry_run)
        return check_output_file(wish.output, wish.force), exit_good;
    content c = read_source(wish);
    drop_bytes_without_rank(c);
    if (wish.rank) {
        if (!has_rank(c.run, *wish.rank))
            return fail("convert", exit_failed, absence_sentence(c.run, wish.source, wish.rank, ""));
        keep_rank(c, *wish.rank);
    }
    if (wish.to_tau)
        return write_tau(c, wish), exit_good;
    if (const std::string sentence = absence(c, wish); !sentence.empty())
        return fail("convert", exit_failed, sentence);
    write(c, wish);
    return exit_good;
}

}  // namespace

int run_convert(int argc, char **argv) {
    convert_wish wish;
    const int status = read_options(argc, argv, wish);
    if (status >= 0)
        return status;
    try {
        return convert(wish);
    } catch (const profile::error &e) {
        return fail("convert", exit_failed, e.what());
    }
}

}  // namespace tare::tool
