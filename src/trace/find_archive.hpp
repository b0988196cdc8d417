// SPDX-License-Identifier: BSD-3-Clause
// Where an archive begins.
#ifndef TARE_TRACE_FIND_ARCHIVE_HPP
#define TARE_TRACE_FIND_ARCHIVE_HPP

#include <string>

namespace tare::trace {

// The anchor file of the archive in this folder, or that is this file. Throws error.
std::string find_archive(const std::string &path);

}  // namespace tare::trace

#endif
