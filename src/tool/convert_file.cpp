// SPDX-License-Identifier: BSD-3-Clause
#include "convert_file.hpp"

#include "beside.hpp"
#include "chrome_events.hpp"
#include "convert_csv.hpp"
#include "convert_cube.hpp"
#include "ustar.hpp"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace tare::tool {
namespace {

// Everything that tells stands in so many bytes.
constexpr std::size_t telling_bytes = 2048;

bool begins(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }
bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_our_cube(std::string_view text) {
    return is_ustar_of(text, anchor_name) && holds(text, "value=\"" + std::string(writer_name));
}

bool is_our_json(std::string_view text) {
    return begins(text, "{\n \"tare\": \"") && holds(text, "\"command\": \"report\"");
}

bool is_our_csv(std::string_view text) {
    return begins(text, csv_header(false) + "\r\n") || begins(text, csv_header(true) + "\r\n");
}

bool is_our_chrome(std::string_view text) {
    const std::string head = "{\"otherData\": {\"written by\": \"";
    return begins(text, head + std::string(writer_name)) || begins(text, head + std::string(timeline_writer));
}

bool is_our_speedscope(std::string_view text) {
    return begins(text, "{\"$schema\": \"https://www.speedscope.app/") &&
           holds(text, "\"exporter\": \"" + std::string(writer_name));
}

bool ends(const std::string &text, std::string_view with) {
    return text.size() > with.size() && text.compare(text.size() - with.size(), with.size(), with) == 0;
}

[[noreturn]] void fail_to(const char *what, const std::string &path, const std::string &why) {
    throw profile::error(std::string("cannot ") + what + " " + path + ": " + why);
}

std::string beginning_of(const std::string &path) {
    std::string text(telling_bytes, '\0');
    std::FILE *in = std::fopen(path.c_str(), "rb");
    if (!in)
        fail_to("read", path, std::strerror(errno));
    text.resize(std::fread(text.data(), 1, text.size(), in));
    std::fclose(in);
    return text;
}

// An empty file is nobody's.
void check_ours(const std::string &path, const std::string &target) {
    const std::string beginning = beginning_of(target);
    if (!beginning.empty() && !format_by_beginning(beginning))
        throw profile::error(path + " is there, was not written by tare convert and will not be overwritten: "
                                    "--force does");
}

}  // namespace

// Those that have the longer suffix come first.
const std::vector<file_format> &file_formats() {
    static const std::vector<file_format> formats = {
        {"cube", ".cubex", write_cube, read_cube, is_our_cube, true},
        {"csv", ".csv", write_csv, read_csv, is_our_csv, false},
        {"chrome", ".trace.json", write_chrome, read_chrome, is_our_chrome, false},
        {"speedscope", ".speedscope.json", write_speedscope, read_speedscope, is_our_speedscope, false},
        {"json", ".json", write_json, read_json, is_our_json, false},
    };
    return formats;
}

std::vector<std::string> format_names() {
    std::vector<std::string> names;
    for (const file_format &f : file_formats())
        names.push_back(f.name);
    return names;
}

const file_format *find_format(const std::string &name) {
    for (const file_format &f : file_formats())
        if (name == f.name)
            return &f;
    return nullptr;
}

const file_format *format_by_suffix(const std::string &path) {
    for (const file_format &f : file_formats())
        if (ends(path, f.suffix))
            return &f;
    return nullptr;
}

const file_format *format_by_beginning(std::string_view text) {
    for (const file_format &f : file_formats())
        if (f.is_ours(text.substr(0, telling_bytes)))
            return &f;
    return nullptr;
}

std::string read_input(const std::string &path) {
    std::FILE *in = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
    if (!in)
        fail_to("read", path, std::strerror(errno));
    std::string text;
    char piece[1 << 16];
    for (std::size_t size; (size = std::fread(piece, 1, sizeof piece, in)) > 0;)
        text.append(piece, size);
    const int reason = std::ferror(in) ? errno : 0;
    if (in != stdin)
        std::fclose(in);
    if (reason != 0)
        fail_to("read", path, std::strerror(reason));
    return text;
}

void check_output_file(const std::string &path, bool force) {
    struct stat about = {};
    if (stat(path.c_str(), &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode))
        output_file(path, force);
}

output_file::output_file(const std::string &path, bool force) : path_(path), target_(link_target(path)) {
    struct stat about = {};
    const bool is_there = stat(target_.c_str(), &about) == 0;
    if (is_there && S_ISDIR(about.st_mode))
        fail_to("write", path_, "it is a directory");
    if (is_there && S_ISREG(about.st_mode) && !force)
        check_ours(path_, target_);
    const bool is_plain = !is_there || S_ISREG(about.st_mode);
    stream_ = is_plain ? open_beside(target_, temporary_) : open_special(target_);
    if (!stream_)
        fail();
}

// Not closed: what was to be written failed.
output_file::~output_file() {
    if (!stream_)
        return;
    std::fclose(stream_);
    if (!temporary_.empty())
        unlink(temporary_.c_str());
}

void output_file::fail() const { fail_to("write", path_, std::strerror(errno)); }

void output_file::close() {
    if (std::fflush(stream_) != 0 || std::ferror(stream_))
        fail();
    std::FILE *stream = stream_;
    stream_ = nullptr;
    const auto put_in_place = [&] { return std::rename(temporary_.c_str(), target_.c_str()) == 0; };
    const bool is_written = std::fclose(stream) == 0 && (temporary_.empty() || put_in_place());
    if (is_written)
        return;
    const int reason = errno;
    if (!temporary_.empty())
        unlink(temporary_.c_str());
    fail_to("write", path_, std::strerror(reason));
}

}  // namespace tare::tool
