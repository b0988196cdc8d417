// SPDX-License-Identifier: BSD-3-Clause
// The small change of reading scenario files: words, numbers, and where we are.
#ifndef TARE_SIM_TEXT_HPP
#define TARE_SIM_TEXT_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace sim {

struct place {
    std::string file;
    int line = 0;

    [[noreturn]] void fail(const std::string& sentence) const;
};

std::string trimmed(const std::string& text);
std::vector<std::string> split(const std::string& text, char separator);  // parts are trimmed
std::vector<std::string> words(const std::string& text);

// `what` names the number in the message of the error.
std::int64_t whole_number(const place& at, const std::string& text, const char* what, std::int64_t least,
                          std::int64_t most);
double decimal(const place& at, const std::string& text, const char* what, double least, double most);

// "a, b or c"
std::string alternatives(const std::vector<std::string>& names);

}  // namespace sim

#endif
