// SPDX-License-Identifier: BSD-3-Clause
// What the numbers of a profile are called in TAU's files: for who writes them and who reads them.
#ifndef TARE_PROFILE_MEANING_HPP
#define TARE_PROFILE_MEANING_HPP

#include <algorithm>
#include <cstdint>

namespace tare::profile {

// User events that belong to one region: PREFIX REGION, without what tells that it is throttled. Written only where they say something.
constexpr const char *removed_event = "tare removed : ";
constexpr const char *residue_event = "tare residue : ";
constexpr const char *lo_event = "tare bound lo : ";
constexpr const char *hi_event = "tare bound hi : ";
// Calls that were counted and not measured. As events hold times, this is one of so many microseconds.
constexpr const char *counted_event = "tare counted calls : ";
constexpr std::int64_t ns_of_counted_call = 1000;

// TAU's, whose values are bytes: the messages to all, and to each RANK. The third is ours.
constexpr const char *sent_to_all_event = "Message size sent to all nodes";
constexpr const char *sent_event = "Message size sent to node ";
constexpr const char *sent_elsewhere_event = "Message size sent to other jobs";
constexpr const char *any_sent_event = "Message size sent to ";

// TAU's: what tells the row of a call path, before the group of its innermost region.
constexpr const char *path_group = "TAU_CALLPATH|";

// Columns may not be negative: readers take such a number for a corrupt file. What is cut off is kept in events:
// inclusive as measured - removed, exclusive as residue, which is positive like the core's: declared beyond what had
// elapsed.
inline std::int64_t column(std::int64_t ns) { return std::max<std::int64_t>(ns, 0); }

enum class row_kind { region, path };

}  // namespace tare::profile

#endif
