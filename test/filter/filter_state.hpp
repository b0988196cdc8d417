// SPDX-License-Identifier: BSD-3-Clause
// What the tests of both kinds of files share. Nothing that owns memory lives in a test's body.
#ifndef TARE_TEST_FILTER_STATE_HPP
#define TARE_TEST_FILTER_STATE_HPP

#include "filter.hpp"

#include <cstring>
#include <string>

#include "cmocka_cpp.hpp"

namespace tare::filter {

// "out", "in", or the sentence of the error.
inline std::string verdict(const char *text, const char *name, const char *mangled)
{
    try {
        return parse(text, "f").excludes(name, mangled) ? "out" : "in";
    } catch (const error &e) {
        return e.what();
    }
}

inline void assert_verdict_at(const char *wanted, const char *text, const char *name, const char *mangled,
                              const char *file, int line)
{
    const bool same = [&] {
        const std::string found = verdict(text, name, mangled);
        if (found != wanted)
            print_error("%s: '%s', wanted '%s', by\n%s\n", name, found.c_str(), wanted, text);
        return found == wanted;
    }();
    if (!same)
        _fail(file, line);
}

#define assert_out(text, name) assert_verdict_at("out", text, name, name, __FILE__, __LINE__)
#define assert_in(text, name) assert_verdict_at("in", text, name, name, __FILE__, __LINE__)
#define assert_verdict(wanted, text, name, mangled) assert_verdict_at(wanted, text, name, mangled, __FILE__, __LINE__)
#define assert_refused(sentence, text) assert_verdict_at(sentence, text, "any", "any", __FILE__, __LINE__)

inline void assert_remarks_at(int count, const char *part, const char *text, const char *file, int line)
{
    const bool same = [&] {
        const rules r = parse(text, "f");
        for (const std::string &remark : r.remarks())
            print_message("# %s\n", remark.c_str());
        return static_cast<int>(r.remarks().size()) == count &&
               (count == 0 || r.remarks().front().find(part) != std::string::npos);
    }();
    if (!same)
        _fail(file, line);
}

#define assert_remarks(count, part, text) assert_remarks_at(count, part, text, __FILE__, __LINE__)

}  // namespace tare::filter

#endif
