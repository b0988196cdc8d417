// SPDX-License-Identifier: BSD-3-Clause
// From the place of a call, as TARE_TRACE_RECORDS=sites has it in a trace, to the line of its source: by what the compiler
// has left of that in the module (-g), where it still is where it was.
#ifndef TARE_TOOL_SOURCE_LINES_HPP
#define TARE_TOOL_SOURCE_LINES_HPP

#include "local_variables.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tare::tool {

struct source_place {
    std::string site;                // FUNCTION+OFFSET (MODULE+OFFSET); empty: not known
    std::string file;                // path; empty: not known
    int line = 0;

    // "solve.c:12", else "solve+0x1c"; empty: nothing is known.
    std::string text() const;
};

// A variable in a module: its name, and the values of its first byte and of the one behind the last.
struct source_variable {
    std::string name;
    std::uint64_t begin = 0, end = 0;
};

class source_lines {
  public:
    source_lines();
    ~source_lines();
    source_lines(const source_lines &) = delete;
    source_lines &operator=(const source_lines &) = delete;

    source_place find(const std::string &site);
    // At this value of its symbol table; without a name: none is known.
    source_variable variable_at(const std::string &path, std::uint64_t value);
    // Of the function that such a text, FUNCTION (MODULE+OFFSET), is of: by what -g has left of it.
    local_variable local_at(const std::string &function, std::int64_t offset);

  private:
    struct module;
    module &module_of(const std::string &path);

    std::map<std::string, std::unique_ptr<module>> modules_;
};

// The lines around that of a place, each with its number before it; empty: the file is not there.
struct source_excerpt {
    std::vector<std::string> before, after;
    std::string line;
};
source_excerpt excerpt_of(const source_place &place);

}  // namespace tare::tool

#endif
