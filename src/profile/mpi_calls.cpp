// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_calls.hpp"

#include "live_calls.hpp"
#include "place.hpp"
#include "text_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <unistd.h>

namespace tare::profile {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view prefix = "tare-calls.";
constexpr std::string_view any_version = "tare calls ";
constexpr int version = 4, version_of_completions = 4, version_of_orders = 3, version_of_waits = 2;

std::string path_of(const std::string &directory, int rank)
{
    return directory + "/" + std::string(prefix) + std::to_string(rank);
}

template <typename Number> bool to_number(std::string_view text, Number &value)
{
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failure == std::errc() && end == text.data() + text.size() && !text.empty();
}

// The ranks that have a file, in order. A folder that is not there has none.
std::vector<int> ranks_in(const std::string &directory)
{
    std::vector<int> found;
    std::error_code failure;
    fs::directory_iterator entry(directory, failure);
    if (failure == std::errc::no_such_file_or_directory)
        return found;
    for (const fs::directory_iterator end; !failure && entry != end; entry.increment(failure)) {
        const std::string name = entry->path().filename();
        int rank = 0;
        if (name.compare(0, prefix.size(), prefix) == 0 && to_number(name.substr(prefix.size()), rank) && rank >= 0 &&
            path_of("", rank) == "/" + name)
            found.push_back(rank);
    }
    if (failure)
        throw error("cannot read the folder " + directory + ": " + failure.message());
    std::sort(found.begin(), found.end());
    return found;
}

bool is_ours(const std::string &path) { return beginning_of(path, any_version.size()) == any_version; }

// Another rank may replace its own file meanwhile.
bool is_anothers(const std::string &path) { return !is_ours(path) && is_there(path) && !is_ours(path); }

void write_file(const std::string &path, const std::string &text)
{
    text_file out(path);
    out.add(text);
    out.close();
}

// A name stays on its line.
std::string one_line(std::string text)
{
    for (char &c : text)
        if (static_cast<unsigned char>(c) < ' ')
            c = ' ';
    return text;
}

constexpr std::int64_t call_site::*numbers[] = {
    &call_site::calls,    &call_site::sent_bytes, &call_site::received_bytes,
    &call_site::time_ns,  &call_site::least_ns,   &call_site::most_ns,
    &call_site::comp_ns,  &call_site::wait_ns,    &call_site::wait_comp_ns};

constexpr std::int64_t call_site::*completions[] = {&call_site::completed, &call_site::completion_ns,
                                                    &call_site::completion_comp_ns};

template <std::size_t N>
std::string number_words(const call_site &s, std::int64_t call_site::*const (&which)[N])
{
    std::string words;
    for (const auto number : which)
        words += " " + std::to_string(s.*number);
    return words;
}

std::string order_word(const waiting &w)
{
    const std::string word(order_text(w.order));
    return word.empty() ? word : " " + word;
}

std::string format(const rank_calls &c)
{
    std::string text = std::string(any_version) + std::to_string(version) + "\nrun " + one_line(c.run_id) +
                       "\nrank " + std::to_string(c.rank) + "\nranks " + std::to_string(c.ranks) + "\nmode " + c.mode + "\nrule " + c.rule + "\n";
    for (const call_site &s : c.sites) {
        text += "site" + number_words(s, numbers) + " " + s.function + " " + one_line(s.site) + "\n";
        if (s.completed > 0)
            text += "completion" + number_words(s, completions) + "\n";
    }
    for (const waiting &w : c.waits)
        text += "wait " + whom_text(w.whom) + " " + std::to_string(w.calls) + " " + std::to_string(w.wait_ns) + " " +
                std::to_string(w.wait_comp_ns) + " " + w.function + order_word(w) + "\n";
    for (std::size_t i = 0; i < c.sizes.size(); i++)
        if (c.sizes[i].messages > 0)
            text += "size " + std::to_string(i) + " " + std::to_string(c.sizes[i].messages) + " " +
                    std::to_string(c.sizes[i].bytes) + "\n";
    return text + "end\n";
}

class reader {
  public:
    reader(std::string_view text, const std::string &path) : rest_(text), path_(path) {}

    [[noreturn]] void fail(const std::string &what) const
    {
        throw error(path_ + ", line " + std::to_string(line_) + ": " + what);
    }

    std::string_view next()
    {
        line_++;
        const std::size_t end = rest_.find('\n');
        if (end == std::string_view::npos)
            fail("the file ends before its line 'end'");
        const std::string_view line = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        return line;
    }

    bool at_end() const { return rest_.empty(); }

    // Takes the first word off a line.
    std::string_view word(std::string_view &line) const
    {
        const std::size_t blank = std::min(line.find(' '), line.size());
        const std::string_view found = line.substr(0, blank);
        line.remove_prefix(std::min(blank + 1, line.size()));
        return found;
    }

    template <typename Number> Number number(std::string_view text) const
    {
        Number value = 0;
        if (!to_number(text, value))
            fail("'" + std::string(text) + "' is not a whole number");
        return value;
    }

    // The value of the line that must have this name.
    std::string value(const char *name)
    {
        std::string_view line = next();
        if (word(line) != name || line.empty())
            fail(std::string("'") + name + "' and its value should be here");
        return std::string(line);
    }

  private:
    std::string_view rest_;
    const std::string &path_;
    std::size_t line_ = 0;
};

call_site parse_site(const reader &in, std::string_view line)
{
    call_site s;
    for (const auto number : numbers)
        s.*number = in.number<std::int64_t>(in.word(line));
    s.function = in.word(line);
    s.site = line;
    if (s.site.empty())
        in.fail("the site has no name");
    if (s.calls <= 0 || s.sent_bytes < 0 || s.received_bytes < 0 || s.least_ns > s.most_ns)
        in.fail("the numbers of '" + s.site + "' do not fit each other");
    return s;
}

// Behind its site.
void parse_completion(const reader &in, std::string_view line, call_site &of)
{
    if (of.completed != 0)
        in.fail("'" + of.site + "' has two completions");
    for (const auto number : completions)
        of.*number = in.number<std::int64_t>(in.word(line));
    if (of.completed <= 0 || of.completed > of.calls || of.completion_ns < 0 || of.completion_comp_ns < 0)
        in.fail("the numbers of the completion of '" + of.site + "' do not fit each other");
}

message_order parse_order(const reader &in, std::string_view word)
{
    if (word.empty())
        return message_order::kept;
    const std::optional<message_order> known = order_of(word);
    if (!known)
        in.fail("'" + std::string(word) + "' is neither wrong_same nor wrong_different");
    return *known;
}

waiting parse_waiting(const reader &in, std::string_view line, bool has_order)
{
    waiting w;
    const std::string_view whom = in.word(line);
    const std::optional<int> known = whom_of(whom);
    if (!known)
        in.fail("'" + std::string(whom) + "' is neither a rank nor one of another_job, several, all, unknown");
    w.whom = *known;
    w.calls = in.number<std::int64_t>(in.word(line));
    w.wait_ns = in.number<std::int64_t>(in.word(line));
    w.wait_comp_ns = in.number<std::int64_t>(in.word(line));
    w.function = has_order ? in.word(line) : line;
    w.order = parse_order(in, has_order ? line : "");
    if (w.function.empty())
        in.fail("the function that has waited has no name");
    if (w.calls <= 0)
        in.fail("there is no such number of calls");
    return w;
}

void parse_size(const reader &in, std::string_view line, rank_calls &result, int &latest)
{
    const int at = in.number<int>(in.word(line));
    if (at <= latest || at >= size_classes)
        in.fail("size class " + std::to_string(at) + " is out of order, or not below " +
                std::to_string(size_classes));
    latest = at;
    message_class &c = result.sizes[static_cast<std::size_t>(at)];
    c.messages = in.number<std::int64_t>(in.word(line));
    c.bytes = in.number<std::int64_t>(line);
    if (c.messages <= 0 || c.bytes < 0)
        in.fail("there is no such number of messages or bytes");
}

int parse_version(reader &in)
{
    const std::string_view line = in.next();
    int found = 0;
    const bool is_first = line.substr(0, any_version.size()) == any_version;
    if (!is_first || !to_number(line.substr(any_version.size()), found) || found < 1 || found > version)
        in.fail("the line is not '" + std::string(any_version) + std::to_string(version) +
                "', with which such a file begins");
    return found;
}

rank_calls parse(std::string_view text, const std::string &path)
{
    reader in(text, path);
    rank_calls c;
    const int written_as = parse_version(in);
    c.knows_waits = written_as >= version_of_waits;
    c.run_id = in.value("run");
    c.rank = in.number<int>(in.value("rank"));
    c.ranks = in.number<int>(in.value("ranks"));
    c.mode = in.value("mode");
    c.rule = in.value("rule");
    int latest = -1;
    for (;;) {
        std::string_view line = in.next();
        const std::string_view kind = in.word(line);
        if (kind == "end")
            break;
        if (kind == "site" && latest < 0 && c.waits.empty())
            c.sites.push_back(parse_site(in, line));
        else if (kind == "completion" && latest < 0 && c.waits.empty() && !c.sites.empty() &&
                 written_as >= version_of_completions)
            parse_completion(in, line, c.sites.back());
        else if (kind == "wait" && latest < 0 && c.knows_waits)
            c.waits.push_back(parse_waiting(in, line, written_as >= version_of_orders));
        else if (kind == "size")
            parse_size(in, line, c, latest);
        else
            in.fail("'" + std::string(kind) + "' is none of site, completion, wait, size, end, or out of order");
    }
    if (!in.at_end())
        in.fail("something follows the last line");
    return c;
}

}  // namespace

void add(call_site &a, const call_site &b)
{
    a.least_ns = a.calls == 0 ? b.least_ns : std::min(a.least_ns, b.least_ns);
    a.most_ns = a.calls == 0 ? b.most_ns : std::max(a.most_ns, b.most_ns);
    for (const auto number : numbers)
        if (number != &call_site::least_ns && number != &call_site::most_ns)
            a.*number += b.*number;
    for (const auto number : completions)
        a.*number += b.*number;
}

const call_site &site_sums::add(const call_site &s)
{
    call_site &sum = sums_[{s.function, s.site}];
    sum.function = s.function;
    sum.site = s.site;
    profile::add(sum, s);
    return sum;
}

std::vector<call_site> site_sums::list() const
{
    std::vector<call_site> sites;
    for (const auto &[name, site] : sums_)
        sites.push_back(site);
    return sites;
}

namespace {

struct table {
    std::string path;
    rank_calls calls;
};

// A process that ends well meanwhile takes its file away after it has written its table.
void add_live_tables(const std::string &directory, std::map<int, table> &found)
{
    for (const int rank : live_ranks(directory)) {
        const std::string path = directory + "/" + live_name(rank);
        try {
            std::optional<rank_calls> calls = read_live_calls(path);
            if (calls && calls->rank != rank)
                throw error(path + " is damaged: it says that it is rank " + std::to_string(calls->rank) + "'s");
            if (calls)
                found[rank] = {path, std::move(*calls)};
        } catch (const error &) {
            if (is_there(path))
                throw;
        }
    }
}

// What a live file holds is newer than what its process may have written on the way.
void add_written_tables(const std::string &directory, std::map<int, table> &found)
{
    for (const int rank : ranks_in(directory)) {
        if (found.count(rank) != 0)
            continue;
        const std::string path = path_of(directory, rank);
        table t{path, parse(read_text(path), path)};
        if (t.calls.rank != rank)
            throw error(path + ", line 3: it is the file of rank " + std::to_string(t.calls.rank));
        found[rank] = std::move(t);
    }
}

}  // namespace

std::vector<rank_calls> read_calls(const std::string &directory)
{
    std::map<int, table> found;
    add_live_tables(directory, found);
    add_written_tables(directory, found);
    std::vector<rank_calls> result;
    for (auto &[rank, t] : found) {
        const table &first = found.begin()->second;
        if (!result.empty() && t.calls.run_id != result.front().run_id)
            throw error(t.path + " belongs to another run than " + first.path + " beside it");
        result.push_back(std::move(t.calls));
    }
    return result;
}

void write_calls(const std::string &directory, const rank_calls &calls)
{
    const std::string path = path_of(directory, calls.rank);
    if (is_anothers(path))
        refuse_foreign(path);
    const std::string other = directory + "/." + std::string(prefix) + std::to_string(calls.rank) + ".new";
    try {
        write_file(other, format(calls));
    } catch (...) {
        unlink(other.c_str());
        throw;
    }
    if (std::rename(other.c_str(), path.c_str()) != 0)
        throw error("cannot write " + path + ": " + std::strerror(errno));
}

bool holds_calls(const std::string &directory) { return !ranks_in(directory).empty(); }

void check_calls_place(const std::string &directory)
{
    for (const int rank : ranks_in(directory))
        if (is_anothers(path_of(directory, rank)))
            refuse_foreign(path_of(directory, rank));
}

void remove_older_calls(const std::string &directory, int rank, int ranks)
{
    std::vector<int> mine = {rank};
    if (rank == 0)
        for (const int other : ranks_in(directory))
            if (other >= ranks)
                mine.push_back(other);
    for (const int r : mine) {
        const std::string path = path_of(directory, r);
        if (is_ours(path) && unlink(path.c_str()) != 0 && errno != ENOENT)
            throw error("cannot remove the older " + path + ": " + std::strerror(errno));
    }
}

}  // namespace tare::profile
