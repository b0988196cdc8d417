// SPDX-License-Identifier: BSD-3-Clause
#include "layout.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>

namespace tare::comms {
namespace {

// As MPI has it: a list of pieces at displacements, and where the next element begins.
struct type_map {
    struct piece {
        std::int64_t begin, end;
    };
    std::vector<piece> pieces;
    std::int64_t lb = 0, ub = 0;
    std::int64_t largest = 1;            // bytes of the largest basic type
    bool has_bounds = false;             // some element was added
    bool is_padded = false;              // the MPI library may have made the extent larger, for alignment

    std::int64_t extent() const { return ub - lb; }
};

constexpr std::int64_t far = std::int64_t(1) << 46;      // farther apart is nothing in memory

// What would be too large for a number is farther than far.
std::int64_t times(std::int64_t a, std::int64_t b)
{
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max() : product;
}

bool is_near(std::int64_t bytes) { return bytes <= far && bytes >= -far; }

struct basic {
    const char *name;
    std::int64_t bytes;
};
// Of the platforms that Tare runs on (LP64).
constexpr basic basics[] = {
    {"MPI_CHAR", 1}, {"MPI_SIGNED_CHAR", 1}, {"MPI_UNSIGNED_CHAR", 1}, {"MPI_BYTE", 1}, {"MPI_PACKED", 1},
    {"MPI_C_BOOL", 1}, {"MPI_CXX_BOOL", 1}, {"MPI_INT8_T", 1}, {"MPI_UINT8_T", 1}, {"MPI_CHARACTER", 1}, {"MPI_INTEGER1", 1},
    {"MPI_SHORT", 2}, {"MPI_UNSIGNED_SHORT", 2}, {"MPI_INT16_T", 2}, {"MPI_UINT16_T", 2}, {"MPI_INTEGER2", 2},
    {"MPI_INT", 4}, {"MPI_UNSIGNED", 4}, {"MPI_FLOAT", 4}, {"MPI_INT32_T", 4}, {"MPI_UINT32_T", 4}, {"MPI_WCHAR", 4},
    {"MPI_INTEGER", 4}, {"MPI_REAL", 4}, {"MPI_LOGICAL", 4}, {"MPI_INTEGER4", 4}, {"MPI_REAL4", 4},
    {"MPI_LONG", 8}, {"MPI_UNSIGNED_LONG", 8}, {"MPI_LONG_LONG", 8}, {"MPI_LONG_LONG_INT", 8}, {"MPI_UNSIGNED_LONG_LONG", 8},
    {"MPI_DOUBLE", 8}, {"MPI_INT64_T", 8}, {"MPI_UINT64_T", 8}, {"MPI_AINT", 8}, {"MPI_OFFSET", 8}, {"MPI_COUNT", 8},
    {"MPI_DOUBLE_PRECISION", 8}, {"MPI_INTEGER8", 8}, {"MPI_REAL8", 8}, {"MPI_COMPLEX", 8}, {"MPI_COMPLEX8", 8},
    {"MPI_C_COMPLEX", 8}, {"MPI_C_FLOAT_COMPLEX", 8}, {"MPI_2INT", 8}, {"MPI_FLOAT_INT", 8}, {"MPI_2INTEGER", 8},
    {"MPI_LONG_DOUBLE", 16}, {"MPI_DOUBLE_COMPLEX", 16}, {"MPI_COMPLEX16", 16}, {"MPI_C_DOUBLE_COMPLEX", 16},
    {"MPI_CXX_DOUBLE_COMPLEX", 16}, {"MPI_2DOUBLE_PRECISION", 16},
};

// Reads COMBINER(integers;addresses;types). What it does not know ends the reading.
class type_reader {
  public:
    explicit type_reader(const std::string &text) : text_(text) {}

    std::optional<type_map> read()
    {
        std::optional<type_map> t = type(0);
        return at_ == text_.size() ? t : std::nullopt;
    }

  private:
    using numbers = std::vector<std::int64_t>;
    using types = std::vector<type_map>;
    static constexpr int deepest = 16;

    bool take(char c)
    {
        if (at_ >= text_.size() || text_[at_] != c)
            return false;
        at_++;
        return true;
    }

    bool list(char end, numbers &into)
    {
        while (!take(end)) {
            if (!into.empty() && !take(','))
                return false;
            char *behind = nullptr;
            const char *from = text_.c_str() + at_;
            into.push_back(std::strtoll(from, &behind, 10));
            if (behind == from)
                return false;            // "...": there are more than the trace has
            at_ += static_cast<std::size_t>(behind - from);
        }
        return true;
    }

    std::optional<type_map> type(int depth)
    {
        const std::size_t begin = at_;
        while (at_ < text_.size() && text_[at_] != '(' && text_[at_] != ',' && text_[at_] != ')')
            at_++;
        const std::string name = text_.substr(begin, at_ - begin);
        if (depth > deepest)
            return std::nullopt;
        if (!take('('))
            return named(name);
        numbers integers, addresses;
        types parts;
        if (!list(';', integers) || !list(';', addresses))
            return std::nullopt;
        while (!take(')')) {
            if (!parts.empty() && !take(','))
                return std::nullopt;
            std::optional<type_map> part = type(depth + 1);
            if (!part)
                return std::nullopt;
            parts.push_back(std::move(*part));
        }
        return parts.empty() ? std::nullopt : combine(name, integers, addresses, parts);
    }

    static std::optional<type_map> named(const std::string &name)
    {
        for (const basic &b : basics)
            if (name == b.name) {
                type_map t;
                t.pieces.push_back({0, b.bytes});
                t.ub = t.largest = b.bytes;
                return t;
            }
        return std::nullopt;
    }

    // `count` elements in a row from this displacement on. False: there are too many pieces, or the numbers are none that
    // MPI would take.
    static bool add(type_map &to, const type_map &part, std::int64_t count, std::int64_t displacement)
    {
        const std::int64_t reach = times(part.extent(), count - 1);
        if (count < 0 || !is_near(count) || !is_near(displacement) || !is_near(part.extent()) || !is_near(reach))
            return false;
        to.largest = std::max(to.largest, part.largest);
        to.is_padded = to.is_padded || part.is_padded;
        const bool is_dense = part.pieces.size() == 1 && part.pieces[0].end - part.pieces[0].begin == part.extent();
        if (count == 0)
            return true;
        if (!is_dense && static_cast<std::uint64_t>(count) * part.pieces.size() > layout::most_pieces)
            return false;
        if (is_dense)
            append(to, {part.pieces[0].begin + displacement, part.pieces[0].end + displacement + reach});
        for (std::int64_t i = 0; !is_dense && i < count; i++)
            for (const type_map::piece &p : part.pieces)
                append(to, {p.begin + displacement + i * part.extent(), p.end + displacement + i * part.extent()});
        bound(to, part, displacement);
        bound(to, part, displacement + reach);
        return to.pieces.size() <= layout::most_pieces;
    }

    static void append(type_map &to, const type_map::piece &p)
    {
        if (!to.pieces.empty() && to.pieces.back().end == p.begin)
            to.pieces.back().end = p.end;
        else
            to.pieces.push_back(p);
    }

    static void bound(type_map &to, const type_map &part, std::int64_t displacement)
    {
        const std::int64_t lb = part.lb + displacement, ub = part.ub + displacement;
        to.lb = to.has_bounds ? std::min(to.lb, lb) : lb;
        to.ub = to.has_bounds ? std::max(to.ub, ub) : ub;
        to.has_bounds = true;
    }

    static std::optional<type_map> combine(const std::string &name, const numbers &n, const numbers &a, const types &parts)
    {
        if (name == "subarray")
            return subarray(n, parts[0]);
        if (name == "resized")
            return a.size() == 2 ? resized(parts[0], a[0], a[1]) : std::nullopt;
        type_map t;
        return fill(t, name, n, a, parts) && !t.pieces.empty() ? std::optional(t) : std::nullopt;
    }

    static bool fill(type_map &t, const std::string &name, const numbers &n, const numbers &a, const types &parts)
    {
        const type_map &part = parts[0];
        if (name == "dup")
            return add(t, part, 1, 0);
        if (n.empty() || n[0] < 0)
            return false;
        const auto count = static_cast<std::size_t>(n[0]);
        if (name == "contiguous")
            return add(t, part, n[0], 0);
        if (name == "vector" || name == "hvector") {
            const bool is_bytes = name == "hvector";
            const bool fits = is_bytes ? n.size() == 2 && a.size() == 1 : n.size() == 3;
            return fits && blocks(t, part, n[0], n[1], is_bytes ? a[0] : times(n[2], part.extent()));
        }
        if (name == "indexed_block" || name == "hindexed_block")
            return list_of_blocks(t, part, count, n, name[0] == 'h' ? a : numbers(tail(n, 2)), true, name[0] == 'h');
        if (name == "indexed" || name == "hindexed")
            return list_of_blocks(t, part, count, n, name[0] == 'h' ? a : numbers(tail(n, 1 + count)), false,
                                  name[0] == 'h');
        return name == "struct" && structure(t, count, n, a, parts);
    }

    static numbers tail(const numbers &n, std::size_t from)
    {
        return from < n.size() ? numbers(n.begin() + static_cast<std::ptrdiff_t>(from), n.end()) : numbers();
    }

    static bool blocks(type_map &t, const type_map &part, std::int64_t count, std::int64_t length, std::int64_t stride)
    {
        if (count > static_cast<std::int64_t>(layout::most_pieces))
            return false;
        for (std::int64_t i = 0; i < count; i++)
            if (!add(t, part, length, times(i, stride)))
                return false;
        return true;
    }

    static bool list_of_blocks(type_map &t, const type_map &part, std::size_t count, const numbers &n, const numbers &at,
                               bool has_one_length, bool is_bytes)
    {
        if (at.size() < count || n.size() < (has_one_length ? 2 : 1 + count))
            return false;
        for (std::size_t i = 0; i < count; i++)
            if (!add(t, part, has_one_length ? n[1] : n[1 + i], times(at[i], is_bytes ? 1 : part.extent())))
                return false;
        return true;
    }

    static bool structure(type_map &t, std::size_t count, const numbers &n, const numbers &a, const types &parts)
    {
        if (n.size() < 1 + count || a.size() < count || parts.size() < count)
            return false;
        for (std::size_t i = 0; i < count; i++)
            if (!add(t, parts[i], n[1 + i], a[i]))
                return false;
        t.is_padded = t.ub % t.largest != 0;
        return true;
    }

    static std::optional<type_map> resized(const type_map &part, std::int64_t lb, std::int64_t extent)
    {
        type_map t = part;
        t.lb = lb;
        t.ub = lb + extent;
        t.is_padded = false;
        return is_near(lb) && is_near(extent) ? std::optional(t) : std::nullopt;
    }

    // sizes, parts of them, where these begin, and the order: 56 is C's in MPICH, 0 in Open MPI (its enumeration).
    static std::optional<type_map> subarray(const numbers &n, const type_map &element)
    {
        const std::int64_t dims = n.empty() ? 0 : n[0];
        if (dims < 1 || n.size() != static_cast<std::size_t>(2 + 3 * dims))
            return std::nullopt;
        const bool is_c = n.back() == 56 || n.back() == 0;
        type_map inner = element;
        std::int64_t row = element.extent(), begin = 0;
        for (std::int64_t i = 0; i < dims; i++) {
            const auto d = static_cast<std::size_t>(is_c ? dims - 1 - i : i);
            const std::int64_t size = n[1 + d], part = n[1 + static_cast<std::size_t>(dims) + d],
                               start = n[1 + 2 * static_cast<std::size_t>(dims) + d];
            type_map next;
            if (size < 1 || part < 1 || part > static_cast<std::int64_t>(INT32_MAX) || !blocks_of(next, inner, part, row))
                return std::nullopt;
            inner = std::move(next);
            begin = is_near(begin) ? begin + std::clamp(times(start, row), -far - 1, far + 1) : begin;
            row = times(row, size);
        }
        type_map t;
        if (!add(t, inner, 1, begin))
            return std::nullopt;
        t.lb = 0;
        t.ub = row;
        return is_near(row) ? std::optional(t) : std::nullopt;
    }

    static bool blocks_of(type_map &t, const type_map &part, std::int64_t count, std::int64_t stride)
    {
        if (part.extent() == stride)
            return add(t, part, count, 0);
        return blocks(t, part, count, 1, stride);
    }

    const std::string &text_;
    std::size_t at_ = 0;
};

}  // namespace

layout layout_of(const std::string &type)
{
    const std::optional<type_map> t = type_reader(type).read();
    layout result;
    if (!t || t->pieces.empty())
        return result;
    std::int64_t lowest = t->pieces[0].begin, highest = t->pieces[0].end;
    for (const type_map::piece &p : t->pieces) {
        lowest = std::min(lowest, p.begin);
        highest = std::max(highest, p.end);
    }
    for (const type_map::piece &p : t->pieces)
        result.pieces.push_back({static_cast<std::uint64_t>(p.begin - lowest), static_cast<std::uint64_t>(p.end - lowest)});
    result.extent = t->is_padded ? 0 : t->extent();      // 0: that of one element is known, of more it is not
    result.true_extent = static_cast<std::uint64_t>(highest - lowest);
    return result;
}

placed place(const layout &of, std::uint64_t address, std::uint64_t span_bytes, std::uint64_t most_bytes)
{
    placed whole = {{{address, address + span_bytes}}, true};
    if (of.is_known() && of.is_one_piece())
        return {{{address, address + std::min(span_bytes, most_bytes)}}, false};
    if (!of.is_known() || span_bytes < of.true_extent)
        return whole;
    const std::uint64_t step = of.extent < 0 ? -static_cast<std::uint64_t>(of.extent) : static_cast<std::uint64_t>(of.extent),
                        between = span_bytes - of.true_extent;
    const std::uint64_t count = step == 0 ? 1 : between / step + 1;
    if ((step == 0 ? between : between % step) != 0 || count > layout::most_pieces / of.pieces.size())
        return whole;
    placed result;
    std::uint64_t left = most_bytes;
    for (std::uint64_t i = 0; i < count && left > 0; i++) {
        const std::uint64_t from = address + (of.extent < 0 ? count - 1 - i : i) * step;
        for (const interval &p : of.pieces) {
            const interval piece = {from + p.begin, from + p.begin + std::min(p.bytes(), left)};
            left -= piece.bytes();
            if (piece.bytes() > 0)
                result.pieces.push_back(piece);
        }
    }
    return result;
}

}  // namespace tare::comms
