// SPDX-License-Identifier: BSD-3-Clause
// Steps of the source that paths are made of: a region of the program, and in it a call that may wait, or none.
#ifndef TARE_WAITS_STEPS_HPP
#define TARE_WAITS_STEPS_HPP

#include "archive.h"

#include <map>
#include <tuple>
#include <vector>

namespace tare::waits {

enum class nature {
    start,                               // until MPI_Init has ended, or a thread's first event
    clock,                               // by which the clocks of two processes differ
    begin,                               // from where a thread is made, or a team, until it begins
    work,
    call,                                // of MPI, or for another thread, but for what it waits
    unknown                              // such a call of which nobody knows what it has waited for
};

struct step {
    nature what = nature::work;
    std::uint32_t region = TARE_ARCHIVE_UNKNOWN;     // the innermost one that is not MPI's; unknown: none is open
    std::uint32_t call = TARE_ARCHIVE_UNKNOWN;       // its region
    std::uint32_t site = TARE_ARCHIVE_UNKNOWN;       // where it is called: a text of the archive

    bool operator<(const step &other) const
    {
        return std::tie(what, region, call, site) < std::tie(other.what, other.region, other.call, other.site);
    }
};

class step_table {
  public:
    static constexpr std::uint32_t start = 0, clock = 1, begin = 2;

    step_table()
    {
        number_of({nature::start});
        number_of({nature::clock});
        number_of({nature::begin});
    }

    std::uint32_t number_of(const step &s)
    {
        const auto [found, is_new] = numbers_.emplace(s, static_cast<std::uint32_t>(all_.size()));
        if (is_new)
            all_.push_back(s);
        return found->second;
    }

    const std::vector<step> &all() const { return all_; }

  private:
    std::map<step, std::uint32_t> numbers_;
    std::vector<step> all_;
};

}  // namespace tare::waits

#endif
