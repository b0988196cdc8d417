#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""collectives.py ARCHIVE RANK: the collective operations that a rank has ended, in that order.

[I]OPERATION ROOT SENT RECEIVED, with an I for those that had a request. An end without its begin, or another one in between,
is an assertion.
"""
import sys

import archive
import otf2
from otf2 import events as e


def name_of(root):
    return "NONE" if str(root).endswith("NONE") or int(root) == 2**32 - 1 else str(int(root))


def line(event, before):
    operation = str(event.collective_op).split(".")[-1]
    return f"{before}{operation} {name_of(event.root)} {event.size_sent} {event.size_received}"


def lines_of(path, rank):
    lines, begun, requests = [], None, set()
    with otf2.reader.open(path) as trace:
        for location, event in trace.events:
            if archive.rank_of(location) != rank:
                continue
            if isinstance(event, e.MpiCollectiveBegin):
                assert begun is None, event
                begun = event
            elif isinstance(event, e.MpiCollectiveEnd):
                assert begun is not None and begun.time <= event.time, event
                begun = None
                lines.append(line(event, ""))
            elif isinstance(event, e.NonBlockingCollectiveRequest):
                assert event.request_id not in requests, event
                requests.add(event.request_id)
            elif isinstance(event, e.NonBlockingCollectiveComplete):
                requests.remove(event.request_id)
                lines.append(line(event, "I"))
    assert begun is None and not requests
    return lines


if __name__ == "__main__":
    print("\n".join(lines_of(sys.argv[1], int(sys.argv[2]))))
