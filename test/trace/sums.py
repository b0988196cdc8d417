#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""sums.py ARCHIVE...: what the events of OTF2 archives add up to, a line for each thread and region.

RANK THREAD calls=N incl_comp=NS incl=NS REGION: as the profile counts them, the innermost call of a recursion is none of
its own. The time stamps are taken for the compensated clock; the measured one is they and the attribute. What is not as
it should be (a leave of another region, time that goes back) is an assertion. Other events are only counted.
"""
import collections
import sys

import archive
import otf2


def add_up(path):
    sums = collections.defaultdict(lambda: [0, 0, 0])
    with otf2.reader.open(path) as trace:
        assert trace.timer_resolution == 1_000_000_000, trace.timer_resolution
        stacks, latest, counts = collections.defaultdict(list), {}, collections.Counter()
        for location, event in trace.events:
            assert event.time >= latest.get(location, 0), "time goes back"
            latest[location] = event.time
            counts[location] += 1
            removed = archive.attributes_of(event)["removed_ns"]
            at = (event.time, event.time + removed)
            stack = stacks[location]
            if isinstance(event, otf2.events.Enter):
                stack.append((event.region, at))
                continue
            if not isinstance(event, otf2.events.Leave):
                continue
            region, since = stack.pop()
            assert region == event.region, (region, event.region)
            total = sums[archive.rank_of(location), archive.thread_of(location), region.name]
            total[0] += 1
            if all(outer != region for outer, _ in stack):
                total[1] += at[0] - since[0]
                total[2] += at[1] - since[1]
        assert not any(stacks.values()), "something is open at the end"
        for location in trace.definitions.locations:
            assert counts[location] == location.number_of_events, location
    return sums


archive.read_intercommunicators()
for path in sys.argv[1:]:
    for (rank, thread, name), (calls, comp, measured) in sorted(add_up(path).items()):
        print(rank, thread, f"calls={calls} incl_comp={comp} incl={measured} {name}")
