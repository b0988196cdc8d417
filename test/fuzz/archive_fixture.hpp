// SPDX-License-Identifier: BSD-3-Clause
// An archive that Tare has written: what an input damages.
#ifndef TARE_TEST_FUZZ_ARCHIVE_FIXTURE_HPP
#define TARE_TEST_FUZZ_ARCHIVE_FIXTURE_HPP

#include <string>

namespace fuzz {

// The joined trace of two processes, of which the first has two threads, in this folder: with events of every kind.
void write_archive(const std::string &dir);

}  // namespace fuzz

#endif
