// SPDX-License-Identifier: BSD-3-Clause
// What a pair of hooks costs, and how it is divided: calibrate.cpp finds it out, measure.cpp declares it.
//
// It was found at the speed at which the hooks ran then. Later each thread scales what its clock reads do not see by
// what they have seen of its latest hooks: a neighbour on the same core slows hooks by a third and a chain of
// arithmetic not at all, so nothing else tells.
#ifndef TARE_LIB_COST_HPP
#define TARE_LIB_COST_HPP

#include "state.hpp"

#include <vector>

namespace tare {

// Calibrated, in ns; calibrate.cpp says what the members are.
struct pair_cost {
    double plain_ns = 1e300;
    double with_hooks_ns = 1e300;
    double seen_ns = 0;
    double inside_ns = 0;
    // What the clock reads of enter do not see, less what those of leave do not; and of that the part inside.
    double enter_more_ns = 0;
    double enter_more_inside_ns = 0;

    double unseen_ns() const { return total_ns() - seen_ns; }
    double enter_ns() const { return (unseen_ns() + enter_more_ns) / 2; }
    double leave_ns() const { return (unseen_ns() - enter_more_ns) / 2; }
    double total_ns() const { return with_hooks_ns - plain_ns; }
    double outside_ns() const { return total_ns() - seen_ns - inside_ns; }
};

// One batch without hooks and one with them, in ns for one call.
using batch = pair_cost;
// The fastest with hooks, less the fastest without; and those in the middle. Of none: nothing.
pair_cost fastest_of(const std::vector<batch> &batches);
pair_cost typical_of(std::vector<batch> batches);
// Of a batch of single calls between clock reads, in ns for one call: what is not seen of enter and of leave.
struct sides {
    double enter_ns;
    double leave_ns;
    double enter_inside_ns;      // half a clock read too much, like the next
    double leave_inside_ns;
};
// Tells enter and leave apart. Calls one at a time overlap less than those of a batch, so only differences are taken.
void tell_apart(pair_cost &c, const std::vector<sides> &batches);
double median_of(std::vector<double> values);
// How far the batches lie apart, and no interrupt shows: the distance of the quartiles.
double spread_of(std::vector<double> values);

constexpr double least_pace = 0.5, most_pace = 2;    // of the calibrated cost: a first call in a cold cache sees more

// The cost where its clock reads see so much, within the limits of a pace. Without clock reads it stays.
inline pair_cost at_pace(const pair_cost &c, double seen_ns) noexcept
{
    if (!(c.seen_ns > 0))
        return c;
    const double wanted = seen_ns / c.seen_ns;
    const double factor = wanted < least_pace ? least_pace : wanted > most_pace ? most_pace : wanted;
    pair_cost now = c;
    now.with_hooks_ns = c.plain_ns + factor * c.total_ns();
    now.seen_ns *= factor;
    now.inside_ns *= factor;
    now.enter_more_ns *= factor;
    now.enter_more_inside_ns *= factor;
    return now;
}

fine_ns to_fine(double ns) noexcept;

// What each hook declares of it. Inside is given in whole ns: what its rounding takes from the region it gives to the
// one around.
way_cost to_cost(const pair_cost &c) noexcept;

}  // namespace tare

#endif
