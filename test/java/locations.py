#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""locations.py ARCHIVE: a line for each location of the game of life that has a name, with what it has called; then one for
each pair of them that messages went between, as the messages say who has sent them."""
import collections
import os
import sys

import otf2

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "trace"))
import archive

WANTED = {"Life$Strip.exchange()": "exchange", "MPI_Isend": "isend", "MPI_Irecv": "irecv", "MPI_Waitall": "waitall"}


def name_of(location):
    return location.name.partition(": ")[2]


calls = collections.defaultdict(collections.Counter)
senders = collections.Counter()
with otf2.reader.open(sys.argv[1]) as trace:
    for location, event in trace.events:
        if isinstance(event, otf2.events.Enter):
            calls[location][event.region.name] += 1
        elif isinstance(event, otf2.events.MpiIrecv):
            senders[event.sender, archive.attributes_of(event).get("peer_thread"), location] += 1
by_number = {(archive.rank_of(location), archive.thread_of(location)): location for location in calls}
for location, counts in calls.items():
    if name_of(location):
        print(location.group.name, name_of(location), *(f"{short}={counts[name]}" for name, short in WANTED.items()))
for (rank, thread, location), count in senders.items():
    sender = by_number.get((rank, thread))
    print(f"{count} from {name_of(sender) if sender else 'nobody'} to {name_of(location)}")
