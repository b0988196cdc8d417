// SPDX-License-Identifier: BSD-3-Clause
#include "conversion.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "convert_file.hpp"
#include "holds.hpp"

namespace fuzz {
namespace {

using tare::tool::content;
using tare::tool::file_format;

// Nothing: it is refused, because times are missing that the format is laid out by.
std::optional<std::string> written(const content &c, const file_format &format, const tare::tool::write_wish &wish)
{
    char *text = nullptr;
    std::size_t size = 0;
    std::FILE *to = open_memstream(&text, &size);
    HOLDS(to != nullptr);
    bool is_refused = false;
    try {
        format.write(c, wish, to);
    } catch (const tare::profile::error &e) {
        is_refused = std::string(e.what()).rfind("what is converted lacks ", 0) == 0;
        HOLDS(is_refused);
    }
    std::fclose(to);
    const std::string result(text, size);
    std::free(text);
    return is_refused ? std::nullopt : std::optional(result);
}

bool has_rows(const content &c, bool are_paths)
{
    for (const tare::profile::thread &t : c.run.threads)
        if (!(are_paths ? t.paths : t.rows).empty())
            return true;
    return false;
}

// tare convert does not write what has no rows.
void write_everywhere(const content &c)
{
    for (const file_format &format : tare::tool::file_formats())
        for (const bool are_paths : {false, true})
            if (has_rows(c, are_paths)) {
                tare::tool::write_wish wish;
                wish.callpath = are_paths;
                wish.clock = are_paths ? tare::tool::layout_clock::measured : tare::tool::layout_clock::compensated;
                written(c, format, wish);
            }
}

// One writing makes names what the format can hold.
void write_again(const content &c, const file_format &format)
{
    tare::tool::write_wish wish;
    wish.callpath = !has_rows(c, false);
    if (wish.callpath && !has_rows(c, true))
        return;
    const std::optional<std::string> once = written(c, format, wish);
    if (!once)
        return;
    const std::optional<std::string> twice = written(format.read(*once, "once"), format, wish);
    HOLDS(twice && written(format.read(*twice, "twice"), format, wish) == twice);
}

}  // namespace

void convert(const std::string &text, const char *format)
{
    const file_format &f = *tare::tool::find_format(format);
    content c;
    try {
        c = f.read(text, "input");
    } catch (const tare::profile::error &e) {
        HOLDS(std::string(e.what()).compare(0, 5, "input") == 0);
        return;
    }
    write_everywhere(c);
    write_again(c, f);
}

}  // namespace fuzz
