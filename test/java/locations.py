#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""locations.py ARCHIVE: a line for each location of the game of life that has a name, with what it has called."""
import collections
import sys

import otf2

WANTED = {"Life$Strip.exchange()": "exchange", "MPI_Isend": "isend", "MPI_Irecv": "irecv", "MPI_Waitall": "waitall"}
calls = collections.defaultdict(collections.Counter)
with otf2.reader.open(sys.argv[1]) as trace:
    for location, event in trace.events:
        if isinstance(event, otf2.events.Enter):
            calls[location][event.region.name] += 1
for location, counts in calls.items():
    named = location.name.partition(": ")[2]
    if named:
        print(location.group.name, named, *(f"{short}={counts[name]}" for name, short in WANTED.items()))
