// SPDX-License-Identifier: BSD-3-Clause
// A folder of its own for each test, and files in it. Nothing here throws.
#ifndef TARE_TEST_PROFILE_SCRATCH_HPP
#define TARE_TEST_PROFILE_SCRATCH_HPP

#include <string>

// For CMocka's setup and teardown.
int make_scratch(void **state);
int remove_scratch(void **state);

const std::string &scratch();                       // the folder of the running test
std::string in_scratch(const std::string &name);
void put_file(const std::string &path, const std::string &text);     // makes the folders above it
std::string get_file(const std::string &path);      // empty if it is not there
bool is_there(const std::string &path);

// The sentence of the tare::profile::error that the call throws; empty if it throws none.
std::string sentence_of(void (*call)());

#endif
