// SPDX-License-Identifier: BSD-3-Clause
// What the targets of tare convert's readers have in common.
#ifndef TARE_TEST_FUZZ_CONVERSION_HPP
#define TARE_TEST_FUZZ_CONVERSION_HPP

#include <string>

namespace fuzz {

// A text is refused with one sentence, or is a profile: then it can be written in each format, and what was written in
// its own can be read and is written the same again.
void convert(const std::string &text, const char *format);

}  // namespace fuzz

#endif
