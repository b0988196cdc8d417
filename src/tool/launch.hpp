// SPDX-License-Identifier: BSD-3-Clause
// A command that starts ranks, and the places in it where `tare exec` goes: in front of the program, not of mpiexec.
#ifndef TARE_TOOL_LAUNCH_HPP
#define TARE_TOOL_LAUNCH_HPP

#include "program.hpp"

#include <string>
#include <vector>

namespace tare::tool {

// The word that marks a place.
constexpr const char *place_mark = "{}";

class launch {
  public:
    // At the marks, which are taken out; else behind the options of the starter that the command begins with; else in
    // front. Says why not where that cannot be told (exit_usage).
    refusal read(const std::vector<std::string> &command);

    // The command with `words` put in at each place.
    std::vector<std::string> with(const std::vector<std::string> &words) const;

    // The program that stands at the first place.
    const std::string &program() const { return words_[places_.front()]; }

  private:
    refusal read_marks(const std::vector<std::string> &command);
    refusal skip_options();
    refusal refuse_inner_starter() const;

    std::vector<std::string> words_;
    std::vector<std::size_t> places_;  // in front of these words; in order
};

// Splits a line at blanks as shells do; '...', "..." and \ keep them. False: a quote is not closed.
bool split_words(const std::string &line, std::vector<std::string> &words);

// The command as it may be typed into a shell.
std::string shell_line(const std::vector<std::string> &words);

}  // namespace tare::tool

#endif
