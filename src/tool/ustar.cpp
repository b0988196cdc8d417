// SPDX-License-Identifier: BSD-3-Clause
#include "ustar.hpp"

#include "profile.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tare::tool {
namespace {

constexpr std::size_t block = 512;
constexpr std::uint64_t largest = (std::uint64_t{1} << 33) - 1;      // eleven octal digits

// The header of a member, as the standard lays it out.
struct header {
    char name[100];
    char mode[8];
    char uid[8];
    char gid[8];
    char size[12];
    char mtime[12];
    char checksum[8];
    char type;
    char link[100];
    char magic[6];
    char version[2];
    char user[32];
    char group[32];
    char major[8];
    char minor[8];
    char prefix[155];
    char rest[12];
};
static_assert(sizeof(header) == block, "a header is a block");

template <std::size_t N> void put_octal(char (&field)[N], std::uint64_t value) {
    for (std::size_t i = N - 1; i-- > 0; value /= 8)
        field[i] = static_cast<char>('0' + value % 8);
}

// Of all bytes, with blanks where the sum itself stands.
std::uint64_t checksum_of(header h) {
    std::memset(h.checksum, ' ', sizeof h.checksum);
    unsigned char bytes[block];
    std::memcpy(bytes, &h, block);
    return std::accumulate(bytes, bytes + block, std::uint64_t{0});
}

template <std::size_t N> bool take_octal(const char (&field)[N], std::uint64_t &value) {
    value = 0;
    std::size_t digits = 0;
    for (; digits < N && field[digits] >= '0' && field[digits] <= '7'; ++digits)
        value = value * 8 + static_cast<std::uint64_t>(field[digits] - '0');
    return digits > 0 && (digits == N || field[digits] == '\0' || field[digits] == ' ');
}

bool is_good(const header &h) {
    std::uint64_t sum = 0;
    return std::memcmp(h.magic, "ustar", 5) == 0 && take_octal(h.checksum, sum) && sum == checksum_of(h);
}

std::string name_in(const header &h) { return std::string(h.name, strnlen(h.name, sizeof h.name)); }

bool is_zero(const header &h) {
    static const header zero = {};
    return std::memcmp(&h, &zero, block) == 0;
}

}  // namespace

void ustar_writer::begin(const std::string &name, std::uint64_t size) {
    if (size > largest)
        throw profile::error("the archive's " + name + " takes " + std::to_string(size) +
                             " bytes, and a tar file has room for 8 GiB: --rank=N converts a part");
    pad();
    header h = {};
    name.copy(h.name, sizeof h.name - 1);
    put_octal(h.mode, 0644);
    put_octal(h.uid, 0);
    put_octal(h.gid, 0);
    put_octal(h.size, size);
    put_octal(h.mtime, 0);
    h.type = '0';
    std::memcpy(h.magic, "ustar", sizeof h.magic);
    std::memcpy(h.version, "00", sizeof h.version);
    put_octal(h.checksum, checksum_of(h));
    std::fwrite(&h, 1, block, to_);
    size_ = size;
}

void ustar_writer::add(std::string_view bytes) { std::fwrite(bytes.data(), 1, bytes.size(), to_); }

void ustar_writer::pad() {
    static const char zeros[block] = {};
    std::fwrite(zeros, 1, (block - size_ % block) % block, to_);
    size_ = 0;
}

void ustar_writer::finish() {
    pad();
    static const char zeros[2 * block] = {};
    std::fwrite(zeros, 1, sizeof zeros, to_);
}

std::map<std::string, std::string_view, std::less<>> read_ustar(std::string_view archive, const std::string &where) {
    std::map<std::string, std::string_view, std::less<>> members;
    for (header h;;) {
        if (archive.size() < block)
            throw profile::error(where + " is cut short: a tar file ends with a block of zeros");
        std::memcpy(&h, archive.data(), block);
        archive.remove_prefix(block);
        if (is_zero(h))
            return members;
        std::uint64_t size = 0;
        if (!is_good(h) || !take_octal(h.size, size))
            throw profile::error(where + " is damaged, or not a tar file (ustar): the header of " +
                                 (members.empty() ? "its first member" : "a member") + " is wrong");
        const std::string name = name_in(h);
        if (size > archive.size())
            throw profile::error(where + " is cut short inside its member " + name);
        members[name] = archive.substr(0, size);
        archive.remove_prefix(std::min<std::uint64_t>(archive.size(), (size + block - 1) / block * block));
    }
}

bool is_ustar_of(std::string_view beginning, std::string_view first_member) {
    header h;
    if (beginning.size() < block)
        return false;
    std::memcpy(&h, beginning.data(), block);
    return is_good(h) && name_in(h) == first_member;
}

}  // namespace tare::tool
