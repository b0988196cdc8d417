// SPDX-License-Identifier: BSD-3-Clause
// Which calls are one collective operation: the n-th of each process on a communicator, as MPI has it.
#ifndef TARE_MATCH_MEETINGS_HPP
#define TARE_MATCH_MEETINGS_HPP

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

namespace tare::match {

template <typename Meeting> class meetings {
  public:
    using pointer = std::shared_ptr<Meeting>;

    // That of the next operation of a process there: `made` for the first who comes. When `size` have come nobody else does.
    pointer join(std::uint32_t communicator, std::uint32_t process, std::uint32_t size, pointer made)
    {
        const std::uint64_t number = numbers_[{communicator, process}]++;
        const auto found = open_.emplace(key(communicator, number), entry{std::move(made), 0}).first;
        pointer meeting = found->second.meeting;
        if (++found->second.come == size)
            open_.erase(found);
        return meeting;
    }

    // Those that some have not come to.
    template <typename Function> void each_open(const Function &to) const
    {
        for (const auto &[which, e] : open_)
            to(*e.meeting);
    }

  private:
    using key = std::pair<std::uint32_t, std::uint64_t>;         // communicator, number
    struct entry {
        pointer meeting;
        std::uint32_t come;
    };

    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> numbers_;   // how many a process has done there
    std::map<key, entry> open_;
};

}  // namespace tare::match

#endif
