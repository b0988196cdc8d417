// SPDX-License-Identifier: BSD-3-Clause
// A live file as bytes: nothing in it is believed before it is checked against the file's size.
#ifndef TARE_PROFILE_LIVE_FILE_HPP
#define TARE_PROFILE_LIVE_FILE_HPP

#include "live.hpp"
#include "mapped_file.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <string>

namespace tare {

class live_file {
  public:
    explicit live_file(const std::string &path) : path_(path), file_(path)
    {
        const live_header *h = file_.at<live_header>(0, 1);
        if (h == nullptr || std::memcmp(h->magic, live_magic, sizeof live_magic) != 0)
            throw profile::error(path + " is not a live file of Tare's: its beginning is another");
        header_ = *h;
        if (header_.version != live_version)
            throw profile::error(path + " was written by another version of Tare: it has layout " +
                                 std::to_string(header_.version) + ", this one reads " +
                                 std::to_string(live_version));
        if (header_.kept > file_.size())
            damaged("it is shorter than it says");
        if (!fits(header_.layout) || !fits(header_.paths) || (header_.notes != 0 && !fits(header_.notes_layout)))
            damaged("its layout does not fit");
    }

    // As it was when the file was opened; the lists as they are now.
    const live_header &header() const { return header_; }
    live_address regions() const { return __atomic_load_n(&file_.at<live_header>(0, 1)->regions, __ATOMIC_ACQUIRE); }
    live_address threads() const { return __atomic_load_n(&file_.at<live_header>(0, 1)->threads, __ATOMIC_ACQUIRE); }

    [[noreturn]] void damaged(const char *how) const { throw profile::error(path_ + " is damaged: " + how); }

    // nullptr: not in the file.
    template <typename T> const T *at(live_address address, std::uint64_t count = 1) const
    {
        if (address < header_.base || address - header_.base > header_.kept)
            return nullptr;
        return file_.at<T>(address - header_.base, count);
    }

    std::string text(live_address address) const
    {
        const char *start = at<char>(address);
        if (start == nullptr)
            return "";
        const std::uint64_t room = header_.base + header_.kept - address;
        const void *end = at<char>(address, room) == nullptr ? nullptr : std::memchr(start, 0, room);
        if (end == nullptr)
            damaged("a text has no end");
        return {start, static_cast<const char *>(end)};
    }

    // What the process has said of its run.
    profile::attributes attributes() const
    {
        profile::attributes result;
        const live_text *text = at<live_text>(header_.attributes);
        const live_address from = header_.attributes + sizeof(live_text);
        const live_address end = text == nullptr || at<char>(from, text->size) == nullptr ? from : from + text->size;
        for (live_address a = from; a < end;) {
            const std::string name = this->text(a);
            a += name.size() + 1;
            const std::string value = this->text(a);
            a += value.size() + 1;
            result.emplace_back(name, value);
        }
        if (result.empty() || result.front().first != profile::key::version)
            damaged("it does not say what run it belongs to");
        return result;
    }

    // How many objects there is room for.
    std::uint64_t most(std::uint64_t size) const { return header_.kept / size; }

    // Calls visit(object, address) for a list of objects of a size, the newest first. A list that runs in a circle
    // comes by where it was after 1, 2, 4, ... steps.
    template <typename T, typename Next, typename Visit>
    void for_each(live_address first, std::uint64_t size, Next next, Visit visit) const
    {
        std::uint64_t count = 0, power = 1;
        live_address passed = 0;
        for (live_address a = first; a != 0; a = next(*at<T>(a), a)) {
            if (at<char>(a, size) == nullptr || at<T>(a) == nullptr || a == passed || count == most(size))
                damaged("a list does not end");
            if (++count == power) {
                passed = a;
                power *= 2;
            }
            visit(*at<T>(a), a);
        }
    }

  private:
    static bool has_room(std::uint32_t room, std::uint32_t offset, std::size_t size) { return offset + size <= room; }

    // Of what both layouts have: parts of a word, and blocks.
    template <typename Layout> static bool fits(const Layout &l, std::initializer_list<std::uint32_t> words)
    {
        return std::all_of(words.begin(), words.end(),
                           [&l](std::uint32_t word) { return has_room(l.size, word, sizeof(live_address)); }) &&
               l.block_size != 0 && l.block_limit != 0 &&
               has_room(l.size, l.blocks, std::size_t{l.block_limit} * sizeof(live_address));
    }

    static bool fits(const live_layout &l)
    {
        return fits(l, {l.change, l.depth, l.capacity, l.frames, l.paths, l.held, l.running, l.number,
                        l.name, l.excluded_calls, l.next}) &&
               has_room(l.size, l.last, sizeof(sample)) && has_room(l.size, l.held_end, sizeof(sample));
    }

    static bool fits(const live_notes_layout &l)
    {
        const std::uint64_t counters = l.classes * sizeof(std::int64_t);
        const std::uint32_t site_words[] = {l.site_next, l.function, l.module, l.symbol, l.offset, l.symbol_offset,
                                            l.calls, l.sent_bytes, l.received_bytes, l.time, l.least, l.most, l.delay,
                                            l.wait, l.wait_compensated, l.completed, l.completion,
                                            l.completion_compensated};
        const std::uint32_t peer_words[] = {l.peer_next,  l.peer_rank, l.peer_messages, l.peer_bytes,
                                            l.peer_least, l.peer_most, l.peer_squares};
        const std::uint32_t wait_words[] = {l.wait_next,  l.wait_function, l.wait_whom,
                                            l.wait_order, l.wait_calls, l.wait_measured, l.wait_without_delay};
        return has_room(l.size, l.sites, sizeof(live_address)) && has_room(l.size, l.next, sizeof(live_address)) &&
               has_room(l.size, l.peers, sizeof(live_address)) && has_room(l.size, l.messages, counters) &&
               has_room(l.size, l.bytes, counters) && have_room(l.site_size, site_words) &&
               have_room(l.peer_size, peer_words) && has_room(l.size, l.waits, sizeof(live_address)) &&
               have_room(l.wait_size, wait_words);
    }

    template <std::size_t n> static bool have_room(std::uint32_t room, const std::uint32_t (&words)[n])
    {
        return std::all_of(std::begin(words), std::end(words),
                           [room](std::uint32_t word) { return has_room(room, word, sizeof(std::uint64_t)); });
    }

    static bool fits(const live_path_layout &l)
    {
        return fits(l, {l.depth, l.open_count, l.open_capacity, l.open, l.count, l.lost});
    }

    std::string path_;
    symbols::mapped_file file_;
    live_header header_{};
};

// A file that grows while it is read looks damaged.
template <typename Read> auto read_again(const std::string &path, Read read)
{
    constexpr int attempts = 5;
    for (int attempt = 1;; attempt++) {
        try {
            return read(path);
        } catch (const profile::error &) {
            if (attempt == attempts)
                throw;
        }
    }
}

// No counter gets there: nine years. Sums of what is below do not overflow.
constexpr std::int64_t too_much = std::int64_t{1} << 58;

inline bool is_possible(std::int64_t value) { return -too_much < value && value < too_much; }

// What is at so many bytes from the beginning of a thread, of its call paths, or of its notes.
template <typename T> T part(const char *thread, std::uint32_t offset)
{
    T value;
    std::memcpy(&value, thread + offset, sizeof value);
    return value;
}

}  // namespace tare

#endif
