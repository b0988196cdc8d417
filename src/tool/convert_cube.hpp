// SPDX-License-Identifier: BSD-3-Clause
// What a Cube file of ours holds, for who writes and who reads it.
//
// Cube adds up: a metric has exclusive values, of each call path and thread. Those that people look at are laid out
// so that nothing is counted twice (convert_tree.hpp). A profile's own figures, inclusive ones among them, cannot be
// had from these, and stand beside them in metrics that Cube does not show (ghosts): tare_path_FIGURE at each call
// path that was recorded, tare_region_FIGURE at the first cnode of the region. Which have any, tare_path and
// tare_region say. Metrics of wait states, named as Scalasca names them, are parts of those that are shown.
#ifndef TARE_TOOL_CONVERT_CUBE_HPP
#define TARE_TOOL_CONVERT_CUBE_HPP

#include <cstddef>
#include <string>
#include <string_view>

namespace tare::tool {

constexpr const char *anchor_name = "anchor.xml";
constexpr std::string_view index_marker = "CUBEX.INDEX";
constexpr std::string_view data_marker = "CUBEX.DATA";
enum class index_format : unsigned char { sparse = 1, dense = 3 };
constexpr std::size_t value_size = 8;

constexpr const char *creator_key = "Creator";
constexpr const char *sent_metric = "bytes_sent";
constexpr const char *received_metric = "bytes_received";
constexpr const char *region_metric = "tare_region";
constexpr const char *path_metric = "tare_path";
constexpr std::string_view own_prefix = "tare_";         // of metrics that are nobody else's

// Score-P's name of an MPI region has no parentheses.
constexpr const char *mpi_paradigm = "mpi";
constexpr std::string_view parentheses = "()";

}  // namespace tare::tool

#endif
