// SPDX-License-Identifier: BSD-3-Clause
// The estimators that run side by side in one simulation. Each is rule (R) of src/core/rule.hpp, fed with what its
// transport would know; no rule is computed here.
#ifndef TARE_SIM_ESTIMATOR_HPP
#define TARE_SIM_ESTIMATOR_HPP

#include <array>
#include <cstddef>

#include "rule.hpp"
#include "units.hpp"

namespace sim {

// Which delay comes with the DATA packet of a rendezvous: the sender's when it called Isend (a wrapper around MPI),
// the one of the match that the receiver itself remembers (DATA is not stamped), the sender's when DATA left.
enum class data_carries { delay_at_isend, delay_of_match, delay_at_departure };

struct estimator {
    const char* name;
    tare::rule rule;
    bool arrival_known;    // false: a message is taken to arrive at the first poll that sees it
    bool control_stamped;  // CTS and ACK carry the receiver's delay back
    data_carries data;
    bool poll_edge;        // the match of a rendezvous knows who polled, and since when
};

enum column : std::size_t { local, published, first_poll, exact, no_cts, no_poll_edge, no_data_stamp, columns };

// The last two are what is left of the exact rule without one of its edges: for the counterexamples of the model.
constexpr std::size_t table_columns = no_poll_edge;

constexpr std::array<estimator, columns> estimators{{
    {"local", tare::rule::local, true, false, data_carries::delay_at_isend, true},
    {"published", tare::rule::published, true, false, data_carries::delay_at_isend, true},
    {"first_poll", tare::rule::exact, false, true, data_carries::delay_at_departure, true},
    {"exact", tare::rule::exact, true, true, data_carries::delay_at_departure, true},
    {"nocts", tare::rule::exact, true, false, data_carries::delay_of_match, true},
    {"no_poll_edge", tare::rule::exact, true, true, data_carries::delay_at_departure, false},
    {"no_data_stamp", tare::rule::exact, true, true, data_carries::delay_of_match, true},
}};

// One delay of every estimator.
using delays = std::array<ps, columns>;

// Something that an event waited for, as each estimator may know it.
struct arrival {
    ps at;         // when it was really there
    ps seen;       // the first poll that saw it, never before `at`
    delays delay;  // what it carried
    bool control = false;
};

// One wait, in all estimators.
class joins {
  public:
    joins() = default;

    joins(ps ready, const delays& delay)
    {
        for (std::size_t e = 0; e < columns; ++e)
            slots_[e].join = tare::join({ready, delay[e]});
    }

    void apply(const arrival& a)
    {
        for (std::size_t e = 0; e < columns; ++e)
            apply(e, a);
    }

    // The event fired no earlier than this, whatever the edges say.
    void at_least(ps now)
    {
        for (auto& one : slots_)
            one.join.at_least(now);
    }

    delays result() const
    {
        delays d;
        for (std::size_t e = 0; e < columns; ++e)
            d[e] = slots_[e].join.delay_ns();
        return d;
    }

  private:
    // The local estimator has no carrier: nothing arrives, so there is nothing to join with.
    void apply(std::size_t e, const arrival& a)
    {
        const estimator& est = estimators[e];
        if (est.rule == tare::rule::local || (a.control && !est.control_stamped))
            return;
        slots_[e].join.apply(est.rule, {est.arrival_known ? a.at : a.seen, a.delay[e]});
    }

    struct slot {
        tare::join join{tare::edge{0, 0}};
    };
    std::array<slot, columns> slots_;
};

}  // namespace sim

#endif
