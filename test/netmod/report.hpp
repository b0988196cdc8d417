// SPDX-License-Identifier: BSD-3-Clause
// What rank 0 does with a provider: cases in TAP, or a table of times.
#pragma once

#include "session.hpp"

namespace report {

struct settings {
    int turns = 41;
    double batch_ms = 2;
    long bytes = -1;  // latency of this size only
};

struct tally {
    int run, failed;
};

// Cases of one provider, numbered on from *seen. A message that is too long has processes of its own: it may end the
// connection (ofiwg/libfabric #8274).
void cases(session::side& s, tally *seen);
void case_truncated(session::side& s, tally *seen, layout::kind k);
void table(session::side& s, const settings& wanted);

}  // namespace report
