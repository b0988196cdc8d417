// SPDX-License-Identifier: BSD-3-Clause
// The environment table, and what reads it. A row says what a variable may hold; a parser takes its text.
#include "tare_env.h"

#include "tare_env_own.h"
#include "tare_transport.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

namespace {

using settings = tare_settings_t;

struct variable {
    tare_env_row_t row;
    bool (*parse)(const char *text, settings &s);
    tare_env_more_t more;
};

const char *const mode_names[] = {"off", "header", "datatype", "message", "copy"};
const char *const rule_names[] = {"exact", "published", "local"};
const char *const ofi_names[] = {"auto", "native", "am"};
const char *const switch_names[] = {"0", "1"};
const char *const form_names[] = {"cached", "published"};
const char *const overhead_names[] = {"measured", "calibrated"};
const char *const clock_names[] = {"compensated", "measured"};
const char *const format_names[] = {"tau", "cube", "json", "csv"};
const char *const record_names[] = {"sites", "buffers", "data", "contents", "counters", "pages", "heap", "stack", "uses",
                                      "threads"};
const char *const verbose_names[] = {"0", "1", "2"};
const char *const access_names[] = {"owner", "group", "all"};

// A program that runs with another identity than its caller's (set-uid, set-gid, given capabilities) must not write
// files, nor read any, because its caller has set a variable: there is no variable for it.
const char *value_of(const char *name) { return secure_getenv(name); }

int position(const char *text, size_t length, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strlen(names[i]) == length && strncmp(text, names[i], length) == 0)
            return i;
    return -1;
}

template <int count> bool choose(const char *text, const char *const (&names)[count], int &value)
{
    const int found = position(text, strlen(text), names, count);
    if (found >= 0)
        value = found;
    return found >= 0;
}

// A number in decimal digits, at most `limit`; *text moves behind it.
bool digits(const char *&text, int64_t limit, int64_t &value)
{
    if (*text < '0' || *text > '9')
        return false;
    value = 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        const int digit = *text - '0';
        if (value > (limit - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    return true;
}

bool parse_mode(const char *t, settings &s) { return s.mode_is_set = 1, choose(t, mode_names, s.mode); }
bool parse_rule(const char *t, settings &s) { return choose(t, rule_names, s.rule); }
bool parse_ofi(const char *t, settings &s) { return choose(t, ofi_names, s.ofi); }
bool parse_form(const char *t, settings &s) { return choose(t, form_names, s.carrier_published); }
bool parse_profile(const char *t, settings &s) { return choose(t, switch_names, s.profile); }
bool parse_overhead(const char *t, settings &s) { return choose(t, overhead_names, s.overhead); }
bool parse_trace(const char *t, settings &s) { return choose(t, switch_names, s.trace); }
bool parse_trace_clock(const char *t, settings &s) { return choose(t, clock_names, s.trace_clock); }
bool parse_verbose(const char *t, settings &s) { return choose(t, verbose_names, s.verbose); }

bool parse_directory(const char *t, settings &s)
{
    s.profile_dir = t;
    return *t != '\0';
}

bool parse_filter(const char *t, settings &s)
{
    s.filter = t;
    return *t != '\0';
}

// Names with commas between them: a bit for each.
template <int count> bool list(const char *text, const char *const (&names)[count], unsigned &bits)
{
    bits = 0;
    for (;;) {
        const size_t length = strcspn(text, ",");
        const int found = position(text, length, names, count);
        if (found < 0)
            return false;
        bits |= 1u << found;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

bool parse_formats(const char *t, settings &s) { return list(t, format_names, s.profile_formats); }

bool parse_throttle(const char *t, settings &s)
{
    if (strcmp(t, "0") == 0)
        return true;
    return digits(t, INT64_MAX, s.throttle_calls) && s.throttle_calls > 0 && *t == ':' &&
           digits(++t, INT64_MAX, s.throttle_ns) && *t == '\0';
}

bool parse_callpath(const char *t, settings &s)
{
    int64_t depth;
    if (!digits(t, 1000, depth) || *t != '\0')
        return false;
    s.callpath_depth = static_cast<int>(depth);
    return true;
}

bool parse_signal(const char *t, settings &s)
{
    static const char *const allowed[] = {"USR1", "USR2", "HUP", "ALRM", "VTALRM", "PROF", "WINCH", "URG"};
    int found = 0;
    s.signal_name = strncmp(t, "SIG", 3) == 0 ? t + 3 : t;
    return strcmp(t, "none") == 0 || choose(s.signal_name, allowed, found);
}

bool is_prefix(const char *&t, const char *prefix)
{
    const size_t length = strlen(prefix);
    if (strncmp(t, prefix, length) != 0)
        return false;
    t += length;
    return true;
}

// One rule: rank=N (or rank=all), region=NAME, ns=N, separated by commas, in any order; rank may be missing.
bool parse_inject_rule(const char *&t, tare_inject_rule_t &rule)
{
    rule = tare_inject_rule_t{-1, nullptr, 0, -1};
    for (;; t++) {
        int64_t number;
        if (is_prefix(t, "rank=")) {
            if (!is_prefix(t, "all")) {
                if (!digits(t, INT_MAX, number))
                    return false;
                rule.rank = static_cast<int>(number);
            }
        } else if (is_prefix(t, "ns=")) {
            if (!digits(t, INT64_C(3600000000000), number))
                return false;
            rule.ns = number;
        } else if (is_prefix(t, "region=")) {
            rule.region = t;
            rule.region_length = strcspn(t, ",;");
            t += rule.region_length;
        } else {
            return false;
        }
        if (*t != ',')
            break;
    }
    return rule.region != nullptr && rule.region_length > 0 && rule.ns >= 0 && (*t == ';' || *t == '\0');
}

bool parse_inject(const char *t, settings &s)
{
    s.inject = t;
    tare_inject_rule_t rule;
    while (*t != '\0') {
        if (!parse_inject_rule(t, rule))
            return false;
        if (*t == ';')
            t++;
    }
    return true;
}

bool to_repeats(const char *t, int64_t &repeats)
{
    constexpr int64_t most = 9;
    return digits(t, most, repeats) && *t == '\0';
}

// Checked with all others, and kept by none: tare_env_repeat_probes reads it for the one who wants it.
bool parse_repeats(const char *t, settings &)
{
    int64_t repeats;
    return to_repeats(t, repeats);
}

// Checked with all others, and kept by none: tare_env_file_access reads it for those who make files.
bool parse_access(const char *t, settings &)
{
    int access = 0;
    return choose(t, access_names, access);
}

bool to_records(const char *t, unsigned &records)
{
    records = 0;
    return strcmp(t, "none") == 0 || list(t, record_names, records);
}

// Checked with all others, and kept by none: tare_env_trace_records reads it for the one who wants it.
bool parse_trace_records(const char *t, settings &)
{
    unsigned records;
    return to_records(t, records);
}

const variable variables[] = {
    {{"TARE_MODE", "off, header, datatype, message, copy",
      "The carrier that takes the delay to other processes. off: nothing is sent and the rule is local."},
     parse_mode,
     {"off in a plain run; under tare exec header on the patched MPICH, else datatype", nullptr,
      "libmpi, libtare, libtare-mpi, tare exec, tare validate"}},
    {{"TARE_RULE", "exact, published, local",
      "Which arithmetic is applied to what arrives: the exact rule, the rule of Malony and Shende, or none."},
     parse_rule, {"exact", nullptr, "libmpi, libtare, libtare-mpi"}},
    {{"TARE_OFI", "auto, native, am",
      "In header mode over libfabric: native tagged messages with the delay in their completion data, or active "
      "messages with the whole stamp, which also has bounds and takes two to five times as long. auto: native where "
      "the provider and the number of ranks leave enough bits."},
     parse_ofi, {"auto", nullptr, "libmpi"}},
    {{"TARE_CARRIER_FORM", "cached, published",
      "For comparison: published makes a new type for every message, as the papers did."},
     parse_form, {"cached", nullptr, "libtare-mpi"}},
    {{"TARE_PROFILE", "0, 1", "1: measure and write a profile."},
     parse_profile, {"0; under tare exec 1", nullptr, "libtare, libtare-mpi, tare exec"}},
    {{"TARE_PROFILE_DIR", "a directory", "Where the profile is written."},
     parse_directory, {". (the working directory)", nullptr, "libtare"}},
    {{"TARE_PROFILE_FORMAT", "tau, cube, json, csv, or several separated by commas",
      "What the profile is written as: profile.cubex, profile.json and profile.csv in the directory are made by tare "
      "convert, for rank 0 in MPI_Finalize or, without other ranks, at exit. Without tau in the list its files go when "
      "the others are there."},
     parse_formats, {"tau", nullptr, "libtare"}},
    {{"TARE_FILE_ACCESS", "owner, group, all",
      "Who may read the files and folders that are made: their owner alone, its group, or everybody; nobody but the owner "
      "may write. The umask takes away what it takes away."},
     parse_access, {"owner", nullptr, "libtare, tare"}},
    {{"TARE_OVERHEAD", "measured, calibrated",
      "How the cost of one probe is known: clock reads at its first and last instruction plus a calibrated constant "
      "for what lies outside, or a calibrated constant alone."},
     parse_overhead, {"measured", nullptr, "libtare, libtare-mpi"}},
    {{"TARE_FILTER", "a file of include and exclude rules",
      "Which functions and regions are measured, as a filter file of Score-P or a select file of TAU says; what others do "
      "counts for their callers. tare report --suggest-filter proposes one."},
     parse_filter, {"no filter: all are measured", nullptr, "libtare"}},
    {{"TARE_THROTTLE", "0, or CALLS:NANOSECONDS",
      "Functions and regions that a thread has called more than CALLS times, with a mean inclusive time as measured below "
      "NANOSECONDS, are no more measured on this thread: further calls are counted, their time is their caller's."},
     parse_throttle, {"0", "calls; nanoseconds of one call", "libtare"}},
    {{"TARE_CALLPATH", "0, or a depth up to 1000",
      "Call paths beside the flat profile: what each way to a region took, by so many regions at most."},
     parse_callpath, {"0", "regions", "libtare"}},
    {{"TARE_TRACE", "0, 1",
      "1: write an OTF2 trace, tare-trace/traces.otf2 in the directory of the profile, and the profile: each enter and "
      "leave of each thread, and its messages, requests, communicators and collective calls, with what had been removed by "
      "then. In header mode messages then say which thread has sent them, and between nodes are active messages over "
      "libfabric unless TARE_OFI=native, so that all ranks must have the same value."},
     parse_trace, {"0", nullptr, "libmpi, libtare, tare exec"}},
    {{"TARE_TRACE_CLOCK", "compensated, measured", "Which clock the time stamps of the trace are."},
     parse_trace_clock, {"compensated", nullptr, "libtare"}},
    {{"TARE_TRACE_RECORDS", "none, or a list of sites, buffers, data, contents, counters, pages, heap, stack, uses, threads",
      "What the trace says beside that. sites: of each MPI call where it is made. buffers: of messages, collective calls "
      "and operations on windows, and of packing, the memory that is read or written, and the layout of its type. data: what "
      "the program says of its data by tare_data and tare_copied (tare(3)). contents: buffers, and a hash of what each "
      "message sends, if that is in one piece, so that the same data sent again are known; takes time with each byte. "
      "counters: at each enter and leave how long the thread has had a core, its page faults and, where the machine gives "
      "them, cycles, instructions, stalls and misses, by which tare waits splits what steps take longer. "
      "pages: at each enter and leave of a region that uses data (tare_uses) which of their pages are new, have migrated, "
      "or are on another node than the thread (move_pages). heap: data, and where the program has allocated its memory (by "
      "tare exec, which preloads libtare-heap.so for it). stack: buffers, and of those on the stack the function whose frame has "
      "them. uses: data and buffers, and which function touches received data first, by the protection of their pages. "
      "threads: what threads of a process wait for from one another (by tare exec, which preloads libtare-threads.so for it), so "
      "that tare waits explains it."},
     parse_trace_records, {"none", nullptr, "libtare, libtare-mpi, tare exec"}},
    {{"TARE_SIGNAL", "USR2, or USR1, HUP, ALRM, VTALRM, PROF, WINCH, URG, none",
      "The signal that makes a running program write its profile; off where the program has a handler."},
     parse_signal, {"USR2", nullptr, "libtare"}},
    {{"TARE_INJECT", "rules like rank=1,region=work,ns=20000, separated by ;",
      "For tests and demonstrations: spins that long at each enter of the region and declares it as overhead."},
     parse_inject, {"no rule", "nanoseconds", "libtare, tare exec"}},
    {{"TARE_REPEAT_PROBES", "0, or a number up to 9",
      "For tare validate --second-order: so many further pairs of enter and leave follow each enter of a function or "
      "region. They are those of the region 'tare repeated probes', each with its own cost declared."},
     parse_repeats, {"0", "pairs of enter and leave", "libtare"}},
    {{"TARE_VERBOSE", "0, 1, 2", "What is said on stderr, by rank 0 unless it is an error: 1 prints mode, rule, "
                                 "transport, layout and thread level."},
     parse_verbose, {"0", nullptr, "libmpi, libtare, libtare-mpi"}},
};
constexpr int variable_count = sizeof variables / sizeof variables[0];

// Values are quoted in sentences: a very long one is cut.
constexpr int shown = 80;

int refuse(const variable &v, const char *value, char *message, size_t size)
{
    snprintf(message, size, "%s=%.*s%s is not allowed; allowed: %s", v.row.name, shown, value,
             strlen(value) > shown ? "..." : "", v.row.values);
    tare_env_make_readable(message);
    return -1;
}

}  // namespace

int tare_env_read(tare_settings_t *s, char *message, size_t size)
{
    memset(s, 0, sizeof *s);
    s->profile = -1;
    s->profile_dir = ".";
    s->profile_formats = TARE_FORMAT_TAU;
    s->signal_name = "USR2";
    for (const variable &v : variables) {
        const char *value = value_of(v.row.name);
        if (value != nullptr && !v.parse(value, *s))
            return refuse(v, value, message, size);
    }
    return 0;
}

int tare_env_repeat_probes()
{
    int64_t repeats = 0;
    const char *value = value_of("TARE_REPEAT_PROBES");
    return value != nullptr && to_repeats(value, repeats) ? static_cast<int>(repeats) : 0;
}

unsigned tare_env_trace_records()
{
    unsigned records = 0;
    const char *value = value_of("TARE_TRACE_RECORDS");
    if (value == nullptr || !to_records(value, records))
        return 0;
    if ((records & (TARE_RECORD_CONTENTS | TARE_RECORD_STACK | TARE_RECORD_USES)) != 0)
        records |= TARE_RECORD_BUFFERS;
    if ((records & (TARE_RECORD_HEAP | TARE_RECORD_USES)) != 0)
        records |= TARE_RECORD_DATA;
    return records;
}

int tare_env_file_access()
{
    int access = TARE_ACCESS_OWNER;
    const char *value = value_of("TARE_FILE_ACCESS");
    return value != nullptr && choose(value, access_names, access) ? access : TARE_ACCESS_OWNER;
}

int tare_env_inject_next(const char **text, tare_inject_rule_t *rule)
{
    if (*text == nullptr || **text == '\0' || !parse_inject_rule(*text, *rule))
        return 0;
    if (**text == ';')
        ++*text;
    return 1;
}

const tare_env_row_t *tare_env_table(size_t *rows)
{
    static tare_env_row_t table[variable_count];
    for (int i = 0; i < variable_count; i++)
        table[i] = variables[i].row;
    *rows = variable_count;
    return table;
}

const tare_env_more_t *tare_env_more(size_t row)
{
    return row < variable_count ? &variables[row].more : nullptr;
}

const char *tare_env_mode_name(int mode)
{
    return mode >= 0 && mode < 5 ? mode_names[mode] : "unknown";
}

const char *tare_env_rule_name(int rule)
{
    return rule >= 0 && rule < 3 ? rule_names[rule] : "unknown";
}
