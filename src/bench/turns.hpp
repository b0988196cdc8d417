// SPDX-License-Identifier: BSD-3-Clause
// Turns: several runs of one benchmark (on other libraries, in other modes) that are all there at the same time and
// measure one after the other, a batch each. What a moment of the machine does to one of them it does to all, so that
// their ratio says less of the moment than that of runs one after the other. Who waits sleeps.
//
// The runs share a file, which the first makes; all of them must have the same options, and ranks on one node.
#ifndef TARE_BENCH_TURNS_HPP
#define TARE_BENCH_TURNS_HPP

#include <cstdint>
#include <string>

namespace tare::bench {

// FILE:NUMBER:RUNS, the runs numbered from 0. runs == 0: alone.
struct turn_place {
    std::string file;
    int number = 0;
    int runs = 0;
};

constexpr int most_runs = 16;

// False: not of that form.
bool parse_turn(const std::string &text, turn_place &place);

class turns {
  public:
    turns() = default;
    ~turns();
    turns(const turns &) = delete;
    turns &operator=(const turns &) = delete;

    // Returns one sentence if the file cannot be shared, else nothing. Alone every turn is this run's.
    std::string join(const turn_place &place, int ranks);

    // Every rank calls these. An other run that does not come within a minute ends this one with one sentence.
    void begin();
    void end();
    // The others have had their last turns, too.
    void wait_for_others();

  private:
    struct shared;

    void wait_until(std::uint32_t turn);

    shared *shared_ = nullptr;
    turn_place place_;
    std::uint32_t ranks_ = 0;
    std::uint32_t taken_ = 0;
};

}  // namespace tare::bench

#endif
