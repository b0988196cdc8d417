// SPDX-License-Identifier: BSD-3-Clause
// A file of include and exclude rules: it is read, or refused with one sentence; and whatever it says, any name is
// included or excluded.
#include "filter.hpp"
#include "holds.hpp"
#include "input.hpp"

namespace {

void ask(const tare::filter::rules &rules, const std::string &name)
{
    const bool is_excluded = rules.excludes(name, "_Z4workv");
    HOLDS(rules.excludes(name, "_Z4workv") == is_excluded);
}

}  // namespace

// A name, then the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    fuzz::input in(data, size);
    const std::string name = in.part('\n');
    HOLDS(tare::filter::without_parameters(name).size() <= name.size());
    try {
        const tare::filter::rules rules = tare::filter::parse(in.rest(), "rules");
        for (const std::string &n : {name, std::string("int work(int, char **) const"), std::string("MPI_Send()")})
            ask(rules, n);
    } catch (const tare::filter::error &e) {
        HOLDS(std::string_view(e.what()).substr(0, 5) == "rules");
        HOLDS(std::string_view(e.what()).find('\n') == std::string_view::npos);
    }
    return 0;
}
