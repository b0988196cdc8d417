// SPDX-License-Identifier: BSD-3-Clause
// Which regions are measured: rules, and the files that they stand in. Names only: nothing here knows a region.
//
// Two kinds of files, told apart by their first word:
//   - Score-P's filter files (Score-P user manual, "Filtering"): the last rule whose pattern fits decides.
//   - TAU's select files (TAU user's guide, "Selectively Profiling an Application"): what the exclude list has is
//     excluded; if there is an include list, so is what that does not have.
// In both a region that no rule fits is measured.
//
// Errors: read and parse throw tare::filter::error, whose what() is one sentence without a line end.
#ifndef TARE_FILTER_FILTER_HPP
#define TARE_FILTER_FILTER_HPP

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tare::filter {

class error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct rule {
    bool excludes;
    bool is_mangled;             // the pattern is one of the linker's names
    std::string pattern;         // as fnmatch(3) takes it
};

class rules {
  public:
    // In the order of the file: later ones are stronger.
    void add(rule r);
    // What stands in the file and has no effect, as a sentence.
    void remark(const std::string &sentence) { remarks_.push_back(sentence); }

    bool excludes(const std::string &name, const std::string &mangled) const;
    // Finding them takes time.
    bool wants_mangled() const { return wants_mangled_; }
    const std::vector<std::string> &remarks() const { return remarks_; }

  private:
    std::vector<rule> rules_;
    std::vector<std::string> remarks_;
    bool wants_mangled_ = false;
};

// `where` begins each sentence about the text.
rules parse(std::string_view text, const std::string &where);
rules read(const std::string &path, const std::string &where);

// A C++ function without its parameters, for which a pattern may stand, too; other names as they are.
std::string without_parameters(const std::string &name);

// ---- for parse ----

rules parse_scorep(std::string_view text, const std::string &where);
rules parse_tau(std::string_view text, const std::string &where);

}  // namespace tare::filter

#endif
