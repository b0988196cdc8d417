#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""messages.py ARCHIVE RANK: what a rank's threads have done in MPI, a line for each event of point to point.

KIND [COMM PEER TAG BYTES]: those of the four when there are any; ISEND_COMPLETE has those of its ISEND. Threads one after
the other. What is not as it should be (a request that ends twice or was never begun, an event outside of a call of MPI, a
message's attributes at variance with its clock) is an assertion.
"""
import sys

import archive
import otf2
from otf2 import events as e

KINDS = {e.MpiSend: "SEND", e.MpiIsend: "ISEND", e.MpiRecv: "RECV", e.MpiIrecv: "IRECV",
         e.MpiIsendComplete: "ISEND_COMPLETE", e.MpiIrecvRequest: "IRECV_REQUEST", e.MpiRequestTest: "REQUEST_TEST",
         e.MpiRequestCancelled: "REQUEST_CANCELLED"}
BEGINS, ENDS = {"ISEND", "IRECV_REQUEST"}, {"ISEND_COMPLETE", "IRECV", "REQUEST_CANCELLED"}


def words_of(event):
    peer = event.receiver if isinstance(event, (e.MpiSend, e.MpiIsend)) else event.sender
    return f" {event.communicator.name} {peer} {event.msg_tag} {event.msg_length}"


def check_origin(kind, event):
    known = archive.attributes_of(event)
    assert "removed_ns" in known, event
    if kind in ("SEND", "ISEND"):
        assert "sent_ns" not in known and "peer_thread" not in known, known
    elif "sent_ns" in known:
        assert known["sent_ns"] <= event.time + known["removed_ns"], (known, event)


def lines_of(path, rank):
    """By location: the lines of its events."""
    lines, open_requests, ended, depth = {}, {}, set(), {}
    with otf2.reader.open(path) as trace:
        for location, event in trace.events:
            if archive.rank_of(location) != rank:
                continue
            if isinstance(event, e.Enter):
                depth.setdefault(location, []).append(event.region)
            elif isinstance(event, e.Leave):
                depth[location].pop()
            kind = KINDS.get(type(event))
            if kind is None:
                continue
            assert depth[location][-1].name.startswith("MPI_"), (depth[location], event)
            words = words_of(event) if hasattr(event, "msg_tag") else ""
            check_origin(kind, event)
            if kind in BEGINS:
                assert event.request_id not in open_requests and event.request_id not in ended, event
                open_requests[event.request_id] = words
            elif kind in ENDS:
                words = open_requests.pop(event.request_id) if kind == "ISEND_COMPLETE" else words
                open_requests.pop(event.request_id, None)
                assert event.request_id not in ended, event
                ended.add(event.request_id)
            elif kind == "REQUEST_TEST":
                assert event.request_id in open_requests, event
            lines.setdefault(location.name, []).append(kind + words)
    return lines


if __name__ == "__main__":
    for name, lines in sorted(lines_of(sys.argv[1], int(sys.argv[2])).items()):
        print("\n".join(lines))
