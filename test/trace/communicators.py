#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""communicators.py ARCHIVE RANK: the communicators that a rank has sent on, in that order: NAME: RANKS, where each rank is
one of MPI_COMM_WORLD; of an intercommunicator those of both groups, RANKS | RANKS.

Two communicators of one name, or one that no other rank knows by that number, is an assertion, as is a message whose
sender and receiver name different ones.
"""
import sys

import archive
import otf2
from otf2 import events as e


def ranks_of(group):
    return " ".join(str(archive.rank_of(location)) for location in group.members)


def members_of(comm):
    if not isinstance(comm, otf2.definitions.InterComm):
        return ranks_of(comm.group)
    return " | ".join(ranks_of(group) for group in sorted((comm.groupA, comm.groupB), key=lambda g: g.members[0]._ref))


def read(path, rank):
    archive.read_intercommunicators()
    sent, received, seen, by_name = [], [], [], {}
    with otf2.reader.open(path) as trace:
        for location, event in trace.events:
            if isinstance(event, (e.MpiSend, e.MpiRecv)):
                comm = event.communicator
                assert by_name.setdefault(comm.name, comm) is comm, comm.name
                (sent if isinstance(event, e.MpiSend) else received).append(comm.name)
                if isinstance(event, e.MpiSend) and archive.rank_of(location) == rank:
                    seen.append(comm)
    assert sorted(sent) == sorted(received), set(sent) ^ set(received)
    return seen


if __name__ == "__main__":
    for communicator in read(sys.argv[1], int(sys.argv[2])):
        print(f"{communicator.name}: {members_of(communicator)}")
