// SPDX-License-Identifier: BSD-3-Clause
#include "definition_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

namespace tare::trace {
namespace {

// A file is chunks, each of them a header and records: their kind, their length, and so many bytes.
enum kind : std::uint64_t { end_of_chunk = 0, end_of_file = 2, chunk_header = 3, mapping_table = 5, group = 18 };
constexpr std::size_t header_bytes = 18;
constexpr char big_endian = 0x23;

class bytes {
  public:
    bytes(std::string_view all, bool is_big) : rest_(all), is_big_(is_big) {}

    std::size_t size() const { return rest_.size(); }

    // Whether a number has been read that is not there, or not whole.
    bool is_short() const { return is_short_; }

    // What is not there is 0.
    std::uint64_t number(std::size_t size)
    {
        std::uint64_t value = 0;
        is_short_ = is_short_ || size > rest_.size();
        for (std::size_t i = 0; i < size; i++) {
            const std::uint64_t byte = i < rest_.size() ? static_cast<unsigned char>(rest_[i]) : 0;
            value |= byte << 8 * (is_big_ ? size - 1 - i : i);
        }
        skip(size);
        return value;
    }

    // The first byte says how many follow.
    std::uint64_t packed_number()
    {
        const std::uint64_t size = number(1);
        return size > sizeof(std::uint64_t) ? UINT64_MAX : number(size);
    }

    bytes first(std::uint64_t size) const { return {rest_.substr(0, std::min<std::uint64_t>(size, rest_.size())), is_big_}; }

    void skip(std::uint64_t size) { rest_.remove_prefix(std::min<std::uint64_t>(size, rest_.size())); }

  private:
    std::string_view rest_;
    bool is_big_, is_short_ = false;
};

bool is_counted(std::uint64_t what, definitions_of of)
{
    return what == group || (what == mapping_table && of == definitions_of::location);
}

// Each of the numbers takes a byte or more. Where the record ends before its count does, OTF2 reads the count on behind it.
bool has_false_count(std::uint64_t what, bytes record)
{
    if (what == group) {
        record.packed_number();          // of the group
        record.packed_number();          // of its name
    }
    record.number(1);                    // of what the members, or the numbers, are
    const std::uint64_t count = record.packed_number();
    return record.is_short() || count > record.size();
}

bool chunk_has_false_counts(bytes chunk, definitions_of of)
{
    while (chunk.size() > 0) {
        const std::uint64_t what = chunk.number(1);
        if (what == end_of_chunk || what == end_of_file)
            break;
        constexpr std::uint64_t long_one = 0xff;
        std::uint64_t length = chunk.number(1);
        if (length == long_one)
            length = chunk.number(sizeof length);
        if (is_counted(what, of) && has_false_count(what, chunk.first(length)))
            return true;
        chunk.skip(length);
    }
    return false;
}

}  // namespace

bool has_false_counts(const std::string &file, definitions_of what, std::uint64_t chunk_bytes)
{
    std::ifstream in(file, std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    for (std::string_view rest = all; rest.size() > header_bytes && rest[0] == chunk_header && chunk_bytes > header_bytes;) {
        const std::string_view chunk = rest.substr(0, chunk_bytes);
        const bytes records(chunk.substr(header_bytes), chunk[1] == big_endian);
        if (chunk_has_false_counts(records, what))
            return true;
        rest.remove_prefix(chunk.size());
    }
    return false;
}

std::string definition_file(const std::string &anchor) { return anchor.substr(0, anchor.rfind('.')) + ".def"; }

std::string definition_file(const std::string &anchor, std::uint64_t location)
{
    return anchor.substr(0, anchor.rfind('.')) + "/" + std::to_string(location) + ".def";
}

}  // namespace tare::trace
